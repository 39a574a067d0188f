package recall

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// large writes a transcript of about so many megabytes, most of it in the answer of tools, and is its path.
func (h *home) large(megabytes int) string {
	h.Helper()
	path := h.write(project("large"), newChat("large", h.work).ask("the task").String(), 0)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	h.must(err)
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	output := strings.Repeat(`line with \"quotes\" and \u00e9 in it\n`, (2<<20)/40)
	for i := range megabytes / 4 {
		fmt.Fprintf(w,
			`{"parentUuid":"p%d","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"%s"}]},"toolUseResult":{"stdout":"%s"},"type":"user","uuid":"p%d"}`+"\n", i-1, output, output, i)
	}
	fmt.Fprintf(w, `{"parentUuid":"p%d","type":"user","uuid":"last","message":{"role":"user","content":"and then"}}`+
		"\n", megabytes/4-1)
	h.must(w.Flush())
	return path
}

// allocated is how many bytes f allocates, freed or not.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A transcript costs memory for its longest string and its requests, not for its bytes: all that is ever allocated
// stays far below its size.
func TestLargeTranscripts(t *testing.T) {
	h := newHome(t)
	path := h.large(64)
	ask := func() {
		s, err := h.store.Session(t.Context(), h.work, "large")
		if err != nil || s.Count != 2 || s.Preview != "the task" {
			t.Errorf("%v %+v", err, s)
		}
		if r, err := s.Request(t.Context(), 2); err != nil || r.Text != "and then" {
			t.Errorf("%v %+v", err, r)
		}
	}
	if got := allocated(ask); got > 12<<20 { // strings of 2 MB, for which a buffer grows by doubling
		t.Errorf("%d bytes were allocated", got)
	}
	h.pack(path)
	packed := filepath.Join(h.dir, "codex", "sessions", "rollout-2026-03-04T12-00-00-"+uuid(1)+".jsonl"+zst)
	h.must(os.MkdirAll(filepath.Dir(packed), 0o700))
	h.must(os.Rename(path+zst, packed))
	if got := allocated(func() { h.listed(0) }); got > 36<<20 { // and the windows of zstd
		t.Errorf("%d bytes were allocated for a compressed one", got)
	}
}

// A request may be as long as its line; of one beyond the limit the begin is given.
func TestLongRequests(t *testing.T) {
	h := newHome(t)
	long := strings.Repeat("é", MaxText)
	h.write(live(1), newRollout(1, h.work).ask(long).ask("short").String(), 0)
	s, err := h.store.Session(t.Context(), h.work, uuid(1))
	h.must(err)
	r, err := s.First(t.Context())
	if err != nil || !r.Cut || r.Text != long[:MaxText] || s.Count != 2 {
		t.Errorf("%v, %d bytes, cut %v, %d requests", err, len(r.Text), r.Cut, s.Count)
	}
}

// The first question about a transcript of 200 MB, and the next one after a line was appended.
func BenchmarkLarge(b *testing.B) {
	h := newHome(b)
	path := h.large(200)
	info, err := os.Stat(path)
	h.must(err)
	question := func(b *testing.B, store *Store) {
		if s, err := store.Session(b.Context(), h.work, "large"); err != nil || s.Count != 2 {
			b.Fatal(err, s.Count)
		}
	}
	b.Run("first", func(b *testing.B) {
		b.SetBytes(info.Size())
		b.ReportAllocs()
		for b.Loop() {
			question(b, Open(Folders{Claude: filepath.Join(h.dir, "claude")}))
		}
	})
	b.Run("appended", func(b *testing.B) {
		b.ReportAllocs()
		question(b, h.store)
		for b.Loop() {
			h.add(path, "{\"type\":\"mode\"}\n")
			question(b, h.store)
		}
	})
}
