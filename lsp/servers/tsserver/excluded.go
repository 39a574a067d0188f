package tsserver

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
)

// script is what was read of a source.
type script struct {
	mentions *lang.Mentions
	module   bool     // else it sees what others declare without an import
	next     []string // the sources of the tree that it imports by path
	ours     bool     // it imports what may be a source of the tree by another name
	loads    []string // the names by which it loads modules: import("…")
}

// excluded is [lsp.CoverageHooks].Excluded. A file that is asked about, and that none holds, is answered for with
// what it imports.
func (a *Process) excluded(ctx context.Context, asked string,
	may func(string, *lang.Mentions) bool) []lsp.Uncovered {
	late := lsp.Because(lsp.OutsideBuild, nil, false)
	var files []string
	t, s := a.projects, a.Server
	release, ok := t.take(ctx, s)
	if !ok {
		return late
	}
	defer release()
	var folders []string
	if asked != "" {
		folders = []string{t.folderOf(asked)}
	} else {
		folders = s.Folders().All()
	}
	for _, folder := range folders {
		sources, ok := t.folders[folder]
		if !ok || len(sources) == 0 {
			continue
		}
		p, err := t.project(ctx, s, folder, asked)
		if err != nil {
			return late
		}
		users := t.users(p, asked)
		for _, path := range sources {
			if ctx.Err() != nil {
				return late
			}
			if path == asked || p.files[path] {
				continue
			}
			if !may(path, t.script(path).mentions) || asked != "" && !users(path) {
				continue
			}
			if asked != "" && !p.files[asked] || !t.isOutput(s, p, folder, path) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(files)
	return lsp.Because(lsp.OutsideBuild, files, true)
}

func (t *projects) script(path string) *script {
	if have := t.scripts[path]; have != nil {
		return have
	}
	out := &script{mentions: &lang.Mentions{}}
	if text, err := source.Read(path); err == nil {
		read := typescript.Read(text.Content())
		out = &script{mentions: read.Mentions, module: read.Module}
		for _, m := range dynamic.FindAllStringSubmatch(text.Content(), -1) {
			out.loads = append(out.loads, m[2])
		}
		for _, name := range read.Imports {
			if typescript.IsPath(name) {
				out.next = append(out.next, t.targets(path, name)...)
			} else {
				out.ours = out.ours || t.means(name)
			}
		}
	}
	t.scripts[path] = out
	return out
}

// users tells which sources outside of a project may use what a file of it, or one like them, uses or declares: those
// that come to the project by imports, or to what the file comes to.
func (t *projects) users(p *project, asked string) func(path string) bool {
	around := map[string]bool{}
	if asked != "" && !p.files[asked] {
		t.follow(asked, func(path string) bool { around[path] = true; return false })
	}
	return func(path string) bool {
		outward, known := p.outward[path]
		if !known {
			// A script that is no module sees what all others declare, without any import.
			outward = !t.script(path).module || t.follow(path, func(next string) bool {
				return p.files[next] || t.script(next).ours
			})
			p.outward[path] = outward
		}
		return outward || len(around) > 0 && t.follow(path, func(next string) bool { return around[next] })
	}
}

// follow visits a file and what it comes to by imports until there reports true; false when it never does.
func (t *projects) follow(path string, there func(path string) bool) bool {
	// Imports may go in a circle; seen visits each file once.
	seen, next := map[string]bool{path: true}, []string{path}
	for len(next) > 0 {
		path, next = next[len(next)-1], next[:len(next)-1]
		if there(path) {
			return true
		}
		for _, file := range t.script(path).next {
			if !seen[file] {
				seen[file] = true
				next = append(next, file)
			}
		}
	}
	return false
}

// means reports whether an import that is no path may mean a source of the tree.
func (t *projects) means(name string) bool {
	if strings.HasPrefix(name, "node:") {
		return false
	}
	if strings.HasPrefix(name, "#") || slices.ContainsFunc(t.aliases, func(alias string) bool {
		return strings.HasPrefix(name, alias)
	}) {
		return true
	}
	for pkg := range t.names {
		if typescript.OfPackage(name, pkg) {
			return true
		}
	}
	return false
}

// targets are the sources that an import by path may mean.
func (t *projects) targets(from, name string) []string {
	return slices.DeleteFunc(typescript.Candidates(from, name), func(file string) bool { return !t.served[file] })
}
