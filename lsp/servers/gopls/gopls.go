// Package gopls is what is particular about gopls (0.23.0): it must be asked about a created file before it counts,
// it follows modules that go.mod and go.work name outside of the workspace, and it loads a project anew only for a
// request after its go.mod was mended.
//
// It reads the files of one build only, and says nothing of the others: [sourceTree] follows which these are by the
// rules of the go command ([goBuild]), and which of the others do not parse. What only the compiler and the linker
// check of an edit stands in compiler.go.
package gopls

import (
	"context"
	"go/build"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/watch"
)

// Process is what is kept of one process of gopls.
type Process struct {
	Server *lsp.Server
	// Its own lock.
	checks projectChecks
	tree   *sourceTree // its own locks
	work   *workCopies // nil when none are made; its own locks
	index  *folderIndex
	// the file of the last push that says that one cannot be opened; nil when gopls has it
	closed atomic.Pointer[string]
	log    *slog.Logger
	// as the variables of the process tell it; go env, which [goBuild] asks, knows more and takes longer
	build build.Context

	imports map[string]string // file → what it imported when it was touched last; guarded by the document lock

	mu sync.Mutex
	// the modules outside of the workspace are followed as go.mod and go.work name them now; guarded by mu
	followed bool
	tests    map[string]testScope // by path; guarded by mu
}

// Launcher starts the processes of gopls.
type Launcher struct {
	plan  *launch.Plan
	index folderIndex
	// whether the process that was started last lacks sources that cannot be read; nil before the first one
	lacks func() bool
}

// NewLauncher is the launcher of one server.
func NewLauncher() lsp.Launcher { return &Launcher{} }

// Prepare is of [lsp.Launcher].
// The plan is kept for NewHooks, which needs its environment and its cache.
func (l *Launcher) Prepare(_ context.Context, p *launch.Plan) {
	// The cache may hold that they cannot be read, and nobody names them to the new process when they can be.
	if l.lacks != nil && l.lacks() {
		l.index.giveUp()
	}
	p.Environment = l.index.environment(p.Environment)
	l.plan = p
}

// NewHooks is of [lsp.Launcher].
func (l *Launcher) NewHooks(s *lsp.Server) *lsp.Hooks {
	l.lacks = s.LacksUnreadable()
	p := &Process{Server: s, tree: newSourceTree(s), work: newWorkCopies(l.plan), index: &l.index,
		build: buildOf(l.plan.Environment), imports: map[string]string{}, log: l.plan.Log}
	return p.hooks()
}

// changed is [lsp.Hooks].Changed.
func (a *Process) changed(changes []watch.Change) {
	// Notes only, as [*lsp.Hooks] demands: what they mean is found out when a question needs it.
	a.tree.changed(changes)
	a.modulesChanged(changes)
}

// beforeSync is [lsp.SyncHooks].BeforeSync.
func (a *Process) beforeSync(ctx context.Context) error { return a.followModules(ctx) }

// needsRestart is [lsp.SyncHooks].NeedsRestart: for another copy of a go.work, and because a new process is cheaper
// than naming many files one by one.
func (a *Process) needsRestart(changes []watch.Change) bool {
	return slices.ContainsFunc(changes, a.work.outdated) || len(a.untouched(changes)) > maxTouched
}

// afterTell is [lsp.SyncHooks].AfterTell.
func (a *Process) afterTell(ctx context.Context, changes []watch.Change) error {
	// Before reload: a project is loaded with the files that it has now.
	missed, err := a.touch(ctx, a.untouched(changes))
	if err != nil {
		return err
	}
	if missed || a.missedAtLoad(ctx) {
		a.index.giveUp()
		return lsp.ErrRestartNeeded
	}
	return a.reload(ctx, changes)
}

// serves reports whether gopls serves a file.
func (a *Process) serves(c watch.Change) bool { return a.Server.Spec().Serves(base(c)) }

// projectFile reports whether a change is of a file that names modules.
func projectFile(c watch.Change) bool { return slices.Contains([]string{"go.mod", "go.work"}, base(c)) }
