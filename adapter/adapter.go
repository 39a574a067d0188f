package adapter

import (
	"context"

	"lspi/lsp"
	"lspi/lsp/watch"
)

// state is the adapter of one server process: what is known of its project beside what the server says.
type state struct {
	server     *lsp.Server
	unlisted   unlisted
	linked     linked
	unreadable unreadable
	shards     shards
	unclosed   unclosedTexts
	inactive   toldInactive

	brokenLists brokenLists
	leftOut     *leftOut
	tsProjects  *tsProjects // nil when the row says nothing of the kind
}

// New is the adapter of a server, as its row says what is particular about it.
func New(s *lsp.Server) lsp.Adapter {
	return &state{server: s, leftOut: newLeftOut(s.Spec()), tsProjects: newTSProjects(s.Spec())}
}

// of is what is kept of a server. Whoever starts one gives it an adapter.
func of(s *lsp.Server) *state { return s.Adapter().(*state) }

// Changed notes what a sync saw ([lsp.Adapter]).
func (a *state) Changed(changes []watch.Change) {
	a.leftOut.changed(changes)
	a.unreadable.changed(changes)
	a.tsProjects.changed(a.server, changes)
}

// OutsideBuild is of [lsp.BuildReader].
func (a *state) OutsideBuild(ctx context.Context) (files map[string]bool, all bool) {
	return leftOutOfBuild(ctx, a.server)
}

// AskUnbuilt is of [lsp.BuildReader].
func (a *state) AskUnbuilt(ctx context.Context, paths []string, d *lsp.Diagnosis) error {
	return askUnbuilt(ctx, a.server, paths, d)
}

// HoldsSources is of [lsp.BuildReader].
func (a *state) HoldsSources(ctx context.Context, folder string) bool {
	return holdsSources(ctx, a.server, folder)
}

// BrokenProject is of [lsp.ProjectReader].
func (a *state) BrokenProject(root string) string { return brokenList(a.server, root) }

// Rank is of [lsp.SourceRanker].
func (a *state) Rank(sources []string) []string {
	if a.tsProjects == nil {
		return sources
	}
	return preferred(a.server.Spec(), sources)
}

// Uncompiled is of [lsp.IndexReader].
func (a *state) Uncompiled(ctx context.Context, root string) []string {
	return Uncompiled(ctx, a.server, root)
}
