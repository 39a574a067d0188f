package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestByCase(t *testing.T) {
	const source = `package p
type See struct{ Name, name string }
func see() {}
func (See) Name() {}
func (*See) Close() {}
func (See) close() {}
func Close() {}
func (other[T]) name() {}
`
	f, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	testkit.Must(t, err)
	if got := byCase([]*ast.File{f}); !slices.Equal(got, []string{"See.Close/See.close", "See/see"}) {
		t.Error(got)
	}
}

func TestTooLong(t *testing.T) {
	dir, long := t.TempDir(), strings.Repeat("x", maxColumns)
	source := "package p\n\n// " + long + "\nvar text = \"" + long + "\"\nvar raw = `\n" + long + "x`\nvar " + long + " = 1\n"
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o644))
	if n := len(tooLong(dir, []string{"a.go"})); n != 2 { // the comment and the name; not the two texts
		t.Error(n)
	}
}
