package router

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// Survey counts the files of a workspace by the servers that serve them. Candidates are looked up once for each kind
// of name, so that a large tree costs one lookup in a map per file. One goroutine uses it.
type Survey struct {
	Folders   int      // that hold files of any kind; SurveyWorkspace sets it
	Manifests []string // the files that name dependencies ([spec.Packages].Manifest), absolute, at most 256

	table  *Table
	files  source.Files
	names  map[string]bool // file names that some server serves by the whole name
	lists  map[string]bool // file names of manifests
	kinds  map[string]*FileKind
	marks  map[*spec.Spec]map[string]bool // servers that require a marker → folders from which it was looked for
	marked map[*spec.Spec]bool            // of those, the ones for which it was found
}

// SurveyWorkspace counts the workspace's own files, in all of its roots: those that git does not ignore, outside of
// dependencies and of hidden folders, where caches and environments are. It walks the trees once and watches nothing.
// When ctx ends it returns what it has counted so far, with the error.
func SurveyWorkspace(ctx context.Context, t *Table, files source.Files) (*Survey, error) {
	c := NewSurvey(t, files)
	for _, root := range t.Allowed() {
		if slices.ContainsFunc(t.Allowed(), func(other string) bool {
			_, below := source.RelativeTo(other, root)
			return below && other != root
		}) {
			continue
		}
		if err := c.walk(ctx, root); err != nil {
			return c, err
		}
	}
	return c, nil
}

// walk counts the files of one root.
func (s *Survey) walk(ctx context.Context, root string) error {
	j := watch.Open(root, watch.Options{Mode: watch.Compare, SkipDir: func(path string) bool {
		return path != root && (NeverWatched(path) || strings.HasPrefix(filepath.Base(path), ".") || s.builds(path))
	}})
	defer j.Close()
	_, err := j.Barrier(ctx)
	folder := ""
	for path := range j.Files() {
		if dir := filepath.Dir(path); dir != folder {
			folder = dir
			s.Folders++
		}
		s.Add(path)
	}
	return err
}

// builds reports whether a folder is the output of a project beside it: target beside Cargo.toml, but not a package
// of that name elsewhere.
func (s *Survey) builds(path string) bool {
	dir, base := filepath.Split(path)
	for i := range s.table.Specs {
		spec := &s.table.Specs[i]
		if !slices.Contains(spec.SkipDirs, base) {
			continue
		}
		for _, group := range spec.Roots.Groups {
			for _, marker := range group.Files {
				if marker != ".git" && !strings.Contains(marker, "/") && s.files.Has(filepath.Clean(dir), marker) {
					return true
				}
			}
		}
	}
	return false
}

// FileKind is one kind of file, such as "*.go" or go.mod.
type FileKind struct {
	Language   string       // LSP language identifier at the first server for navigation; "" when there is none
	Candidates []*spec.Spec // in order of preference; a server whose required marker was not found is left out
	Files      int
	Samples    []string // the first files, absolute

	folders map[string]*Project // its files by their folders; of one project each
}

// Project is a part of a workspace for which a server answers on its own: the files that share a root.
type Project struct {
	Root  string // absolute
	Files int
	First string // absolute
	// NoMarker: no project file leads to the root, which is the allowed root or the working tree that holds the files
	NoMarker bool
}

const (
	// maxSamples bounds FileKind.Samples.
	maxSamples = 32
	// maxMarkerFolders bounds from how many folders the marker of a server that requires one is looked for: a tree
	// without it would else cost a search in every folder.
	maxMarkerFolders = 64
	// maxManifests bounds Survey.Manifests.
	maxManifests = 256
)

// NewSurvey returns an empty survey; [Survey.Add] counts files.
func NewSurvey(table *Table, files source.Files) *Survey {
	c := &Survey{table: table, files: files, names: map[string]bool{}, lists: map[string]bool{},
		kinds: map[string]*FileKind{},
		marks: map[*spec.Spec]map[string]bool{}, marked: map[*spec.Spec]bool{}}
	for i := range table.Specs {
		if p := table.Specs[i].Packages; p != nil && p.Manifest != "" {
			c.lists[p.Manifest] = true
		}
		for _, l := range table.Specs[i].Languages {
			for _, name := range l.FileNames {
				c.names[name] = true
			}
		}
	}
	return c
}

// Add counts the file at path, which is absolute.
func (s *Survey) Add(path string) {
	base := filepath.Base(path)
	if s.lists[base] && len(s.Manifests) < maxManifests {
		s.Manifests = append(s.Manifests, path)
	}
	k := s.kind(base)
	if len(k.Candidates) == 0 {
		return
	}
	k.Files++
	dir := filepath.Dir(path)
	if k.folders[dir] == nil {
		k.folders[dir] = &Project{First: path}
	}
	k.folders[dir].Files++
	if len(k.Samples) < maxSamples {
		k.Samples = append(k.Samples, path)
	}
	for _, spec := range k.Candidates {
		if spec.Roots.Required && !s.marked[spec] {
			s.lookForMarker(spec, path)
		}
	}
}

// kind returns the kind of a base name: the whole name where some server knows it, else all from its first dot on.
func (s *Survey) kind(base string) *FileKind {
	key := base
	if dot := strings.IndexByte(base[1:], '.'); dot >= 0 && !s.names[base] {
		key = strings.ToLower(base[1+dot:])
	}
	k := s.kinds[key]
	if k == nil {
		k = &FileKind{Candidates: s.table.Candidates(base), folders: map[string]*Project{}}
		for _, sp := range k.Candidates {
			if sp.Roles.Has(spec.RoleNavigation) {
				k.Language = sp.LanguageID(base)
				break
			}
		}
		s.kinds[key] = k
	}
	return k
}

// lookForMarker routes a file to find out whether a server's required marker is there.
func (s *Survey) lookForMarker(spec *spec.Spec, path string) {
	seen := s.marks[spec]
	if seen == nil {
		seen = map[string]bool{}
		s.marks[spec] = seen
	}
	dir := filepath.Dir(path)
	if seen[dir] || len(seen) >= maxMarkerFolders {
		return
	}
	seen[dir] = true
	routes, _ := s.table.Route(s.files, path)
	s.marked[spec] = slices.ContainsFunc(routes, func(r Route) bool { return r.Spec == spec })
}

// Projects is the map of what a server takes in: its projects with their files, by root. A file of several kinds of
// projects, such as one that a go.work and a go.mod cover, is of the one by which a question about it is answered. It
// is nil for a server that needs no project file and has none here.
func (s *Survey) Projects(server *spec.Spec) []Project {
	files := source.View(s.files) // many folders look for their markers in the same ones
	type key struct {
		root   string
		marked bool
	}
	byRoot := map[key]*Project{}
	for _, k := range s.kinds {
		if !slices.Contains(k.Candidates, server) {
			continue
		}
		for _, in := range k.folders {
			if !reaches(server, in.First) {
				continue
			}
			root, found := Root(files, server, in.First, s.table.RootOf(in.First))
			if !found && server.Roots.Required {
				continue
			}
			p := byRoot[key{root, found}]
			if p == nil {
				p = &Project{Root: root, First: in.First, NoMarker: !found}
				byRoot[key{root, found}] = p
			}
			p.Files, p.First = p.Files+in.Files, min(p.First, in.First)
		}
	}
	var out []Project
	for _, p := range byRoot {
		out = append(out, *p)
	}
	if server.Project == nil && !slices.ContainsFunc(out, func(p Project) bool { return !p.NoMarker }) {
		return nil // such as a formatter without its configuration
	}
	slices.SortFunc(out, func(a, b Project) int {
		return cmp.Or(strings.Compare(a.Root, b.Root), strings.Compare(a.First, b.First))
	})
	return out
}

// Kinds lists the kinds of files that some server serves, those with most files first.
func (s *Survey) Kinds() []FileKind {
	var out []FileKind
	for _, key := range slices.Sorted(maps.Keys(s.kinds)) {
		k := *s.kinds[key]
		k.Candidates = slices.DeleteFunc(slices.Clone(k.Candidates), func(spec *spec.Spec) bool {
			return spec.Roots.Required && !s.marked[spec]
		})
		if len(k.Candidates) > 0 {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b FileKind) int { return b.Files - a.Files })
	return out
}
