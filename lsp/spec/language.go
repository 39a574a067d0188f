package spec

import (
	"path/filepath"
	"strings"
)

// match returns the language of a base name, and how specific the match is (the length of what matched; whole names
// win).
func (s *Spec) match(base string) (id string, weight int) {
	lower := strings.ToLower(base)
	for _, l := range s.Languages {
		for _, name := range l.FileNames {
			if name == base && len(name)+1000 > weight {
				id, weight = l.ID, len(name)+1000
			}
		}
		for _, ext := range l.Extensions {
			dot := len(lower) - len(ext) - 1
			if dot > 0 && len(ext) > weight && lower[dot] == '.' && lower[dot+1:] == ext {
				id, weight = l.ID, len(ext)
			}
		}
	}
	return id, weight
}

// Serves reports whether the server handles a file of this base name.
func (s *Spec) Serves(base string) bool { return s.LanguageID(base) != "" }

// Extensions returns every extension of every language, in the order of the row.
func (s *Spec) Extensions() []string {
	var out []string
	for _, l := range s.Languages {
		out = append(out, l.Extensions...)
	}
	return out
}

// SourceID reports whether a file of this name is a source of the server's languages, and not one that an editor puts
// beside it: locks and copies have names that begin with a dot.
func (s *Spec) SourceID(base string) bool {
	return s.Serves(base) && filepath.Ext(base) != "" && base[0] != '.'
}
