package gopls

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

// A source is parsed once, and one with an error is known with the words that it holds until its text changes.
func TestSourcesThatDoNotParse(t *testing.T) {
	dir, rules := t.TempDir(), &goBuild{}
	write := func(base, text string) string {
		path := filepath.Join(dir, base)
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good, bad := write("good.go", "package p\n\nvar Name int\n"), write("bad.go", "package p\n\nfunc F( { Name() }\n")
	var x syntax
	for _, path := range []string{good, bad, filepath.Join(dir, "gone.go")} {
		x.begin(path, dir)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if x.parse(ended, rules, "Name") {
		t.Error("nothing was parsed, and all is known")
	}
	if !x.parse(t.Context(), rules, "Name") || len(x.unknown) != 0 || len(x.broken) != 1 ||
		!x.broken[bad].mentions.Words["Name"] {
		t.Errorf("unknown %v, broken %v", x.unknown, x.broken)
	}
	write("bad.go", "package p\n")
	x.begin(bad, dir)
	if !x.parse(t.Context(), rules, "Name") || len(x.broken) != 0 {
		t.Errorf("mended, but broken: %v", x.broken)
	}
}
