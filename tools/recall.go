package tools

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"lspi/answer"
	"lspi/contract"
	"lspi/recall"
)

// The tools that look up what the user asked share how they find the session, how they say what is wrong, and how they show a long text.

// store has the transcripts of the host's session.
func store(c *answer.Call) *recall.Store {
	return c.Workspace.Process.Transcripts(c.Session.Settings.Transcripts.Folders)
}

// hintsOf are what a call tells of the session that it is about; id is what it names.
func hintsOf(c *answer.Call, id string) recall.Hints {
	h := recall.Hints{Root: c.Workspace.Root, SessionID: id, CodexThreadID: c.Request.Origin.CodexThread, ClaudeToolUseID: c.Request.Origin.ClaudeToolUse,
		Client: recall.ClientOf(c.Request.Host.Name)}
	if c.Request.Host.Row().Shell { // lspi call is no client: whatever runs the shell is
		h.Client = ""
	}
	// Another host that was started in a shell of Claude Code has its variables, and is not that session.
	if h.Client == recall.Claude || h.Client == "" {
		h.ClaudeSessionID = c.Session.Settings.Transcripts.ClaudeSessionID
	}
	return h
}

// sessionOf is the session that a call is about, and the rule that found it.
func sessionOf(ctx context.Context, c *answer.Call, id string) (recall.Session, recall.Rule, error) {
	s, rule, err := store(c).Current(ctx, hintsOf(c, id))
	if err != nil {
		return s, rule, recallError(ctx, s.ID, err)
	}
	if rule.Guessed() {
		c.Warn(contract.WarnSessionGuessed, contract.Facts{"session_id": s.ID}, "nothing says which session calls; this is the one of the workspace that was written last")
	}
	if s.Partial != "" {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "requests", "reason": s.Partial}, "earlier requests may be missing: "+s.Partial)
	}
	return s, rule, nil
}

// offerOthers leads to the right session where an answer may be about another one. An error has steps of its own, which come first.
func offerOthers(c *answer.Call, found recall.Rule) {
	if found.Guessed() {
		c.Step(answer.ListSessionsStep("If this is another task, look for the right session and give its session_id."))
	}
}

// recallError gives an error of package recall its kind. id is the session that it is about, where the error does not say.
func recallError(ctx context.Context, id string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var notFound *recall.NotFoundError
	var ambiguous *recall.AmbiguousError
	var index *recall.IndexError
	var data *recall.DataError
	words := recall.Message(err)
	switch {
	case errors.As(err, &notFound):
		return contract.Errorf(contract.KindSessionNotFound, contract.Facts{"session_id": notFound.ID}, "%s", words)
	case errors.As(err, &ambiguous):
		return contract.Errorf(contract.KindAmbiguousSession, contract.Facts{"candidates": candidatesOf(ambiguous), "total": len(ambiguous.Candidates)}, "%s", words)
	case errors.Is(err, recall.ErrNoDialog):
		return contract.Errorf(contract.KindNoDialog, nil, "%s", words)
	case errors.As(err, &index) && index.Index < 1:
		return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": "index"}, "%s", words)
	case errors.As(err, &index):
		return contract.Errorf(contract.KindRequestNotFound, contract.Facts{"session_id": id, "index": index.Index, "total": index.Total}, "%s", words)
	case errors.Is(err, recall.ErrNoRequest):
		return contract.Errorf(contract.KindRequestNotFound, contract.Facts{"session_id": id, "index": 1, "total": 0}, "%s", words)
	case errors.As(err, &data):
		return contract.Errorf(contract.KindChatDataUnavailable, contract.Facts{"session_id": data.ID, "reason": data.Err.Error()}, "%s", words)
	}
	return contract.Errorf(contract.KindRecallUnavailable, contract.Facts{"reason": err.Error()}, "%s", words)
}

// maxCandidates bounds the sessions that an error names.
const maxCandidates = 10

func candidatesOf(e *recall.AmbiguousError) []answer.SessionCandidate {
	var out []answer.SessionCandidate
	for _, s := range e.Candidates[:min(len(e.Candidates), maxCandidates)] {
		out = append(out, answer.SessionCandidate{SessionID: s.ID, Client: string(s.Client), FirstRequest: s.Preview, RequestsCount: s.Count, UpdatedMS: s.Updated.UnixMilli()})
	}
	return out
}

// unixMS is a time as answers have it; nil when it is not known.
func unixMS(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

// passage says which part of the text of a request an answer shows: from a character on, to the end or as far as there is room. The text itself is
// a field of the answer, which has its own name in each tool.
type passage struct {
	Offset     int `json:"offset,omitempty"`
	TotalChars int `json:"total_chars"`
}

// passageOf is the part of a request from a character on. Of a text that is longer than the cap it gives as much as the cap, which surely has to be cut
// again: a transcript may hold megabytes, and to try how much fits costs several writings.
func passageOf(c *answer.Call, r recall.Request, offset int) (passage, string) {
	total := utf8.RuneCountInString(r.Text)
	offset = min(offset, total)
	if r.Cut {
		c.Warn(contract.WarnTruncated, contract.Facts{"total": total}, "the request is longer than lspi reads: its end is missing")
		c.Truncate()
	}
	return passage{offset, total}, firstRunes(afterRunes(r.Text, offset), c.Limit())
}

// next are the arguments for what follows the first n characters of a passage, in the same session whichever calls.
func (p passage) next(session string, n int) map[string]any {
	return map[string]any{"offset": p.Offset + n, "session_id": session}
}

// shown says in words which part of the text an answer has; "" when it has all of it.
func (p passage) shown(text string) string {
	n := utf8.RuneCountInString(text)
	if n == p.TotalChars {
		return ""
	}
	if n == 0 {
		return " The text ends before this offset."
	}
	return fmt.Sprintf(" Shown are the characters from %d to %d of %d.", p.Offset+1, p.Offset+n, p.TotalChars)
}

// firstRunes is the beginning of a text, at most n characters.
func firstRunes(text string, n int) string { return text[:len(text)-len(afterRunes(text, n))] }

// afterRunes is a text without its first n characters.
func afterRunes(text string, n int) string {
	if n >= len(text) { // no character is shorter than a byte
		return ""
	}
	for i := range text {
		if n == 0 {
			return text[i:]
		}
		n--
	}
	return ""
}

// tellTime writes when a request was asked, if that is known.
func tellTime(s *answer.Sheet, ms *int64) {
	if ms != nil {
		s.Line(0, "timestamp_ms %d (%s)", *ms, time.UnixMilli(*ms).UTC().Format(time.DateTime))
	}
}
