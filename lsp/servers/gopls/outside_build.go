package gopls

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// exclusion is why a source is no part of the build.
type exclusion uint8

const (
	included exclusion = iota
	byBuild            // constraints that this build does not meet
	byPath             // the folder cannot be a package
	byDesign           // the language says that nothing there is part of any build
)

// leftSource is one that some build leaves out. One that is in this build, and not in every one, is kept as well:
// gopls answers a question about a file of another build from a build for that file, and then it is this one that
// may be left out.
type leftSource struct {
	project  string
	why      exclusion      // included: in this build, not in every one
	mentions *lang.Mentions // nil until somebody asks
}

// sourceTree follows the sources of the tree that are not part of the build.
//
// Changes are only noted when a sync sees them (changed); a source is read when a question comes behind them
// (refresh), so that a checkout of a thousand files costs nothing until somebody asks. Whoever reads holds turn for
// that time. What was read before a deadline ended the reading stays, and the next question goes on from there. The
// words that a source holds are read later still, when a question is about names, and only of sources that are left
// out. Two locks: mu guards the notes that a sync makes, which must not wait while somebody reads a thousand files;
// turn is held for the reading itself.
type sourceTree struct {
	server *lsp.Server
	rules  *goBuild
	turn   chan struct{} // held by who reads files; it owns what is not guarded by mu

	prepared bool
	told     bool // gopls has said its errors since the last change ([Process.awaitErrors])
	sources  map[string]*leftSource
	unread   map[string]*leftSource // of these, what an ordinary question is about: byBuild and byPath
	projects map[string]string      // folder → the path of the module, "" where its go.mod cannot be read
	waiting  []string               // still to be looked at
	// of all sources but those that no build takes in: those that hold go:linkname, and assembly → the names there
	// ([golang.BareLinkerNames])
	linked map[string]map[string]bool
	parsed map[string]bool // of sources of the build: whether they have no syntax error; the rest nobody has asked about
	// of sources with export directives of cgo: the names there
	exported map[string][]string
	// folder → what its sources import; a folder is missing until somebody asks, and once a source there changed
	beside map[string]map[string]bool

	mu    sync.Mutex
	dirty map[string]bool // changed since they were looked at; guarded by mu
	fresh bool            // the tree was listed, and no go.mod changed since; guarded by mu
}

// newSourceTree reads nothing yet: most sessions never ask about what the build leaves out.
func newSourceTree(s *lsp.Server) *sourceTree {
	return &sourceTree{server: s, rules: &goBuild{}, turn: make(chan struct{}, 1), dirty: map[string]bool{},
		beside: map[string]map[string]bool{}}
}

// current is the tree as it is now, until release is called; ok is false when ctx ended before that was known.
func (l *sourceTree) current(ctx context.Context) (release func(), ok bool) {
	if release = l.lock(ctx); release == nil {
		return nil, false
	}
	if !l.refresh(ctx) {
		release()
		return nil, false
	}
	return release, true
}

// lock waits for who reads files; release is nil when ctx ended before. Where nobody reads, a question whose time
// is over gets what is known already.
func (l *sourceTree) lock(ctx context.Context) (release func()) {
	release = func() { <-l.turn }
	// A free turn is taken also when ctx has ended: select alone would choose either case.
	select {
	case l.turn <- struct{}{}:
		return release
	default:
	}
	select {
	case l.turn <- struct{}{}:
		return release
	case <-ctx.Done():
		return nil
	}
}

// changed notes what a sync saw.
func (l *sourceTree) changed(changes []watch.Change) {
	if len(changes) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range changes {
		switch {
		// It moves the border between projects, or may have another module path.
		case filepath.Base(c.Path) == modFile:
			l.fresh = false
		case isSource(c.Path), golang.IsAssembly(c.Path):
			l.dirty[c.Path] = true
		}
	}
}

// excluded is [lsp.CoverageHooks].Excluded. What lies where the language says that no build looks counts only in
// answers about a file of that kind.
func (a *Process) excluded(ctx context.Context, asked string,
	may func(path string, m *lang.Mentions) bool) []lsp.Uncovered {
	late := lsp.Because(lsp.OutsideBuild, nil, false)
	var files []string
	l := a.tree
	release, ok := l.current(ctx)
	if !ok {
		return late
	}
	defer release()
	candidates, design := l.leftOut(asked)
	for path, src := range candidates {
		if src.why == byDesign && !design {
			continue
		}
		// Read only now, when a question is about names, and kept until the file changes.
		if src.mentions == nil {
			// A part of the files would look like all of them.
			if ctx.Err() != nil {
				return late
			}
			src.mentions = l.read(path)
		}
		if may(path, src.mentions) {
			files = append(files, path)
		}
	}
	// Which projects an answer is about costs system calls (is there a go.work), so that it is asked only when it
	// matters.
	if len(files) > 0 {
		covered := covers(a.Server, asked)
		files = slices.DeleteFunc(files, func(path string) bool { return !covered(path, l.sources[path].project) })
		slices.Sort(files)
	}
	return lsp.Because(lsp.OutsideBuild, files, true)
}

// leftOut are the sources that the build may leave out by which a question about a file is answered, with those that no
// build reads. design reports whether the latter count.
func (l *sourceTree) leftOut(asked string) (sources map[string]*leftSource, design bool) {
	// A question about a file outside of the build is answered from another build (0.23.0), which lacks sources of
	// this one, and nobody knows which.
	if inside := l.sources[asked]; inside != nil && (inside.why == byBuild || inside.why == byDesign) {
		return l.sources, inside.why == byDesign
	}
	return l.unread, false
}

// importsIn is what the sources of a folder import.
func (l *sourceTree) importsIn(dir string) map[string]bool {
	have, ok := l.beside[dir]
	if !ok {
		have = golang.ImportsIn(dir)
		l.beside[dir] = have
	}
	return have
}

// declared is [lsp.CoverageHooks].Declared.
func (a *Process) declared(path string, at contract.Position) (lsp.Place, bool) {
	text, err := a.Server.Documents().Text(path)
	if err != nil {
		return lsp.Place{}, false
	}
	offset, err := text.Offset(at)
	line := text.Line(at.Line)
	return lsp.Place{Path: path, Line: line}, err == nil && golang.IsTopLevel(line) &&
		offset-text.LineStart(at.Line) == strings.IndexByte(line, ' ')+1
}

// covers tells which files, each with the folder of its project, an answer about a file is about: those of the closest
// root, and of the projects that it joins; for no file those of all roots.
func covers(s *lsp.Server, asked string) func(path, project string) bool {
	roots, best := s.Folders().All(), ""
	for _, f := range roots {
		if _, ok := source.RelativeTo(f, asked); ok && asked != "" && len(f) > len(best) {
			best = f
		}
	}
	// The file belongs to one folder of the server, and the answer is about that; a question about the workspace is
	// about all.
	if best != "" {
		roots = []string{best}
	}
	// A go.work joins the projects below its folder, so that an answer about one is about all of them.
	joined := slices.DeleteFunc(slices.Clone(roots), func(root string) bool {
		return !source.Exists(filepath.Join(root, workFile))
	})
	return func(path, project string) bool {
		return slices.Contains(roots, project) || slices.ContainsFunc(joined, func(root string) bool {
			_, below := source.RelativeTo(root, path)
			return below
		})
	}
}

// refresh looks at what changed, or came to be looked at, since the last time; false when ctx ends first.
func (l *sourceTree) refresh(ctx context.Context) bool {
	// Once for a process: its environment does not change, and go env costs 10 ms.
	if !l.prepared {
		l.rules.prepare(ctx, l.server.Spec(), l.server.Root())
		l.prepared = true
	}
	l.mu.Lock()
	fresh := l.fresh
	l.told = l.told && fresh && len(l.dirty) == 0
	for path := range l.dirty {
		// Noted ones are put behind what an earlier question had no time for, and the end of the list is looked at
		// first: a file that changed matters most to whoever asks now.
		l.waiting = append(l.waiting, path)
		delete(l.beside, filepath.Dir(path))
	}
	clear(l.dirty)
	// Set before the reading, under the same lock: a change that a sync notes meanwhile sets it back, and the next
	// question reads anew.
	l.fresh = true
	l.mu.Unlock()
	// Listing drops everything, also what waits: the whole tree is listed anew, with those files in it.
	if !fresh {
		l.list()
	}
	// A file leaves the list only after it was looked at, so that a question that runs out of time loses nothing.
	for len(l.waiting) > 0 {
		if ctx.Err() != nil {
			return false
		}
		last := len(l.waiting) - 1
		l.look(l.waiting[last])
		l.waiting = l.waiting[:last]
	}
	return true
}

// list begins anew with all files of the tree.
func (l *sourceTree) list() {
	l.sources, l.unread, l.projects, l.waiting = map[string]*leftSource{}, map[string]*leftSource{},
		map[string]string{}, nil
	l.parsed, l.linked, l.exported = map[string]bool{}, map[string]map[string]bool{}, map[string][]string{}
	for path := range l.server.Journal().Files() {
		switch {
		case filepath.Base(path) == modFile:
			if golang.Vendored(source.OS{}, filepath.Dir(path)) {
				continue
			}
			text, _ := source.ReadBytes(path)
			l.projects[filepath.Dir(path)] = golang.ModulePath(text)
		case isSource(path), golang.IsAssembly(path):
			l.waiting = append(l.waiting, path)
		}
	}
}

// look decides about one file.
func (l *sourceTree) look(path string) {
	// What was known of the text before goes first: the file may be gone, or be in the build now.
	delete(l.sources, path)
	delete(l.unread, path)
	delete(l.linked, path)
	delete(l.parsed, path)
	delete(l.exported, path)
	project := l.projectOf(path)
	below, ok := source.RelativeTo(project, path)
	// Outside of the tree: a replaced module that is followed, whose sources are another project's.
	if !ok {
		return
	}
	src := &leftSource{project: project, why: l.rules.place(below)}
	// Assembly is never a source here; only the Go names that it holds matter, for what the linker checks.
	if golang.IsAssembly(path) {
		if text, err := source.Read(path); err == nil && src.why == included {
			l.linked[path] = golang.BareLinkerNames(path, text.Content())
		}
		return
	}
	// Its text decides nothing: no build ever takes it in.
	if src.why == byDesign {
		l.sources[path] = src
		return
	}
	text, err := source.Read(path)
	if err != nil {
		return // gone, or nothing that a build would read
	}
	if strings.Contains(text.Content(), "//export ") {
		l.exported[path] = exportedToC(text.Content())
	}
	if strings.Contains(text.Content(), "//go:linkname ") {
		l.linked[path] = golang.BareLinkerNames(path, text.Content())
	}
	excluded, varies := l.rules.excluded(path, text.Content())
	// The folder's reason stays where there is one: with another build the file would still be out.
	if excluded && src.why == included {
		src.why = byBuild
	}
	if src.why != included {
		l.unread[path] = src
	}
	// A source of this build that other builds leave out is kept as well (see leftSource).
	if src.why != included || varies {
		l.sources[path] = src
	}
}

// projectOf is the folder of the project closest to a file, else the top of the tree.
// Nested modules are projects of their own (go help modules), so that the closest go.mod decides.
func (l *sourceTree) projectOf(path string) string {
	top := l.server.Journal().Root()
	for dir := filepath.Dir(path); dir != top && len(dir) > len(top); dir = filepath.Dir(dir) {
		if _, ok := l.projects[dir]; ok {
			return dir
		}
	}
	return top
}

// importPath is that of a folder, as far as the go.mod above it tells; else the folder itself.
func (l *sourceTree) importPath(dir string) string {
	project := l.projectOf(filepath.Join(dir, "x.go"))
	below, ok := source.RelativeTo(project, dir)
	if name := l.projects[project]; ok && name != "" {
		return path.Join(name, filepath.ToSlash(below))
	}
	return dir
}

// read is what a source mentions, as it is on disk.
func (l *sourceTree) read(path string) *lang.Mentions {
	text, err := source.Read(path)
	if err != nil {
		// A file that cannot be read mentions nothing; the server cannot read it either.
		return &lang.Mentions{}
	}
	return golang.MentionsOf(path, text.Content())
}

// exclusionTime bounds the look at all sources. Reading all of x/tools takes 60 ms, once.
const exclusionTime = 3 * time.Second

// outsideBuild is [lsp.ProjectHooks].OutsideBuild.
func (a *Process) outsideBuild(ctx context.Context) (files map[string]bool, all bool) {
	ctx, cancel := context.WithTimeout(ctx, exclusionTime)
	defer cancel()
	files = map[string]bool{}
	for _, u := range a.excluded(ctx, "", func(string, *lang.Mentions) bool { return true }) {
		// A source without a path says that the time was over.
		if u.Path == "" {
			return nil, false
		}
		files[u.Path] = true
	}
	return files, true
}

// neverBuilt is [lsp.CoverageHooks].NeverBuilt.
func (a *Process) neverBuilt(rel string) bool { return a.tree.rules.place(rel) == byDesign }

// holdsSources is [lsp.ProjectHooks].HoldsSources: a load that found nothing in a folder with such a source failed.
func (a *Process) holdsSources(ctx context.Context, folder string) bool {
	l := a.tree
	release, ok := l.current(ctx)
	if !ok {
		return true
	}
	defer release()
	for path := range a.Server.Journal().Files() {
		if _, below := source.RelativeTo(folder, path); !below || !isSource(path) {
			continue
		}
		src := l.sources[path]
		// nil is a source that every build takes in; those of nested modules belong to other loads.
		if l.projectOf(path) == folder && (src == nil || src.why == included) {
			return true
		}
	}
	return false
}
