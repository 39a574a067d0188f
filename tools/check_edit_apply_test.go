//go:build unix

package tools

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/tools/diagnostics"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// tried are the arguments of check_edit for edits of three words, as tryEdits has them.
func tried(edits ...string) map[string]any {
	var list []map[string]any
	for i := 0; i < len(edits); i += 3 {
		e := map[string]any{"file_path": edits[i], "new_text": edits[i+2]}
		if edits[i+1] != "" {
			e["old_text"] = edits[i+1]
		}
		list = append(list, e)
	}
	return map[string]any{"edits": list}
}

func applying(arguments map[string]any) map[string]any {
	arguments["apply_if_clean"] = true
	return arguments
}

// appliesWhatIsClean is that an edit with a new error writes nothing, and one without writes what was tried.
func appliesWhatIsClean(t *testing.T, session *session.Session, dir string, p trialProject) {
	on := func() map[string]string {
		texts := map[string]string{}
		for _, pattern := range []string{"*.*", "*/*.*"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, name := range names {
				if raw, err := os.ReadFile(name); err == nil {
					texts[strings.TrimPrefix(name, dir+"/")] = string(raw)
				}
			}
		}
		return texts
	}
	before := on()
	for _, c := range p.tries {
		if !slices.ContainsFunc(c.want, func(w string) bool { return strings.HasPrefix(w, "+") }) {
			continue
		}
		a := run(t, session, "check_edit", applying(tried(c.edits...)))
		if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "new error") {
			t.Errorf("%s: %v", c.name, a)
		}
		if d := cmp.Diff(before, on()); d != "" {
			t.Fatalf("%s wrote:\n%s", c.name, d)
		}
		break
	}
	clean := p.tries[len(p.tries)-1]
	offered := run(t, session, "check_edit", tried(clean.edits...))["next_steps"].([]any)
	arguments, _ := offered[len(offered)-1].(map[string]any)["arguments"].(map[string]any)
	if arguments["apply_if_clean"] != true {
		t.Fatalf("no step applies: %v", offered)
	}
	a := run(t, session, "check_edit", arguments)
	if a["applied"] != true || a["new_errors"] != nil {
		t.Errorf("%v", a)
	}
	for i := 0; i < len(clean.edits); i += 3 {
		file, old, text := clean.edits[i], clean.edits[i+1], clean.edits[i+2]
		if old == "" {
			before[file] = text
		} else {
			before[file] = strings.Replace(before[file], old, text, 1)
		}
	}
	testkit.Diff(t, on(), before, "applied")
	a = run(t, session, "check_edit", arguments)
	equal(t, "again", a["ok"], any(false))
}

func TestCheckEditApply(t *testing.T) {
	const bare = "\ufeffdef X\r\nX\r\n"
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", bare, "c.w", "X\n")
	same := func(what string) {
		t.Helper()
		if d := cmp.Diff(map[string]string{"a.w": "def X\n", "b.w": bare, "c.w": "X\n"}, s.texts()); d != "" {
			t.Fatalf("%s wrote:\n%s", what, d)
		}
	}
	call := func(arguments map[string]any) reply { t.Helper(); return run(t, s.Session, "check_edit", arguments) }

	whole := call(applying(tried("b.w", "", "def X\nX X\n")))
	equal(t, "a whole file without its digest", whole.fault(), "missing_argument")
	same("a whole file")
	looked := call(firstOf(whole, "next_steps")["arguments"].(map[string]any))
	ready := firstOf(looked, "next_steps")["arguments"].(map[string]any)
	stale := maps.Clone(ready)
	stale["preview_id"] = "0123456789abcdef"
	equal(t, "the id of another edit", call(stale).fault(), "file_changed")
	same("a whole file by another id")

	wrong := applying(tried("b.w", "", "def X\n"))
	wrong["expected_before_sha256"] = map[string]any{"b.w": strings.Repeat("0", 64)}
	equal(t, "another digest", call(wrong).fault(), "file_changed")
	wrong["expected_before_sha256"] = map[string]any{"c.w": strings.Repeat("0", 64)}
	if got := call(wrong).fault(); !strings.HasPrefix(got, "invalid_argument the edits do not change") {
		t.Errorf("the digest of another file: %s", got)
	}
	equal(t, "a range without a digest",
		call(applying(map[string]any{"edits": []map[string]any{{"file_path": "a.w", "line": 1, "character": 1,
			"end_line": 1, "end_character": 1, "new_text": "X "}}})).fault(), "missing_argument")

	bad := call(applying(tried("a.w", "X", "BAD", "n.w", "", "X\n")))
	equal(t, "with an error", fmt.Sprint(bad["applied"], " ", bad["not_applied"]),
		"false it would introduce 1 new error")
	ends := call(tried("b.w", "def X\nX", "X"))
	if step := firstOf(ends, "next_steps")["message"]; !strings.HasPrefix(ends.fault(), "edit_rejected line_ends") ||
		!strings.Contains(fmt.Sprint(step), `\r\n`) {
		t.Errorf("other line ends: %v", ends)
	}
	nothing := call(applying(tried("a.w", "X", "X")))
	equal(t, "without a change", fmt.Sprint(nothing["applied"], " ", nothing["not_applied"]),
		"false it changes nothing")
	s.Settings.ReadOnly, s.Settings.Allow = true, []string{"check_edit"}
	equal(t, "read-only", call(applying(tried("a.w", "X", "Y"))).fault(), "read_only")
	equal(t, "looking, read-only", call(tried("a.w", "X", "Y"))["ok"], any(true))
	equal(t, "steps, read-only", len(call(tried("a.w", "X", "Y"))["next_steps"].([]any)), 0)
	s.Settings.ReadOnly, s.Settings.Allow = false, nil
	dir := s.Workspace.Process.EditDir
	same("all of this")

	// Line ends and the mark stay, whatever the host writes.
	done := call(ready)
	equal(t, "applied", done["applied"], any(true))
	equal(t, "text", s.texts()["b.w"], "\ufeffdef X\r\nX X\r\n")
	done = call(applying(tried("c.w", "X", "X X\nX", "n.w", "", "X\n")))
	equal(t, "applied", fmt.Sprint(done["applied"], done["totals"]),
		"true map[changed:1 created:1 edits:2 lines_added:2 lines_removed:0]")
	equal(t, "text", s.texts()["c.w"]+s.texts()["n.w"], "X X\nX\nX\n")
	done = call(applying(tried("c.w", "X X\nX\n", "X X X\nX X\n"))) // two pieces of the difference
	equal(t, "edits", fmt.Sprint(done["totals"].(map[string]any)["edits"], firstOf(done, "files")["edits"]), "1 1")
	left, _ := filepath.Glob(filepath.Join(dir, "journals", "*"))
	equal(t, "journals", len(left), 0)
}

// Old texts are kept beside the new ones when that is asked for, never over another file.
func TestBackupSuffix(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "X\n", "b.w.orig", "mine\n")
	agreed := s.rename(renameX(map[string]any{"backup_suffix": ".orig"})).ready()
	equal(t, "suffix", agreed["backup_suffix"], any(".orig"))
	done := s.rename(agreed)
	equal(t, "backups", fmt.Sprint(done["backups"]), "map[a.w:a.w.orig b.w:b.w.orig.1]")
	s.holds("a.w", "def Y\n", "b.w", "Y\n", "b.w.orig", "mine\n", "a.w.orig", "def X\n", "b.w.orig.1", "X\n")
	arguments := applying(tried("b.w", "Y", "Y Y"))
	arguments["backup_suffix"] = "../x"
	equal(t, "a suffix that leads elsewhere", run(t, s.Session, "check_edit", arguments).fault(),
		`invalid_argument must be a short ending of file names such as .orig, not "../x"`)
	arguments["backup_suffix"] = "~"
	a := run(t, s.Session, "check_edit", arguments)
	equal(t, "backups", fmt.Sprint(a["applied"], a["backups"]), "true map[b.w:b.w~]")
	equal(t, "backup", s.texts()["b.w~"], "Y\n")
}

// A file that may not be written keeps all of them as they are.
func TestCheckEditApplyReadOnlyFile(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "X\n")
	testkit.Must(t, os.Chmod(filepath.Join(s.dir, "b.w"), 0o444))
	a := run(t, s.Session, "check_edit", applying(tried("a.w", "X", "X X", "b.w", "X", "X X")))
	equal(t, "applied", fmt.Sprint(a["applied"], " ", a["not_applied"], " ", a.kinds()),
		"false lspi may not write some of its files, as a warning says [read_only_files]")
	s.holds("a.w", "def X\n", "b.w", "X\n")
}

// What changes between the trial and the writing is not written over.
func TestCheckEditApplyDrift(t *testing.T) {
	s := newScripted(t, nil,
		playing(lsptest.Rule{Method: lsp.MethodDocumentDiag, Nth: 2, Actions: []lsptest.Action{{DelayMS: 500}}}),
		"a.w", "def X\n")
	done := make(chan reply)
	go func() { done <- run(t, s.Session, "check_edit", applying(tried("a.w", "X", "X Y"))) }()
	until(t, "the new text is tried", func() bool { return len(s.got(0, "textDocument/didChange")) > 0 })
	s.write("a.w", "def X X\n")
	a := <-done
	equal(t, "fault", a.fault(), "file_changed")
	s.holds("a.w", "def X X\n")
}

// A server that does not tell what an edit brings has nothing applied.
func TestCheckEditApplySilent(t *testing.T) {
	s := newScripted(t, nil, hangsTrying(), "a.w", "def X\n")
	s.Settings.CallTimeout = diagnostics.DiagnoseReserve + 2*diagnostics.DiagnoseReserve/4
	a := run(t, s.Session, "check_edit", applying(tried("a.w", "X", "X Y")))
	if a["applied"] == true {
		t.Errorf("%v", a)
	}
	s.holds("a.w", "def X\n")
}

// What shows only on disk has the edit taken back.
func TestCheckEditTakenBack(t *testing.T) {
	for _, c := range []struct {
		server, program string
		files           map[string]string
		edits           []string
	}{
		{"gopls", "gopls", map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
			"lib/lib.go": "package lib\n\nvar L = 1\n",
			"x.go":       "package x\n\nimport \"example.com/x/lib\"\n\nvar V = lib.L\n"},
			[]string{"go.mod", "module example.com/x", "module example.com/y"}},
		{"typescript-language-server", "typescript-language-server", map[string]string{"tsconfig.json": smallLib,
			"a.ts": "import { v } from './lib';\nexport const w = v;\n", "lib/index.ts": "export const v = 1;\n"},
			[]string{"lib.ts", "", "export const w = 1;\n"}},
		{"rust-analyzer", "rust-analyzer",
			map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
				"src/lib.rs": "pub fn a(v: Vec<u8>) -> usize { v.len() }\n"},
			[]string{"src/lib.rs", "{ v.len() }", "{ drop(v); v.len() }"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server, "gopls")
			t.Parallel()
			needServer(t, c.program)
			dir := project(t, c.files)
			session := toolstest.Real(t, dir, c.server)
			a := run(t, session, "check_edit", applying(tried(c.edits...)))
			if a["applied"] != false || !strings.Contains(fmt.Sprint(a["not_applied"]), "undid it") ||
				a["new_errors"] == nil || a["completeness"] != "partial" {
				t.Errorf("%v", a)
			}
			for name, text := range c.files {
				if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(raw) != text {
					t.Errorf("%s: %q, %v", name, raw, err)
				}
			}
			if c.files[c.edits[0]] == "" {
				if _, err := os.Stat(filepath.Join(dir, c.edits[0])); err == nil {
					t.Errorf("%s is still there", c.edits[0])
				}
			}
		})
	}
}

// Errors that were there before are not new, whatever the edit adds.
func TestCheckEditOldErrors(t *testing.T) {
	testkit.Always(t, "rust-analyzer") // two checks of cargo; scripts/rust-analyzer/taken_back.txtar has one
	t.Parallel()
	needServer(t, "rust-analyzer")
	dir := project(t, map[string]string{"Cargo.toml": "[package]\nname = \"m\"\nedition = \"2021\"\n",
		"src/lib.rs": "pub fn a() -> u8 { nope() }\n"})
	session := toolstest.Real(t, dir, "rust-analyzer")
	a := run(t, session, "check_edit",
		applying(tried("src/n.rs", "", "pub fn z() {}\n", "src/lib.rs", "pub fn a()", "pub mod n;\npub fn a()")))
	if a["applied"] != true || a["new_errors"] != nil || a["completeness"] != "complete" {
		t.Errorf("%v", a)
	}
	// Without the compiler cargo check compares nothing, and what only it finds is not known.
	testkit.Must(t, errors.Join(os.MkdirAll(filepath.Join(dir, ".cargo"), 0o755),
		os.WriteFile(filepath.Join(dir, ".cargo/config.toml"), []byte("[build]\nrustc = \"no-such-rustc\"\n"), 0o644)))
	a = run(t, session, "check_edit", applying(tried("src/n.rs", "pub fn z() {}", "pub fn z() { }")))
	if raw, err := os.ReadFile(filepath.Join(dir, "src/n.rs")); err != nil || string(raw) != "pub fn z() {}\n" ||
		a["applied"] != false {
		t.Errorf("%q, %v: %v", raw, err, a)
	}
}

// With a compilation database there is an index that a trial does not wait for.
func TestCheckEditWithADatabase(t *testing.T) {
	t.Parallel()
	needServer(t, "clangd")
	files := map[string]string{"a.h": "#pragma once\nint f(int);\n",
		"a.cc": "#include \"a.h\"\nint g() { return f(1); }\n"}
	dir := project(t, files)
	compileCommands(t, dir, "a.cc")
	session := toolstest.Real(t, dir, "clangd")
	wantDiffers(t, tryEdits(t, session, "a.h", "int f(int);", "int f(int, int);"), "complete",
		"+a.cc:2:18 error ovl_no_viable_function_in_call")
}
