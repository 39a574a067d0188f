package session

import (
	"sync"

	"lspi/internal/source"
	"lspi/lsp/edit"
	"lspi/router"
)

// Session is one host's connection: what this host may do, how much of an answer it gets, and what it
// was told already. The host's name and where it wants progress are not here: since MCP 2026-07-28 each
// request brings them.
type Session struct {
	Workspace *Workspace // never nil
	Settings  Settings
	Told      ToldOnce
	Errors    ErrorsTold

	// Outdated reports whether what decided about the session has changed (the user trusts the workspace now, or no
	// more), so that it should be opened anew. It is asked before each call, so it has to be cheap; nil means never.
	Outdated func() bool

	left sync.Once
	end  func() // what is left to do; set by left
}

// Leave gives the workspace back; no call may use the session afterwards. end has to be called, too:
// for the last session of a workspace it ends the servers and waits for them, unless the workspace
// lingers or another one shares them.
func (s *Session) Leave() (end func()) {
	s.left.Do(func() { s.end = s.Workspace.release(false) })
	return s.end
}

// Discard is [Session.Leave] for a session that one with another configuration replaces: its workspace
// does not linger, since nobody will come with this configuration again.
func (s *Session) Discard() (end func()) {
	s.left.Do(func() { s.end = s.Workspace.release(true) })
	return s.end
}

// Close gives the workspace back and waits for what has to end with it.
func (s *Session) Close() { s.Leave()() }

// Protected returns the places that no tool edits for this session, and those that need the user's
// consent.
func (s *Session) Protected() edit.Protected {
	p := edit.DefaultProtected()
	if s.Settings.Protected != nil {
		p.Refused = s.Settings.Protected
	}
	if s.Settings.Confirmed != nil {
		p.Confirmed = s.Settings.Confirmed
	}
	return p
}

// Unopened returns a session without servers and without a journal, for tools that look at lspi itself
// when the real session cannot be opened. table may be nil.
func Unopened(settings Settings, table *router.Table) *Session {
	return &Session{Workspace: newWorkspace(&Process{Files: source.OS{}}, table), Settings: settings}
}

// SessionError is why a session could not be opened, with what is known of it all the same: tools that
// look at lspi itself still answer, every other tool answers with Err.
type SessionError struct {
	Settings Settings
	Table    *router.Table
	Err      error
}

func (e *SessionError) Error() string { return e.Err.Error() }

// Unwrap makes the error's kind that of Err.
func (e *SessionError) Unwrap() error { return e.Err }

// ToldOnce is the set of once-only notices that answers of the session have shown. It may be used
// concurrently.
type ToldOnce struct {
	mu   sync.Mutex
	keys map[string]bool // guarded by mu
}

// maxTold bounds the set. Beyond it every notice counts as told, so that a session without an end takes
// no memory without one.
const maxTold = 10_000

// Has reports whether key counts as told.
func (t *ToldOnce) Has(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys[key] || len(t.keys) >= maxTold
}

// Add counts key as told.
func (t *ToldOnce) Add(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[string]bool{}
	}
	if len(t.keys) < maxTold {
		t.keys[key] = true
	}
}
