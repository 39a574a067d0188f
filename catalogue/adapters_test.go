package catalogue

import (
	"slices"
	"testing"

	"lspi/lsp"
)

// An adapter that belongs to no row would never be made.
func TestAdaptersBelongToRows(t *testing.T) {
	for id := range adapters {
		if !slices.ContainsFunc(Servers(), func(s lsp.Spec) bool { return s.ID == id && s.Kind == id }) {
			t.Errorf("no row has the id %s", id)
		}
	}
}
