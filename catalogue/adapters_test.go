package catalogue

import (
	"slices"
	"testing"

	"lspi/lsp/spec"
)

// An adapter that belongs to no row would never be made.
func TestAdaptersBelongToRows(t *testing.T) {
	for id := range launchers {
		if !slices.ContainsFunc(Servers(), func(s spec.Spec) bool { return s.ID == id && s.Kind == id }) {
			t.Errorf("no row has the id %s", id)
		}
	}
}
