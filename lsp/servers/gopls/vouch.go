package gopls

import (
	"cmp"
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
// the file that was asked about, and in those that a go.work joins with it. Not whole they are
//   - where the build leaves a source out, or it has a syntax error, and it imports what it needs to use the symbol;
//   - where a source of the same folder has errors: a value may have no type there, and of a source that the go
//     command could not open another one has the error;
//   - where an interface without a name declares the name, which gopls does not connect with the methods of types
//     (0.23.0);
//   - where no build looks (testdata, _examples), when the source imports from the module;
//   - in another module of the tree that replaces the module by the folder in the tree, by its own go.mod or by a
//     go.work, directly or over others: it is a view of its own. Without that it has a released version.
func (a *Process) vouch(ctx context.Context, q lsp.VouchQuestion) map[string]lsp.Vouched {
	out := map[string]lsp.Vouched{}
	l := a.tree
	release, ok := l.current(ctx)
	if !ok {
		return out
	}
	defer release()
	a.awaitErrors(ctx)
	v := a.vouching(q)
	left, design := l.leftOut(q.Asked)
	uses := l.users(q)
	for _, path := range q.Files {
		project, src := l.projectOf(path), left[path]
		unbuilt := l.sources[path] != nil && l.sources[path].why == byDesign && !design
		beside := filepath.Dir(path) == filepath.Dir(q.Declared.Path)
		apart := !v.loaded[project] && project != v.declaring &&
			(v.module == "" || !v.uses(project) || !v.mayImport(path))
		switch {
		case unbuilt && (v.private || !v.loaded[project] || inVendor(path) || !imports(path, v.module)):
			out[path] = lsp.NoSource
		case v.private && !beside, apart, (src != nil || !l.parses(ctx, path)) && !uses(path),
			src == nil && !unbuilt && v.loaded[project] && l.parsed[path] && v.typed(path):
			out[path] = lsp.VouchedAll
		case src != nil:
			out[path] = lsp.LeftOut
		}
	}
	return out
}

// typed reports whether types decide in a source of the build what the name means.
func (v *vouching) typed(path string) bool {
	dir := filepath.Dir(path)
	broken, known := v.broken[dir]
	if !known {
		broken = slices.ContainsFunc(golang.FilesIn(dir), func(base string) bool {
			return v.Server.Diagnostics().PushedErrors(filepath.Join(dir, base))
		})
		v.broken[dir] = broken
	}
	return !broken && !golang.Unnamed(path, v.q.Name)
}

// parses reports whether a source has no syntax error; gopls has no uses behind one (0.23.0). It is false when ctx ends
// before that is known.
func (l *sourceTree) parses(ctx context.Context, path string) bool {
	parses, known := l.parsed[path]
	if !known && ctx.Err() == nil {
		text, err := source.Read(path)
		parses = err != nil || golang.Parses(path, text.Content()) // one that cannot be read is told by itself
		l.parsed[path] = parses
	}
	return parses
}

// users returns what reports whether a source may use what a question is about, going by what it imports. A source of
// the same folder is of the same package and needs no import.
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

// vouching is one question of [Process.vouch]. The lock of the source tree is held as long as it is used.
type vouching struct {
	*Process
	q         lsp.VouchQuestion
	declaring string // the folder of the module that declares the symbol
	module    string // the path of that module
	private   bool
	loaded    map[string]bool // the folders of the modules in the view of the asked file
	sides     map[string]bool // see [vouching.uses]
	broken    map[string]bool // whether a source has errors, by folder
}

// vouching prepares the answer to a question.
func (a *Process) vouching(q lsp.VouchQuestion) *vouching {
	l := a.tree
	v := &vouching{Process: a, q: q, declaring: l.projectOf(q.Declared.Path), sides: map[string]bool{},
		broken: map[string]bool{}}
	v.module, v.private, v.loaded = l.projects[v.declaring], l.rules.private(q.Name, q.Declared), v.joined()
	return v
}

// joined are the folders of the modules in the view of the asked file.
func (v *vouching) joined() map[string]bool {
	asked := v.tree.projectOf(v.q.Asked)
	// Of a folder of such a name the go command lists nothing, and gopls has what it was asked about alone.
	if v.tree.rules.place(filepath.Base(asked)) == byDesign {
		return nil
	}
	out := map[string]bool{asked: true}
	for _, folder := range v.Server.Folders().All() {
		if used := golang.WorkUses(filepath.Join(folder, workFile)); slices.Contains(used, asked) {
			for _, module := range used {
				out[module] = true
			}
		}
	}
	return out
}

// inVendor reports whether a source is in a copy of another module, which cannot use this one.
func inVendor(path string) bool {
	return strings.Contains(filepath.ToSlash(path), "/vendor/")
}

// restates is [lsp.CoverageHooks].Restates: a module with a vendor folder of its own is built from copies of what it
// replaces by folders, which the next go mod vendor makes anew.
func restates(_ context.Context, path, src string) lsp.Restated {
	if path == src || original(path) != original(src) {
		return lsp.NotRestated
	}
	return lsp.Restates
}

// original is what a file is a vendored copy of, without links; else the file itself.
func original(path string) string {
	return real(cmp.Or(golang.VendoredFrom(path), path))
}

// uses reports whether a module uses the declaring one by its folder in the tree, and remembers it.
func (v *vouching) uses(project string) bool {
	known, ok := v.sides[project]
	if !ok {
		folders := golang.ReplacedFolders(project)
		for path := range v.Server.Journal().Files() {
			if filepath.Base(path) != workFile {
				continue
			}
			if used := golang.WorkUses(path); slices.Contains(used, project) {
				folders = append(folders, golang.WorkFolders(path)...)
			}
		}
		declaring := real(v.declaring)
		known = slices.ContainsFunc(folders, func(folder string) bool {
			return folder == v.declaring || real(folder) == declaring
		})
		v.sides[project] = known
	}
	return known
}

// real is a path without links; the path itself where nothing is there.
func real(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
	}
	return path
}

// mayImport reports whether a source of another module may use something of the declaring one: its package imports
// from there, or from another module of the tree, which may hand on values of its types.
func (v *vouching) mayImport(path string) bool {
	return reaches(v.tree.importsIn(filepath.Dir(path)), slices.Collect(maps.Values(v.tree.projects)))
}

// imports reports whether a source may import something of a module.
func imports(path, module string) bool {
	text, err := source.Read(path)
	return err != nil || strings.Contains(text.Content(), `"`+module)
}

// maxAwaited is how many Go sources a tree may have at most whose errors are waited for.
const maxAwaited = 300

// awaitErrors has gopls say the errors of a small tree after each change: its own pushes come up to a second later. In
// a large tree this takes seconds, and those that it has pushed count. The caller holds turn.
func (a *Process) awaitErrors(ctx context.Context) {
	l := a.tree
	if l.told || !a.Server.Offers(lsp.MethodExecuteCommand) {
		return
	}
	sources := 0
	var one []string
	known := map[string]bool{}
	for path := range a.Server.Journal().Files() {
		if !isSource(path) {
			continue
		}
		if sources++; sources > maxAwaited {
			return
		}
		if project := l.projectOf(path); !known[project] && l.sources[path] == nil {
			known[project] = true
			one = append(one, path)
		}
	}
	if len(one) == 0 {
		return
	}
	l.told = a.askPushes(ctx, one) == nil
}

// kin is [lsp.CoverageHooks].Kin.
func kin(p lsp.Place, name string) bool {
	text, err := source.Read(p.Path)
	if err != nil {
		return false
	}
	at, err := text.Offset(p.Range.Start)
	return err == nil && slices.Contains(golang.UnnamedMethods(p.Path, text.Content(), name), at)
}
