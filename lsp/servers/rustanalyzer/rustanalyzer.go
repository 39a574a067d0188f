// Package rustanalyzer is what is particular about rust-analyzer (1.97.1): it reads a changed file some time after
// it was told.
package rustanalyzer

import (
	"context"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/launch"
)

// Adapter is that of one process of rust-analyzer.
type Adapter struct {
	*lsp.Base
	lock        *lockCopy // nil when the checker writes no lock file
	memberships memberships
	sources     lsp.ByEdits[[]string]         // all sources, by root
	inactive    lsp.ByEdits[[]contract.Range] // code that the server told that it does not build, by path
	// a file that changed did not come back as it is on disk; guarded by the document lock
	unread bool
}

// New is the adapter of a process that was prepared by no [Launcher].
func New(s *lsp.Server) lsp.Adapter { return &Adapter{Base: lsp.NewBase(s)} }

// Launcher starts the processes of rust-analyzer.
type Launcher struct{ lock *lockCopy } // of the process that was prepared last

// NewLauncher is the launcher of one server.
func NewLauncher() lsp.Launcher { return &Launcher{} }

// Prepare is of [lsp.Launcher].
func (l *Launcher) Prepare(ctx context.Context, p *launch.Plan) { l.lock = cargoLock.place(ctx, p) }

// NewAdapter is of [lsp.Launcher].
func (l *Launcher) NewAdapter(s *lsp.Server) lsp.Adapter {
	return &Adapter{Base: lsp.NewBase(s), lock: l.lock}
}

// BeforeCheck is of [lsp.CheckGuard].
func (a *Adapter) BeforeCheck() error { return a.lock.refresh() }

// CheckRefused is of [lsp.CheckGuard].
func (a *Adapter) CheckRefused(words string) error { return a.lock.refused(words) }
