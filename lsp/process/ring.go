package process

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Ring keeps the last bytes of a stream: a server's stderr, whose end says why the server died.
type Ring struct {
	size int

	filter atomic.Pointer[func(line string) bool]
	line   []byte // the beginning of an unfinished line, at most size bytes; used by Write alone

	mu   sync.Mutex
	kept []byte // at most size bytes; guarded by mu
}

func newRing(size int) *Ring { return &Ring{size: size} }

// Filter has f see each line that is written from now on, without its end and cut at the size of the ring. A line for
// which f returns false is not kept. f must return soon, and must not use the ring.
func (r *Ring) Filter(f func(line string) bool) { r.filter.Store(&f) }

// Write implements io.Writer for one goroutine. It never fails and never blocks for long: a server must not hang
// because nobody reads its stderr.
func (r *Ring) Write(p []byte) (int, error) {
	f := r.filter.Load()
	if f == nil {
		r.keep(p)
		return len(p), nil
	}
	for rest := p; ; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		r.line = append(r.line, part[:min(len(part), r.size-len(r.line))]...)
		if !ended {
			return len(p), nil
		}
		if (*f)(string(r.line)) {
			r.keep(append(r.line, '\n'))
		}
		r.line, rest = r.line[:0], after
	}
}

func (r *Ring) keep(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, p[max(0, len(p)-r.size):]...)
	r.kept = slices.Delete(r.kept, 0, max(0, len(r.kept)-r.size))
}

// Tail returns the last lines, at most n of them and of each at most 300 bytes; nil when nothing was written.
func (r *Ring) Tail(n int) []string {
	text := r.Text()
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	for i, l := range lines {
		lines[i] = shorten(l)
	}
	return lines
}

// Text returns everything that is kept.
func (r *Ring) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(r.kept), "\ufffd"))
}
