package process

import (
	"strings"
	"sync"
)

// Ring keeps the last bytes of a stream: a server's stderr, of which the end tells why it died.
type Ring struct {
	mu   sync.Mutex
	buf  []byte // guarded by mu; a circle once full
	next int
	full bool
}

func newRing(size int) *Ring { return &Ring{buf: make([]byte, size)} }

// Write never fails and never blocks for long.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	if n >= len(r.buf) {
		copy(r.buf, p[n-len(r.buf):])
		r.next, r.full = 0, true
		return n, nil
	}
	k := copy(r.buf[r.next:], p)
	if k < n {
		copy(r.buf, p[k:])
	}
	if r.next+n >= len(r.buf) {
		r.full = true
	}
	r.next = (r.next + n) % len(r.buf)
	return n, nil
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
		l = strings.TrimRight(l, "\r")
		if len(l) > 300 {
			l = strings.ToValidUTF8(l[:300], "") + "…"
		}
		lines[i] = l
	}
	return lines
}

// Text is all that is kept.
func (r *Ring) Text() string {
	r.mu.Lock()
	var all []byte
	if r.full {
		all = append(append(all, r.buf[r.next:]...), r.buf[:r.next]...)
	} else {
		all = append(all, r.buf[:r.next]...)
	}
	r.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(all), "\ufffd"))
}
