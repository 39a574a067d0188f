package watch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"

	"lspi/internal/testkit"
)

// needsEvents skips where there are none to be lost.
func needsEvents(t *testing.T) {
	if noEvents != "" {
		t.Skip(noEvents)
	}
}

// failing is a fault that begins when its op is set.
type failing struct{ op, err atomic.Value }

func (f *failing) set(op string, err error) { f.err.Store(err); f.op.Store(op) }

func (f *failing) fault(op, _ string) error {
	if want, _ := f.op.Load().(string); want == op {
		return f.err.Load().(error)
	}
	return nil
}

func TestFallBack(t *testing.T) {
	needsEvents(t)
	full := fmt.Errorf("add: %w", syscall.ENOSPC)
	cases := map[string]struct {
		op     string
		err    error
		reason string
	}{
		"no watcher":       {"open", syscall.EMFILE, "no watcher"},
		"limit of watches": {"watch", full, "max_user_watches"},
		"no token":         {"token", full, "the barrier's file"},
	}
	for name, c := range cases {
		t.Run(name+" from the start", func(t *testing.T) {
			var f failing
			f.set(c.op, c.err)
			b := newBench(t, Options{fault: f.fault}, "a", "1", "p/x", "1")
			b.mode(Compare, c.reason)
			b.write("p/x", "2")
			b.write("n/e/w", "1")
			b.want("created n/e/w", "changed p/x")
		})
		t.Run(name+" later", func(t *testing.T) {
			var f failing
			b := newBench(t, Options{fault: f.fault}, "a", "1", "p/x", "1")
			b.mode(Events, "")
			f.set(c.op, c.err)
			b.write("p/x", "2")
			b.write("n/e/w", "1")
			if c.op == "open" { // asked for only when events were lost
				b.loseEvents()
			}
			got := b.changes() // maybe with a, which is so recent that comparing cannot tell
			if !slices.Contains(got, "created n/e/w") || !slices.Contains(got, "changed p/x") {
				t.Errorf("got %s", got)
			}
			b.mode(Compare, c.reason)
			b.remove("p")
			b.want("deleted p/x")
		})
	}
}

// loseEvents is what the kernel says when its queue overflowed. The test may read the listener: run
// changed it, if at all, before the last barrier ended.
func (b *bench) loseEvents() {
	b.j.watches.listener.w.Errors <- fsnotify.ErrEventOverflow
}

func TestOverflow(t *testing.T) {
	needsEvents(t)
	b := newBench(t, Options{}, "a", "1", "p/x", "1")
	for i := range 20 {
		b.rename("p", "q")
		b.write("q/x", fmt.Sprint(i))
		b.write("n/e/w", fmt.Sprint(i))
		b.loseEvents()
		b.want(map[bool]string{true: "created n/e/w", false: "changed n/e/w"}[i == 0], "deleted p/x", "created q/x")
		b.mode(Events, "overflow")
		b.rename("q", "p")
		b.want("created p/x", "deleted q/x")
		b.write("n/e/w", "a")
		b.write("p/x", "a")
		b.want("changed n/e/w", "changed p/x")
	}
}

// TestRealOverflow fills the kernel's queue while the journal is kept from reading it.
func TestRealOverflow(t *testing.T) {
	needsEvents(t)
	b := newBench(t, Options{}, "a", "1")
	s := b.j.watches.listener
	s.mu.Lock() // the collector stands still
	for range 12000 {
		b.rename("a", "b")
		b.rename("b", "a")
	}
	for i := range 50 { // the queue is full: no events
		b.write(fmt.Sprint("new/f", i), "")
	}
	s.mu.Unlock()
	testkit.Equal(t, len(b.changes()), 51)
	b.consistent()
	b.mode(Events, "overflow")
	b.write("new/f1", "after")
	b.want("changed new/f1")
}

func TestRoot(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, "ws/a", "1", "ws/p/x", "1")
		b.j.Close()
		outer := b.root
		b.root = b.path("ws")
		b.open(o)
		away := outer + "/away"
		t.Run("made again", func(t *testing.T) {
			for i := range 10 {
				b.remove(".")
				b.write("a", "2")
				b.write("n", "2")
				got := strings.Join(b.changes(), ", ")
				if want := "changed a, created n, deleted p/x"; i == 0 && got != want {
					t.Errorf("got %s, want %s", got, want)
				}
				b.consistent()
			}
			b.write("a", "3")
			b.want("changed a")
		})
		t.Run("gone and back", func(t *testing.T) {
			b.remove(".")
			b.want("deleted a", "deleted n")
			b.want()
			b.write("a", "4")
			b.want("created a")
			b.write("a", "5")
			b.want("changed a")
		})
		t.Run("moved and back", func(t *testing.T) {
			b.must(os.Rename(b.root, away))
			b.want("deleted a")
			b.must(os.Rename(away, b.root))
			b.want("created a")
		})
		t.Run("another in its place", func(t *testing.T) {
			b.must(os.Rename(b.root, away))
			b.write("b", "1")
			b.want("deleted a", "created b")
			b.write("b", "2")
			b.want("changed b")
		})
		t.Run("a folder above is another", func(t *testing.T) {
			b.must(os.Rename(outer, outer+"2"))
			defer os.RemoveAll(outer + "2")
			b.write("c", "1")
			b.want("deleted b", "created c")
			b.write("c", "2")
			b.want("changed c")
		})
		if o.Mode == Auto {
			b.mode(Events, "the root")
		}
	})
}

func TestRootNotThereAtOpen(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := &bench{TB: t, root: t.TempDir() + "/later"}
		b.open(o)
		b.want()
		b.write("a", "1")
		b.want("created a")
		b.write("a", "2")
		b.want("changed a")
	})
}

// TestPrivateFolder: whatever happens to the barrier's folder, no barrier hangs.
func TestPrivateFolder(t *testing.T) {
	needsEvents(t)
	b := newBench(t, Options{}, "a", "1")
	private := func() string {
		s := b.j.watches.listener
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.private.path
	}
	for i := range 10 {
		b.must(os.RemoveAll(private()))
		b.write("a", fmt.Sprint(i))
		b.want("changed a")
		was := private() // not once it is moved: the journal is at work then
		b.must(os.Rename(was, was+"-moved"))
		defer os.RemoveAll(was + "-moved")
		b.write("a", fmt.Sprint("b", i))
		b.want("changed a")
	}
	b.mode(Events, "")
	last := private()
	b.j.Close()
	if _, err := os.Stat(last); err == nil {
		t.Errorf("%s is left behind", last)
	}
}

func TestPermissions(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("nothing is forbidden to root, and Windows has other permissions")
	}
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, "a", "1", "p/x", "1", "p/q/y", "1")
		t.Cleanup(func() { os.Chmod(b.path("p"), 0o755) })
		b.must(os.Chmod(b.path("p"), 0))
		b.want("deleted p/q/y", "deleted p/x")
		b.must(os.Chmod(b.path("p"), 0o755))
		b.want("created p/q/y", "created p/x")
		b.write("p/q/y", "2")
		b.want("changed p/q/y")
		b.must(os.Chmod(b.path("p"), 0o444)) // may be listed, not entered
		b.want("deleted p/q/y", "deleted p/x")
		b.must(os.Chmod(b.path("p"), 0o755))
		b.want("created p/q/y", "created p/x")
	})
}
