package overlay

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// The files besides the edited ones that an edit may break. A server that reports on all files needs none to be
// named. One that is asked for each file is asked about all that it has, when they are few, else about those that
// use what changes, and where these could not all be found also about those that hold the name of a changed one:
// who uses a file names it in nearly every language (an import, an include, a module path).

// The bounds of what is looked at. A server that has to open and build each file (clangd) is asked about few.
const (
	maxAsked = 24
	maxBuilt = 8

	maxFiles = 5000 // files of which the names are read
)

// filesToAsk returns the files to ask about besides the edited ones. all is false when the edit may
// break others; searched is false when the time was over before the search was done.
func (c *check) filesToAsk(ctx context.Context, o *Options) (files []string, all, searched bool) {
	limit := maxLooked(c.s.Spec().Diagnostics)
	// One more than the limit, to tell "all of them" from "too many". In a small project every file is looked at,
	// and nobody has to search.
	if others := c.others(limit + 1); len(others) <= limit {
		return others, !o.Apart, true
	}
	var known Dependents
	switch {
	case o.Users != nil && !o.Apart:
		known = o.Users(ctx, limit)
	// The references of a process that only tries texts would be of the edited files alone, and an empty result
	// would be taken for "nobody uses it".
	case c.s.Spec().Diagnostics.Overlay == nil:
		known = c.referencing(ctx, limit)
	}
	if known.Cut && o.ForUsers > 0 {
		return known.Files, false, false
	}
	named := c.texts
	if known.All { // but a new file may take the place of another where its name is imported
		named = absent(c.texts)
	}
	// Those found by references first: when there are too many, the certain ones are looked at.
	files = known.Files
	for _, path := range c.naming(named, limit+1) {
		if !slices.Contains(files, path) {
			files = append(files, path)
		}
	}
	// All three are needed: every user was found, every one is looked at, and no other project has some.
	return files[:min(len(files), limit)], known.All && len(files) <= limit && !o.Apart, true
}

// Includers returns sources that are compiled with the text of a changed file that they include: at most as many as a
// check of the change would look at, the nearest first. An error may show in one that does not name what changes (a
// loop over a range, a template's argument).
func Includers(s *lsp.Snapshot, changed []string) []string {
	includes := s.Hooks().Includes
	if includes == nil || !slices.ContainsFunc(changed, func(path string) bool { return !includes.IsSource(path) }) {
		return nil
	}
	except := lsp.Texts{}
	for _, path := range changed {
		except[path] = source.New(path, "")
	}
	out := slices.DeleteFunc(MaySee(s, filesOf(s, except), changed), func(path string) bool {
		return !includes.IsSource(path)
	})
	slices.SortStableFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a, changed), distance(b, changed)), cmp.Compare(a, b))
	})
	return out[:min(len(out), maxLooked(s.Spec().Diagnostics))]
}

// distance counts the folders between a file and the nearest of others.
func distance(path string, others []string) int {
	least := -1
	for _, other := range others {
		between, err := filepath.Rel(filepath.Dir(other), filepath.Dir(path))
		if n := len(strings.Split(between, string(filepath.Separator))); err == nil && (least < 0 || n < least) {
			least = n
			if between == "." {
				return 0
			}
		}
	}
	return least
}

// absent returns the texts of files that are not on disk.
func absent(texts lsp.Texts) lsp.Texts {
	out := lsp.Texts{}
	for path, text := range texts {
		if _, err := os.Stat(path); err != nil {
			out[path] = text
		}
	}
	return out
}

// maxLooked returns how many files besides the edited ones a server is asked about.
func maxLooked(d spec.Diagnostics) int {
	if d.Rebuild {
		return maxBuilt
	}
	return maxAsked
}

// others returns files of the server besides the edited ones, sorted, at most limit.
func (c *check) others(limit int) []string {
	out := filesOf(c.s, c.texts)
	return out[:min(len(out), limit)]
}

// filesOf returns the files of a server that an edit of others may break, sorted; one more than
// maxFiles shows that there are more.
func filesOf(s *lsp.Snapshot, except lsp.Texts) (out []string) {
	for path := range s.Folders().Files() {
		if except[path] != nil || !s.Projects().MayReport(path) {
			continue
		}
		// One more than the bound shows the caller that it was reached.
		if out = append(out, path); len(out) > maxFiles {
			break
		}
	}
	slices.Sort(out)
	return out
}

// naming returns files besides the edited ones that hold the name of one of named as a word; open files
// come first.
func (c *check) naming(named lsp.Texts, limit int) []string {
	var names []string
	for path := range named {
		names = append(names, stem(path))
	}
	openFirst := func(path string) int {
		if c.s.Documents().IsOpen(path) {
			return 0
		}
		return 1
	}
	all := c.others(maxFiles)
	// What is open costs no further parse, and somebody works at it.
	slices.SortStableFunc(all, func(a, b string) int { return openFirst(a) - openFirst(b) })
	var out []string
	for _, path := range all {
		text, err := source.Read(path)
		if err == nil && slices.ContainsFunc(names, func(name string) bool {
			return source.HasWord(text.Content(), name)
		}) {
			if out = append(out, path); len(out) == limit {
				break
			}
		}
	}
	return out
}

// stem returns the word by which others name a file. An import of a folder ("./models") means the index
// file in it.
func stem(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	if slices.Contains(lang.FolderNames, name) {
		return filepath.Base(filepath.Dir(path))
	}
	return name
}
