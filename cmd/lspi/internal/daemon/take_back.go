package daemon

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// What a host's own process does when the shared process, which had the host, has ended.

// rest is what the shared process has left of a host.
type rest struct {
	lines    []restLine // that were dealt with and are still needed, in their order
	behind   []byte     // what was read behind them
	left     bool       // the host sends no more
	gone     bool       // the host reads no more
	torn     bool       // the host may have a part of a line, or all of it
	skipping bool       // behind begins within a line that is refused
}

type restLine struct {
	line []byte
	done bool // what is in it is answered
}

var errGone = errors.New("it was closed")

// takeBack goes on with a host from where the shared process was. It returns what the host sends from now on.
func (r *Relay) takeBack(rest *rest, in io.Reader) io.Reader {
	for _, l := range rest.lines {
		heads := headsOf(l.line)
		r.note(l.line, heads)
		if !l.done {
			continue
		}
		r.mu.Lock()
		for _, h := range heads {
			if q := r.open[h.key()]; q != nil && len(heads) == 1 { // as the shared process keeps settings
				r.noteSet(q)
			}
			delete(r.open, h.key())
		}
		r.mu.Unlock()
	}
	r.mu.Lock()
	r.generation, r.left = 1, rest.left
	r.mu.Unlock()
	if rest.gone {
		r.ended(&hostError{errGone})
		return in
	}
	if rest.torn {
		if err := r.toHost([]byte("\n")); err != nil {
			r.ended(err)
			return in
		}
	}
	r.lost(1, allRead)
	in = io.MultiReader(bytes.NewReader(rest.behind), in)
	if rest.skipping {
		return &behindLine{in: bufio.NewReader(in)}
	}
	return in
}

// behindLine is an input behind the end of the line that it begins within.
type behindLine struct {
	in     *bufio.Reader
	behind bool
}

func (b *behindLine) Read(p []byte) (int, error) {
	for !b.behind {
		_, err := b.in.ReadSlice('\n')
		switch {
		case err == nil:
			b.behind = true
		case !errors.Is(err, bufio.ErrBufferFull):
			return 0, err
		}
	}
	return b.in.Read(p)
}
