package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// sizes are the trees of the benchmarks, in files; LSPI_WATCH_LARGE adds 100,000.
func sizes() []int {
	if os.Getenv("LSPI_WATCH_LARGE") != "" {
		return []int{10_000, 100_000}
	}
	return []int{10_000}
}

// forest makes n files in root, 20 to a folder.
func forest(t testing.TB, root string, n int) (files []string) {
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("module%02d", i/20%50), fmt.Sprintf("package%05d", i/20))
		if i%20 == 0 {
			testkit.Must(t, os.MkdirAll(dir, 0o755))
		}
		path := filepath.Join(dir, fmt.Sprintf("source%06d.go", i))
		testkit.Write(t, path, "package p\n")
		files = append(files, path)
	}
	return files
}

// BenchmarkBarrier gives the median and the 99th percentile of a barrier, with nothing changed and right after 1,000
// files were written.
func BenchmarkBarrier(b *testing.B) {
	for _, n := range sizes() {
		root := b.TempDir()
		files := forest(b, root, n)
		for _, m := range []Mode{Auto, Compare} {
			j := Open(root, Options{Mode: m})
			for _, changes := range []int{0, 1, 1000} {
				b.Run(fmt.Sprintf("files=%d/mode=%s/changes=%d", n, m, changes), func(b *testing.B) {
					benchBarrier(b, j, files[:changes])
				})
			}
			j.Close()
		}
	}
}

func benchBarrier(b *testing.B, j *Journal, change []string) {
	mark, err := j.Barrier(b.Context())
	testkit.Must(b, err)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		for _, path := range change {
			overwrite(b, path, fmt.Sprintf("package p%06d\n", i))
		}
		b.StartTimer()
		start := time.Now()
		next, err := j.Barrier(b.Context())
		took = append(took, time.Since(start))
		b.StopTimer()
		got, _ := j.Since(mark)
		if err != nil || len(got) < len(change) {
			b.Fatalf("%d of %d changes, error %v", len(got), len(change), err)
		}
		mark = next
		b.StartTimer()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// overwrite does not truncate, which takes ext4 longer than all the rest of the benchmark.
func overwrite(b *testing.B, path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	testkit.Must(b, err)
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkOpen gives the time to the end of the first walk and the memory that the journal then holds.
func BenchmarkOpen(b *testing.B) {
	for _, n := range sizes() {
		root := b.TempDir()
		forest(b, root, n)
		for _, m := range []Mode{Auto, Compare} {
			b.Run(fmt.Sprintf("files=%d/mode=%s", n, m), func(b *testing.B) {
				var held uint64
				for b.Loop() {
					before := heap()
					j := Open(root, Options{Mode: m})
					if _, err := j.Barrier(b.Context()); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					held = heap() - before
					j.Close()
					b.StartTimer()
				}
				b.ReportMetric(float64(held)/1e6, "MB-held")
			})
		}
	}
}

func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// TestMemory holds the size of the snapshot down.
func TestMemory(t *testing.T) {
	root, n := testkit.MemoryDir(t), testkit.Times(3_000, 10_000)
	forest(t, root, n)
	inBothModes(t, func(t *testing.T, o Options) {
		before := heap()
		j := Open(root, o)
		defer j.Close()
		if _, err := j.Barrier(t.Context()); err != nil {
			t.Fatal(err)
		}
		if held := int(heap()) - int(before); held > 300*n {
			t.Errorf("%d files hold %d bytes", n, held)
		}
	})
}
