// Package rustanalyzer is what is particular about rust-analyzer (1.97.1): it reads a changed file some time after
// it was told.
package rustanalyzer

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/launch"
)

// Process is what is kept of one process of rust-analyzer.
type Process struct {
	Server      *lsp.Server
	lock        *lockCopy // nil when the checker writes no lock file
	target      string    // the folder of cargo's output; "" when it is not known
	memberships memberships
	sources     lsp.ByEdits[[]string]         // all sources, by root
	inactive    lsp.ByEdits[[]contract.Range] // code that the server told that it does not build, by path
	exports     lsp.ByEdits[map[string]bool]  // what the sources give the linker by name
	named       lsp.ByEdits[bool]             // whether the tree declares a name in a way, by both
	macros      lsp.ByEdits[bool]             // whether the server knows a macro, by its name and source
	// a file that changed did not come back as it is on disk; guarded by the document lock
	unread bool
}

// New makes the hooks of a process that was prepared by no [Launcher].
func New(s *lsp.Server) *lsp.Hooks { return (&Process{Server: s}).hooks() }

// Launcher starts the processes of rust-analyzer.
type Launcher struct { // of the process that was prepared last
	lock   *lockCopy
	target string
}

// NewLauncher is the launcher of one server.
func NewLauncher() lsp.Launcher { return &Launcher{} }

// Prepare is of [lsp.Launcher].
func (l *Launcher) Prepare(ctx context.Context, p *launch.Plan) {
	l.lock, l.target = cargoLock.place(ctx, p), targetOf(p)
}

// NewHooks is of [lsp.Launcher].
func (l *Launcher) NewHooks(s *lsp.Server) *lsp.Hooks {
	return (&Process{Server: s, lock: l.lock, target: l.target}).hooks()
}

// beforeCheck is [lsp.DiagnosticHooks].BeforeCheck.
func (a *Process) beforeCheck() error { return a.lock.refresh() }

// checkRefused is [lsp.DiagnosticHooks].CheckRefused.
func (a *Process) checkRefused(words string) error { return a.lock.refused(words) }
