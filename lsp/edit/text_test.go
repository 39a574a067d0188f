package edit_test

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

func TestWithLineEndOf(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a\r\nb\r\n", "x\ny\r\n", "x\r\ny\r\n"}, {"a\nb\n", "x\r\ny", "x\ny"}, {"a\r\nb\n", "x\ny", "x\ny"},
		{"", "x\n", "x\n"},
		{"a", "x\r\n", "x\r\n"},
	} {
		testkit.Equal(t, edit.WithLineEndOf(c.file, c.text), c.want, c.text, "into", c.file)
	}
}
