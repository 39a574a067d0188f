package watch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"lspi/internal/testkit"
)

// vandal does random things to a tree, in a small space of names so that they meet.
type vandal struct {
	*rand.Rand
	root string
	n    int
}

// somewhere is a random path, at most four deep.
func (v *vandal) somewhere() string {
	path := v.root
	for range 1 + v.IntN(3) {
		path = filepath.Join(path, string("abcd"[v.IntN(4)]))
	}
	return path
}

func (v *vandal) leaf() string {
	names := []string{"x.go", "y.go", "z.c", "o.o"}
	return filepath.Join(v.somewhere(), names[v.IntN(len(names))])
}

// text has one of few sizes, so that writes often keep it.
func (v *vandal) text() []byte { v.n++; return fmt.Appendf(nil, "%06d%.*s", v.n, v.IntN(2), "!") }

// act does one thing. That it fails, because the place does not exist or is something else, is part of the plan.
func (v *vandal) act() {
	acts := []func(){
		func() { v.write(v.leaf()) }, func() { v.write(v.leaf()) }, func() { v.write(v.leaf()) },
		func() { os.WriteFile(v.leaf(), v.text(), 0o644) },
		func() { os.Remove(v.leaf()) },
		func() { os.RemoveAll(v.somewhere()) },
		func() { os.Rename(v.leaf(), v.leaf()) },
		func() { os.Rename(v.somewhere(), v.somewhere()) }, func() { os.Rename(v.somewhere(), v.somewhere()) },
		func() { v.swap(v.somewhere(), v.somewhere()) },
		func() { v.save(v.leaf()) }, func() { v.save(v.leaf()) },
		func() { v.write(v.somewhere()) },
		func() { os.MkdirAll(v.leaf(), 0o755) },
		func() { os.Symlink("x.go", v.leaf()) },
		func() { os.Link(v.leaf(), v.leaf()) },
		func() { os.Chmod(v.somewhere(), 0o700) },
		func() { v.again(v.somewhere()) },
		func() { v.ignore() },
	}
	acts[v.IntN(len(acts))]()
}

func (v *vandal) write(path string) {
	os.MkdirAll(filepath.Dir(path), 0o755)
	os.WriteFile(path, v.text(), 0o644)
}

func (v *vandal) save(path string) {
	v.write(path + ".tmp")
	os.Rename(path+".tmp", path)
}

func (v *vandal) swap(a, b string) {
	tmp := filepath.Join(v.root, "tmp")
	os.Rename(a, tmp)
	os.Rename(b, a)
	os.Rename(tmp, b)
}

// again makes a folder anew, most likely with the inode that it had.
func (v *vandal) again(path string) {
	os.RemoveAll(path)
	v.write(filepath.Join(path, "x.go"))
}

func (v *vandal) ignore() {
	lines := []string{"*.o\n", "!*.o\n", "a/\n", "/b\n", "c/x.go\n", "!/a/x.go\n", "", "**/d\n"}
	path := filepath.Join(v.somewhere(), ignoreFile)
	if v.IntN(3) == 0 {
		os.Remove(path)
		return
	}
	os.WriteFile(path, []byte(lines[v.IntN(len(lines))]+lines[v.IntN(len(lines))]), 0o644)
}

// seeds is how many random runs are made: LSPI_WATCH_SEEDS, or few.
func seeds(t *testing.T) uint64 {
	text := os.Getenv("LSPI_WATCH_SEEDS")
	if text == "" {
		return uint64(testkit.Times(2, 6))
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("LSPI_WATCH_SEEDS: %v", err)
	}
	return n
}

// TestRandom: after a barrier, the consumer's view and the snapshot equal the disk, whatever was done before.
func TestRandom(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		for seed := range seeds(t) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) { randomRounds(t, o, seed, testkit.Times(30, 60)) })
		}
	})
}

func randomRounds(t *testing.T, o Options, seed uint64, rounds int) {
	b := newBench(t, o)
	v := &vandal{Rand: rand.New(rand.NewPCG(seed, 1)), root: b.root}
	consumer := &view{j: b.j, mark: b.mark}
	consumer.readAll()
	for round := range rounds {
		for range 1 + v.IntN(20) {
			v.act()
		}
		consumer.refresh(t)
		if bad := consumer.missing(); bad != nil {
			t.Fatalf("round %d: %q", round, bad)
		}
		if b.consistent(); t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	if m, why := b.j.Mode(); o.Mode == Auto && m != Events {
		t.Errorf("it fell back: %s", why)
	}
}

// ledger is what TestConcurrent's writers have done: odd while a file is being changed.
type ledger [64]atomic.Uint64

// TestConcurrent: while writers never stop, a barrier has every change that was done before it. Files that were not
// being changed from before the barrier until they were read must be right.
func TestConcurrent(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o)
		consumer := &view{j: b.j, mark: b.mark}
		consumer.readAll()
		var done ledger
		stop := make(chan struct{})
		var writers sync.WaitGroup
		for w := range 2 {
			writers.Go(func() { scribble(b.root, &done, w, stop) })
		}
		for range 3 {
			writers.Go(func() { concurrentReader(t, b, &done) })
		}
		for range testkit.Times(50, 150) {
			checkOnce(t, consumer, b.root, &done)
		}
		close(stop)
		writers.Wait()
		consumer.refresh(t)
		if bad := consumer.missing(); bad != nil {
			t.Errorf("at the end: %q", bad)
		}
	})
}

// concurrentReader makes barriers queue and join.
func concurrentReader(t *testing.T, b *bench, done *ledger) {
	consumer := &view{j: b.j, seen: make(map[string]string)}
	for range testkit.Times(20, 50) {
		checkOnce(t, consumer, b.root, done)
	}
}

func scribblePath(root string, i int) string {
	return filepath.Join(root, fmt.Sprint("d", i%8), fmt.Sprint("e", i%3), fmt.Sprint("f", i))
}

// scribble changes the files of one parity, each time in another way.
func scribble(root string, done *ledger, parity int, stop chan struct{}) {
	v := &vandal{Rand: rand.New(rand.NewPCG(uint64(parity), 2)), root: root}
	for {
		select {
		case <-stop:
			return
		default:
		}
		i := v.IntN(len(done)/2)*2 + parity
		path := scribblePath(root, i)
		done[i].Add(1)
		switch v.IntN(4) {
		case 0:
			v.save(path)
		case 1:
			os.Remove(path)
		default:
			v.write(path)
		}
		done[i].Add(1)
	}
}

func checkOnce(t *testing.T, consumer *view, root string, done *ledger) {
	var before [len(done)]uint64
	for i := range done {
		before[i] = done[i].Load()
	}
	consumer.refresh(t)
	for i := range done {
		path := scribblePath(root, i)
		now := content(path)
		if before[i]%2 == 0 && done[i].Load() == before[i] && consumer.seen[path] != now {
			t.Errorf("%s: has %q, on disk is %q", path, consumer.seen[path], now)
		}
	}
}

// TestConcurrentFolders: folders are moved about without a pause; when that ends, nothing was lost.
func TestConcurrentFolders(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		for seed := range seeds(t) {
			b := newBench(t, o)
			consumer := &view{j: b.j, mark: b.mark}
			consumer.readAll()
			stop, ended := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(ended)
				v := &vandal{Rand: rand.New(rand.NewPCG(seed, 3)), root: b.root}
				for {
					select {
					case <-stop:
						return
					default:
						v.act()
					}
				}
			}()
			for range 40 {
				consumer.refresh(t)
			}
			close(stop)
			<-ended
			consumer.refresh(t)
			if bad := consumer.missing(); bad != nil {
				t.Fatalf("seed %d: %q", seed, bad)
			}
			if b.consistent(); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
			for range 20 { // the watches are where they should be
				for path := range b.j.Files() {
					os.WriteFile(path, []byte("end"), 0o644)
				}
				consumer.refresh(t)
			}
			if bad := consumer.missing(); bad != nil {
				t.Fatalf("seed %d, afterwards: %q", seed, bad)
			}
		}
	})
}

// TestJoin: a caller may share a barrier only if that began after the call.
func TestJoin(t *testing.T) {
	inBothModes(t, func(t *testing.T, o Options) {
		b := newBench(t, o)
		var callers sync.WaitGroup
		for c := range 8 {
			callers.Go(func() {
				for i := range testkit.Times(12, 40) {
					path := filepath.Join(b.root, fmt.Sprintf("c%d-%d", c, i))
					os.WriteFile(path, nil, 0o644)
					if _, err := b.j.Barrier(t.Context()); err != nil {
						t.Error(err)
						return
					}
					if changes, _ := b.j.Since(b.mark); !slices.Contains(changes, Change{path, Created}) {
						t.Errorf("%s was made before the barrier and is not in the journal", path)
					}
				}
			})
		}
		callers.Wait()
	})
}
