package lsp

import (
	"path/filepath"
	"slices"
	"strings"
)

// ProjectFetch is what a server fetches over the network because files of a project say so, in a trusted workspace; in others
// [Restriction] keeps it from that.
type ProjectFetch struct {
	What string // for people: "the schema that a file names by URL"
	// Extensions of the files that make it fetch; nil means all files of the server.
	Extensions []string
	Texts      []string // one of which such a file holds; nil means any text
	Beside     string   // a file that has to be in the project's root; "" for none
	Unless     []string // files in the root with which it does not
}

// Fetches are what the server may fetch because of a file. The file is read as it is on disk.
func Fetches(s *Server, path string) (out []ProjectFetch) {
	for _, f := range fetches(s.spec) {
		if f.by(s, path) {
			out = append(out, f)
		}
	}
	return out
}

// FetchedBy is what a server may fetch because of files of its workspace, for people; nil when that is not trusted.
func FetchedBy(spec *Spec) (out []string) {
	for _, f := range fetches(spec) {
		out = append(out, f.What)
	}
	return out
}

func fetches(spec *Spec) []ProjectFetch {
	if spec.Code == nil || len(spec.Untrusted) > 0 {
		return nil
	}
	return spec.Code.Fetches
}

func (f ProjectFetch) by(s *Server, path string) bool {
	in := func(name string) bool { return Exists(filepath.Join(s.root, name)) }
	if f.Extensions != nil && !slices.Contains(f.Extensions, strings.TrimPrefix(filepath.Ext(path), ".")) ||
		f.Beside != "" && !in(f.Beside) || slices.ContainsFunc(f.Unless, in) || s.spec.LanguageID(baseName(path)) == "" {
		return false
	}
	if f.Texts == nil {
		return true
	}
	text, err := s.texts.Load(path, s.reach)
	return err == nil && slices.ContainsFunc(f.Texts, func(t string) bool { return strings.Contains(text.Content(), t) })
}
