package servers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp/servers/rustanalyzer"
)

// goModules: go.mod replaces a module by a folder whose go.mod names the module that it replaces; go.work joins
// folders whose go.mod names any. Of these the replacements count as well, of replaced modules they do not (Go
// modules reference, replace and use).
func (l *search) goModules(folder string) {
	l.replacedBy(folder)
	raw, ok := l.read(filepath.Join(folder, "go.work"))
	if !ok {
		return
	}
	work, _ := golang.ParseWork(folder, raw)
	for _, use := range work.Uses {
		manifest := filepath.Join(use, "go.mod")
		if raw, err := source.ReadBytes(manifest); err == nil && golang.ModulePath(raw) != "" {
			l.add(manifest)
			l.replacedBy(use)
		}
	}
	l.replacements(work.Replaced)
}

func (l *search) replacedBy(folder string) {
	if raw, ok := l.read(filepath.Join(folder, "go.mod")); ok {
		replaced, _ := golang.ParseMod(folder, raw)
		l.replacements(replaced)
	}
}

func (l *search) replacements(all []golang.Replacement) {
	for _, r := range all {
		manifest := filepath.Join(r.Folder, "go.mod")
		if raw, ok := l.read(manifest); ok && golang.ModulePath(raw) == r.Module {
			l.add(manifest)
		}
	}
}

// crates: a dependency with a path is the crate of that name there, whose own dependencies count as well.
func (l *search) crates(folder string) {
	raw, ok := l.read(filepath.Join(folder, "Cargo.toml"))
	if !ok {
		return
	}
	if m, err := rustanalyzer.Parse(folder, raw); err == nil {
		l.crate(folder, m)
	}
}

func (l *search) crate(folder string, m *rustanalyzer.Manifest) {
	if m.Workspace != nil {
		for _, member := range m.Workspace.Members {
			for _, dir := range source.Glob(folder, member) {
				l.crates(dir)
			}
		}
	}
	for _, dependency := range m.Paths {
		manifest := filepath.Join(dependency.Folder, "Cargo.toml")
		raw, ok := l.read(manifest)
		if !ok {
			continue
		}
		if of, err := rustanalyzer.Parse(dependency.Folder, raw); err == nil && of.Name == dependency.Crate {
			l.add(manifest)
			l.crate(dependency.Folder, of)
		}
	}
}

// links: a link in node_modules leads to the package of that name. The packages that package.json joins as
// workspaces have such folders of their own.
func (l *search) links(folder string) {
	l.linksOf(folder)
	raw, ok := l.read(filepath.Join(folder, "package.json"))
	if !ok {
		return
	}
	var m struct{ Workspaces json.RawMessage }
	var globs []string
	var object struct{ Packages []string }
	if json.Unmarshal(raw, &m) != nil || json.Unmarshal(m.Workspaces, &globs) != nil &&
		json.Unmarshal(m.Workspaces, &object) != nil {
		return
	}
	for _, glob := range append(globs, object.Packages...) {
		for _, dir := range source.Glob(folder, glob) {
			l.linksOf(dir)
		}
	}
}

func (l *search) linksOf(folder string) {
	packages := filepath.Join(folder, "node_modules")
	for _, entry := range l.list(packages) {
		path := filepath.Join(packages, entry.Name())
		if !strings.HasPrefix(entry.Name(), "@") {
			l.link(path, entry.Name(), entry)
			continue
		}
		for _, scoped := range l.list(path) {
			l.link(filepath.Join(path, scoped.Name()), entry.Name()+"/"+scoped.Name(), scoped)
		}
	}
}

// list are the entries of a folder, at most maxEntries.
func (l *search) list(dir string) []os.DirEntry {
	if _, again := l.seen[dir]; again || len(l.seen) >= maxLocal {
		return nil
	}
	l.seen[dir] = stateOf(dir)
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxEntries)
	return entries
}

func (l *search) link(path, name string, entry os.DirEntry) {
	if entry.Type() != os.ModeSymlink {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || l.reach.Holds(real) { // pnpm's links stay in the project
		return
	}
	manifest := filepath.Join(real, "package.json")
	raw, ok := l.read(manifest)
	var m struct{ Name string }
	if ok && json.Unmarshal(raw, &m) == nil && m.Name == name {
		l.add(manifest)
	}
}
