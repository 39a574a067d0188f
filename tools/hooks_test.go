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
