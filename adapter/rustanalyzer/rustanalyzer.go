// Package rustanalyzer is what is particular about rust-analyzer (1.97.1): it reads a changed file some time after it was told.
package rustanalyzer

import (
	"lspi/adapter"
	"lspi/contract"
	"lspi/lsp"
)

// Adapter is that of one process of rust-analyzer.
type Adapter struct {
	*adapter.Base
	memberships memberships
	sources     adapter.ByEdits[[]string]         // all sources, by root
	inactive    adapter.ByEdits[[]contract.Range] // code that the server told that it does not build, by path
	unread      bool                              // a file that changed did not come back as it is on disk; guarded by the document lock
}

// New is the adapter of a process.
func New(s *lsp.Server) lsp.Adapter { return &Adapter{Base: adapter.NewBase(s)} }
