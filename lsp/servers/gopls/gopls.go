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

	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// Process is what is kept of one process of gopls.
type Process struct {
	Server *lsp.Server
	tree   *sourceTree // its own locks
	work   *workCopies // nil when none are made; its own locks
	log    *slog.Logger

	environment []string // of the process
	// as the variables of the process tell it; go env, which [goBuild] asks, knows more and takes longer
	build build.Context

	imports map[string]string // file → what it imported when it was touched last; guarded by the document lock

	mu sync.Mutex
	// the modules outside of the workspace are followed as go.mod and go.work name them now; guarded by mu
	followed bool
	projects map[string]error // path → why go.mod and go.work cannot be read, as far as they were; guarded by mu
}

// Launcher starts the processes of gopls.
type Launcher struct {
	plan    *launch.Plan
	noIndex bool // see [indexVariable]
	// whether the process that was started last lacks sources that cannot be read; nil before the first one
	lacks func() bool
}

// NewLauncher is the launcher of one server.
func NewLauncher() lsp.Launcher { return &Launcher{} }

// Prepare is of [lsp.Launcher].
// The plan is kept for NewHooks, which needs its environment and its cache.
func (l *Launcher) Prepare(_ context.Context, p *launch.Plan) {
	if l.noIndex = l.noIndex || l.lacks != nil && l.lacks(); l.noIndex {
		p.Environment = withoutIndex(p.Environment)
	}
	l.plan = p
}

// NewHooks is of [lsp.Launcher].
func (l *Launcher) NewHooks(s *lsp.Server) *lsp.Hooks {
	l.lacks = s.LacksUnreadable()
	p := &Process{Server: s, tree: newSourceTree(s), work: newWorkCopies(l.plan), projects: map[string]error{},
		imports: map[string]string{},
		build:   buildOf(l.plan.Environment), log: l.plan.Log, environment: l.plan.Environment}
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

// needsRestart is [lsp.SyncHooks].NeedsRestart: for another copy of a go.work, for a file that could not be read, and
// because a new process is cheaper than naming many files one by one.
func (a *Process) needsRestart(changes []watch.Change) bool {
	return len(a.untouched(changes)) > maxTouched || slices.ContainsFunc(changes, func(c watch.Change) bool {
		return a.work.outdated(c) || a.Server.WasUnreadable(c.Path)
	})
}

// The go command (1.26.8, cmd/go/internal/modindex) keeps in its cache what it found in a folder, under the names,
// times and sizes of the files there. When a source is given back the right to be read and nothing else, all three
// are as before, and the go command goes on to say that it cannot be read. So once a source could not be read, every
// later process does without that cache, by a switch of the go command that is no part of its documentation. Not from
// the beginning, because without it go list takes 1.2 s for x/tools instead of 0.8.
const (
	indexVariable = "GODEBUG"
	noIndex       = "goindex=0"
)

// withoutIndex is an environment, as os.Environ has it, with which the go command does not use that cache.
func withoutIndex(environ []string) []string {
	value := noIndex
	// Behind what is there, because the last switch of a name counts.
	if given := spec.Variable(environ, indexVariable); given != "" {
		value = given + "," + noIndex
	}
	return append(slices.Clip(environ), indexVariable+"="+value)
}

// afterTell is [lsp.SyncHooks].AfterTell.
func (a *Process) afterTell(ctx context.Context, changes []watch.Change) error {
	if err := a.forgetMissing(ctx, changes); err != nil {
		return err
	}
	// Before reload: a project is loaded with the files that it has now.
	if err := a.nameFiles(ctx, a.untouched(changes)); err != nil {
		return err
	}
	return a.reload(ctx, changes)
}

// serves reports whether gopls serves a file.
func (a *Process) serves(c watch.Change) bool { return a.Server.Spec().Serves(base(c)) }

// projectFile reports whether a change is of a file that names modules.
func projectFile(c watch.Change) bool { return slices.Contains([]string{"go.mod", "go.work"}, base(c)) }
