package tools

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/symbol"
	"lspi/tools/toolstest"
)

var update = flag.Bool("update", false, "write the goldens anew")

// Small projects of five languages under testdata/navigation, each with the calls that are made on it and what its real
// server made us answer. With [testkit.SmallStd] rust-analyzer takes a trait for one that is not dyn-compatible.
func TestNavigation(t *testing.T) {
	for _, c := range []struct{ project, server, program string }{
		{"go", "gopls", "gopls"}, {"cpp", "clangd", "clangd"}, {"rust", "rust-analyzer", "rust-analyzer"},
		{"ts", "typescript-language-server", "typescript-language-server"}, {"py", "pyright", "pyright-langserver"},
	} {
		t.Run(c.project, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			if c.project != "go" && c.project != "cpp" { // the scripts ask the others the same
				testkit.OwnServer(t)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			dir := copyProject(t, filepath.Join("testdata", "navigation", c.project))
			session := toolstest.Real(t, dir, c.server)
			calls, err := os.ReadFile(filepath.Join(dir, "calls.txt"))
			testkit.Must(t, err)
			var out strings.Builder
			for call := range strings.Lines(string(calls)) {
				tool, arguments, _ := strings.Cut(strings.TrimSpace(call), " ")
				r := Run(ctx, session, nil, answer.Request{Tool: tool, Arguments: json.RawMessage(arguments)})
				fmt.Fprintf(&out, "> %s%s\n\n", call, essence(t, r))
				if tool == "get_document_symbols" {
					addressable(t, ctx, session, arguments, r)
				}
			}
			golden(t, filepath.Join("testdata", "navigation", c.project+".golden"), out.String())
		})
	}
}

// copyProject is a copy of a folder with its own path put in for $DIR.
func copyProject(t *testing.T, from string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	testkit.Must(t, os.CopyFS(dir, os.DirFS(from)))
	database := filepath.Join(dir, "compile_commands.json")
	if raw, err := os.ReadFile(database); err == nil {
		testkit.Must(t, os.WriteFile(database, []byte(strings.ReplaceAll(string(raw), "$DIR", dir)), 0o644))
	}
	return dir
}

// outsidePath is an absolute path in an answer, up to its last part.
var outsidePath = regexp.MustCompile(`"/[^"]*/([^/"]+)"`)

// essence is what an answer says beyond the envelope: its own fields, what limits it, and on errors the text.
func essence(t *testing.T, r Result) string {
	t.Helper()
	var fields map[string]json.RawMessage
	testkit.Must(t, json.Unmarshal(r.Structured, &fields))
	if !r.OK {
		return r.Text
	}
	limits := string(fields["completeness"])
	var warnings []struct{ Kind string }
	testkit.Must(t, json.Unmarshal(fields["warnings"], &warnings))
	for _, w := range warnings {
		limits += " " + w.Kind
	}
	var steps []contract.NextStep
	testkit.Must(t, json.Unmarshal(fields["next_steps"], &steps))
	for _, s := range steps {
		limits += fmt.Sprintf("\n%s %v", s.Tool, s.Arguments)
	}
	_, own, _ := strings.Cut(string(r.Structured), `"next_steps":`+string(fields["next_steps"])+",")
	return limits + "\n{" + outsidePath.ReplaceAllString(own, `"…/$1"`)
}

// addressable makes sure that every name of an outline can be given back with its line.
func addressable(t *testing.T, ctx context.Context, session *session.Session, arguments string, r Result) {
	t.Helper()
	var in struct {
		FilePath string `json:"file_path"`
	}
	var out struct{ Symbols []string }
	if json.Unmarshal([]byte(arguments), &in) != nil || json.Unmarshal(r.Structured, &out) != nil {
		t.Fatal(arguments)
	}
	separator := lang.Of(in.FilePath).Join([]string{"", ""})
	for _, o := range readOutline(out.Symbols, separator) {
		// clangd calls "using Widget::Widget" so
		if o.group || symbol.Nameless(o.name) || o.name == "ui::Button::Button" {
			continue
		}
		target := map[string]any{"file_path": in.FilePath, "symbol_name": o.name}
		if !o.shared {
			target["line"] = o.line
		}
		asked, _ := json.Marshal(target)
		found := Run(ctx, session, nil, answer.Request{Tool: "hover", Arguments: asked})
		if !found.OK || strings.Contains(string(found.Structured), "line_adjusted") {
			t.Errorf("%s cannot be given back: %s", o, found.Text)
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		testkit.Must(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	testkit.Must(t, err)
	testkit.Diff(t, got, string(want), path, "; -update writes it anew)")
}

// Texts as they are found: a byte order mark, CRLF, tabs, and characters of every width before the symbol on its line.
func TestNavigationInStrangeTexts(t *testing.T) {
	for _, c := range []struct{ server, program, file, text string }{
		{"gopls", "gopls", "a.go",
			"\ufeffpackage shop\r\n\r\ntype /* é𝛼\t */ Shape interface {\r\n\t/* 𝛼 */ Area() int\r\n}\r\n\r\n" +
				"type Square struct{}\r\n\r\nfunc (Square) /* ééé */ Area() int { return 1 }\r\n"},
		{"clangd", "clangd", "a.cpp",
			"\ufeff/* é𝛼\t */ struct Shape {\r\n\t/* 𝛼 */ virtual int Area();\r\n};\r\n\r\nstruct Square : Shape {\r\n" +
				"  /* ééé */ int Area() override { return 1; }\r\n};\r\n"},
	} {
		t.Run(c.server, func(t *testing.T) {
			t.Parallel()
			needServer(t, c.program)
			dir := project(t, map[string]string{c.file: c.text, "go.mod": "module shop\n\ngo 1.24\n"})
			compileCommands(t, dir, c.file)
			session := toolstest.Real(t, dir, c.server)
			want := lineWith(c.text, "ééé")
			a := run(t, session, "find_implementations",
				map[string]any{"file_path": c.file, "symbol_name": "Shape.Area"})
			equal(t, "implementations", strings.Join(grouped("implementations")(a), " "), c.file+":"+want)
			at, _, _ := strings.Cut(want, " ")
			line, character, _ := strings.Cut(at, ":")
			position := map[string]any{"file_path": c.file, "line": json.Number(line),
				"character": json.Number(character)}
			a = run(t, session, "hover", position)
			if a["kind"] != "method" || !strings.HasSuffix(fmt.Sprint(a["symbol"]), "Square.Area") &&
				a["symbol"] != "Square::Area" {
				t.Errorf("hover: %v", a)
			}
			a = run(t, session, "search_workspace_symbols", map[string]any{"query": "Shape", "match": "exact"})
			equal(t, "search", strings.Count(foundNames(a), "Shape@"), 1)
			a = run(t, session, "get_document_symbols", map[string]any{"file_path": c.file})
			if out := strings.Join(outlineOf(a), "|"); strings.Contains(out, "\r") || !strings.Contains(out, " Shape") {
				t.Errorf("outline: %s", out)
			}
		})
	}
}

// lineWith is the reference form of the word Area on the line that holds mark.
func lineWith(text, mark string) string {
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\r\n") {
		if before, _, ok := strings.Cut(line, "Area"); ok && strings.Contains(before, mark) {
			return fmt.Sprintf("%d:%d %s", i+1, len([]rune(before))+1, strings.TrimSpace(line))
		}
	}
	return ""
}
