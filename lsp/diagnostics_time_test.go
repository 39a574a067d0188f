package lsp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// When the time is over before all files of a trial were sent to the server, those that were not are silent and the
// others are told: that is no error.
func TestDiagnosticsOutOfTimeAreSilent(t *testing.T) {
	s := inside(t, &spec.Spec{ID: "fake", Diagnostics: spec.Diagnostics{Versioned: true, Rebuild: true}},
		&lsptest.Script{})
	var paths []string
	for _, name := range []string{"a.w", "b.w"} {
		path := filepath.Join(s.folders.root, name)
		testkit.Must(t, os.WriteFile(path, []byte("def A\n"), 0o600))
		paths = append(paths, path)
	}
	release, err := s.docs.Lock(t.Context()) // nothing can be sent now
	testkit.Must(t, err)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	d, err := s.diagnostics.OfTexts(ctx, paths)
	if err != nil || len(d.Silent) != 2 || len(d.Reports) != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.diagnostics.OfTexts(cancelled, paths); err == nil {
		t.Error("a diagnosis that nobody waits for any more has no error")
	}
}

// When the server has looked at everything and the time is over while lspi finds out which sources the build leaves
// out, that stays pending, with the step that waits for it.
func TestDiagnosticsOfTheWorkspaceOutOfTimeArePending(t *testing.T) {
	s := inside(t, &spec.Spec{ID: "fake", Diagnostics: spec.Diagnostics{Workspace: true}}, &lsptest.Script{})
	testkit.Must(t, os.WriteFile(filepath.Join(s.folders.root, "a.w"), []byte("def A\n"), 0o600))
	s.folders.journal = watch.Open(s.folders.root, watch.Options{Mode: watch.Compare})
	defer s.folders.journal.Close()
	s.diagnostics.hooks.AskPushes = func(context.Context, []string) error { return nil }
	s.capabilities.set(map[string]json.RawMessage{"executeCommandProvider": raw(`{"commands":["push"]}`)})
	s.diagnostics.hooks.PushesBy = "push"
	ctx, over := context.WithCancel(t.Context())
	s.projects.hooks.OutsideBuild = func(context.Context) (map[string]bool, bool) {
		over()
		return nil, false
	}
	rest, err := s.diagnostics.FinishAll(t.Context())
	testkit.Must(t, err)
	rest.Wait(t.Context())
	d, err := s.diagnostics.AllFirst(ctx)
	testkit.Must(t, err)
	testkit.Equal(t, strings.Join(d.Pending, " "), PendingWorkspace)
}
