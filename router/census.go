package router

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/disk"
	"lspi/lsp"
	"lspi/lsp/watch"
)

// Census counts the files of a workspace by what serves them. What is decided for a kind of name is not decided again,
// so that a large tree costs one lookup in a map per file. It is used by one goroutine.
type Census struct {
	Folders int // with files of any kind; only from [Survey]

	table  *Table
	files  disk.Files
	names  map[string]bool // whole names that some server knows
	kinds  map[string]*Kind
	marks  map[*lsp.Spec]map[string]bool // servers that demand a marker → folders in which it was looked for
	marked map[*lsp.Spec]bool            // of those, the ones that have it somewhere
}

// Survey counts the workspace's own files: what git does not ignore, outside of dependencies and dot folders, where
// caches and environments are. It walks the tree once, watches nothing, and gives what it has when ctx ends, with the
// error.
func Survey(ctx context.Context, t *Table, files disk.Files) (*Census, error) {
	c := NewCensus(t, files)
	j := watch.Open(t.Workspace, watch.Options{Mode: watch.Compare, SkipDir: func(path string) bool {
		return path != t.Workspace && (skipDir(path) || strings.HasPrefix(filepath.Base(path), ".") || c.builds(path))
	}})
	defer j.Close()
	_, err := j.Barrier(ctx)
	folder := ""
	for path := range j.Files() {
		if dir := filepath.Dir(path); dir != folder {
			folder = dir
			c.Folders++
		}
		c.Add(path)
	}
	return c, err
}

// builds reports whether a folder is where a project beside it builds: target beside Cargo.toml, but no package of that
// name elsewhere.
func (c *Census) builds(path string) bool {
	dir, base := filepath.Split(path)
	for i := range c.table.Specs {
		spec := &c.table.Specs[i]
		if !slices.Contains(spec.SkipDirs, base) {
			continue
		}
		for _, group := range spec.Roots.Groups {
			for _, marker := range group.Files {
				if marker != ".git" && !strings.Contains(marker, "/") && c.files.Has(filepath.Clean(dir), marker) {
					return true
				}
			}
		}
	}
	return false
}

// Kind is one kind of file, such as "*.go" or go.mod.
type Kind struct {
	Language   string      // LSP language identifier, as the first server for navigation has it; "" when there is none
	Candidates []*lsp.Spec // in order of preference; servers that demand a marker which is nowhere are left out
	Files      int
	Samples    []string // the first files, absolute
}

const (
	// maxSamples bounds Kind.Samples.
	maxSamples = 32
	// maxMarkerFolders bounds in how many folders a marker is looked for that a server demands.
	maxMarkerFolders = 64
)

// NewCensus begins to count; files are added with [Census.Add].
func NewCensus(table *Table, files disk.Files) *Census {
	c := &Census{table: table, files: files, names: map[string]bool{}, kinds: map[string]*Kind{},
		marks: map[*lsp.Spec]map[string]bool{}, marked: map[*lsp.Spec]bool{}}
	for i := range table.Specs {
		for _, l := range table.Specs[i].Languages {
			for _, name := range l.FileNames {
				c.names[name] = true
			}
		}
	}
	return c
}

// Add counts the file at path, absolute.
func (c *Census) Add(path string) {
	k := c.kind(filepath.Base(path))
	if len(k.Candidates) == 0 {
		return
	}
	k.Files++
	if len(k.Samples) < maxSamples {
		k.Samples = append(k.Samples, path)
	}
	for _, spec := range k.Candidates {
		if spec.Roots.Required && !c.marked[spec] {
			c.look(spec, path)
		}
	}
}

// kind is the kind of a base name: the name itself where some server knows it whole, else all from its first dot on.
func (c *Census) kind(base string) *Kind {
	key := base
	if dot := strings.IndexByte(base[1:], '.'); dot >= 0 && !c.names[base] {
		key = strings.ToLower(base[1+dot:])
	}
	k := c.kinds[key]
	if k == nil {
		k = &Kind{Candidates: c.table.Candidates(base)}
		for _, spec := range k.Candidates {
			if spec.Roles.Has(lsp.RoleNavigation) {
				k.Language = spec.LanguageID(base)
				break
			}
		}
		c.kinds[key] = k
	}
	return k
}

// look asks the routes of a file whether the marker that the server demands is there.
func (c *Census) look(spec *lsp.Spec, path string) {
	seen := c.marks[spec]
	if seen == nil {
		seen = map[string]bool{}
		c.marks[spec] = seen
	}
	dir := filepath.Dir(path)
	if seen[dir] || len(seen) >= maxMarkerFolders {
		return
	}
	seen[dir] = true
	routes, _ := c.table.Route(c.files, path)
	c.marked[spec] = slices.ContainsFunc(routes, func(r Route) bool { return r.Spec == spec })
}

// Kinds lists what was counted, the kinds with most files first.
func (c *Census) Kinds() []Kind {
	var out []Kind
	for _, key := range slices.Sorted(maps.Keys(c.kinds)) {
		k := *c.kinds[key]
		k.Candidates = slices.DeleteFunc(slices.Clone(k.Candidates), func(s *lsp.Spec) bool {
			return s.Roots.Required && !c.marked[s]
		})
		if len(k.Candidates) > 0 {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b Kind) int { return b.Files - a.Files })
	return out
}
