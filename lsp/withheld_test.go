package lsp

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// What the tree holds is looked for once, and again when a file that decides about it comes or goes.
func TestCodeOfAProjectIsSeenWhenItComes(t *testing.T) {
	t.Parallel()
	dir := testkit.Folder(t, "sub/lib.rs")
	j := watch.Open(dir, watch.Options{Log: slog.New(slog.DiscardHandler)})
	defer j.Close()
	code := &codeSeen{folders: &Folders{root: dir, journal: j}}
	run := spec.ProjectRun{Files: []string{"build.rs"}}
	mark := watch.Mark(0)
	synced := func() {
		t.Helper()
		now, err := j.Barrier(context.Background())
		testkit.Must(t, err)
		changes, ok := j.Since(mark)
		if mark != 0 && !ok {
			t.Fatal("the changes are lost")
		}
		mark = now
		code.changed(changes)
	}
	comes := func(name string) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		synced()
	}
	has := func(want bool, looked bool) {
		t.Helper()
		if _, known := code.known[run.Key()]; known == looked {
			t.Errorf("the tree is looked at anew: %v, want %v", !known, looked)
		}
		testkit.Equal(t, code.has(run), want, "build scripts")
	}
	synced()
	has(false, true)
	comes("sub/other.rs")
	has(false, false)
	comes("sub/build.rs")
	has(true, true)
}
