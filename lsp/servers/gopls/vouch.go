package gopls

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// vouch is [lsp.CoverageHooks].Vouch: gopls decides by types, so that its references are whole in the module of
// the file that was asked about, and in those that a go.work joins with it, as far as the build takes the file in and it
// has no syntax error, or it imports nothing by which it could use the symbol. Another module of the tree uses the symbol when its go.mod replaces the module that
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
	left, design := l.leftOut(q.Asked)
	uses := l.users(q)
	for _, path := range q.Files {
		project, src := l.projectOf(path), left[path]
		apart := !loaded[project] && (module == "" || l.rules.private(q.Name, q.Declared) ||
			!slices.Contains(golang.ReplacedFolders(project), declaring) || !imports(path, module))
		switch {
		case l.sources[path] != nil && l.sources[path].why == byDesign && !design:
			out[path] = lsp.NoSource
		case apart, (src != nil || !l.parses(ctx, path)) && !uses(path), src == nil && loaded[project] && l.parsed[path]:
			out[path] = lsp.VouchedAll
		case src != nil:
			out[path] = lsp.LeftOut
		}
	}
	return out
}

// parses reports whether a source has no syntax error; gopls has no uses behind one (0.23.0). It is false when ctx ends
// before that is known.
func (l *sourceTree) parses(ctx context.Context, path string) bool {
	parses, known := l.parsed[path]
	if !known && ctx.Err() == nil {
		text, err := source.Read(path)
		parses = err != nil || l.rules.parses(path, text.Content()) // one that cannot be read is told by itself
		l.parsed[path] = parses
	}
	return parses
}

// users returns what reports whether a source may use what a question is about, going by what it imports. A source of the
// same folder is of the same package and needs no import.
func (l *sourceTree) users(q lsp.VouchQuestion) func(path string) bool {
	dir, project := filepath.Dir(q.Declared.Path), l.projectOf(q.Declared.Path)
	below, inside := source.RelativeTo(project, dir)
	scope, projects := path.Join(l.projects[project], filepath.ToSlash(below)), slices.Collect(maps.Values(l.projects))
	return func(path string) bool {
		var m *lang.Mentions
		if src := l.sources[path]; src != nil && src.mentions != nil {
			m = src.mentions
		} else if m = l.read(path); src != nil {
			src.mentions = m
		}
		switch {
		case filepath.Dir(path) == dir:
			return true
		case l.rules.private(q.Name, q.Declared):
			return false
		// In the standard library, in a dependency, or below a folder without a go.mod there is no module path to compare
		// imports with.
		case !inside || l.projects[project] == "":
			return l.rules.mayUseOutside(m, dir, q.Declared)
		default:
			m.Beside = l.importsIn(filepath.Dir(path))
			return l.rules.mayUse(m, scope, q.Declared, projects)
		}
	}
}

// mayUse keeps of sources those that may use a name that is declared at a place; all where ctx ends first.
func (a *Process) mayUse(ctx context.Context, found []lsp.Uncovered, name string, declared lsp.Place) []lsp.Uncovered {
	release := a.tree.lock(ctx)
	if release == nil {
		return found
	}
	defer release()
	uses := a.tree.users(lsp.VouchQuestion{Name: name, Declared: declared})
	return slices.DeleteFunc(found, func(u lsp.Uncovered) bool { return u.Path != "" && !uses(u.Path) })
}

// imports reports whether a source may import something of a module.
func imports(path, module string) bool {
	text, err := source.Read(path)
	return err != nil || strings.Contains(text.Content(), `"`+module)
}
