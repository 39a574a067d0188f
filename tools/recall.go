package tools

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/recall"
)

// The tools of recall share how they find the session that a call is about, and how errors of package recall become
// errors of the contract.

// transcriptsOf returns the transcripts that the environment of the host's session names.
func transcriptsOf(c *answer.Call) *recall.Store {
	return c.Workspace.Process.Transcripts(c.Session.Settings.Transcripts.Folders)
}

// hintsOf returns what a call tells of the session that it is about; id is the one that it names, or
// "".
func hintsOf(c *answer.Call, id string) recall.Hints {
	h := recall.Hints{Root: c.Workspace.Root, SessionID: id, CodexThreadID: c.Request.Origin.CodexThread,
		ClaudeToolUseID: c.Request.Origin.ClaudeToolUse, VSCodeConversationID: c.Request.Origin.VSCodeConversation,
		Client: recall.ClientOf(c.Request.Host.Name)}
	if c.Request.Host.Row().Shell { // lspi call is no client: whatever runs the shell is
		h.Client = ""
	}
	// A host that was started in a shell of another one has its variables, and is not that session.
	h.SessionIDs = map[recall.Client]string{}
	for client, id := range c.Session.Settings.Transcripts.SessionIDs {
		if h.Client == client || h.Client == "" {
			h.SessionIDs[client] = id
		}
	}
	return h
}

// sessionOf returns the session that a call is about, and the rule that found it, with warnings where
// that is a guess or requests may be missing.
func sessionOf(ctx context.Context, c *answer.Call, id string) (recall.Session, recall.Rule, error) {
	s, rule, err := transcriptsOf(c).Current(ctx, hintsOf(c, id))
	if err != nil {
		return s, rule, recallError(ctx, s.ID, err)
	}
	if rule.Guessed() {
		c.Warn(contract.WarnSessionGuessed, contract.Facts{"session_id": s.ID},
			"nothing says which session calls; this is the one of the workspace that was written last")
	}
	warnOverlooked(c, s.Overlooked)
	if s.Partial != "" {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "requests", "reason": s.Partial},
			"earlier requests may be missing: "+s.Partial)
	}
	return s, rule, nil
}

// warnOverlooked warns of clients whose sessions could not be looked at.
func warnOverlooked(c *answer.Call, all []*recall.SourceError) {
	for _, e := range all {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": string(e.Client) + " sessions", "reason": e.Err.Error()},
			fmt.Sprintf("the sessions of %s could not be looked at: %v", e.Client, e.Err))
	}
}

// requestOf finds the session that a call is about, and reads one request of it.
func requestOf(ctx context.Context, c *answer.Call, id string, which func(recall.Session) (recall.Request, error)) (
	s recall.Session, rule recall.Rule, r recall.Request, err error) {
	if s, rule, err = sessionOf(ctx, c, id); err != nil {
		return s, rule, r, err
	}
	if r, err = which(s); err != nil {
		return s, rule, r, recallError(ctx, s.ID, err)
	}
	offerOthers(c, rule)
	return s, rule, r, nil
}

// offerOthers offers the list of sessions where an answer may be about another one. Errors have steps
// of their own, which come first.
func offerOthers(c *answer.Call, found recall.Rule) {
	if found.Guessed() {
		c.Step(answer.ListSessionsStep("If this is another task, look for the right session and give its session_id."))
	}
}

// recallError gives an error of package recall its kind. id is the session that it is about, where the
// error itself does not say.
func recallError(ctx context.Context, id string, err error) error {
	// An end of the call shows as a failed read.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var notFound *recall.NotFoundError
	var ambiguous *recall.AmbiguousError
	var index *recall.IndexError
	var data *recall.DataError
	var none *recall.NoDialogError
	words := recall.Message(err)
	switch {
	case errors.As(err, &notFound):
		return contract.Errorf(contract.KindSessionNotFound, contract.Facts{"session_id": notFound.ID}, "%s", words)
	case errors.As(err, &ambiguous):
		return contract.Errorf(contract.KindAmbiguousSession, contract.Facts{"candidates": candidatesOf(ambiguous),
			"total": len(ambiguous.Candidates)}, "%s", words)
	case errors.As(err, &none):
		return contract.Errorf(contract.KindNoDialog, contract.Facts{"looked_at": lookedAt(none)}, "%s", words)
	case errors.As(err, &index) && index.Index < 1:
		return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": "index"}, "%s", words)
	case errors.As(err, &index):
		return contract.Errorf(contract.KindRequestNotFound, contract.Facts{"session_id": id, "index": index.Index,
			"total": index.Total}, "%s", words)
	case errors.Is(err, recall.ErrNoRequest):
		return contract.Errorf(contract.KindRequestNotFound, contract.Facts{"session_id": id, "index": 1, "total": 0},
			"%s", words)
	}
	out := contract.Errorf(contract.KindRecallUnavailable, contract.Facts{"reason": err.Error()}, "%s", words)
	if errors.As(err, &data) {
		out = contract.Errorf(contract.KindChatDataUnavailable,
			contract.Facts{"session_id": data.ID, "reason": data.Err.Error()}, "%s", words)
	}
	out.Err = err // the words are the promised ones; the steps depend on the cause
	return out
}

// lookedAt returns where sessions were looked for as errors have it.
func lookedAt(e *recall.NoDialogError) []answer.LookedAt {
	out := []answer.LookedAt{}
	for _, l := range e.Looked {
		out = append(out, answer.LookedAt{Client: string(l.Client), Title: l.Title, Folders: append([]string{},
			l.Folders...)})
	}
	return out
}

// maxCandidates bounds the sessions that an error names.
const maxCandidates = 10

// candidatesOf returns the sessions of an ambiguous call as errors have them.
func candidatesOf(e *recall.AmbiguousError) []answer.SessionCandidate {
	var out []answer.SessionCandidate
	for _, s := range e.Candidates[:min(len(e.Candidates), maxCandidates)] {
		out = append(out, answer.SessionCandidate{SessionID: s.ID, Client: string(s.Client), FirstRequest: s.Preview,
			RequestsCount: s.Count, UpdatedMS: s.Updated.UnixMilli()})
	}
	return out
}

// unixMS returns a time in milliseconds of Unix time; nil when it is not known.
func unixMS(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}
