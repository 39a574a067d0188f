package catalogue

import "testing"

// A name that no row has is a misspelt one.
func TestOptionalLanguagesAreKnown(t *testing.T) {
	known := map[string]bool{}
	for _, spec := range Servers() {
		for _, l := range spec.Languages {
			known[l.ID] = true
		}
	}
	for id := range optionalLanguages {
		if !known[id] {
			t.Errorf("no server of the catalogue knows the language %q", id)
		}
	}
	for _, code := range []string{"go", "cpp", "rust", "python", "typescript", "java"} {
		if OptionalLanguage(code) {
			t.Errorf("%s is code", code)
		}
	}
}
