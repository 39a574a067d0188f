package catalogue

import (
	"testing"

	"lspi/lang"
)

// A language of the table that no row has is a misspelt one, or is named here as one whose texts are read without a server.
func TestEachLanguageHasAServer(t *testing.T) {
	known := map[string]bool{"zsh": true, "groovy": true, "lisp": true, "ini": true, "plaintext": true}
	for _, spec := range Servers() {
		for _, l := range spec.Languages {
			known[l.ID] = true
			if lang.ByID(l.ID).ID == "" {
				t.Errorf("%s: the table of languages has no %q", spec.ID, l.ID)
			}
		}
	}
	for _, l := range lang.All() {
		if !known[l.ID] {
			t.Errorf("no server of the catalogue knows the language %q", l.ID)
		}
	}
	for _, code := range []string{"go", "cpp", "rust", "python", "typescript", "java"} {
		if OptionalLanguage(code) {
			t.Errorf("%s is code", code)
		}
	}
}
