package lsp

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Withheld is the code of the project of s, in a workspace that is not trusted, which it does not run and without
// which an answer to method may lack something; nil when there is none. It looks at the files as they were at the
// last sync.
func Withheld(s *Server, method string) (out []spec.ProjectRun) {
	sp := s.spec
	// In a trusted workspace nothing is withheld.
	if len(sp.Untrusted) == 0 || sp.Code == nil {
		return nil
	}
	for _, run := range sp.Code.Runs {
		if slices.Contains(run.Methods, method) && s.code.has(run) &&
			// What is lost is told once, however many kinds of code would bring it.
			!slices.ContainsFunc(out, func(o spec.ProjectRun) bool { return o.Loss == run.Loss }) {
			out = append(out, run)
		}
	}
	return out
}

// Fetches are what the server may fetch because of a file. The file is read as it is on disk.
func Fetches(s *Server, path string) (out []spec.ProjectFetch) {
	for _, f := range spec.Fetches(s.spec) {
		if makesFetch(f, s, path) {
			out = append(out, f)
		}
	}
	return out
}

// makesFetch reports whether a file makes the server fetch something. What costs nothing is looked at first, the
// text last.
func makesFetch(f spec.ProjectFetch, s *Server, path string) bool {
	in := func(name string) bool { return source.Exists(filepath.Join(s.folders.root, name)) }
	if f.Extensions != nil && !slices.Contains(f.Extensions, strings.TrimPrefix(filepath.Ext(path), ".")) ||
		f.Beside != "" && !in(f.Beside) || slices.ContainsFunc(f.Unless, in) ||
		s.spec.LanguageID(baseName(path)) == "" {
		return false
	}
	if f.Texts == nil {
		return true
	}
	text, err := s.docs.texts.Load(path, s.docs.reach)
	return err == nil && slices.ContainsFunc(f.Texts, func(t string) bool {
		return strings.Contains(text.Content(), t)
	})
}
