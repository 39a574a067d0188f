package gopls

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: gopls decides by types, so that its references are whole in the module of
// the file that was asked about, and in those that a go.work joins with it; what the build leaves out of these
// [Process.excluded] tells. Another module of the tree uses the symbol when its go.mod replaces the module that
// declares it by the folder in the tree, and the source imports from that; otherwise it has a released version.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	out := map[string]lsp.Vouched{}
	l := a.tree
	release := l.lock(ctx)
	if release == nil {
		return out
	}
	defer release()
	if !l.refresh(ctx) {
		return out
	}
	loaded := map[string]bool{l.projectOf(q.Asked): true}
	for _, folder := range a.Server.Folders().All() {
		used := golang.WorkFolders(filepath.Join(folder, workFile))
		if slices.Contains(used, l.projectOf(q.Asked)) {
			for _, module := range used {
				loaded[module] = true
			}
		}
	}
	declaring := l.projectOf(q.Declared.Path)
	module := l.projects[declaring]
	for _, path := range q.Files {
		project := l.projectOf(path)
		src := l.sources[path]
		switch {
		case src != nil && src.why == byDesign:
			out[path] = lsp.NoSource
		case loaded[project] || module == "" || l.rules.private(q.Name, q.Declared) ||
			!slices.Contains(golang.ReplacedFolders(project), declaring) || !imports(path, module):
			out[path] = lsp.VouchedAll
		}
	}
	return out
}

// imports reports whether a source may import something of a module.
func imports(path, module string) bool {
	text, err := source.Read(path)
	return err != nil || strings.Contains(text.Content(), `"`+module)
}
