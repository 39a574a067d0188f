// Package clangd is what is particular about clangd (22.1.8): a file that did not compile is built anew only when it is opened, and what its
// index has of the types that a file derives from stays as it was when the file was indexed.
package clangd

import (
	"lspi/adapter"
	"lspi/lsp"
)

// Adapter is that of one process of clangd.
type Adapter struct {
	*adapter.Base
	shards      shards
	unlisted    unlisted
	brokenLists brokenLists
}

// New is the adapter of a process.
func New(s *lsp.Server) lsp.Adapter { return &Adapter{Base: adapter.NewBase(s)} }
