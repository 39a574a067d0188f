//go:build unix

package tools

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// badTargets are places and names that mean no symbol, or another one than is meant, in a file that declares Square.
func badTargets(file string) []map[string]any {
	at := func(line, character int) map[string]any {
		return map[string]any{"file_path": file, "line": line, "character": character}
	}
	on := func(line int, name string) map[string]any {
		return map[string]any{"file_path": file, "line": line, "symbol_name": name}
	}
	in := func(path, name string) map[string]any { return map[string]any{"file_path": path, "symbol_name": name} }
	return []map[string]any{
		// comments, blanks, keywords, beyond the end
		at(1, 1), at(1, 5), at(3, 1), at(5, 1), at(16, 1), at(17, 1), at(999999, 1), at(1, 999999),
		on(16, "Squar"), on(16, "square"), on(17, "Squre"), on(999999, "Square"), on(1, "Zzqqxx"), on(3, "shape"),
		in(file, "Squre"), in(file, "SQUARE"), in(file, "Zzqqxx"), in(file, "Nothing.Square"),
		in(file, "Square.Nothing"),
		{"file_path": file, "symbol_name": "Square", "symbol_kind": "function"},
		{"file_path": file, "symbol_name": "Square", "symbol_kind": "klass"},
		{"symbol_name": "Squre"}, {"symbol_name": "Zzqqxx"}, {"symbol_name": "Square", "symbol_kind": "function"},
		{"symbol_name": "Nothing.Square"},
		in("shap"+filepath.Ext(file), "Square"), in("zz/"+file, "Square"), in("zz/qq"+filepath.Ext(file), "Square"),
		in("calls.txt", "Square"), in(".", "Square"),
		in("file:///"+file, "Square"), in("/etc/hostname", "root"), {"file_path": file}, {"line": 3},
		{"symbol_nam": "Square"},
		{"symbol_nam": "Squre"}, {"file_path": "shap" + filepath.Ext(file), "symbol_nam": "Square"},
	}
}

// badCalls are the calls of a project, by tool.
func badCalls(file string) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for _, target := range badTargets(file) {
		for _, tool := range []string{"hover", "find_definition", "find_references", "find_implementations",
			"call_hierarchy", "type_hierarchy",
			"symbol_bundle"} {
			out[tool] = append(out[tool], target)
		}
		renamed := maps.Clone(target)
		renamed["new_name"] = "Quad"
		out["rename_symbol"] = append(out["rename_symbol"], renamed)
		out["code_actions"] = append(out["code_actions"], target)
		if path := target["file_path"]; path != nil {
			for _, tool := range []string{"get_document_symbols", "get_diagnostics", "switch_source_header"} {
				out[tool] = append(out[tool], map[string]any{"file_path": path})
			}
			out["search_workspace_symbols"] = append(out["search_workspace_symbols"],
				map[string]any{"query": "Squre", "file_path": path})
			out["check_edit"] = append(out["check_edit"],
				map[string]any{"edits": []any{map[string]any{"file_path": path, "old_text": "Zzqqxx",
					"new_text": "x"}}})
		}
	}
	for _, tool := range []string{"restart_server", "stop_server", "get_server_status"} {
		out[tool] = []map[string]any{{"server_id": "zz"}, {"server_idd": "zz"}}
	}
	out["rename_symbol"] = append(out["rename_symbol"], map[string]any{"file_path": file, "symbol_name": "Square",
		"new_name": "not a name"},
		map[string]any{"file_path": file, "symbol_name": "Square"})
	out["code_actions"] = append(out["code_actions"], map[string]any{"file_path": file, "line": 16, "character": 6,
		"action": "zz"})
	out["search_workspace_symbols"] = append(out["search_workspace_symbols"],
		map[string]any{"query": "(", "match": "regex"}, map[string]any{"query": "Squre"})
	return out
}

// A step that is run as it is leads on: it does not repeat the argument that was wrong, nor ask a server for what
// it refuses. The calls are answered by real servers.
func TestStepsOfErrorsDoNotFail(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct{ project, server, program, file string }{
		{"go", "gopls", "gopls", "shape.go"}, {"py", "pyright", "pyright-langserver", "shape.py"},
	} {
		t.Run(c.project, func(t *testing.T) {
			testkit.Always(t, c.project, "go")
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, copyProject(t, filepath.Join("testdata", "navigation", c.project)), c.server)
			seen := map[string]bool{}
			calls := badCalls(c.file)
			for at, tool := range slices.Sorted(maps.Keys(calls)) {
				for i, arguments := range calls[tool] {
					// Tools share the targets, so that a fifth of them at each tool tries every target.
					if every := testkit.Times(5, 1); len(calls[tool]) > every && (i+at)%every != 0 {
						continue
					}
					if call := fmt.Sprint(tool, arguments); !seen[call] {
						seen[call] = true
						stepsLeadOn(t, session, tool, arguments)
					}
				}
			}
		})
	}
}

func stepsLeadOn(t *testing.T, session *session.Session, tool string, arguments map[string]any) {
	t.Helper()
	a := run(t, session, tool, arguments)
	steps, _ := a["next_steps"].([]any)
	if a["ok"] != true && len(steps) == 0 {
		t.Errorf("%s %v: an error without a step: %v", tool, arguments, a["error"])
	}
	for _, s := range steps {
		step := s.(map[string]any)
		if step["kind"] != "tool" || slices.Contains([]string{"restart_server", "stop_server"}, step["tool"].(string)) {
			continue
		}
		next, _ := step["arguments"].(map[string]any)
		// A question that nobody has asked yet may fail for its own reasons.
		asksElsewhere := next["file_path"] == nil && (arguments["file_path"] != nil || a.fault() == "unknown_argument")
		b := run(t, session, step["tool"].(string), next)
		// gopls renames nothing in a package with errors
		refused := b.fault() == "request_failed" && step["tool"] == "rename_symbol"
		if b["ok"] != true && !asksElsewhere && !refused {
			t.Errorf("%s %v: %s\n  step %s %v (%s)\n  fails: %s %s", tool, arguments, a.text(), step["tool"], next,
				step["message"], b.fault(), b.text())
		}
	}
}

// Every argument by which a tool may be told to write is off unless it is given, and known to what guards the steps.
func TestWritersAreAgreedTo(t *testing.T) {
	for _, tool := range All() {
		switch tool.Class {
		case answer.Write:
			if p := tool.Input.Properties["dry_run"]; p == nil || string(p.Default) != "true" {
				t.Errorf("%s writes without dry_run false", tool.Name)
			}
		case answer.DryRun:
			if p := tool.Input.Properties["apply_if_clean"]; p == nil || string(p.Default) != "false" {
				t.Errorf("%s writes without apply_if_clean", tool.Name)
			}
		}
	}
}

// Nobody has seen what the refused calls would do; their first step shows it.
func TestRefusedWritesArePreviewed(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n  body\n", "b.w", "use X\n")
	whole := applying(tried("b.w", "", "use X X\n"))
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		fault     string
	}{
		{"rename_symbol", renameX(map[string]any{"dry_run": false, "preview_id": "0123456789abcdef"}), "file_changed"},
		{"rename_symbol", renameX(map[string]any{"dryrun": false}), "unknown_argument"},
		{"rename_symbol",
			renameX(map[string]any{"dry_run": false,
				"expected_before_sha256": map[string]any{"a.w": strings.Repeat("0", 64)}}), "file_changed"},
		{"check_edit", whole, "missing_argument"},
		{"check_edit", map[string]any{"edits": whole["edits"], "apply_if_cleann": true}, "unknown_argument"},
	} {
		before := s.texts()
		a := run(t, s.Session, c.tool, c.arguments)
		if fault, _, _ := strings.Cut(a.fault(), " "); fault != c.fault {
			t.Errorf("%s %v: %v", c.tool, c.arguments, a["error"])
		}
		step := firstOf(a, "next_steps")
		if c.fault == "unknown_argument" {
			equal(t, "a step that cannot be run as it is", step["kind"], any("doc"))
		} else {
			if shown := run(t, s.Session, step["tool"].(string),
				step["arguments"].(map[string]any)); shown["ok"] != true || shown["applied"] == true {
				t.Errorf("the step %v: %v", step, shown)
			}
		}
		s.holds("a.w", before["a.w"], "b.w", before["b.w"])
	}
}
