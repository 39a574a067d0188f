package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

func TestChanges(t *testing.T) {
	cases := map[string]func(b *bench){
		"nothing": func(b *bench) { b.want() },
		"edit": func(b *bench) {
			b.write("a.go", "package b")
			b.want("changed a.go")
			b.want()
		},
		"edit of the same size, many times": func(b *bench) {
			for i := range testkit.Times(40, 200) {
				b.write("a.go", fmt.Sprintf("package %03d", i))
				b.want("changed a.go")
			}
		},
		"append and truncate": func(b *bench) {
			f, err := os.OpenFile(b.path("a.go"), os.O_WRONLY|os.O_APPEND, 0)
			b.must(err)
			defer f.Close()
			_, err = f.WriteString("more")
			b.must(err)
			b.want("changed a.go")
			b.must(f.Truncate(3))
			b.want("changed a.go")
		},
		"new file":           func(b *bench) { b.write("b.go", ""); b.want("created b.go"); b.want() },
		"new and gone again": func(b *bench) { b.write("b.go", "x"); b.remove("b.go"); b.want() },
		"deleted":            func(b *bench) { b.remove("a.go"); b.want("deleted a.go"); b.want() },
		"deleted and made again": func(b *bench) {
			b.remove("a.go")
			b.write("a.go", "other")
			b.want("changed a.go")
		},
		"renamed": func(b *bench) {
			b.rename("a.go", "z.go")
			b.want("deleted a.go", "created z.go")
			b.rename("z.go", "a.go")
			b.want("created a.go", "deleted z.go")
		},
		"renamed over another": func(b *bench) {
			b.rename("a.go", "p/x.go")
			b.want("deleted a.go", "changed p/x.go")
		},
		"atomic save": func(b *bench) {
			for i := range testkit.Times(15, 50) {
				b.save("a.go", fmt.Sprint(i))
				b.want("changed a.go")
			}
		},
		"folder renamed": func(b *bench) {
			b.rename("p", "r")
			b.want("deleted p/q/y.go", "deleted p/x.go", "created r/q/y.go", "created r/x.go")
			b.write("r/q/y.go", "1")
			b.write("r/q/z.go", "2")
			b.want("changed r/q/y.go", "created r/q/z.go")
			b.rename("r/q", "q")
			b.write("q/y.go", "3")
			b.want("created q/y.go", "created q/z.go", "deleted r/q/y.go", "deleted r/q/z.go")
			b.write("q/y.go", "4")
			b.want("changed q/y.go")
		},
		"folder renamed and replaced": func(b *bench) {
			b.rename("p", "r")
			b.write("p/x.go", "new")
			b.want("deleted p/q/y.go", "changed p/x.go", "created r/q/y.go", "created r/x.go")
			b.write("r/x.go", "1")
			b.write("p/x.go", "2")
			b.want("changed p/x.go", "changed r/x.go")
		},
		"folders swapped": func(b *bench) {
			b.write("s/x.go", "s")
			b.want("created s/x.go")
			for i := range testkit.Times(8, 20) {
				b.rename("p", "t")
				b.rename("s", "p")
				b.rename("t", "s")
				b.changes()
				b.consistent()
				b.write("p/x.go", fmt.Sprint("p", i))
				b.write("s/x.go", fmt.Sprint("s", i))
				b.want("changed p/x.go", "changed s/x.go")
			}
		},
		"folder moved away and back": func(b *bench) {
			out := filepath.Join(b.TempDir(), "out")
			b.must(os.Rename(b.path("p"), out))
			b.want("deleted p/q/y.go", "deleted p/x.go")
			b.must(os.WriteFile(filepath.Join(out, "x.go"), []byte("changed outside"), 0o644))
			b.want()
			b.must(os.Rename(out, b.path("p")))
			b.want("created p/q/y.go", "created p/x.go")
			b.write("p/x.go", "1")
			b.want("changed p/x.go")
		},
		"folder deleted and made again": func(b *bench) {
			for i := range testkit.Times(8, 20) {
				b.remove("p")
				b.write("p/x.go", fmt.Sprint(i))
				b.changes()
				b.consistent()
				b.write("p/x.go", "again")
				b.want("changed p/x.go")
			}
		},
		"new folders with files": func(b *bench) {
			b.write("n/e/s/t/ed.go", "x")
			b.write("n/e/w.go", "x")
			b.want("created n/e/s/t/ed.go", "created n/e/w.go")
			b.write("n/e/s/t/ed.go", "y")
			b.want("changed n/e/s/t/ed.go")
			b.remove("n")
			b.want("deleted n/e/s/t/ed.go", "deleted n/e/w.go")
		},
		"empty folder, filled later": func(b *bench) {
			b.mkdir("empty")
			b.want()
			b.write("empty/a.go", "")
			b.want("created empty/a.go")
		},
		"folder becomes file and back": func(b *bench) {
			b.remove("p")
			b.write("p", "a file")
			b.want("created p", "deleted p/q/y.go", "deleted p/x.go")
			b.remove("p")
			b.write("p/x.go", "x")
			b.want("deleted p", "created p/x.go")
		},
		"links are tracked by themselves": func(b *bench) {
			b.must(os.Symlink("p", b.path("dir")))
			b.must(os.Symlink("a.go", b.path("file")))
			b.must(os.Symlink("nowhere", b.path("broken")))
			b.want("created broken", "created dir", "created file")
			b.write("p/x.go", "seen once")
			b.want("changed p/x.go")
			b.must(os.Remove(b.path("file")))
			b.must(os.Symlink("p/x.go", b.path("file")))
			b.want("changed file")
		},
		"git's own folder": func(b *bench) {
			b.write(".git/index", "x")
			b.write("p/.git", "gitdir: x")
			b.want()
		},
		"other names of a file": func(b *bench) {
			b.must(os.Link(b.path("a.go"), b.path("p/other.go")))
			testkit.Holds(b, strings.Join(b.changes(), ","), "created p/other.go", "new name not seen")
			b.write("p/other.go", "through the other name")
			b.want("changed a.go", "changed p/other.go")
			b.write("a.go", "through the first name..")
			b.want("changed a.go", "changed p/other.go")
		},
		"a pipe is no file": func(b *bench) {
			mkfifo(b, b.path("pipe"))
			b.want()
		},
		"a deep tree": func(b *bench) {
			deep := strings.Repeat("d/", 300)
			b.write(deep+"f.go", "x")
			b.want("created " + deep + "f.go")
			b.write(deep+"f.go", "y")
			b.want("changed " + deep + "f.go")
		},
		"odd names": func(b *bench) {
			for _, name := range []string{"sp ace.go", "ha#sh%20.go", "ünï/é.go", "new\nline.go", "-dash",
				"p/\xff\xfe.go"} {
				b.write(name, "1")
				b.want("created " + name)
				b.write(name, "2")
				b.want("changed " + name)
			}
		},
		"many files at once": func(b *bench) {
			n := testkit.Times(300, 1000)
			var created, changed []string
			for i := range n {
				b.write(manyPath(i), "1")
				created = append(created, "created "+manyPath(i))
				changed = append(changed, "changed "+manyPath(i))
			}
			b.want(created...)
			for i := range n {
				b.write(manyPath(i), "2")
			}
			b.want(changed...)
		},
	}
	inBothModes(t, func(t *testing.T, o Options) {
		for name, test := range cases {
			t.Run(name, func(t *testing.T) {
				test(newBench(t, o, "a.go", "package a", "p/x.go", "x", "p/q/y.go", "y"))
			})
		}
	})
}

func manyPath(i int) string { return fmt.Sprintf("many/%02d/%04d.go", i/50, i) }

func TestMarks(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, "a", "1")
		start := b.mark
		b.write("b", "1")
		one := b.barrier()
		b.write("b", "2")
		b.write("a", "2")
		two := b.barrier()
		b.remove("b")
		three := b.barrier()
		testkit.Equal(t, b.barrier(), three, "nothing happened, yet the mark went from")
		for m, want := range map[Mark][]string{
			start: {"changed a", "deleted b"}, // somebody may have seen b at one or two
			one:   {"changed a", "deleted b"},
			two:   {"deleted b"},
			three: {},
		} {
			b.mark = m
			b.want(want...)
		}
	})
}

func TestTrimmedHistory(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		o.historyLimit = 10
		b := newBench(t, o)
		start := b.mark
		for i := range 20 {
			b.write(fmt.Sprint(i), "")
		}
		now := b.barrier()
		if _, ok := b.j.Since(start); ok {
			t.Error("20 changes were kept in a history of 10")
		}
		b.mark = now
		b.write("3", "changed")
		b.want("changed 3")
	})
}

func TestChangesDuringFirstWalk(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b, n := &bench{TB: t, root: t.TempDir()}, testkit.Times(150, 300)
		for i := range n {
			b.write(fmt.Sprintf("d%d/f", i), "1")
		}
		b.j = Open(b.root, o)
		t.Cleanup(func() { b.j.Close() })
		for i := range n {
			b.write(fmt.Sprintf("d%d/f", i), "2")
		}
		b.barrier()
		changes, _ := b.j.Since(0)
		testkit.Equal(t, len(changes), n)
	})
}

func TestExtra(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, ".gitignore", "build/", "build/db.json", "1")
		above := filepath.Join(t.TempDir(), "go.work")
		b.j.Extra(b.path("build/db.json"), above)
		b.changes() // it was written so recently that it may be reported once for nothing
		b.want()
		for i := range 20 {
			b.write("build/db.json", fmt.Sprint(i%10))
			b.want("changed build/db.json")
		}
		b.must(os.WriteFile(above, nil, 0o644))
		m := b.barrier()
		changes, _ := b.j.Since(b.mark)
		if len(changes) != 1 || changes[0] != (Change{above, Created}) {
			t.Errorf("got %v, want %s created", changes, above)
		}
		b.mark = m
		b.remove("build")
		b.want("deleted build/db.json")
	})
}

func TestRootIsLink(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, "a", "1")
		alias := filepath.Join(t.TempDir(), "alias")
		b.must(os.Symlink(b.root, alias))
		j := Open(alias, o)
		defer j.Close()
		testkit.Equal(t, j.Root(), b.root, "root")
	})
}

func TestCountByExt(t *testing.T) {
	b := newBench(t, Options{}, "a.go", "", "b/c.go", "", "Makefile", "", ".git/x.go", "")
	got := b.j.CountByExt()
	if got[".go"] != 2 || got[""] != 1 || len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestBarrierEnds(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.j.Barrier(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("with an ended context: %v", err)
		}
		b.j.Close()
		if _, err := b.j.Barrier(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		b.must(b.j.Close())
	})
}

// An early barrier has what was done before it, is for one caller, and is nothing for another journal or for who
// comes late.
func TestEarly(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b, other := newBench(t, o, "a.go", "1"), newBench(t, o)
		b.write("b.go", "1")
		ctx := b.j.Early(b.Context())
		early := ctx.Value(earlyKey{}).(*earlyBarrier)
		if earlyOf(ctx, other.j) != nil {
			t.Error("the barrier of another journal is taken")
		}
		before, err := b.j.Barrier(ctx)
		b.must(err)
		if changes, ok := b.j.Since(b.mark); !ok || len(changes) != 1 {
			t.Errorf("after the early barrier: %v, %v", changes, ok)
		}
		b.write("c.go", "1")
		after, err := b.j.Barrier(ctx)
		b.must(err)
		if changes, ok := b.j.Since(before); !ok || len(changes) != 1 || after <= before {
			t.Errorf("after the next one: %v, %v", changes, ok)
		}
		early.taken.Store(false)
		if earlyOf(ctx, b.j) != early.barrier {
			t.Error("it is not taken anew")
		}
		early.taken.Store(false)
		early.began = early.began.Add(-earlyLasts)
		if earlyOf(ctx, b.j) != nil {
			t.Error("it is taken too late")
		}
	})
}

// A folder whose files are followed one by one may be replaced, be a link to a folder of the tree, and hold a file that
// changed before it was followed.
func TestExtraFolders(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o, ".gitignore", "deps/", "deps/a/one", "1", "deps/a/two", "1", "src/three", "1")
		b.must(os.Symlink(b.path("src"), b.path("deps/link")))
		b.j.ExtraRead(time.Now().Add(time.Hour), b.path("deps/a/one"), b.path("deps/a/two"), b.path("deps/link/three"))
		b.changes()
		b.want()
		b.write("deps/a/one", "2")
		b.write("deps/a/other", "1")
		b.write("src/three", "2")
		b.want("changed deps/a/one", "changed deps/link/three", "changed src/three")
		b.must(os.Rename(b.path("deps"), b.path("gone")))
		b.must(os.WriteFile(b.path(".gitignore"), []byte("deps/\ngone/"), 0o644))
		b.changes()
		b.write("deps/a/one", "3")
		b.want("created deps/a/one")
		b.write("deps/a/one", "4")
		b.want("changed deps/a/one")
		b.j.ExtraRead(time.Unix(0, 0), b.path("gone/a/two"))
		b.want("created gone/a/two")
	})
}
