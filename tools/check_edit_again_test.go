//go:build unix

package tools

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// What files said before an edit is not asked again at the next trial, unless a finding rests on it, and nothing is
// told besides the texts. When a file changes on disk all are asked again.
func TestCheckEditAgain(t *testing.T) {
	s := newScripted(t, nil, playing(), "a.w", "def X\n", "b.w", "X\n")
	try := func(text, finding string, want ...string) {
		t.Helper()
		from := len(s.trialEvents())
		wantDiffers(t, run(t, s.Session, "check_edit", editOf("a.w", "X", text)), "complete", finding)
		testkit.Equal(t, strings.Join(s.trialEvents()[from:], "\n"), strings.Join(want, "\n"))
	}
	const more, inMore = "X\nBAD", "+a.w:2:1 error <nil>"
	back := []string{"didChange a.w def X", "didSave a.w"}
	// The edited file alone shows that others may notice the edit: they are asked about with it.
	alone := append([]string{"didChange a.w def X|BAD", "diagnostic a.w"}, back...)
	with := append([]string{"didChange a.w def X|BAD", "diagnostic b.w"}, back...)
	try(more, inMore, slices.Concat([]string{"didOpen a.w def X", "diagnostic a.w"}, alone,
		[]string{"didOpen b.w X", "diagnostic b.w"}, with)...)
	try(more, inMore, slices.Concat(alone, with)...)
	// A line that takes the place of another may have the finding of that, so that a.w is asked again.
	try("BAD", "+a.w:1:5 error <nil>", slices.Concat([]string{"didChange a.w def BAD", "diagnostic a.w"}, back,
		[]string{"didChange a.w def BAD", "diagnostic b.w"}, back, []string{"diagnostic a.w", "references a.w"})...)
	testkit.Write(t, filepath.Join(s.dir, "b.w"), "X X\n")
	try(more, inMore, slices.Concat([]string{"didChange b.w X X", "didSave b.w", "diagnostic a.w"}, alone,
		[]string{"diagnostic b.w"}, with)...)
}

// A dependency that changes between two trials, of which nobody tells the server, is no difference that the edit makes.
func TestCheckEditOfWhatADependencyChanged(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	t.Run("typescript", func(t *testing.T) {
		t.Parallel()
		needServer(t, "typescript-language-server")
		dep := "node_modules/dep/lib/index.d.ts"
		dir := project(t,
			map[string]string{
				"tsconfig.json":                 `{"compilerOptions":{"lib":["es2022"],"strict":true,"module":"nodenext","moduleResolution":"nodenext","types":[]},"include":["*.ts"]}`,
				"package.json":                  `{"dependencies":{"dep":"1"}}`,
				"node_modules/dep/package.json": `{"name":"dep","version":"1.0.0","types":"lib/index.d.ts"}`,
				dep:                             "export declare function f(n: number): void;\n",
				"a.ts":                          "import { f } from \"dep\";\nf(1);\nexport const x = 1;\n",
				"b.ts":                          "import { f } from \"dep\";\nf(2);\n"})
		env := toolstest.Real(t, dir, "typescript-language-server")
		wantDiffers(t, tryEdits(t, env, "a.ts", "x = 1", "x = 2"), "complete")
		testkit.Write(t, filepath.Join(dir, dep), "export declare function f(n: string): void;\n")
		wantDiffers(t, tryEdits(t, env, "a.ts", "x = 1", "x = 3"), "complete")
	})
	t.Run("clangd", func(t *testing.T) {
		t.Parallel()
		needServer(t, "clangd")
		beyond := t.TempDir()
		testkit.Write(t, filepath.Join(beyond, "dep.h"), "int f(int n);\n")
		dir := project(t, map[string]string{"a.cc": "#include <dep.h>\nint a() { return f(1); }\n",
			"compile_flags.txt": "-xc++\n-I" + beyond + "\n"})
		env := toolstest.Real(t, dir, "clangd")
		wantDiffers(t, tryEdits(t, env, "a.cc", "f(1)", "f(2)"), "complete")
		testkit.Write(t, filepath.Join(beyond, "dep.h"), "int f(int n, int m);\n")
		wantDiffers(t, tryEdits(t, env, "a.cc", "int a()", "int  a()"), "complete")
	})
}

// A trial of C and C++ is of the headers as they are on disk, also where the process tried other texts with others
// before.
func TestCheckEditAfterAHeaderChanged(t *testing.T) {
	testkit.Always(t, "clangd") // TestCheckEditAgainInTheSameProcess has headers that changed
	t.Parallel()
	needServer(t, "clangd")
	dir := project(t, map[string]string{"inner.h": "#pragma once\nint make(int n);\n",
		"use.cc":   "#include \"inner.h\"\nint used() { return make(1); }\n",
		"other.cc": "#include \"inner.h\"\nint other() { return make(2); }\n"})
	compileCommands(t, dir, "use.cc", "other.cc")
	env := toolstest.Real(t, dir, "clangd")
	write := func(name, text string) { testkit.Write(t, filepath.Join(dir, name), text) }
	no := "ovl_no_viable_function_in_call"
	wantDiffers(t, tryEdits(t, env, "use.cc", "make(1)", "make(1, 2)"), "complete", "+use.cc:2:21 error "+no)
	write("inner.h", "#pragma once\nint make(int n, int m);\n")
	wantDiffers(t, tryEdits(t, env, "use.cc", "make(1)", "make(1, 2)"), "complete", "-use.cc:2:21 error "+no)
	wantDiffers(t, tryEdits(t, env, "inner.h", "int n, int m", "int n"), "complete", "-other.cc:2:22 error "+no,
		"-use.cc:2:21 error "+no)
	write("use.cc", "#include \"inner.h\"\nint used() { return make(1, 2); }\n")
	wantDiffers(t, tryEdits(t, env, "use.cc", "make(1, 2)", "make(1)"), "complete", "+use.cc:2:21 error "+no)
	wantDiffers(t, tryEdits(t, env, "inner.h", "int n, int m", "int n"), "complete", "+use.cc:2:21 error "+no,
		"-other.cc:2:22 error "+no)
	wantDiffers(t, tryEdits(t, env, "use.cc", "make(1, 2)", "make(1, 3)"), "complete")
}

// A server that has tried other texts before answers as a new one does, whatever changed on disk meanwhile.
func TestCheckEditAgainAsAnew(t *testing.T) {
	testkit.OwnServer(t)
	for _, p := range trialProjects {
		t.Run(p.server, func(t *testing.T) {
			testkit.Always(t, p.server, "gopls")
			t.Parallel()
			if p.server == "clangd" {
				t.Skip("each trial has a process of its own")
			}
			needServer(t, p.program)
			dir := project(t, p.files)
			kept, anew := toolstest.Real(t, dir, p.server), toolstest.Real(t, dir, p.server)
			seed := uint64(1795389671688331582) // which met a new file that pyright no longer read
			if testkit.Times(0, 1) > 0 {
				seed = uint64(time.Now().UnixNano())
			}
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			for n := range checks(t) {
				if random.IntN(2) == 0 {
					name := p.sources()[random.IntN(len(p.sources()))]
					testkit.Write(t, filepath.Join(dir, name), mangled(random, p.files[name]))
				}
				anew.Workspace.Pool.Stop(func(*spec.Spec) bool { return true })
				arguments := randomTrial(random, p)
				got, want := Run(t.Context(), kept, nil, answer.Request{Tool: "check_edit", Arguments: arguments}),
					Run(t.Context(), anew, nil, answer.Request{Tool: "check_edit", Arguments: arguments})
				if string(got.Structured) != string(want.Structured) {
					t.Fatalf("trial %d: %s\ngot  %s\nwant %s", n, arguments, got.Structured, want.Structured)
				}
			}
		})
	}
}

// What the users of a change say is waited for only so long: the errors of the edited file are told, with what is
// pending and how to wait for it, and nothing is recommended. A file that was looked at in time is not pending.
func TestCheckEditLeavesUsersPending(t *testing.T) {
	s := newScripted(t, nil,
		playing(lsptest.Rule{Method: lsp.MethodDocumentDiag, Nth: 3, Actions: []lsptest.Action{hangs}}), "a.w",
		"def X\n", "b.w", "X\n")
	arguments := editOf("a.w", "X", "X\nX")
	arguments["wait"] = "errors"
	a := run(t, s.Session, "check_edit", arguments)
	wantDiffers(t, a, "complete")
	testkit.Equal(t, fmt.Sprint(a["pending"]), "[map[files:[b.w] server_id:fake1 stage:users]]")
	steps := fmt.Sprint(a["next_steps"])
	testkit.Holds(t, steps, `wait "all"`)
	if strings.Contains(steps, "apply_if_clean") {
		t.Errorf("an edit whose users are unknown is recommended: %s", steps)
	}
	arguments["wait"] = "all"
	a = run(t, s.Session, "check_edit", arguments)
	wantDiffers(t, a, "complete")
	if a["pending"] != nil || !strings.Contains(fmt.Sprint(a["next_steps"]), "apply_if_clean") {
		t.Errorf("%v", a)
	}
}
