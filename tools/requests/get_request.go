package requests

import (
	"context"
	"fmt"
	"unicode/utf8"

	"lspi/tools/answer"
	"lspi/tools/recall"
)

// NumberedIn are the arguments of get_request.
type NumberedIn struct {
	Index     int    `json:"index" required:"true"`
	SessionID string `json:"session_id"`
	Offset    int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// Check has the words that are promised for it, which a lower bound in the schema has not.
func (in NumberedIn) Check() error {
	if in.Index < 1 {
		return recallError(context.Background(), "", &recall.IndexError{Index: in.Index})
	}
	return nil
}

// NumberedOut has as much of a request as there is room for.
type NumberedOut struct {
	SessionID     string      `json:"session_id"`
	FoundBy       recall.Rule `json:"found_by"`
	Index         int         `json:"index"`
	TimestampMS   *int64      `json:"timestamp_ms" nullable:"true"`
	TotalRequests int         `json:"total_requests"`
	passage
	Request string `json:"request"`
}

// Numbered is the tool get_request.
func Numbered(ctx context.Context, c *answer.Call, in NumberedIn) (*NumberedOut, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	s, rule, r, err := look(ctx, c, in.SessionID, func(s recall.Session) (recall.Request, error) {
		return s.Request(ctx, in.Index)
	})
	if err != nil {
		return nil, err
	}
	out := &NumberedOut{SessionID: s.ID, FoundBy: rule, Index: in.Index, TimestampMS: unixMS(r.Time),
		TotalRequests: s.Count}
	out.passage, out.Request = passageOf(c, s.ID, r, in.Offset)
	return out, nil
}

func (o *NumberedOut) Summary() string {
	return fmt.Sprintf("Request %d of %d of session %s (found by %s).", o.Index, o.TotalRequests, o.SessionID,
		o.FoundBy) + o.shown(o.Request)
}

func (o *NumberedOut) Tell(s *answer.Sheet) {
	tellTime(s, o.TimestampMS)
	s.Block(o.Request)
}

func (o *NumberedOut) Size() int { return utf8.RuneCountInString(o.Request) }

func (o *NumberedOut) Cut(n int) any {
	short := *o
	short.Request = firstRunes(o.Request, n)
	return &short
}
