package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// seen is what a service has seen of its host, for lspi's status.
type seen struct {
	mu    sync.Mutex
	host  string // the name that the host gave itself; guarded by mu
	calls int64  // calls of tools; guarded by mu
}

// note records the name of the host, unless it is "", and a call.
func (s *seen) note(host string, call bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if host != "" {
		s.host = host
	}
	if call {
		s.calls++
	}
}

// noteHost keeps the name of the host from the handshake.
func (s *Service) noteHost(host *mcp.ServerSession) {
	if host == nil {
		return
	}
	if hello := host.InitializeParams(); hello != nil && hello.ClientInfo != nil {
		s.seen.note(hello.ClientInfo.Name, false)
	}
}

// Host returns the name that the host gave itself; "" until it has given one.
func (s *Service) Host() string {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	return s.seen.host
}

// Calls returns how many calls of tools the host has made.
func (s *Service) Calls() int64 {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	return s.seen.calls
}

// Preset returns the name of the preset in use; "" for none.
func (s *Service) Preset() string {
	if settings := s.settings.Load(); settings.Preset != nil {
		return settings.Preset.Name
	}
	return ""
}

// Root returns the root of the session's workspace; "" before the first call.
func (s *Service) Root() string {
	if session := s.session.current(); session != nil {
		return session.Workspace.Root
	}
	return ""
}
