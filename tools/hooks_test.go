package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/hooks"
	"lspi/tools/toolstest"
)

// An event waits for a server that loads its project; the next ones do not, until it has: then they tell.
func TestHooksWaitOnceForAServerThatLoads(t *testing.T) {
	dir := project(t, map[string]string{"a.w": "fine\n"})
	status := func(quiescent bool) string {
		return fmt.Sprintf(`{"notify":{"method":"experimental/serverStatus","params":{"health":"ok","quiescent":%v}}}`,
			quiescent)
	}
	session := toolstest.Open(t, dir, toolstest.Fake(t, "words", `{"language":"words","rules":[
		{"method":"initialized","actions":[`+status(false)+`]},
		{"method":"workspace/didChangeWatchedFiles","contains":"loaded.w","actions":[`+status(true)+`]}]}`,
		func(s *spec.Spec) { s.Readiness = spec.Readiness{Sign: spec.SignServerStatus} }))
	state, pool := hooks.New(), session.Workspace.Pool
	event := func(within time.Duration) (hooks.Answer, error) {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		a, err := state.AfterChange(ctx, HookCall(session), &hooks.Event{Kind: hooks.AfterTool, Dir: dir})
		return a, err
	}
	testkit.Must(t, state.Start(t.Context(), HookCall(session)))
	write(t, dir, "a.w", "BAD\n")
	if a, err := event(300 * time.Millisecond); err == nil || a.Owed != 1 {
		t.Errorf("it has not waited: %+v, %v", a, err)
	}
	for range 2 {
		if a, err := event(time.Hour); err != nil || a.Owed != 1 || a.Text != "" {
			t.Errorf("it has waited: %+v, %v", a, err)
		}
	}
	testkit.Wait(t, "the server", func() bool { return len(pool.Running()) == 1 })
	write(t, dir, "loaded.w", "fine\n")
	testkit.Must(t, pool.Running()[0].Sync(t.Context()))
	testkit.Wait(t, "the load", func() bool { return pool.Running()[0].Status().Ready })
	a, err := event(time.Hour)
	if err != nil || a.Told != 1 || a.Owed != 0 {
		t.Errorf("%s is not told: %+v, %v", filepath.Join(dir, "a.w"), a, err)
	}
}

// An edit of a project file breaks a file that the session has not changed: when it was known to be without errors
// before, its error is new.
func TestHooksTellWhatAProjectFileBreaks(t *testing.T) {
	testkit.OwnServer(t)
	needServer(t, "gopls")
	needServer(t, "git")
	dir := project(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n", "base/base.go": "package base\n",
		"use/use.go": "package use\n\nimport _ \"example.com/x/base\"\n",
		"old/old.go": "package old\n\nfunc F() int { return nowhere }\n"})
	session := toolstest.Real(t, dir, "gopls")
	state := hooks.New()
	run(t, session, "get_diagnostics", map[string]any{"file_path": "use/use.go", "wait": "all"})
	testkit.Must(t, state.Start(t.Context(), HookCall(session)))
	state.Warm(t.Context(), HookCall(session))
	write(t, dir, "go.mod", "module example.com/y\n\ngo 1.24\n")
	told := ""
	testkit.Wait(t, "the error", func() bool {
		a, err := state.AfterChange(t.Context(), HookCall(session), &hooks.Event{Kind: hooks.AfterTool, Dir: dir})
		testkit.Must(t, err)
		told += a.Text
		return told != "" && a.Owed == 0
	})
	testkit.Holds(t, told, "1 new error ", "new")
	testkit.Holds(t, told, "use/use.go (1)", "what breaks")
}

// After a read of some lines: which declaration they are of, and how often it is used; nothing of lines that touch
// several declarations.
func TestHooksAfterARead(t *testing.T) {
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module example.com/x\n\ngo 1.24\n",
		"a.go": "package x\n\nfunc Sum(a, b int) int {\n\ttotal := a + b\n\treturn total\n}\n\nfunc Other() int { return Sum(1, 2) }\n\ntype T struct{}\n\n" +
			"func (t *T) Area() int {\n\treturn 1\n}\n",
		"b.go": "package x\n\nvar _ = Sum(1, 2)\n"})
	session := toolstest.Real(t, dir, "gopls")
	run(t, session, "find_references", map[string]any{"file_path": "a.go", "symbol_name": "Sum"})
	after := func(path string, first, last int) string {
		e := &hooks.Event{Kind: hooks.AfterTool, Dir: dir, Paths: []string{path}, Lines: [2]int{first, last}, Reads: true}
		return hooks.AfterSearch(t.Context(), HookCall(session), e, func(ctx context.Context, name string,
			arguments map[string]any) (json.RawMessage, bool) {
			raw, err := json.Marshal(arguments)
			testkit.Must(t, err)
			r := Run(ctx, session, nil, answer.Request{Tool: name, Arguments: raw})
			return r.Structured, r.OK
		}).Text
	}
	told := ""
	testkit.Wait(t, "an answer within the budget", func() bool {
		told = after(filepath.Join(dir, "a.go"), 4, 5)
		return told != ""
	})
	testkit.Equal(t, told, "lspi: a.go:3-6 function Sum\n2 uses in 2 files (complete): find_references "+
		`{"symbol_name":"Sum","file_path":"a.go"}`)
	testkit.Wait(t, "an answer within the budget", func() bool {
		told = after("a.go", 13, 13)
		return told != ""
	})
	testkit.Holds(t, told, "lspi: a.go:12-14 method (*T).Area\n0 uses in 0 files (complete): find_references ", "a method")
	for _, lines := range [][2]int{{1, 20}, {1, 1}, {500, 600}} {
		testkit.Equal(t, after("a.go", lines[0], lines[1]), "", lines)
	}
}
