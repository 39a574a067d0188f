package mcpserver

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// seen is what is known of the host of a service.
type seen struct {
	mu    sync.Mutex
	host  string // guarded by mu
	calls int64  // guarded by mu
}

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

// noteHost keeps the name by which the host shook hands.
func (s *Service) noteHost(host *mcp.ServerSession) {
	if host == nil {
		return
	}
	if hello := host.InitializeParams(); hello != nil && hello.ClientInfo != nil {
		s.seen.note(hello.ClientInfo.Name, false)
	}
}

// Host is the name that the host gave itself; "" before it gave any.
func (s *Service) Host() string {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	return s.seen.host
}

// Calls is how many tools the host has called.
func (s *Service) Calls() int64 {
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	return s.seen.calls
}

// Preset is the preset that the session uses now; "" for none.
func (s *Service) Preset() string {
	if settings := s.settings.Load(); settings.Preset != nil {
		return settings.Preset.Name
	}
	return ""
}

// Root is the workspace of the session; "" before its first call.
func (s *Service) Root() string {
	if session := s.session.current(); session != nil {
		return session.Workspace.Root
	}
	return ""
}
