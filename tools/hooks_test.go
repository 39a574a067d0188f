package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
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
