package lsp

import (
	"slices"
	"time"

	"lspi/source"
)

// State is that of a running server at one moment, for whoever asks how it is doing. Making one asks the server
// nothing and waits for nothing.
type State struct {
	PID     int
	Command string // the executable, absolute
	Version string // as it says, shortened to the version; "" when it tells none
	Started time.Time
	Folders []string // workspace folders, absolute, sorted

	Status   Status
	Since    time.Time // when Status.Ready changed last
	Encoding source.Encoding
	Methods  []string // LSP methods that lspi uses and the server offers, sorted
	Open     int      // documents that it holds open
	LastSync SyncReport

	Watch       string // how changes of its files are found: "events" or "compare"
	WatchReason string // why, when not by events from the start
}

// State is the state of the server now.
func (s *Server) State() State {
	out := State{
		PID: s.proc.PID(), Command: s.command, Version: ShortVersion(s.info.Version), Started: s.started,
		Encoding: s.encoding, Methods: s.capabilities.methods(), Open: s.docs.count(),
	}
	out.Status, out.Since = s.health.ready.snapshot()
	mode, reason := s.folders.journal.Mode()
	out.Watch, out.WatchReason = mode.String(), reason
	s.folders.mu.Lock()
	out.Folders = slices.Sorted(slices.Values(s.folders.list))
	s.folders.mu.Unlock()
	out.LastSync = s.LastSync()
	return out
}

// snapshot is the status with the time since when it is ready, or is not.
func (r *readiness) snapshot() (Status, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.statusLocked(), r.since
}
