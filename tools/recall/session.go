package recall

import (
	"context"
	"time"
)

// Session is one conversation as it was when it was asked for; later lines do not change it. Its texts
// are read from the disk when they are asked for.
type Session struct {
	// ID is what the client calls it: the thread of Codex, the session of Claude Code.
	ID     string
	Client Client
	// Cwd is the folder that it was started in, as the client wrote it.
	Cwd string
	// Started is when it began, Updated when its transcript was last written; Started is zero when no line says it.
	Started, Updated time.Time
	// Count is how many requests of the user it has.
	Count int
	// Preview is how the first request begins, at most [PreviewRunes] runes, without line breaks; "" when there is
	// none.
	Preview string
	// Path is the file that the client writes now, absolute.
	Path string
	// Partial is why requests may be missing, or "".
	Partial string
	// Overlooked are the clients whose folders could not be read, where the session was guessed: the right one may
	// be theirs.
	Overlooked []*SourceError

	store   *Store
	entries []entry
}

// Request is one message of the user to the agent.
type Request struct {
	// Index counts from 1.
	Index int
	Text  string
	// Cut tells that Text is only the first [MaxText] bytes.
	Cut bool
	// Time is when it was asked; zero when the transcript does not say.
	Time time.Time
}

// Requests returns all requests, oldest first, as of when the session was asked for. An error is a
// [DataError]: the file is gone, or holds other text by now.
func (s Session) Requests(ctx context.Context) ([]Request, error) {
	return s.texts(ctx, 0, len(s.entries))
}

// Request returns the n-th request, from 1. Another n is an [IndexError].
func (s Session) Request(ctx context.Context, n int) (Request, error) {
	if n < 1 || n > s.Count {
		return Request{}, &IndexError{n, s.Count}
	}
	all, err := s.texts(ctx, n-1, n)
	if err != nil {
		return Request{}, err
	}
	return all[0], nil
}

// First returns the first request; [ErrNoRequest] when there is none.
func (s Session) First(ctx context.Context) (Request, error) {
	if s.Count == 0 {
		return Request{}, ErrNoRequest
	}
	return s.Request(ctx, 1)
}

// texts reads the texts of entries[from:to] from the disk. Entries of one file that follow each other
// are read together, because a compressed file has to be unpacked from its beginning.
func (s Session) texts(ctx context.Context, from, to int) ([]Request, error) {
	out := make([]Request, 0, to-from)
	for len(out) < to-from {
		at := from + len(out)
		end := at + 1
		for end < to && s.entries[end].in == s.entries[at].in {
			end++
		}
		texts, err := s.store.readTexts(ctx, s.entries[at].in, s.entries[at:end])
		if err != nil {
			return nil, &DataError{s.ID, err}
		}
		for i, text := range texts {
			out = append(out, Request{at + i + 1, text.text, text.cut, s.entries[at+i].time})
		}
	}
	return out, nil
}
