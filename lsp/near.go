package lsp

import (
	"path/filepath"
	"slices"
	"strings"
)

// The files besides those of a trial that it may break. A server that tells of all files needs none to be named. One that
// is asked for each file is asked about all that it has, when they are few, else about those that hold the name of a
// changed one: who uses a file names it in nearly every language (an import, an include, a module path).

// The bounds of what is looked at: a server that has to open and build each file is asked about few.
const (
	maxNear      = 24
	maxNearBuilt = 8
)

// near are further files to look at in a trial. all is false when there are others that it may break.
func (s *Server) near(texts trial) (near []string, all bool) {
	means := s.spec.Diagnostics
	switch {
	case s.tellsAll():
		return nil, true
	case !s.answersAnew():
		return nil, len(s.served(texts, 1)) == 0
	}
	limit := maxNear
	if means.Rebuild {
		limit = maxNearBuilt
	}
	if others := s.served(texts, limit+1); len(others) <= limit {
		return others, true
	}
	near = s.naming(texts, limit)
	return near, false
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
		if texts[path] != nil || !s.spec.Serves(baseName(path)) || !s.inside(path) || s.built(path) {
			continue
		}
		if out = append(out, path); len(out) > maxSearched {
			break
		}
	}
	slices.Sort(out)
	return out[:min(len(out), limit)]
}

// naming are files that hold the name of one of the trial's as a word, those that are open first.
func (s *Server) naming(texts trial, limit int) []string {
	var names []string
	for path := range texts {
		names = append(names, stem(path))
	}
	all := s.served(texts, maxSearched)
	slices.SortStableFunc(all, func(a, b string) int { return s.openFirst(a) - s.openFirst(b) })
	var out []string
	for _, path := range all {
		text, err := ReadText(path)
		if err == nil && slices.ContainsFunc(names, func(name string) bool { return hasWord(text.content, name) }) {
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
