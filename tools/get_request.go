package tools

import (
	"context"
	"fmt"
	"unicode/utf8"

	"lspi/tools/answer"
	"lspi/tools/recall"
)

type getRequestIn struct {
	Index     int    `json:"index" required:"true"`
	SessionID string `json:"session_id"`
	Offset    int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// Check refuses an index below 1. A "minimum" in the schema would too, but not in the promised words.
func (in getRequestIn) Check() error {
	if in.Index < 1 {
		return recallError(context.Background(), "", &recall.IndexError{Index: in.Index})
	}
	return nil
}

// getRequestOut has as much of a request as the cap on the answer's size allows.
type getRequestOut struct {
	SessionID     string      `json:"session_id"`
	FoundBy       recall.Rule `json:"found_by"`
	Index         int         `json:"index"`
	TimestampMS   *int64      `json:"timestamp_ms" nullable:"true"`
	TotalRequests int         `json:"total_requests"`
	passage
	Request string `json:"request"`
}

// getRequest reads one request of the user by its number, counted from 1.
var getRequest = saying(map[string]string{"index": "Index parameter is required"},
	define("get_request", answer.Recall, numberedRequest))

func numberedRequest(ctx context.Context, c *answer.Call, in getRequestIn) (*getRequestOut, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	s, rule, r, err := requestOf(ctx, c, in.SessionID, func(s recall.Session) (recall.Request, error) {
		return s.Request(ctx, in.Index)
	})
	if err != nil {
		return nil, err
	}
	out := &getRequestOut{SessionID: s.ID, FoundBy: rule, Index: in.Index, TimestampMS: unixMS(r.Time),
		TotalRequests: s.Count}
	out.passage, out.Request = passageOf(c, s.ID, r, in.Offset)
	return out, nil
}

func (o *getRequestOut) Summary() string {
	return fmt.Sprintf("Request %d of %d of session %s (found by %s).", o.Index, o.TotalRequests, o.SessionID,
		o.FoundBy) + o.shown(o.Request)
}

func (o *getRequestOut) Tell(s *answer.Sheet) {
	tellTime(s, o.TimestampMS)
	s.Block(o.Request)
}

// Size counts the characters of the text.
func (o *getRequestOut) Size() int { return utf8.RuneCountInString(o.Request) }

// Cut keeps the first n characters.
func (o *getRequestOut) Cut(n int) any {
	short := *o
	short.Request = firstRunes(o.Request, n)
	return &short
}
