package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/source"
)

// The files besides those of a trial that it may break. A server that tells of all files needs none to be named. One that
// is asked for each file is asked about all that it has, when they are few, else about those that use what changes, and
// where these could not all be found also about those that hold the name of a changed one: who uses a file names it in nearly
// every language (an import, an include, a module path).

// The bounds of what is looked at: a server that has to open and build each file is asked about few.
const (
	maxNear      = 24
	maxNearBuilt = 8
)

// near are further files to look at in a trial. all is false when there are others that it may break.
func (s *Server) near(ctx context.Context, texts trial, known *Users) (near []string, all bool) {
	switch {
	case s.tellsAll():
		return nil, true
	case !s.answersAnew():
		return nil, len(s.served(texts, 1)) == 0
	}
	limit, apart := s.spec.Diagnostics.near(), known != nil && known.Apart
	if others := s.served(texts, limit+1); len(others) <= limit {
		return others, !apart
	}
	if known == nil || apart {
		known = &Users{}
		if s.spec.Diagnostics.Trial == nil { // else this process has no index
			*known = s.users(ctx, texts, limit)
		}
	}
	named := texts
	if known.All { // but a new file may take the place of another where its name is imported
		named = fresh(texts)
	}
	near = known.Files
	for _, path := range s.naming(named, texts, limit+1) {
		if !slices.Contains(near, path) {
			near = append(near, path)
		}
	}
	return near[:min(len(near), limit)], known.All && len(near) <= limit && !apart
}

// fresh are the texts of files that are not there.
func fresh(texts trial) trial {
	out := trial{}
	for path, text := range texts {
		if _, err := os.Stat(path); err != nil {
			out[path] = text
		}
	}
	return out
}

// near is how many files are looked at in a trial.
func (d Diagnostics) near() int {
	if d.Rebuild {
		return maxNearBuilt
	}
	return maxNear
}

// WantsUsers is how many users of what texts change this server would look at in a trial; 0 when it would look at all of
// its files.
func (s *Server) WantsUsers(texts map[string]string) int {
	changed := trial{}
	for path, content := range texts {
		changed[path] = source.New(path, content)
	}
	limit := s.spec.Diagnostics.near()
	if s.tellsAll() || !s.answersAnew() || len(s.served(changed, limit+1)) <= limit {
		return 0
	}
	return limit
}

// answersAnew reports whether the server says something new of a file when another one changed: it is asked for it, or is
// made to build it anew with what others see of unsaved texts.
func (s *Server) answersAnew() bool {
	means := s.spec.Diagnostics
	return means.Pull && s.Offers(MethodDocumentDiag) || means.TSServer != "" && s.offers.executes(means.TSServer) ||
		means.Rebuild && means.Trial != nil
}

// served are files of the server besides those of the trial, sorted, at most limit.
func (s *Server) served(texts trial, limit int) []string {
	var out []string
	for path := range s.journal.Files() {
		if texts[path] != nil || !mayNotice(s, path) {
			continue
		}
		if out = append(out, path); len(out) > maxSearched {
			break
		}
	}
	slices.Sort(out)
	return out[:min(len(out), limit)]
}

// mayNotice reports whether a file is one that an edit of another may break, and the server can tell of. To one that loads projects by
// the files that are open its folders mean nothing.
func mayNotice(s *Server, path string) bool {
	if !s.spec.Serves(baseName(path)) || s.built(path) {
		return false
	}
	_, below := source.RelativeTo(s.journal.Root(), path)
	return s.inside(path) || s.tsProjects != nil && below && !s.skipped(s.journal.Root(), path)
}

// naming are files that hold the name of one of these as a word, besides those of the trial, those that are open first.
func (s *Server) naming(named, texts trial, limit int) []string {
	var names []string
	for path := range named {
		names = append(names, stem(path))
	}
	all := s.served(texts, maxSearched)
	slices.SortStableFunc(all, func(a, b string) int { return s.openFirst(a) - s.openFirst(b) })
	var out []string
	for _, path := range all {
		text, err := source.Read(path)
		if err == nil && slices.ContainsFunc(names, func(name string) bool { return source.HasWord(text.Content(), name) }) {
			if out = append(out, path); len(out) == limit {
				break
			}
		}
	}
	return out
}

func (s *Server) openFirst(path string) int {
	if s.docs.text(path) != nil {
		return 0
	}
	return 1
}

// folderNames are files that are named by their folder.
var folderNames = []string{"index", "mod", "lib", "main", "__init__"}

// stem is the word by which others name a file.
func stem(path string) string {
	name, _, _ := strings.Cut(baseName(path), ".")
	if slices.Contains(folderNames, name) {
		return baseName(filepath.Dir(path))
	}
	return name
}
