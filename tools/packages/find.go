package packages

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
)

// The bounds of a look for a package: sources that are read for an import of it, files of it, and the time for
// what they pass on.
const (
	maxImporting = 200
	maxFiles     = 120
	passedTime   = 12 * time.Second
)

// File is a source of a package.
type File struct {
	Path  string
	Names map[string]bool // the declarations of it that the package offers; nil for all that it exports
}

// Found are the sources of a package, the most important first.
type Found struct {
	Files []File
	Left  int // files that the bounds left out, and names that lead nowhere
}

// Importing returns a source of the language that imports a package, with the place of the name there; else one
// that does not, to ask from; "" when there is none.
func Importing(ctx context.Context, c *answer.Call, f *Form, name, within string) (path string, at contract.Position) {
	root := c.Workspace.Root
	if within != "" {
		root = within
	}
	j := c.Workspace.Pool.Journal(root)
	if j == nil {
		return "", at
	}
	if _, err := j.Barrier(ctx); err != nil {
		return "", at
	}
	var all []string
	for file := range j.Files() {
		if f.Serves(file) && (within == "" || source.Within(within, file) || file == within) {
			all = append(all, file)
		}
	}
	slices.Sort(all)
	read := 0
	held, _, _ := c.Workspace.Words(root).Holding(ctx, f.Word(name))
	for _, h := range held {
		if !slices.Contains(all, h.Path) || read == maxImporting {
			continue
		}
		read++
		text, err := c.Workspace.Text(h.Path)
		if err != nil {
			continue
		}
		if offset := f.Site(h.Path, text.Content(), name); offset >= 0 {
			return h.Path, text.PositionAt(offset)
		}
	}
	if len(all) == 0 {
		return "", at
	}
	return all[0], at
}

// Find returns the sources of a package, asked from a source of the workspace; at is where that imports it, the zero
// value where it does not.
func Find(ctx context.Context, c *answer.Call, s *lsp.Snapshot, f *Form, name, from string,
	at contract.Position) (Found, error) {
	entry := ""
	if at.Line > 0 {
		places, err := s.Locate(ctx, lsp.MethodDefinition, from, at)
		if err != nil && lsp.FatalAnswer(err) {
			return Found{}, err
		}
		for _, p := range places {
			if p.Err == nil && !p.Gone && p.Path != from && entry == "" {
				entry = p.Path
			}
		}
	}
	var known []string
	if entry == "" {
		l := &place{from: from, root: c.Workspace.Root, dependencies: s.Dependencies(), read: func(path string) string {
			text, err := c.Workspace.Text(path)
			if err != nil {
				return ""
			}
			return text.Content()
		}}
		entry, known = f.find(l, f.bare(name))
	}
	if entry != "" {
		if _, err := s.Documents().Text(entry); err != nil {
			entry = ""
		}
	}
	if entry == "" {
		return Found{}, unknown(s, name, known)
	}
	out, err := f.files(ctx, c, s, entry)
	if strings.HasPrefix(name, "<") { // the parts of a library's header are included in any order
		word := f.Word(name)
		slices.SortStableFunc(out.Files, func(a, b File) int { return rank(a.Path, word) - rank(b.Path, word) })
	}
	return out, err
}

// unknown is the error for a package that is not found, with the names like it.
func unknown(s *lsp.Snapshot, name string, known []string) error {
	slices.Sort(known)
	near := []string{}
	if like := contract.Closest(name, slices.Compact(known)); like != "" {
		near = append(near, like)
	}
	return contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": name, "closest": near},
		"there is no file, folder or package %s: no source imports such a package, and %s has none where dependencies lie",
		name, s.ID())
}

// files returns the sources of a package by its first one, with those from which they pass names on.
func (f *Form) files(ctx context.Context, c *answer.Call, s *lsp.Snapshot, entry string) (out Found, err error) {
	var names []string
	if f.folder {
		all, _ := os.ReadDir(filepath.Dir(entry))
		for _, e := range all {
			names = append(names, e.Name())
		}
	}
	until := time.Now().Add(passedTime)
	seen := map[string]int{}
	add := func(path, name string) (fresh bool) {
		n, ok := seen[path]
		if !ok {
			if len(out.Files) == maxFiles {
				out.Left++
				return false
			}
			n = len(out.Files)
			seen[path], out.Files = n, append(out.Files, File{Path: path, Names: map[string]bool{}})
		}
		whole := ok && out.Files[n].Names == nil
		if name == "" {
			out.Files[n].Names = nil
			return !whole
		}
		if !whole {
			out.Files[n].Names[name] = true
		}
		return false
	}
	next := f.sources(entry, names)
	for _, path := range next {
		if text, err := s.Documents().Text(path); err == nil && builds(c, path, text.Content()) {
			add(path, "")
		}
	}
	for ; f.passes != nil && len(next) > 0; next = next[1:] {
		text, err := s.Documents().Text(next[0])
		if err != nil {
			continue
		}
		for _, p := range f.passes(text.Path, text.Content()) {
			if time.Now().After(until) {
				out.Left++
				return out, nil
			}
			places, err := s.Locate(ctx, lsp.MethodDefinition, next[0], text.PositionAt(p.At))
			if err != nil && lsp.FatalAnswer(err) {
				return out, err
			}
			if len(places) == 0 { // such as a module that is not installed
				out.Left++
			}
			for _, to := range places {
				if to.Err != nil || to.Gone || to.Path == next[0] {
					continue
				}
				if p.All && add(to.Path, "") {
					next = append(next, to.Path)
				} else if !p.All {
					add(to.Path, s.Documents().WordAt(to.Path, to.Range.Start))
				}
			}
		}
	}
	return out, nil
}

// builds reports whether the build of this system takes in a source of Go; other languages leave nothing out.
func builds(c *answer.Call, path, text string) bool {
	if !strings.HasSuffix(path, ".go") {
		return true
	}
	in := golang.Build(func(name string) string { return spec.Variable(c.Workspace.Table.Environ, name) })
	return golang.Matches(in, filepath.Base(path), text)
}
