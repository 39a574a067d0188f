package recall

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"
)

// Hints are what a call tells of the session that it comes from. Only Root is required; what is not
// known is left empty.
type Hints struct {
	// Root is the workspace, absolute. It is required.
	Root string
	// SessionID is what the caller names.
	SessionID string
	// CodexThreadID is threadId in the _meta of the call (Codex CLI 0.169.0 sends it with each).
	CodexThreadID string
	// ClaudeToolUseID is claudecode/toolUseId there (Claude Code 2.1.197 sends it with each).
	ClaudeToolUseID string
	// VSCodeConversationID is vscode.conversationId there (VS Code sends it with each; by source, mcpServer.ts).
	VSCodeConversationID string
	// SessionIDs are those that clients gave the process that they started ([Environment]).
	SessionIDs map[Client]string
	// Client is the client that calls, by [ClientOf]; "" for any.
	Client Client
	// Now is the time of the call; zero for the present.
	Now time.Time
}

// Rule says how the session of a call was found. It is part of the answer, since one rule is a guess.
type Rule string

const (
	// ByID is by the id that the caller named.
	ByID Rule = "session_id"
	// ByThread is by the thread that Codex names with the call.
	ByThread Rule = "codex_thread"
	// ByToolUse is by the transcript that has the call which Claude Code names.
	ByToolUse Rule = "claude_tool_use"
	// ByEnvironment is by the session in which a client started the process.
	ByEnvironment Rule = "environment"
	// ByConversation is by the conversation that VS Code names with the call.
	ByConversation Rule = "vscode_conversation"
	// ByTime is a guess: the session that was written last.
	ByTime Rule = "newest"
)

// Guessed reports whether the session may be the wrong one.
func (r Rule) Guessed() bool { return r == ByTime }

// fresh is how long after its last write a session may still be the one that  calls.
const fresh = 5 * time.Minute

// Current returns the session that a call comes from, and the rule that found it; the hints are tried
// in the order of [Hints], from the certain to the guess. The session is always one of the workspace.
//
// Errors: [NotFoundError] for an id that the caller or Codex names; [DataError] when its transcript is gone or cannot
// be read; [AmbiguousError] when only the time could tell, and several sessions were written in the last five minutes;
// [ErrNoDialog] when there is none; [SourceError] when there is none and the folder of a client that may have it could
// not be read.
func (s *Store) Current(ctx context.Context, h Hints) (Session, Rule, error) {
	at, err := newPlace(h.Root)
	if err != nil {
		return Session{}, "", err
	}
	all, err := s.scan(ctx)
	if err != nil {
		return Session{}, "", err
	}
	switch {
	case h.SessionID != "":
		one, err := s.named(ctx, all, at, h.SessionID)
		return one, ByID, err
	case h.CodexThreadID != "":
		one, err := s.sessionByID(ctx, all, at, Codex, h.CodexThreadID)
		return one, ByThread, err
	}
	if one, err := s.sessionByToolUse(ctx, at, h.ClaudeToolUseID); !isNotFound(err) {
		return one, ByToolUse, err
	}
	if id := h.VSCodeConversationID; id != "" {
		if one, err := s.sessionByID(ctx, all, at, VSCode, id); !isNotFound(err) {
			return one, ByConversation, err
		}
	}
	for _, src := range programs {
		if id := h.SessionIDs[src.client]; id != "" {
			if one, err := s.sessionOfProcess(ctx, at, src.client, id); !isNotFound(err) {
				return one, ByEnvironment, err
			}
		}
	}
	one, err := s.newest(ctx, h)
	return one, ByTime, err
}

// sessionOfProcess finds the session in which a client started the process. Copilot CLI (1.0.102) writes the file of a
// session a moment after it began, so a file that does not exist is looked for a few times.
func (s *Store) sessionOfProcess(ctx context.Context, at *place, client Client, id string) (Session, error) {
	for n := 1; ; n++ {
		all, err := s.scan(ctx)
		if err != nil {
			return Session{}, err
		}
		one, err := s.sessionByID(ctx, all, at, client, id)
		if n == attempts || !isNotFound(err) || all.has(id) {
			return one, err
		}
		if err := pause(ctx, between); err != nil {
			return Session{}, err
		}
	}
}

func isNotFound(err error) bool {
	var notFound *NotFoundError
	return errors.As(err, &notFound)
}

// recent is how many of the last written sessions are looked through for a call. The calling one was
// written a moment ago, unless its client asked the user for permission first.
const recent = 16

// sessionByToolUse finds the session that made a call of a tool. Claude Code may write the line with the call
// a moment after it has made the call, so the transcripts are read a few times.
func (s *Store) sessionByToolUse(ctx context.Context, at *place, id string) (Session, error) {
	if id == "" {
		return Session{}, &NotFoundError{id}
	}
	for n := 1; ; n++ {
		one, err := s.lookForToolUse(ctx, at, id)
		if n == attempts || !isNotFound(err) {
			return one, err
		}
		if err := pause(ctx, between); err != nil {
			return Session{}, err
		}
	}
}

// lookForToolUse is one look through the sessions of Claude Code in the workspace, the last written
// first.
func (s *Store) lookForToolUse(ctx context.Context, at *place, id string) (Session, error) {
	all, err := s.scan(ctx)
	if err != nil {
		return Session{}, err
	}
	left := recent
	for _, l := range all.sessions {
		if left == 0 || ctx.Err() != nil {
			break
		}
		if l.client != Claude {
			continue
		}
		// The head tells the folder; only transcripts of the workspace are read further.
		begin, err := s.visit(ctx, l.ref, false)
		if err != nil || !at.holds(begin.head.cwd) {
			continue
		}
		if left--; s.makes(ctx, l, id) {
			return s.load(ctx, all, l)
		}
	}
	if ctx.Err() != nil {
		return Session{}, context.Cause(ctx)
	}
	return Session{}, &NotFoundError{id}
}

// makes reports whether a session, or one of its sub-agents, made the call. Transcripts of sub-agents
// stand in a folder that is named like the session; what such an agent calls belongs to the session's
// task.
func (s *Store) makes(ctx context.Context, l listed, id string) bool {
	calls := false
	ask := func(all lines) { calls = calls || all.calls(id) }
	if _, err := s.visitFor(ctx, l.ref, true, ask); err == nil && calls {
		return true
	}
	under := strings.TrimSuffix(l.name, ".jsonl")
	_ = listFiles(ctx, l.folder, func(dir string) bool {
		return dir == path.Dir(under) || dir == under || dir == under+"/subagents"
	}, func(f found) {
		if strings.HasPrefix(f.name, under+"/subagents/") && !calls {
			_, _ = s.visitFor(ctx, f.ref, true, ask)
		}
	})
	return calls
}

// newest returns the session that was written last, if no other one was written lately; else the error
// is [AmbiguousError].
func (s *Store) newest(ctx context.Context, h Hints) (Session, error) {
	if h.Client == Other {
		return Session{}, &NoDialogError{}
	}
	all, err := s.sessionsOf(ctx, h.Root, h.Client, recent)
	if err != nil {
		return Session{}, err
	}
	if len(all.Sessions) == 0 {
		if len(all.Overlooked) > 0 {
			return Session{}, all.Overlooked[0] // it may be one of those
		}
		return Session{}, &NoDialogError{s.looked(h.Client)}
	}
	now := h.Now
	if now.IsZero() {
		now = time.Now()
	}
	n := 0
	for n < len(all.Sessions) && now.Sub(all.Sessions[n].Updated) < fresh {
		n++
	}
	if n > 1 {
		return Session{}, &AmbiguousError{all.Sessions[:n]}
	}
	one := all.Sessions[0]
	one.Overlooked = all.Overlooked
	return one, nil
}
