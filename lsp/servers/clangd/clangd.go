// Package clangd is what is particular about clangd (22.1.8): a file that did not compile is built anew only when
// it is opened, and what its index has of the types that a file derives from stays as it was when the file was
// indexed.
package clangd

import (
	"context"
	"path/filepath"

	"lspi/lsp"
	"lspi/lsp/launch"
)

// Process is what is kept of one process of clangd.
type Process struct {
	Server    *lsp.Server
	shards    shards
	unlisted  unlisted
	lists     lists
	others    otherBuilds
	includes  includes
	preambles preambles
	library   library
	reachable reachable
	system    outsideHeaders
	// of headers, by file ([Process.searched]); only the one user of a separate process has it
	folders map[string][]string
	list    *listFile // as it was before the process began; nil when there is no project
	index   string    // the folder of lspi's cache with the index; "" when that is in the tree
}

// Launcher starts the processes of clangd. An index that was made by other commands than those of the project is
// dropped before.
type Launcher struct {
	record indexRecord
	list   *listFile // of the process that was prepared last, as index
	index  string
}

// NewLauncher is the launcher of one server.
func NewLauncher() lsp.Launcher { return &Launcher{} }

// Prepare is of [lsp.Launcher].
func (l *Launcher) Prepare(_ context.Context, p *launch.Plan) {
	l.list = listedSources(p.Spec, p.Root)
	l.index = placeIndex(p.Spec, p.Cache, p.Root)
	p.ProjectFolder = l.index
	if p.Separate {
		return
	}
	if n := l.record.outdate(p.Spec.Project, p.Root, l.index); n > 0 {
		p.Log.Info("commands of files have changed, the server's index is made anew", "server_id", p.Spec.ID,
			"dropped", n)
	}
}

// NewHooks is of [lsp.Launcher].
func (l *Launcher) NewHooks(s *lsp.Server) *lsp.Hooks {
	return (&Process{Server: s, list: l.list, index: l.index}).hooks()
}

// listChanged is [lsp.ProjectHooks].ListChanged.
func (a *Process) listChanged() bool {
	return a.list != nil && a.list.changed(listedSources(a.Server.Spec(), a.Server.Root())) || a.externalChanged()
}

// firstListed is [lsp.ProjectHooks].FirstListed (JSON Compilation Database Format).
func (a *Process) firstListed(folder string, n int) []string {
	return First(filepath.Join(folder, "compile_commands.json"), n)
}
