package lsp

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// A server that drops the mark from what it reads must not be sent it either, nor be taken to count it.
func TestIgnoresMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.w")
	testkit.Must(t, os.WriteFile(path, []byte("\ufeffdef Load\n"), 0o600))
	for _, ignores := range []bool{false, true} {
		s := silent(&spec.Spec{ID: "fake", IgnoresMark: ignores})
		text, err := s.docs.Text(path)
		testkit.Must(t, err)
		got, err := text.Inward(source.UTF16, at(1, 5))
		if want := server(0, 5); ignores == (got == want) || err != nil {
			t.Errorf("ignores %v: %v %v", ignores, got, err)
		}
		testkit.Equal(t, text.Outward(source.UTF16, got), at(1, 5), "ignores", ignores, "back")
		if again, err := s.docs.Text(path); err != nil || again != text {
			t.Errorf("ignores %v: another object", ignores)
		}
	}
}
