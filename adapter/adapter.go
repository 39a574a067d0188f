package adapter

import (
	"context"

	"lspi/lsp"
	"lspi/lsp/watch"
)

// Base is the plain adapter: what is kept of the project of any server process. Adapters of particular servers embed it.
type Base struct {
	Server     *lsp.Server
	linked     linked
	unreadable unreadable
	unclosed   unclosedTexts

	leftOut *leftOut
}

// New is the adapter of a server, as its row says what is particular about it.
func New(s *lsp.Server) lsp.Adapter { return NewBase(s) }

// NewBase is what the adapter of a particular server embeds.
func NewBase(s *lsp.Server) *Base {
	return &Base{Server: s, leftOut: newLeftOut(s.Spec())}
}

// of is what is kept of a server. Whoever starts one gives it an adapter.
func of(s *lsp.Server) *Base { return s.Adapter().(interface{ base() *Base }).base() }

func (a *Base) base() *Base { return a }

// Changed notes what a sync saw ([lsp.Adapter]).
func (a *Base) Changed(changes []watch.Change) {
	a.leftOut.changed(changes)
	a.unreadable.changed(changes)
}

// OutsideBuild is of [lsp.BuildReader].
func (a *Base) OutsideBuild(ctx context.Context) (files map[string]bool, all bool) {
	return leftOutOfBuild(ctx, a.Server)
}

// AskUnbuilt is of [lsp.BuildReader].
func (a *Base) AskUnbuilt(ctx context.Context, paths []string, d *lsp.Diagnosis) error {
	return askUnbuilt(ctx, a.Server, paths, d)
}

// HoldsSources is of [lsp.BuildReader].
func (a *Base) HoldsSources(ctx context.Context, folder string) bool {
	return holdsSources(ctx, a.Server, folder)
}
