package tsserver

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// projects follows which files the projects of a tree hold, as tsserver tells them (projectInfo): a file that none
// holds gets a project of its own, which knows of nothing else, and answers say nothing of that
// (typescript-language-server 6.0.2).
type projects struct {
	began time.Time     // of the process
	turn  chan struct{} // held by who asks or reads files; it owns what is not guarded by mu

	folders map[string][]string // with a project file → the sources closest to it
	known   map[string]*project // by folder
	served  map[string]bool     // all sources of the tree
	scripts map[string]*script  // what was read of sources
	names   map[string]string   // of the packages of the tree, with their folders
	aliases []string            // how other names for paths begin, as project files give them

	mu    sync.Mutex
	dirty map[string]bool // changed since it was read; guarded by mu
	fresh bool            // the tree was listed, and no file came or went since; guarded by mu
	valid bool            // no file changed since the projects were asked for; guarded by mu
}

// project is what a folder's project file stands for: one project, or several that it refers to.
type project struct {
	files   map[string]bool
	outward map[string]bool // of sources outside of it, as far as anybody asked: whether they import what it may hold
	members []string        // a file of each, to ask with
	sure    bool            // there is no other
	outputs *outputs        // nil until somebody asks
}

func newProjects() *projects {
	return &projects{began: time.Now(), turn: make(chan struct{}, 1), dirty: map[string]bool{}}
}

// changed notes what a sync saw.
func (t *projects) changed(s *lsp.Server, changes []watch.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range changes {
		base := filepath.Base(c.Path)
		config := tsConfig(s.Spec(), base)
		if !config && !s.Spec().Serves(base) {
			continue
		}
		t.dirty[c.Path] = true
		t.valid = false
		t.fresh = t.fresh && !config && c.Kind == watch.Changed
	}
}

// tsConfig reports whether a file decides what projects hold, or what their imports mean.
func tsConfig(spec *spec.Spec, base string) bool {
	return spec.Project.Names(base) || base == "package.json" || source.Match("tsconfig*.json", base)
}

// take makes t true of what the last sync saw, and gives the caller the turn until release is called; release is
// nil when ok is false, which is when ctx ended first. Two notes of changes are used: a file that came or went, or
// a project file that changed, lists the tree anew; any other change only drops what was read of that file, and the
// projects, because new imports may bring other files into them.
func (t *projects) take(ctx context.Context, s *lsp.Server) (release func(), ok bool) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, false
	}
	t.mu.Lock()
	fresh, valid := t.fresh, t.valid
	// Set before the reading: a change that is noted meanwhile sets them back for the next one who takes the turn.
	t.fresh, t.valid = true, true
	for path := range t.dirty {
		delete(t.scripts, path)
	}
	clear(t.dirty)
	t.mu.Unlock()
	if !fresh {
		t.list(s)
	}
	if !valid {
		t.known = map[string]*project{}
	}
	return func() { <-t.turn }, true
}

// list begins anew with all files of the tree.
func (t *projects) list(s *lsp.Server) {
	t.folders, t.scripts, t.names, t.aliases = map[string][]string{}, map[string]*script{}, map[string]string{}, nil
	t.served = map[string]bool{}
	var sources []string
	top := s.Journal().Root()
	for path := range s.Journal().Files() {
		base := filepath.Base(path)
		if s.Folders().Skips(top, path) {
			continue
		}
		if s.Spec().Serves(base) {
			sources = append(sources, path)
			t.served[path] = true
		}
		if s.Spec().Project.Names(base) {
			t.folders[filepath.Dir(path)] = nil
		}
		if tsConfig(s.Spec(), base) {
			t.readConfig(path)
		}
	}
	for _, path := range sources {
		if dir := t.folderOf(path); dir != "" {
			t.folders[dir] = append(t.folders[dir], path)
		}
	}
}

func (t *projects) readConfig(path string) {
	c, ok := typescript.ReadConfig(path)
	switch isPackage := filepath.Base(path) == "package.json"; {
	case isPackage && ok && c.Name != "":
		t.names[c.Name] = filepath.Dir(path)
	case !isPackage && ok:
		t.aliases = append(t.aliases, c.Aliases()...)
	case !isPackage: // half-written: any name may be one for a path
		t.aliases = append(t.aliases, "")
	}
}

// folderOf is the closest folder with a project file, of a path that may be that folder; "" when there is none.
func (t *projects) folderOf(path string) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, ok := t.folders[dir]; ok {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// maxProjectTries bounds the files that are opened to find the projects of a folder: each may make the server load one.
const maxProjectTries = 8

// project is what a folder's project file stands for. asked, which may be "", is open already.
func (t *projects) project(ctx context.Context, s *lsp.Server, folder, asked string) (*project, error) {
	if p := t.known[folder]; p != nil {
		return p, nil
	}
	sources := preferred(s.Spec(), t.folders[folder])
	order := sources
	if slices.Contains(sources, asked) {
		order = append([]string{asked}, sources...)
	}
	search := tsSearch{s: s, read: t.followRead, sources: sources, config: configIn(s.Spec().Project, folder),
		found: map[string]bool{},
		p:     &project{files: map[string]bool{}, outward: map[string]bool{}}}
	// All project files that the folder stands for; the search ends as soon as each was found.
	config, _ := typescript.ReadConfig(search.config)
	expected := append(config.Owners(), search.config)
	missing := func(config string) bool { return !search.found[config] }
	tries, left := 0, false
	for _, path := range order {
		switch {
		case !slices.ContainsFunc(expected, missing), search.p.files[path]:
			continue
		// More files might have another project: the answer is then not sure.
		case tries == maxProjectTries:
			left = true
			continue
		}
		tries++
		if err := search.try(ctx, path); err != nil {
			return nil, err
		}
	}
	search.p.sure = !left
	t.known[folder] = search.p
	return search.p, nil
}

// tsSearch looks for the projects of a folder.
type tsSearch struct {
	s       *lsp.Server
	read    func(s *lsp.Server, files []string) // takes down what the projects hold
	sources []string
	config  string          // the folder's project file
	found   map[string]bool // the project files that projects were found of
	p       *project
}

// try asks by way of a file. One that no project holds makes the server load the folder's project all the same, to look
// for it there. It is closed again.
func (f *tsSearch) try(ctx context.Context, path string) error {
	open := f.s.Documents().IsOpen(path)
	if _, err := f.s.Documents().OpenDocument(ctx, path); err != nil {
		return lsp.UnlessGone(err)
	}
	if !f.found[f.config] {
		if err := f.ask(ctx, path, f.config); err != nil {
			return err
		}
	}
	if f.p.files[path] {
		return nil
	}
	err := f.ask(ctx, path, "")
	if err == nil && !open && !f.p.files[path] {
		return f.s.Documents().Close(ctx, path)
	}
	return err
}

// ask enters the project with a project file, when it is loaded, else that of the file.
func (f *tsSearch) ask(ctx context.Context, path, config string) error {
	arguments := map[string]any{"file": path, "needFileNameList": true}
	if config != "" {
		arguments["projectFileName"] = filepath.ToSlash(config)
	}
	var told struct {
		ConfigFileName string
		FileNames      []string
	}
	if err := Ask(ctx, f.s, "projectInfo", arguments, &told); err != nil {
		return err
	}
	name := filepath.FromSlash(told.ConfigFileName)
	if f.found[name] || !source.Exists(name) { // an inferred project has a name of no file
		return nil
	}
	f.found[name] = true
	f.read(f.s, told.FileNames)
	// tsserver writes all paths with slashes; the keys here are paths of this system.
	own := make(map[string]bool, len(told.FileNames))
	for _, file := range told.FileNames {
		own[filepath.FromSlash(file)] = true
		f.p.files[filepath.FromSlash(file)] = true
	}
	if i := slices.IndexFunc(f.sources, func(path string) bool { return own[path] }); i >= 0 {
		f.p.members = append(f.p.members, f.sources[i])
	}
	return nil
}

func configIn(p *spec.ProjectFile, folder string) string {
	for _, name := range p.Files {
		if path := filepath.Join(folder, name); source.Exists(path) {
			return path
		}
	}
	return ""
}

// preferred sorts sources by how likely a project holds them: by the order of the row's languages, declaration files
// behind; of each folder one before the next of any.
func preferred(sp *spec.Spec, sources []string) []string {
	rank := func(path string) int {
		id := sp.LanguageID(filepath.Base(path))
		n := 2 * slices.IndexFunc(sp.Languages, func(l spec.Language) bool { return l.ID == id })
		if typescript.IsDeclaration(path) {
			n = 3
		}
		return n
	}
	type place struct {
		rank int
		dir  string
	}
	type ranked struct {
		path     string
		rank, at int
	}
	count := map[place]int{}
	all := make([]ranked, len(sources))
	for i, path := range sources {
		in := place{rank(path), filepath.Dir(path)}
		all[i] = ranked{path, in.rank, count[in]}
		count[in]++
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.at, b.at))
	})
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = r.path
	}
	return out
}

// members is [lsp.LoadedProjectHooks].Members.
func (a *Process) members(ctx context.Context, path string) (files []string, sure bool, err error) {
	t, s := a.projects, a.Server
	release, ok := t.take(ctx, s)
	if !ok {
		return nil, false, s.Failure(ctx, "projectInfo", context.Cause(ctx))
	}
	defer release()
	folder := t.folderOf(path)
	if folder == "" {
		return nil, true, nil
	}
	p, err := t.project(ctx, s, folder, "")
	if err != nil {
		return nil, false, err
	}
	files = slices.Clone(p.members)
	if slices.Contains(t.folders[folder], path) && !p.files[path] {
		files = append(files, path)
	}
	return files, p.sure, nil
}
