//go:build unix

package tools

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// renameX are the arguments that rename X, which a.w defines.
func renameX(more map[string]any) map[string]any {
	out := map[string]any{"file_path": "a.w", "line": 1, "character": 5, "new_name": "Y"}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// texts are the files of a workspace.
func (s *scripted) texts() map[string]string {
	s.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(s.dir, path)
		out[filepath.ToSlash(rel)] = string(raw)
		return err
	})
	testkit.Must(s, err)
	return out
}

func (s *scripted) holds(files ...string) {
	s.Helper()
	want := map[string]string{}
	for i := 0; i < len(files); i += 2 {
		want[files[i]] = files[i+1]
	}
	testkit.Diff(s, s.texts(), want, "files")
}

// rename previews or applies.
func (s *scripted) rename(arguments map[string]any) reply {
	s.Helper()
	return run(s.TB, s.Session, "rename_symbol", arguments)
}

func TestRenamePreviewAndApply(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n  body\n", "b.w", "use X\nX X\n")
	preview := s.rename(renameX(nil))
	s.holds("a.w", "def X\n  body\n", "b.w", "use X\nX X\n")
	equal(t, "applied", preview["applied"], any(false))
	equal(t, "completeness", preview["completeness"], any("complete"))
	files := preview["files"].([]any)
	equal(t, "files", fmt.Sprint(files),
		"[map[changes:[1:5 def Y] file_path:a.w] map[changes:[1:5 use Y 2:1 Y Y] file_path:b.w]]")
	whole := s.rename(renameX(map[string]any{"diff": true}))
	b := whole["files"].([]any)[1].(map[string]any)
	equal(t, "diff", b["diff"], any("--- b.w\n+++ b.w\n@@ -1,2 +1,2 @@\n-use X\n-X X\n+use Y\n+Y Y\n"))
	equal(t, "kind of a change of text", b["kind"], any(nil))
	equal(t, "digest", b["before_sha256"], any(fmt.Sprintf("%x", sha256.Sum256([]byte("use X\nX X\n")))))
	testkit.Diff(t, whole.ready(), preview.ready(), "the step that applies")
	equal(t, "totals", fmt.Sprint(preview["totals"]), "map[changed:2 edits:4 lines_added:3 lines_removed:3]")

	agreed := preview.ready()
	done := s.rename(agreed)
	equal(t, "applied", done["applied"], any(true))
	s.holds("a.w", "def Y\n  body\n", "b.w", "use Y\nY Y\n")
	s.want(s.references(), "fake1 complete 4")
	left, _ := filepath.Glob(filepath.Join(s.Workspace.Process.EditDir, "journals", "*"))
	equal(t, "journals", len(left), 0)
	// Said once more it is another rename, and refused.
	equal(t, "again", s.rename(agreed).fault(), "invalid_argument is already the name: Y")
}

// The id names one edit of one text: it holds in another process, for no other edit, and for no other name of the
// digest.
func TestPreviewIDs(t *testing.T) {
	files := []string{"a.w", "def X\n", "b.w", "use X\n"}
	s := newScripted(t, nil, playing(), files...)
	id := fmt.Sprint(s.rename(renameX(nil))["preview_id"])
	if len(id) != 16 {
		t.Errorf("preview_id %q", id)
	}
	apply := func(id string, more map[string]any) reply {
		arguments := renameX(more)
		arguments["dry_run"], arguments["preview_id"] = false, id
		return s.rename(arguments)
	}
	equal(t, "another name", apply(id, map[string]any{"new_name": "Z"}).fault(), "file_changed")
	equal(t, "the beginning of it", apply(id[:8], nil).fault(), "file_changed")
	refused := apply("0000000000000000", nil)
	if text := fmt.Sprint(refused); refused.fault() != "file_changed" || strings.Contains(text, id) {
		t.Errorf("the error tells what nobody has seen: %s", text)
	}
	digests := s.rename(renameX(map[string]any{"diff": true})).digests()
	digests["b.w"] = strings.Repeat("0", 64)
	equal(t, "with another digest", apply(id, map[string]any{"expected_before_sha256": digests}).fault(),
		"file_changed")
	s.write("b.w", "use X \n")
	equal(t, "one more space", apply(id, nil).fault(), "file_changed")
	s.write("b.w", "use X\n")
	s.holds(files...)
	// Another process: nothing of the preview is remembered.
	s.play(playing()...)
	equal(t, "applied", apply(strings.ToUpper(id), nil)["applied"], any(true))
	s.holds("a.w", "def Y\n", "b.w", "use Y\n")
}

// inOneCall are the arguments by which one call makes the change if nothing speaks against it: that of today, and that
// of the original lspi.
var inOneCall = []map[string]any{{"apply": "if_safe"}, {"dry_run": false}}

// With apply: if_safe one call makes the change, and answers in few words.
func TestRenameIfSafe(t *testing.T) {
	for _, how := range inOneCall {
		s := newScripted(t, nil, playing(), "a.w", "def X\n  body\n// X\n", "b.w", "use X\nX X\n", "c.w", "  BAD X\n")
		a := s.rename(renameX(how))
		s.holds("a.w", "def Y\n  body\n// Y\n", "b.w", "use Y\nY Y\n", "c.w", "  BAD Y\n")
		equal(t, "answer", fmt.Sprintln(a["applied"], a["edits"], a["in_comments"], a["paths"], a["completeness"],
			a["warnings"], a["next_steps"]),
			"true 6 1 [a.w b.w c.w] complete [] []\n")
		if raw := mustJSON(t, a); len(raw) > 350 {
			t.Errorf("%d bytes: %s", len(raw), raw)
		}
		s.want(s.references(), "fake1 complete 6")
	}
}

// A call of the original whose change is not safe shows it, with the step that applies it.
func TestDryRunFalseShowsHowToApply(t *testing.T) {
	s := newScripted(t, nil, playing(), append(slices.Clone(two), "c.w", "  \"X\"\n")...)
	a := s.rename(renameX(map[string]any{"dry_run": false}))
	equal(t, "applied", a["applied"], any(false))
	step := a.ready()
	equal(t, "the step", fmt.Sprint(step["dry_run"], " ", step["preview_id"] == a["preview_id"]), "false true")
	equal(t, "applied by the step", s.rename(step)["applied"], any(true))
	s.holds("a.w", "def Y\n", "b.w", "Y\n", "c.w", "  \"Y\"\n")
}

// What asks for a look is shown and not applied; the preview then leads on as any other does.
func TestRenameThatIsNotSafe(t *testing.T) {
	quoted := append(slices.Clone(two), "c.w", "  \"X\"\n")
	for name, c := range map[string]struct {
		files     []string
		arguments map[string]any
		scripts   []*lsptest.Script
		prepare   func(s *scripted)
		why       string
	}{
		"it brings an error": {files: two, arguments: map[string]any{"new_name": "BAD"},
			why: "it introduced new errors, and lspi undid it"},
		"in quotes": {files: quoted,
			why: "look at this first: 1 edit is in comments or quotes, the first in c.w"},
		"generated": {files: []string{"a.w", "def X\n", "b.w", "// Code generated by x. DO NOT EDIT.\nX\n"},
			why: "look at this first: b.w is generated by a program, whose input may have to change instead"},
		"a CI file": {files: append(slices.Clone(two), ".github/workflows/c.w", "X\n"),
			why: "look at this first: .github/workflows/c.w decides what a CI service runs: show the user the diff, and apply it (dry_run false with preview_id) only when the user agrees"},
		"a read-only file": {files: two, prepare: func(s *scripted) {
			testkit.Must(s, os.Chmod(filepath.Join(s.dir, "b.w"), 0o444))
		},
			why: "look at this first: b.w is read-only; lspi applies nothing while it is"},
		"no uses": {files: two, scripts: playing(on(lsp.MethodReferences, refuse(-32603))),
			why: "look at this first: fake1 did not list the uses of X"},
		"no errors told": {files: two, scripts: playing(on(lsp.MethodDocumentDiag, refuse(-32603))),
			why: "lspi cannot tell which errors there are before it: "},
		"no journal": {files: two, prepare: func(s *scripted) {
			s.Workspace.Process.EditDir = ""
		}, why: "there is no home folder for the journal that makes an edit safe; set XDG_STATE_HOME"},
		"many files": {files: manyFiles(51),
			why: "it would change 51 files, and lspi compares the errors of at most 50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, how := range inOneCall { // one after the other: a script is of one server
				scripts := c.scripts
				if scripts == nil {
					scripts = playing()
				}
				s := newScripted(t, nil, scripts, c.files...)
				if c.prepare != nil {
					c.prepare(s)
				}
				arguments := renameX(c.arguments)
				maps.Copy(arguments, how)
				a := s.rename(arguments)
				if why := fmt.Sprint(a["not_applied"]); a["applied"] != any(false) || !strings.HasPrefix(why, c.why) ||
					a["preview_id"] == nil ||
					firstOf(a, "files")["changes"] == nil {
					t.Errorf("%v: %v", how, a)
				}
				s.holds(c.files...)
				if errors := a["new_errors"] != nil; errors != (name == "it brings an error") || errors &&
					a.ready() != nil {
					t.Errorf("%v: the errors: %v", how, a)
				}
				if ready := a.ready(); ready != nil && ready["apply"] != nil {
					t.Errorf("%v: the step: %v", how, ready)
				}
			}
		})
	}
}

// An edit that makes a file, or one that was agreed to before the files changed, is not made.
func TestIfSafeOnlyChangesTexts(t *testing.T) {
	s := newScripted(t, nil, nil, two...)
	s.answering(0, map[string]any{"documentChanges": []any{
		map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(s.dir, "a.w"), "version": nil},
			"edits": []any{edited(4, 5, "Y")}},
		map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(s.dir, "b.w"), "version": nil},
			"edits": []any{edited(0, 1, "Y")}},
		map[string]any{"kind": "create", "uri": "file://" + filepath.Join(s.dir, "Y.w")},
	}})
	a := s.rename(renameX(map[string]any{"apply": "if_safe"}))
	equal(t, "why", a["not_applied"], any("it would create Y.w, and if_safe only changes texts"))
	equal(t, "with an id",
		s.rename(renameX(map[string]any{"apply": "if_safe", "preview_id": "0123456789abcdef"})).fault(), "file_changed")
	equal(t, "another value", s.rename(renameX(map[string]any{"apply": "always"})).fault(),
		"invalid_argument must be one of if_safe, not \"always\"")
	s.holds(two...)
	s.Settings.ReadOnly = true
	equal(t, "read-only", s.rename(renameX(map[string]any{"apply": "if_safe"})).fault(), "read_only")
}

// The servers make renames of the usual kind at once, each with its checks; what only a reader sees is shown.
func TestIfSafeOfRealServers(t *testing.T) {
	for _, c := range []struct {
		server, home, name, why string
		files                   map[string]string
	}{
		{"gopls", "a/a.go", "Load", "", map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
			"a/a.go": "package a\n\n// Load loads.\nfunc Load() int { return 1 }\n",
			"b/b.go": "package b\n\nimport \"ex.com/m/a\"\n\nvar B = a.Load()\n"}},
		{"clangd", "a.h", "load", "", map[string]string{"a.h": "int load(int n);\n",
			"a.cc":                  "#include \"a.h\"\nint load(int n) { return n; }\nint main() { return load(0); }\n",
			"compile_commands.json": `[{"directory":"$DIR","file":"a.cc","command":"c++ -c a.cc"}]`}},
		{"rust-analyzer", "src/lib.rs", "load", "",
			map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/lib.rs": "mod b;\npub fn load() -> u32 {\n    b::twice()\n}\n",
				"src/b.rs":   "pub fn twice() -> u32 {\n    crate::load() * 2\n}\n"}},
		{"rust-analyzer", "src/lib.rs", "load",
			"load at src/lib.rs:3 is in a string or an example", map[string]string{
				"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/lib.rs": "/// Loads.\n/// ```\n/// m::load();\n/// ```\npub fn load() -> u32 {\n    1\n}\n"}},
		{"typescript-language-server", "a.ts", "load", "",
			map[string]string{"tsconfig.json": "{\"compilerOptions\": {\"strict\": true, \"types\": []}}\n",
				"a.ts": "export function load(): number {\n  return 1;\n}\n",
				"b.ts": "import { load } from './a';\nexport const b = load();\n"}},
		{"pyright", "a.py", "load", "",
			map[string]string{"pyproject.toml": "[project]\nname = \"m\"\nversion = \"0\"\n",
				"a.py": "def load() -> int:\n    return 1\n", "b.py": "from a import load\n\nB = load()\n"}},
		{"pyright", "a.py", "load", "in comments or quotes",
			map[string]string{"pyproject.toml": "[project]\nname = \"m\"\nversion = \"0\"\n",
				"a.py": "__all__ = [\"load\"]\n\n\ndef load() -> int:\n    return 1\n"}},
	} {
		t.Run(c.server+c.why, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls")
			t.Parallel()
			needServer(t, c.server)
			dir := project(t, c.files)
			before := (&scripted{TB: t, dir: dir}).texts()
			name := c.name + "_now"
			a := run(t, toolstest.Real(t, dir, c.server), "rename_symbol",
				map[string]any{"file_path": c.home, "symbol_name": c.name, "new_name": name, "apply": "if_safe"})
			after := (&scripted{TB: t, dir: dir}).texts()
			if c.why != "" {
				testkit.Holds(t, fmt.Sprint(a["not_applied"]), c.why, "the reason", a)
				testkit.Diff(t, after, before, "it wrote")
				return
			}
			for file, text := range before {
				before[file] = wordsTo(c.name, name)(text)
			}
			testkit.Diff(t, after, before, "the files", fmt.Sprint(a))
			if raw := mustJSON(t, a); a["applied"] != any(true) || len(raw) > 350 {
				t.Errorf("%d bytes: %s", len(raw), raw)
			}
		})
	}
}

// manyFiles define X and use it in n files.
func manyFiles(n int) []string {
	files := []string{"a.w", "def X\n"}
	for i := range n - 1 {
		files = append(files, fmt.Sprintf("f%02d.w", i), "X\n")
	}
	return files
}

func equalStrings(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Whatever changed since the preview, nothing is applied; the step shows what would be changed now.
func TestRenameDrift(t *testing.T) {
	for name, text := range map[string]string{
		"another line": "use X\n\nmore\n", "one more use": "use X\nX\n", "one less": "use\n", "gone": "",
		"a further file": "use X\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "use X\n")
			agreed, digests := s.rename(renameX(nil)).ready(), s.rename(renameX(map[string]any{"diff": true})).digests()
			s.write("b.w", text)
			if name == "gone" {
				testkit.Must(t, os.Remove(filepath.Join(s.dir, "b.w")))
			}
			want := "file_changed"
			if name == "a further file" {
				s.write("c.w", "X\n")
				want = "missing_argument"
			}
			before := s.texts()
			a := s.rename(agreed)
			equal(t, "fault of the id", a.fault(), "file_changed")
			if name == "one less" || name == "gone" {
				want = "invalid_argument the edit does not change b.w"
			}
			byDigests := renameX(map[string]any{"dry_run": false, "expected_before_sha256": digests})
			equal(t, "fault of the digests", strings.ReplaceAll(s.rename(byDigests).fault(), s.dir+"/", ""), want)
			testkit.Diff(t, s.texts(), before, "it wrote")
			step := a["next_steps"].([]any)[0].(map[string]any)
			if again := s.rename(step["arguments"].(map[string]any)); again["ok"] != true || again["applied"] != false {
				t.Errorf("%v", again)
			}
		})
	}
}

// What cannot be written is told by the preview and refused when applied.
func TestRenameOfFilesThatCannotBeWritten(t *testing.T) {
	for kind, make := range map[string]func(path string) error{
		"read_only_files read_only": func(path string) error { return os.Chmod(path, 0o444) },
		"hard_links hard_links":     func(path string) error { return os.Link(path, path+".other") },
		"generated_files (applied)": func(path string) error {
			return os.WriteFile(path, []byte("// Code generated by x. DO NOT EDIT.\nX\n"), 0o600)
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, playing(), two...)
			testkit.Must(t, make(filepath.Join(s.dir, "b.w")))
			warning, reason, _ := strings.Cut(kind, " ")
			a := s.rename(renameX(nil))
			equalStrings(t, "warnings", a.kinds(), warning)
			if reason == "(applied)" {
				equal(t, "applied", s.rename(a.ready())["applied"], any(true))
				return
			}
			if a.ready() != nil {
				t.Errorf("a step to apply: %v", a)
			}
			a = s.rename(renameX(map[string]any{"dry_run": false, "preview_id": a["preview_id"]}))
			equal(t, "fault", a.fault(), "edit_rejected "+reason)
			equal(t, "text", s.texts()["a.w"], "def X\n")
		})
	}
}

// Only what stands exactly there is renamed; what is nearly there is offered as a step, which then works.
func TestRenameTakesExactPositionsOnly(t *testing.T) {
	files := []string{"a.w", "\ndef Long  Other\n  Long\n", "b.w", "Long Long\n"}
	for name, c := range map[string]struct {
		target map[string]any
		fault  string
		step   string
	}{
		"white space": {map[string]any{"file_path": "a.w", "line": 2, "character": 10}, "not_an_identifier",
			"map[character:5 file_path:a.w line:2 new_name:New]"},
		"another line": {map[string]any{"file_path": "a.w", "line": 1, "symbol_name": "Long"},
			"not_an_identifier", "map[character:5 file_path:a.w line:2 new_name:New]"},
		"another word": {map[string]any{"file_path": "a.w", "line": 2, "character": 12, "symbol_name": "Long"},
			"not_an_identifier", "map[character:5 file_path:a.w line:2 new_name:New]"},
		"no word at all": {map[string]any{"file_path": "a.w", "line": 1, "character": 1}, "not_an_identifier",
			""},
		"exactly":             {map[string]any{"file_path": "a.w", "line": 2, "character": 7}, "", ""},
		"the end of the word": {map[string]any{"file_path": "a.w", "line": 2, "character": 9}, "", ""},
		"word and name": {map[string]any{"file_path": "a.w", "line": 2, "character": 6, "symbol_name": "Long"},
			"", ""},
		"line and name":        {map[string]any{"file_path": "a.w", "line": 3, "symbol_name": "Long"}, "", ""},
		"name in the file":     {map[string]any{"file_path": "a.w", "symbol_name": "Long"}, "", ""},
		"name twice on a line": {map[string]any{"file_path": "b.w", "line": 1, "symbol_name": "Long"}, "", ""},
		"name used only":       {map[string]any{"file_path": "b.w", "symbol_name": "Long"}, "", ""},
		"name alone":           {map[string]any{"symbol_name": "Long"}, "", ""},
		"unknown name":         {map[string]any{"symbol_name": "Short"}, "symbol_not_found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, playing(), files...)
			c.target["new_name"] = "New"
			a := s.rename(c.target)
			equal(t, "fault", a.fault(), c.fault)
			equal(t, "files", fmt.Sprint(s.texts()["a.w"]), files[1])
			if c.fault == "" {
				equal(t, "edits", fmt.Sprint(a["totals"]), "map[changed:2 edits:4 lines_added:3 lines_removed:3]")
			}
			for _, kind := range a.kinds() {
				if strings.HasSuffix(kind, "_adjusted") {
					t.Errorf("warns of what was not done: %s", kind)
				}
			}
			if c.step == "" {
				return
			}
			step := a["next_steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)
			equal(t, "step", fmt.Sprint(step), c.step)
			if again := s.rename(step); again["ok"] != true {
				t.Errorf("the step: %v", again)
			}
		})
	}
}

// One name on a line, or in a file, that is several symbols is ambiguous.
func TestRenameOfOneOfSeveral(t *testing.T) {
	definition := func(line int) lsptest.Action {
		at := map[string]any{"line": line, "character": 0}
		return lsptest.Action{Result: lsptest.Raw(map[string]any{"uri": "file:///elsewhere",
			"range": map[string]any{"start": at, "end": at}})}
	}
	s := newScripted(t, nil, playing(
		lsptest.Rule{Method: lsp.MethodDefinition, Contains: `"character":0`, Actions: []lsptest.Action{definition(1)}},
		lsptest.Rule{Method: lsp.MethodDefinition, Contains: `"character":2`, Actions: []lsptest.Action{definition(2)}},
		lsptest.Rule{Method: lsp.MethodDefinition, Contains: `"character":4`, Actions: []lsptest.Action{definition(1)}},
	), "a.w", "v v v\n")
	for _, target := range []map[string]any{{"line": 1, "symbol_name": "v"}, {"symbol_name": "v"}} {
		target["file_path"], target["new_name"] = "a.w", "w"
		a := s.rename(target)
		equal(t, "fault", a.fault(), "ambiguous_symbol")
		var at []string
		for _, step := range a["next_steps"].([]any) {
			at = append(at, fmt.Sprint(step.(map[string]any)["arguments"].(map[string]any)["character"]))
		}
		equalStrings(t, "steps", at, "1", "3")
	}
}

func TestNewNames(t *testing.T) {
	s := newScripted(t, nil, playing(), two...)
	for name, want := range map[string]string{
		"a b": `contains white space: "a b"`, "a\n": `contains white space: "a\n"`,
		"X":                      "is already the name: X",
		strings.Repeat("n", 201): "has more than 200 characters",
	} {
		equal(t, name, s.rename(renameX(map[string]any{"new_name": name})).fault(), "invalid_argument "+want)
	}
	equal(t, "none", s.rename(map[string]any{"file_path": "a.w", "symbol_name": "X"}).fault(), "missing_argument")
	equal(t, "empty", s.rename(renameX(map[string]any{"new_name": ""})).fault(), "missing_argument")
	equal(t, "a number", s.rename(renameX(map[string]any{"expected_before_sha256": map[string]any{"a.w": 1}})).fault(),
		"invalid_argument must be a string, not a number")
}

// replacing is a WorkspaceEdit that replaces characters of the first line of a file.
func (s *scripted) replacing(file string, from, to int, text string) map[string]any {
	return map[string]any{"changes": map[string]any{"file://" +
		filepath.Join(s.dir, file): []any{edited(from, to, text)}}}
}

func edited(from, to int, text string) map[string]any {
	return map[string]any{"newText": text,
		"range": map[string]any{"start": map[string]any{"line": 0, "character": from},
			"end": map[string]any{"line": 0, "character": to}}}
}

// answering makes the server answer renames so; what the workspace is called is known only then.
func (s *scripted) answering(nth int, edit any) {
	s.Helper()
	s.play(&lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		{Method: lsp.MethodRename, Nth: nth, Actions: []lsptest.Action{{Result: lsptest.Raw(edit)}}},
	}})
}

// A server that is behind the disk would replace something else: it is asked anew, and in the end refused.
func TestRenameOfAServerThatIsBehind(t *testing.T) {
	for name, c := range map[string]struct {
		nth  int
		want string
	}{"for good": {0, "edit_rejected misplaced"}, "at first": {1, ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, nil, "a.w", "def X\n", "b.w", "use X\n")
			s.answering(c.nth, s.replacing("b.w", 0, 3, "Y"))
			a := s.rename(renameX(nil))
			equal(t, "fault", a.fault(), c.want)
			// Also a file that has not changed is shown then: an index on disk may be older than the process.
			equal(t, "files opened", len(s.got(0, "textDocument/didOpen")), 2)
			s.holds("a.w", "def X\n", "b.w", "use X\n")
			if c.want == "" {
				equal(t, "applied", s.rename(a.ready())["applied"], any(true))
				s.holds("a.w", "def Y\n", "b.w", "use Y\n")
			}
		})
	}
}

// Where the server does not list the uses, nobody knows whether its edit takes all of them.
func TestRenameWithoutReferences(t *testing.T) {
	s := newScripted(t, nil, playing(lsptest.Rule{Method: lsp.MethodReferences,
		Actions: []lsptest.Action{{Error: &lsptest.Error{Code: -32603, Message: "no references today"}}}}), two...)
	a := s.rename(renameX(nil))
	equal(t, "completeness", a["completeness"], any("partial"))
	testkit.Holds(t, warningAbout(a, "part_failed"), "no references today", "no warning gives the reason",
		a["warnings"])
	for _, step := range a["next_steps"].([]any) {
		if arguments, _ := step.(map[string]any)["arguments"].(map[string]any); arguments["dry_run"] == false {
			t.Errorf("the edit is offered: %v", step)
		}
	}
}

// A file that changed since the server began, and that it was not shown, is shown to it, and it is asked once more.
// Of a file that has had one text all the time there is no doubt.
func TestRenameShowsTheFiles(t *testing.T) {
	s := newScripted(t, nil, playing(), two...)
	want := func(renames, opened int) {
		t.Helper()
		equal(t, "renames asked for", len(s.got(0, lsp.MethodRename)), renames)
		equal(t, "files opened", len(s.got(0, "textDocument/didOpen")), opened)
	}
	if a := s.rename(renameX(nil)); a["ok"] != true {
		t.Fatal(a)
	}
	want(1, 1)
	s.write("b.w", "use X\nX X X\n")
	if a := s.rename(renameX(nil)); a["ok"] != true {
		t.Fatal(a)
	}
	want(3, 2)
	if a := s.rename(renameX(map[string]any{"new_name": "Z"})); a["ok"] != true {
		t.Fatal(a)
	}
	want(4, 2)
}

// What an edit is about that names a version has to be that version.
func TestRenameOfAnOlderVersion(t *testing.T) {
	s := newScripted(t, nil, nil, two...)
	s.answering(0, map[string]any{"documentChanges": []any{map[string]any{
		"textDocument": map[string]any{"uri": "file://" + filepath.Join(s.dir, "a.w"), "version": 77},
		"edits":        []any{edited(4, 5, "Y")}}}})
	equal(t, "fault", s.rename(renameX(nil)).fault(), "edit_rejected not_seen")
}

// Given both forms, documentChanges count, and each edit is applied once.
func TestRenameWithBothForms(t *testing.T) {
	s := newScripted(t, nil, nil, two...)
	edit := s.replacing("a.w", 4, 5, "YY")
	edit["documentChanges"] = []any{
		map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(s.dir, "a.w"), "version": nil},
			"edits": []any{edited(4, 5, "Y")}},
		map[string]any{"kind": "rename", "oldUri": "file://" + filepath.Join(s.dir, "b.w"), "newUri": "file://" +
			filepath.Join(s.dir, "sub/Y.w"), "annotationId": "move"},
		map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(s.dir, "sub/Y.w"),
			"version": nil}, "edits": []any{edited(0, 1, "Y")}},
		map[string]any{"kind": "create", "uri": "file://" + filepath.Join(s.dir, "new.w")},
	}
	edit["changeAnnotations"] = map[string]any{"move": map[string]any{"label": "Move the file",
		"description": "as Y has it", "needsConfirmation": true}}
	s.answering(0, edit)
	a := s.rename(renameX(nil))
	equalStrings(t, "warnings", a.kinds(), "needs_confirmation")
	equal(t, "totals", fmt.Sprint(a["totals"]),
		"map[changed:1 created:1 edits:2 lines_added:2 lines_removed:2 renamed:1]")
	digests := s.rename(renameX(map[string]any{"diff": true})).digests()
	equal(t, "digests", len(digests), 3)
	given := renameX(map[string]any{"dry_run": false, "expected_before_sha256": digests})
	delete(digests, "new.w")
	digests["b.w"] = digests["sub/Y.w"] // either of its names will do
	delete(digests, "sub/Y.w")
	if a := s.rename(given); a["applied"] != true {
		t.Errorf("%v", a)
	}
	s.holds("a.w", "def Y\n", "sub/Y.w", "Y\n", "new.w", "")
}

// What the server refuses reaches the model in its words.
func TestRenameRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		rule    lsptest.Rule
		message string
	}{
		"prepareRename refuses": {on(lsp.MethodPrepareRename,
			lsptest.Action{Error: &lsptest.Error{Code: -32602, Message: "not while it rains"}}), "not while it rains"},
		"prepareRename says no": {on(lsp.MethodPrepareRename, lsptest.Action{Result: []byte("null")}),
			"can rename nothing at a.w:1:5"},
		"rename refuses": {on(lsp.MethodRename,
			lsptest.Action{Error: &lsptest.Error{Code: -32803, Message: "Y is taken"}}), "Y is taken"},
		"nothing to be changed": {on(lsp.MethodRename, lsptest.Action{Result: []byte("null")}),
			"has no edit that renames X at a.w:1:5"},
		"an unknown operation": {on(lsp.MethodRename,
			lsptest.Action{Result: []byte(`{"documentChanges":[{"kind":"copy"}]}`)}), "unknown operation"},
		"outside (file is gone)": {on(lsp.MethodRename,
			lsptest.Action{Result: []byte(`{"changes":{"file:///nowhere/x.w":[]}}`)}), "has no edit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, playing(c.rule), two...)
			a := s.rename(renameX(nil))
			e, _ := a["error"].(map[string]any)
			if e == nil || !strings.Contains(fmt.Sprint(e["message"]), c.message) {
				t.Errorf("%v", a)
			}
			s.holds(two...)
		})
	}
}

// All forms in which a server may say that something can be renamed.
func TestRenamePrepared(t *testing.T) {
	for _, answer := range []string{
		`{"defaultBehavior":true}`, `{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}`,
		`{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}},"placeholder":"X"}`,
	} {
		s := newScripted(t, nil, playing(on(lsp.MethodPrepareRename, lsptest.Action{Result: []byte(answer)})), two...)
		equal(t, answer, s.rename(renameX(nil))["ok"], any(true))
	}
}

// A server without prepareRename is asked for the edit at once, one without rename not at all.
func TestRenameNotOffered(t *testing.T) {
	patch := func(value string) []*lsptest.Script {
		return []*lsptest.Script{{Language: "words", CapabilitiesPatch: json.RawMessage(`{"renameProvider":` + value +
			`}`)}}
	}
	s := newScripted(t, nil, patch("true"), two...)
	equal(t, "simple", s.rename(renameX(nil))["ok"], any(true))
	equal(t, "asked", len(s.got(0, lsp.MethodPrepareRename)), 0)
	s = newScripted(t, nil, patch("null"), two...)
	equal(t, "none", s.rename(renameX(nil)).fault(), "request_unsupported")
}

// Uses that the server finds and its edit leaves as they are make the preview partial.
func TestRenameThatLeavesUses(t *testing.T) {
	s := newScripted(t, nil, nil, "a.w", "def X\n", "b.w", "use X\n  X\n")
	s.answering(0, s.replacing("a.w", 4, 5, "Y"))
	a := s.rename(renameX(nil))
	equalStrings(t, "warnings", a.kinds(), "uses_left")
	equal(t, "completeness", a["completeness"], any("partial"))
	equal(t, "total", a["warnings"].([]any)[0].(map[string]any)["total"], any(2.0))
	if step := firstOf(a, "next_steps"); step["kind"] != "doc" || !strings.Contains(fmt.Sprint(step["message"]),
		"uses_left") {
		t.Errorf("the way on: %v", step)
	}
	// Who does the rest by hand may apply it.
	equal(t, "applied", s.rename(renameX(map[string]any{"dry_run": false, "preview_id": a["preview_id"]}))["applied"],
		any(true))
	s.holds("a.w", "def Y\n", "b.w", "use X\n  X\n")
}

// So do uses in the changed files that no reference tells of, when they lead to what is renamed.
func TestRenameThatLeavesUnlistedUses(t *testing.T) {
	s := newScripted(t, nil, nil, "a.w", "def X\n", "b.w", "use X\n  X\n// X\n/*\n[X]\n*/\n")
	edit := s.replacing("a.w", 4, 5, "Y")
	edit["changes"].(map[string]any)["file://"+filepath.Join(s.dir, "b.w")] = []any{edited(4, 5, "Y")}
	s.play(&lsptest.Script{Language: "words", Rules: []lsptest.Rule{
		on(lsp.MethodRename, lsptest.Action{Result: lsptest.Raw(edit)}), on(lsp.MethodReferences, none),
	}})
	a := s.rename(renameX(nil))
	equalStrings(t, "warnings", a.kinds(), "uses_left")
	equal(t, "total", a["warnings"].([]any)[0].(map[string]any)["total"], any(1.0))
}

// A file outside of the workspace is named and nothing is applied.
func TestRenameOutsideOfTheWorkspace(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "far.w")
	testkit.Must(t, os.WriteFile(outside, []byte("X\n"), 0o600))
	s := newScripted(t, nil, nil, two...)
	edit := s.replacing("a.w", 4, 5, "Y")
	edit["changes"].(map[string]any)["file://"+outside] = []any{edited(0, 1, "Y")}
	s.answering(0, edit)
	a := s.rename(renameX(nil))
	equalStrings(t, "warnings", a.kinds(), "uses_left", "outside_workspace")
	if a.ready() != nil {
		t.Errorf("a step to apply: %v", a)
	}
	if steps := fmt.Sprint(a["next_steps"]); !strings.Contains(steps, "workspace_folders") ||
		!strings.Contains(steps, "by hand") {
		t.Errorf("the steps of the preview: %s", steps)
	}
	a = s.rename(renameX(map[string]any{"dry_run": false, "preview_id": a["preview_id"]}))
	equal(t, "fault", a.fault(), "outside_workspace")
	if steps := fmt.Sprint(a["next_steps"]); !strings.Contains(steps, "workspace_folders") ||
		!strings.Contains(steps, "by hand") {
		t.Errorf("the steps: %s", steps)
	}
	s.holds(two...)
}

// A change that does not fit loses changes; offset goes on with them, and all of it can be applied.
func TestRenameOfManyFiles(t *testing.T) {
	t.Parallel()
	files := []string{"a.w", "def X\n"}
	for i := range 40 {
		files = append(files, fmt.Sprintf("f%02d.w", i), strings.Repeat("X filler of a line that is long\n", 30))
	}
	s := newScripted(t, nil, playing(), files...)
	shown, pages, id := map[string]bool{}, 0, any(nil)
	for arguments := renameX(nil); arguments != nil; pages++ {
		a := s.rename(arguments)
		if arguments, id = nil, a["preview_id"]; id != s.rename(renameX(nil))["preview_id"] {
			t.Errorf("the preview_id of page %d is %v", pages, id)
		}
		for _, one := range a["files"].([]any) {
			f := one.(map[string]any)
			path := f["file_path"].(string)
			if f["changes"] != nil {
				if shown[path] {
					t.Errorf("%s is shown twice", path)
				}
				shown[path] = true
			} else if f["edits"] == nil {
				t.Errorf("%s has neither changes nor their number", path)
			}
		}
		equal(t, "files", len(a["files"].([]any)), 41)
		if n := len(mustJSON(t, a)); n > 26_000 {
			t.Errorf("page %d has %d bytes", pages, n)
		}
		for _, step := range a["next_steps"].([]any) {
			if next, ok := step.(map[string]any)["arguments"].(map[string]any); ok && next["offset"] != nil {
				arguments = next
			}
		}
	}
	if len(shown) != 41 || pages < 2 || pages > 15 {
		t.Errorf("the changes of %d files on %d pages", len(shown), pages)
	}
	// Without room for the names of all files those with their changes are left.
	a := s.rename(renameX(map[string]any{"max_total_chars": 2000}))
	if n := len(a["files"].([]any)); n < 1 || a["files_left_out"] != any(float64(41-n)) || a["truncated"] != true {
		t.Errorf("%v", a)
	}
	a = s.rename(renameX(map[string]any{"dry_run": false, "preview_id": id}))
	equal(t, "applied", a["applied"], any(true))
	for path, text := range s.texts() {
		if strings.Contains(text, "X") {
			t.Errorf("%s still has an X", path)
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	testkit.Must(t, err)
	return raw
}

// Errors that are there behind a change and were not before are part of its answer.
func TestRenameTellsNewErrors(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n  BAD\n", "b.w", "BAD X\n")
	// Whoever does not take the step, which asks for if_safe because BAD is in use.
	id := s.rename(renameX(map[string]any{"new_name": "BAD"}))["preview_id"]
	a := s.rename(renameX(map[string]any{"new_name": "BAD", "dry_run": false, "preview_id": id}))
	var got []string
	for _, f := range a["new_errors"].([]any) {
		for _, d := range f.(map[string]any)["diagnostics"].([]any) {
			got = append(got, fmt.Sprint(f.(map[string]any)["file_path"], " ", d.(map[string]any)["line"], " ",
				d.(map[string]any)["message"]))
		}
	}
	equal(t, "new errors", len(got), 2)
	equalStrings(t, "warnings", a.kinds())
	s = newScripted(t, nil,
		playing(on(lsp.MethodDocumentDiag, lsptest.Action{Error: &lsptest.Error{Code: -32603, Message: "no"}})), two...)
	a = s.rename(s.rename(renameX(nil)).ready())
	equal(t, "applied", a["applied"], any(true))
	equalStrings(t, "warnings", a.kinds(), "not_compared")
}

// While a server still loads, its edit is shown and not applied: it may lack files.
func TestRenameWhileIndexing(t *testing.T) {
	s := newScripted(t, indexes(50*time.Millisecond), playing(once("initialized", work("begin"))), two...)
	a := s.rename(renameX(nil))
	equal(t, "completeness", a["completeness"], any("partial"))
	a = s.rename(renameX(map[string]any{"dry_run": false, "preview_id": a["preview_id"]}))
	equal(t, "fault", a.fault(), "still_indexing")
	s.holds(two...)
	s = newScripted(t, indexes(50*time.Millisecond), playing(once("initialized", work("begin")),
		on(lsp.MethodRename, refuse(-32603))), two...)
	equal(t, "refused while it loads", s.rename(renameX(nil)).fault(), "still_indexing")
}

// Read-only takes the tool out of the list and refuses it by call; the list of a mode is always the same.
func TestRenameIsNotReadOnly(t *testing.T) {
	names := func(settings session.Settings) string { return strings.Join(known{}.Names(&settings), " ") }
	all := names(session.Settings{})
	if !strings.Contains(all, " rename_symbol") || strings.Contains(names(session.Settings{ReadOnly: true}),
		"rename_symbol") {
		t.Errorf("%s\n%s", all, names(session.Settings{ReadOnly: true}))
	}
	s := newScripted(t, nil, playing(), two...)
	s.Settings.ReadOnly = true
	a := s.rename(renameX(nil))
	equal(t, "fault", a.fault(), "read_only")
	if len(a["next_steps"].([]any)) == 0 || len(s.Workspace.Pool.Running()) > 0 {
		t.Errorf("%v, %v", a, s.Workspace.Pool.Running())
	}
	s.Settings.ReadOnly, s.Workspace.Process.EditDir = false, ""
	given := s.rename(renameX(nil)).ready()
	equal(t, "without a folder for the journal", s.rename(given).fault(), "edit_rejected no_journal")
	s.holds(two...)
}

// cutOff leaves the workspace as a process does that was killed after it changed a.w to text, in the middle of an edit.
func (s *scripted) cutOff(text string) {
	s.Helper()
	digest := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	path, aux := filepath.Join(s.dir, "a.w"), filepath.Join(s.dir, ".lspi-edit-1-1.tmp")
	old := s.texts()["a.w"]
	second, secondAux := filepath.Join(s.dir, "b.w"), filepath.Join(s.dir, ".lspi-edit-1-2.tmp")
	other := s.texts()["b.w"]
	s.write(".lspi-edit-1-1.tmp", old)
	s.write(".lspi-edit-1-2.tmp", "new\n")
	s.write("a.w", text)
	journal := string(lsptest.Raw(map[string]any{"version": 1, "id": "1", "roots": []string{s.dir}, "steps": []any{
		map[string]any{"deed": "swap", "path": path, "aux": aux, "stage": aux, "before": digest(old),
			"after": digest(text)},
		map[string]any{"deed": "swap", "path": second, "aux": secondAux, "stage": secondAux, "before": digest(other),
			"after": digest("new\n")},
	}})) + "\n" + `{"moment":"staged"}` + "\n"
	dir := filepath.Join(s.Workspace.Process.EditDir, "journals")
	testkit.Must(s, os.MkdirAll(dir, 0o700))
	testkit.Must(s, os.WriteFile(filepath.Join(dir, "1"), []byte(journal), 0o600))
}

// What a crash left of an edit is finished before the next answer, and told once.
func TestAnEditThatWasCutOffIsFinishedFirst(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "X\n")
	s.want(s.references(), "fake1 complete 2")
	s.cutOff("def Y\n")
	s.want(s.references(), "fake1 complete 2 edit_recovered")
	s.holds(two...)
	s.want(s.references(), "fake1 complete 2")
}

// A read-only session changes nothing and says that the tree may be half changed.
func TestAnEditThatWasCutOffStaysWhenReadOnly(t *testing.T) {
	s := newScripted(t, nil, playing(), two...)
	s.Settings.ReadOnly = true
	s.cutOff("def Y\n")
	before := s.texts()
	s.want(s.references(), "fake1 partial 1 edit_unfinished")
	testkit.Diff(t, s.texts(), before, "it wrote")
}

// Calls at the same time: all previews are whole, and of two that apply the same one is refused.
func TestRenameTwiceAtOnce(t *testing.T) {
	s := newScripted(t, nil, playing(), two...)
	agreed, err := contract.Marshal(s.rename(renameX(nil)).ready())
	testkit.Must(t, err)
	results := make([]Result, 4)
	answer.Parallel(len(results), 0, func(i int) {
		results[i] = Run(context.Background(), s.Session, nil, answer.Request{Tool: "rename_symbol", Arguments: agreed})
	})
	ok := 0
	for _, r := range results {
		if r.OK {
			ok++
		}
	}
	equal(t, "applied", ok, 1)
	s.holds("a.w", "def Y\n", "b.w", "Y\n")
}
