package lsp

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
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
