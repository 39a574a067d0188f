package recall

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"
)

// Hints are what a call tells of the session that it comes from; what is not known is left empty.
type Hints struct {
	// Root is the workspace, absolute. It is required.
	Root string
	// SessionID is what the caller names.
	SessionID string
	// CodexThreadID is threadId in the _meta of the call (Codex CLI 0.169.0 sends it with each).
	CodexThreadID string
	// ClaudeToolUseID is claudecode/toolUseId there (Claude Code 2.1.197 sends it with each).
	ClaudeToolUseID string
	// ClaudeSessionID is CLAUDE_CODE_SESSION_ID of the process that Claude Code started, if CLAUDECODE is 1. After
	// /clear it is that of the session before.
	ClaudeSessionID string
	// Client is the client that calls, by [ClientOf]; "" for any.
	Client Client
	// Now is the time of the call; zero for the present.
	Now time.Time
}

// Rule is how the session of a call was found.
type Rule string

const (
	// ByID is by the id that the caller named.
	ByID Rule = "session_id"
	// ByThread is by the thread that Codex names with the call.
	ByThread Rule = "codex_thread"
	// ByToolUse is by the transcript that has the call which Claude Code names.
	ByToolUse Rule = "claude_tool_use"
	// ByEnvironment is by the session in which Claude Code started the process.
	ByEnvironment Rule = "environment"
	// ByTime is a guess: the session that was written last.
	ByTime Rule = "newest"
)

// Guessed reports whether the session may be another one.
func (r Rule) Guessed() bool { return r == ByTime }

// fresh is how long ago a session was written that may be the one that calls.
const fresh = 5 * time.Minute

// Current is the session that a call comes from, and the rule that found it, in the order of [Hints]. It is always
// one of the workspace. Errors: [NotFoundError] for an id that the caller or Codex names, [AmbiguousError] when
// only time could tell and several sessions were written in the last five minutes, [ErrNoDialog] when there is
// none, [SourceError] when there is none and the folder of a client that may have it could not be read.
func (s *Store) Current(ctx context.Context, h Hints) (Session, Rule, error) {
	at, err := newPlace(h.Root)
	if err != nil {
		return Session{}, "", err
	}
	all, err := s.list(ctx)
	if err != nil {
		return Session{}, "", err
	}
	switch {
	case h.SessionID != "":
		one, err := s.byID(ctx, all, at, "", h.SessionID)
		return one, ByID, err
	case h.CodexThreadID != "":
		one, err := s.byID(ctx, all, at, Codex, h.CodexThreadID)
		return one, ByThread, err
	}
	if one, err := s.byToolUse(ctx, at, h.ClaudeToolUseID); !isNotFound(err) {
		return one, ByToolUse, err
	}
	if h.ClaudeSessionID != "" {
		if one, err := s.byID(ctx, all, at, Claude, h.ClaudeSessionID); !isNotFound(err) {
			return one, ByEnvironment, err
		}
	}
	one, err := s.newest(ctx, h)
	return one, ByTime, err
}

func isNotFound(err error) bool {
	var notFound *NotFoundError
	return errors.As(err, &notFound)
}

// recent is how many sessions may be the one that calls: it was written a moment ago, unless the user was asked first.
const recent = 16

// byToolUse finds the session that made a call. The line with it may be written a moment after the call, so it is
// looked for a few times.
func (s *Store) byToolUse(ctx context.Context, at *place, id string) (Session, error) {
	if id == "" {
		return Session{}, &NotFoundError{id}
	}
	for n := 1; ; n++ {
		one, err := s.byToolUseOnce(ctx, at, id)
		if n == attempts || !isNotFound(err) {
			return one, err
		}
		if err := pause(ctx, between); err != nil {
			return Session{}, err
		}
	}
}

func (s *Store) byToolUseOnce(ctx context.Context, at *place, id string) (Session, error) {
	all, err := s.list(ctx)
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
		begin, err := s.visit(ctx, l.ref, false)
		if err != nil || !at.holds(begin.head.cwd) {
			continue
		}
		if left--; s.makes(ctx, l, id) {
			return s.session(ctx, all, l)
		}
	}
	if ctx.Err() != nil {
		return Session{}, context.Cause(ctx)
	}
	return Session{}, &NotFoundError{id}
}

// makes reports whether the call is in a session, or in one of its sub-agents, whose transcripts stand in a folder
// with its name.
func (s *Store) makes(ctx context.Context, l listed, id string) bool {
	calls := false
	ask := func(all lines) { calls = calls || all.calls(id) }
	if _, err := s.visitFor(ctx, l.ref, true, ask); err == nil && calls {
		return true
	}
	under := strings.TrimSuffix(l.name, ".jsonl")
	_ = list(ctx, l.folder, func(dir string) bool {
		return dir == path.Dir(under) || dir == under || dir == under+"/subagents"
	}, func(f found) {
		if strings.HasPrefix(f.name, under+"/subagents/") && !calls {
			_, _ = s.visitFor(ctx, f.ref, true, ask)
		}
	})
	return calls
}

// newest is the session that was written last, if only one was written lately.
func (s *Store) newest(ctx context.Context, h Hints) (Session, error) {
	if h.Client == Other {
		return Session{}, ErrNoDialog
	}
	all, err := s.sessions(ctx, h.Root, h.Client, recent)
	if err != nil {
		return Session{}, err
	}
	if len(all.Sessions) == 0 {
		if len(all.Overlooked) > 0 {
			return Session{}, all.Overlooked[0] // it may be one of those
		}
		return Session{}, ErrNoDialog
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
