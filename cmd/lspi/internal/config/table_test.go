package config

import (
	"testing"

	"lspi/catalogue"
	"lspi/contract"
)

// TestRealCatalogue: every row can be named by id and by kind, in both spellings, and comes out as it went in.
func TestRealCatalogue(t *testing.T) {
	for _, spec := range catalogue.Servers() {
		for _, name := range []string{spec.ID, contract.Fold(spec.ID)} {
			w := newWorld(t)
			w.Catalogue = catalogue.Servers()
			w.user("[[servers]]\nid = \"mine\"\nkind = \"" + name + "\"")
			c := w.sound()
			if got := c.Table().Specs[0]; got.ID != "mine" || got.Kind != spec.Kind || got.Title != spec.Title {
				t.Errorf("%s: %+v", name, got)
			}
			if _, err := c.Table().Server(spec.ID); err == nil {
				t.Errorf("%s is there twice", spec.ID)
			}
		}
	}
}
