package session

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/edit"
	"lspi/lsp/watch"
	"lspi/router"
)

// While an edit is applied no barrier of any workspace goes on, and an edit waits for barriers, though not for long.
func TestEditsAndBarriers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := testkit.Project(t, map[string]string{"a": "one\n"})
		p := &Process{Log: slog.New(slog.DiscardHandler), Texts: source.NewCache(1 << 20), Files: source.OS{},
			EditDir: t.TempDir()}
		defer p.Close()
		w, err := p.Open("k", &router.Table{Workspace: dir}, router.PoolOptions{Watch: watch.Compare})
		testkit.Must(t, err)
		barrier := func() <-chan error {
			done := make(chan error, 1)
			go func() {
				_, err := w.Pool.Journal(dir).Barrier(t.Context())
				done <- err
			}()
			synctest.Wait()
			return done
		}
		testkit.Must(t, <-barrier())
		open, err := p.edits.barriers.shut(t.Context())
		testkit.Must(t, err)
		waits := barrier()
		select {
		case <-waits:
			t.Error("a barrier within an edit")
		default:
		}
		open()
		testkit.Must(t, <-waits)

		plan, err := edit.ChangeTexts([]edit.TextChange{{Path: filepath.Join(dir, "a"), Before: "one\n",
			After: "two\n"}}).Plan(edit.Options{Roots: []string{dir}})
		testkit.Must(t, err)
		release, err := p.edits.barriers.hold(t.Context())
		testkit.Must(t, err)
		began := time.Now()
		_, err = p.Apply(t.Context(), plan,
			edit.ApplyOptions{Expected: map[string]string{plan.Files[0].Path: plan.Files[0].BeforeSHA256}})
		testkit.Must(t, err)
		testkit.Equal(t, time.Since(began), barrierLimit)
		release()
		text, _ := os.ReadFile(filepath.Join(dir, "a"))
		testkit.Equal(t, string(text), "two\n")
		testkit.Must(t, <-barrier())
	})
}
