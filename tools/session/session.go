package session

import (
	"sync"

	"lspi/internal/source"
	"lspi/lsp/edit"
	"lspi/router"
)

// Session is one host's connection: what this host may do, how much of an answer it gets, and what it was told
// already. A host names itself, and says where it wants progress, with each request (MCP 2026-07-28), so that
// neither is here.
type Session struct {
	Workspace *Workspace // never nil
	Settings  Settings
	Told      ToldOnce
	Errors    ErrorsTold

	// Outdated reports whether the session should be opened anew, since what decided about it has changed: the user
	// trusts the workspace now, or no more. nil never does. It is asked before each call and has to be cheap.
	Outdated func() bool

	left sync.Once
	end  func() // what is left to do; set by left
}

// Leave gives the workspace back. From then on nobody may call with this session. end has to be called, too: for
// the last session of a workspace it ends the servers and waits for them, unless the workspace lingers or another
// one shares them. Servers that are started at the same root meanwhile wait for that.
func (s *Session) Leave() (end func()) {
	s.left.Do(func() { s.end = s.Workspace.release(false) })
	return s.end
}

// Discard is [Session.Leave] for a session that is followed by one with another configuration: servers that nobody
// else has end, and do not wait for somebody to come with this one.
func (s *Session) Discard() (end func()) {
	s.left.Do(func() { s.end = s.Workspace.release(true) })
	return s.end
}

// Close is [Session.Leave] with all that is left to do.
func (s *Session) Close() { s.Leave()() }

// Protected are the places in which no tool edits for this session.
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

// Unopened is a session without servers and without a journal, for the calls that only look at lspi itself. table
// may be nil.
func Unopened(settings Settings, table *router.Table) *Session {
	return &Session{Workspace: newWorkspace(&Process{Files: source.OS{}}, table), Settings: settings}
}

// SessionError is why a session could not be opened, together with what is known of it all the same, so that the tools
// that look at lspi itself still tell. Every other tool answers with Err.
type SessionError struct {
	Settings Settings
	Table    *router.Table
	Err      error
}

func (e *SessionError) Error() string { return e.Err.Error() }

// Unwrap makes the error's kind that of Err.
func (e *SessionError) Unwrap() error { return e.Err }

// ToldOnce is what the answers of a session have told.
type ToldOnce struct {
	mu   sync.Mutex
	keys map[string]bool // guarded by mu
}

// maxTold bounds what a session remembers to have told; what is beyond it counts as told.
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
