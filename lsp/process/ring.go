package process

import (
	"slices"
	"strings"
	"sync"
)

// Ring keeps the last bytes of a stream: a server's stderr, of which the end tells why it died.
type Ring struct {
	size int

	mu   sync.Mutex
	kept []byte // at most size; guarded by mu
}

func newRing(size int) *Ring { return &Ring{size: size} }

// Write never fails and never blocks for long.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, p[max(0, len(p)-r.size):]...)
	r.kept = slices.Delete(r.kept, 0, max(0, len(r.kept)-r.size))
	return len(p), nil
}

// Tail is the last lines, at most n of them, each at most 300 bytes; nil when nothing was written.
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
		lines[i] = short(l)
	}
	return lines
}

// Text is all that is kept.
func (r *Ring) Text() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(r.kept), "\ufffd"))
}
