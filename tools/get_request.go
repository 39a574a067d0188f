package tools

import (
	"context"
	"fmt"
	"unicode/utf8"

	"lspi/answer"
	"lspi/recall"
)

type getRequestIn struct {
	Index     int    `json:"index" required:"true"`
	SessionID string `json:"session_id"`
	Offset    int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// Check has the words that are promised for it, which a lower bound in the schema has not.
func (in getRequestIn) Check() error {
	if in.Index < 1 {
		return recallError(context.Background(), "", &recall.IndexError{Index: in.Index})
	}
	return nil
}

type getRequestOut struct {
	SessionID     string      `json:"session_id"`
	FoundBy       recall.Rule `json:"found_by"`
	Index         int         `json:"index"`
	TimestampMS   *int64      `json:"timestamp_ms" nullable:"true"`
	TotalRequests int         `json:"total_requests"`
	passage
	Request string `json:"request"`
}

var getRequest = saying(map[string]string{"index": "Index parameter is required"}, define("get_request", answer.Recall,
	func(ctx context.Context, c *answer.Call, in getRequestIn) (*getRequestOut, error) {
		if err := in.Check(); err != nil {
			return nil, err
		}
		s, rule, err := sessionOf(ctx, c, in.SessionID)
		if err != nil {
			return nil, err
		}
		r, err := s.Request(ctx, in.Index)
		if err != nil {
			return nil, recallError(ctx, s.ID, err)
		}
		offerOthers(c, rule)
		out := &getRequestOut{SessionID: s.ID, FoundBy: rule, Index: in.Index, TimestampMS: unixMS(r.Time), TotalRequests: s.Count}
		out.passage, out.Request = passageOf(c, r, in.Offset)
		return out, nil
	}))

func (o *getRequestOut) Summary() string {
	return fmt.Sprintf("Request %d of %d of session %s (found by %s).", o.Index, o.TotalRequests, o.SessionID, o.FoundBy) + o.shown(o.Request)
}

func (o *getRequestOut) Tell(s *answer.Sheet) {
	tellTime(s, o.TimestampMS)
	s.Block(o.Request)
}

func (o *getRequestOut) Size() int { return utf8.RuneCountInString(o.Request) }

func (o *getRequestOut) Cut(n int) any {
	short := *o
	short.Request = firstRunes(o.Request, n)
	return &short
}

func (o *getRequestOut) Next(_ *answer.Call, n int) map[string]any { return o.next(o.SessionID, n) }
