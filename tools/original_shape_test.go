package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// at reads a value of an answer by a path such as results.0.symbol.name; nil for what is not there.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch of := v.(type) {
		case map[string]any:
			v = of[name]
		case []any:
			var i int
			if _, err := fmt.Sscan(name, &i); err != nil || i >= len(of) {
				return nil
			}
			v = of[i]
		default:
			return nil
		}
	}
	return v
}

const shapedSource = `package m

// T is a thing.
type T struct{ n int }

// Add adds. 𝄞
func (t *T) Add(d int) int { return t.n + d }

func Sub(a, b int) int { return a - b }

func use() int {
	t := &T{}
	_ = "𝄞" + string(rune(Sub(2, 1)))
	return t.Add(1)
}

type U struct{}

func (U) Add(d int) int { return d }

func broken() { undefined() }
`

// With mcp.output.shape = "original" the tools of the original answer with its fields, under the names by which they
// are called: positions are LSP's, in UTF-16.
func TestOriginalShape(t *testing.T) {
	testkit.Always(t, "gopls", "gopls")
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n", "a.go": shapedSource})
	opened := toolstest.Real(t, dir, "gopls")
	opened.Settings.Shape = session.ShapeOriginal
	file := filepath.Join(opened.Workspace.Root, "a.go")
	span := func(line, from, to int) string {
		return fmt.Sprintf("map[end:map[character:%d line:%d] start:map[character:%d line:%d]]", to, line, from, line)
	}
	named := map[string]any{"file_path": "a.go", "symbol_name": "Sub"}
	use := map[string]any{"file_path": "a.go", "line": 13, "character": 24}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      map[string]any // by path, as text
	}{
		{"find_definition", named, map[string]any{"schema_version": 1, "tool": "find_definition", "symbol_matches": 1,
			"needs_disambiguation": false, "definition_locations": 1, "results.0.symbol.name": "Sub",
			"results.0.symbol.kind": 12, "results.0.symbol.selection_range": span(8, 5, 8),
			"results.0.symbol.selection_start_1based": "map[character:6 line:9]",
			"results.0.definitions.0.file_path":       file, "results.0.definitions.0.uri": "file://" + file,
			"results.0.definitions.0.range": span(8, 5, 8), "results.0.definitions.0.snippet.start_line": 7,
			"input.include_snippet": true, "input.max_total_chars": 24000, "definitions": nil}},
		{"find_definition_at", use, map[string]any{"tool": "find_definition_at", "definition_locations": 1,
			"used_lsp_position": "map[character:24 line:12]", "definitions.0.range": span(8, 5, 8), "results": nil}},
		{"find_type_definition_at", map[string]any{"file_path": "a.go", "line": 12, "character": 2},
			map[string]any{"type_definition_locations": 1, "type_definitions.0.range": span(3, 5, 6)}},
		{"find_references", named, map[string]any{"reference_locations": 2, "results.0.references.0.range": span(8, 5, 8),
			"results.0.references.1.range": span(12, 24, 27), "results.0.references.1.snippet.start_line": 12,
			"limited_by_max_results": false, "files": nil, "total": nil}},
		{"find_references_at", use, map[string]any{"reference_locations": 2, "references.1.range": span(12, 24, 27)}},
		{"hover_at", use, map[string]any{"hover": "func Sub(a int, b int) int",
			"hover_raw.contents.value": "func Sub(a int, b int) int"}},
		{"find_implementation_at", map[string]any{"file_path": "a.go", "line": 4, "character": 6},
			map[string]any{"implementation_locations": 0, "implementations": "[]"}},
		{"find_incoming_calls", named, map[string]any{"call_count": 1, "calls.0.from.name": "use",
			"calls.0.from.location.file_path": file, "calls.0.from_ranges.0.range": span(12, 24, 27),
			"target.name": "Sub", "selected_symbol.name": "Sub", "needs_disambiguation": false}},
		{"find_outgoing_calls_at", map[string]any{"file_path": "a.go", "line": 11, "character": 6},
			map[string]any{"call_count": 2, "calls.0.to.kind": 12, "target.selection_range": span(10, 5, 8),
				"selected_symbol": nil}},
		{"get_document_symbols", map[string]any{"file_path": "a.go"}, map[string]any{"symbol_count": 8,
			"symbols.0.name": "T", "symbols.0.kind": 23, "symbols.4.name": "use",
			"symbols.4.range":           "map[end:map[character:1 line:14] start:map[character:0 line:10]]",
			"symbols.4.selection_range": span(10, 5, 8), "symbols.4.document_uri": "file://" + file}},
		{"search_workspace_symbols", map[string]any{"query": "Sub"}, map[string]any{"match_count": 1,
			"matches.0.name": "Sub", "matches.0.kind": 12, "matches.0.location.range": span(8, 5, 8)}},
		{"get_diagnostics", map[string]any{"file_path": "a.go"}, map[string]any{"count": 1,
			"diagnostics.0.severity": 1, "diagnostics.0.range": span(20, 16, 25), "files": nil}},
		{"get_server_status", nil, map[string]any{"status_count": 1, "statuses.0.server_id": "gopls",
			"statuses.0.running": true, "statuses.0.server_status.quiescent": true, "servers": nil}},
		{"list_servers", nil, map[string]any{"server_count": 1, "servers.0.id": "gopls", "total": nil}},
		{"find_definition", map[string]any{"file_path": "a.go", "symbol_name": "Add"}, map[string]any{"ok": false,
			"needs_disambiguation": true, "candidates.0.name": "T.Add", "candidates.0.kind": 6,
			"candidates.0.selection_start_1based": "map[character:13 line:7]",
			"error.data.lspi_error.kind":          "needs_disambiguation", "error.data.kind_today": "ambiguous_symbol"}},
		{"find_definition", map[string]any{"file_path": "a.go", "symbol_name": "Nope"}, map[string]any{
			"error.kind": "no_match", "error.kind_today": "not_found"}},
		{"find_definition", map[string]any{"file_path": "../x.go", "symbol_name": "Nope"}, map[string]any{
			"error.kind": "invalid_params", "error.data.lspi_error.kind": "outside_allowed_roots"}},
		{"restart_server", map[string]any{"extensions": []any{"go"}}, map[string]any{"restarted": "[gopls]",
			"busy": "[]", "requested_extensions": "[go]"}},
		// What the original had not keeps its shape.
		{"type_hierarchy", map[string]any{"file_path": "a.go", "symbol_name": "T"}, map[string]any{"subtypes": "[]",
			"schema_version": 1}},
	} {
		a := run(t, opened, c.tool, c.arguments)
		for path, want := range c.want {
			got := at(map[string]any(a), path)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %v: %s is %v, not %v", c.tool, c.arguments, path, got, want)
			}
		}
	}
}

// The edits of a preview in the original's shape make of each file what applying it makes of it.
func TestOriginalShapeOfARename(t *testing.T) {
	testkit.Always(t, "gopls", "gopls")
	needServer(t, "gopls")
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n",
		"a.go": "package m\n\nfunc Sub(a int) int { return a }\n\nvar x = 1\nvar y = Sub(1)\nvar z = Sub(2)",
		"b.go": "package m\n\nvar b = Sub(3)\n"}
	dir := project(t, files)
	opened := toolstest.Real(t, dir, "gopls")
	opened.Settings.Shape = session.ShapeOriginal
	arguments := map[string]any{"file_path": "a.go", "symbol_name": "Sub", "new_name": "Minus"}
	a := run(t, opened, "rename_symbol", arguments)
	equal(t, "preview", fmt.Sprint(a["dry_run"], " ", at(map[string]any(a), "symbol.name"), " ", a["new_name"]), "true Sub Minus")
	edited := map[string]string{}
	for _, f := range at(map[string]any(a), "edit.files").([]any) {
		path := at(f, "file_path").(string)
		raw, err := os.ReadFile(path)
		testkit.Must(t, err)
		lines := strings.SplitAfter(string(raw), "\n")
		edits := at(f, "edits").([]any)
		for i := len(edits) - 1; i >= 0; i-- {
			first, last := int(at(edits[i], "range.start.line").(float64)), int(at(edits[i], "range.end.line").(float64))
			lines = append(append(append([]string{}, lines[:first]...), at(edits[i], "newText").(string)),
				lines[min(last, len(lines)):]...)
		}
		edited[filepath.Base(path)] = strings.Join(lines, "")
	}
	arguments["dry_run"], arguments["backup_suffix"] = false, ".bak"
	a = run(t, opened, "rename_symbol", arguments)
	equal(t, "applied", fmt.Sprint(a["dry_run"], " ", len(at(map[string]any(a), "apply.files_modified").([]any)), " ",
		len(at(map[string]any(a), "apply.backup_files").([]any))), "false 2 2")
	for name, want := range edited {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		testkit.Must(t, err)
		equal(t, name, string(raw), want)
	}
	equal(t, "files", len(edited), 2)
	raw, err := json.Marshal(a["input"])
	testkit.Must(t, err)
	testkit.Holds(t, string(raw), `"dry_run":false`, "input")
}
