package tools

import (
	"context"
	"fmt"
	"unicode/utf8"

	"lspi/tools/answer"
	"lspi/tools/recall"
)

type getFirstRequestIn struct {
	SessionID string `json:"session_id"`
	Offset    int    `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// getFirstRequestOut has the beginning of the session's first request in FirstRequest and, in Full, as much of its
// text as the cap on the answer's size allows.
type getFirstRequestOut struct {
	SessionID     string      `json:"session_id"`
	FoundBy       recall.Rule `json:"found_by"`
	FirstRequest  string      `json:"first_request"`
	TimestampMS   *int64      `json:"timestamp_ms" nullable:"true"`
	RequestsCount int         `json:"requests_count"`
	passage
	Full string `json:"full"`
}

// getFirstRequest reads how the session's task began, for an agent whose context was compacted.
var getFirstRequest = define("get_first_request", answer.Recall, firstRequest)

func firstRequest(ctx context.Context, c *answer.Call, in getFirstRequestIn) (*getFirstRequestOut, error) {
	s, rule, r, err := requestOf(ctx, c, in.SessionID, func(s recall.Session) (recall.Request, error) {
		return s.First(ctx)
	})
	if err != nil {
		return nil, err
	}
	out := &getFirstRequestOut{SessionID: s.ID, FoundBy: rule, FirstRequest: s.Preview, TimestampMS: unixMS(r.Time),
		RequestsCount: s.Count}
	out.passage, out.Full = passageOf(c, s.ID, r, in.Offset)
	return out, nil
}

func (o *getFirstRequestOut) Summary() string {
	return fmt.Sprintf("The first of %s of session %s (found by %s).", answer.Counted(o.RequestsCount, "request"),
		o.SessionID, o.FoundBy) + o.shown(o.Full)
}

// Tell leaves out how the request begins where its text shows it.
func (o *getFirstRequestOut) Tell(s *answer.Sheet) {
	tellTime(s, o.TimestampMS)
	if o.Offset > 0 {
		s.Line(0, "It begins with %q.", o.FirstRequest)
	}
	s.Block(o.Full)
}

// Size counts the characters of the text.
func (o *getFirstRequestOut) Size() int { return utf8.RuneCountInString(o.Full) }

// Cut keeps the first n characters.
func (o *getFirstRequestOut) Cut(n int) any {
	short := *o
	short.Full = firstRunes(o.Full, n)
	return &short
}
