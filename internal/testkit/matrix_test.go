package testkit

import "testing"

func TestAlways(t *testing.T) {
	for _, c := range []struct {
		mode, part string
		runs       bool
	}{{"", "gopls", true}, {"", "clangd", false}, {"all", "clangd", true}} {
		t.Setenv("LSPI_TESTS", c.mode)
		ran := false
		t.Run("part", func(t *testing.T) {
			Always(t, c.part, "gopls", "pyright")
			ran = true
		})
		if ran != c.runs {
			t.Errorf("%+v: ran is %v", c, ran)
		}
	}
}
