package words

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/watch"
)

// A question has every write before it, and reads only what changed since the last one.
func TestHolding(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "package a\n\nfunc F() {} // G\n")
	write(".github/x.py", "F()\n")
	write("b.bin", "F\x00F")
	write("c.txt", "F and `a.G`")
	write(".gitignore", "out/\n")
	write("out/d.go", "package d; var F int")
	if err := os.Symlink("a.go", filepath.Join(root, "link.go")); err != nil {
		t.Fatal(err)
	}
	j := watch.Open(root, watch.Options{})
	t.Cleanup(func() { _ = j.Close() })
	x := New(j)
	x.Build(t.Context())
	built := source.FilesRead()
	holding := func(names ...string) string {
		t.Helper()
		held, all, err := x.Holding(t.Context(), names...)
		if err != nil || !all {
			t.Fatal(all, err)
		}
		var out []string
		for _, h := range held {
			out = append(out, fmt.Sprintf("%s:%d", strings.TrimPrefix(h.Path, root+"/"), h.Use))
		}
		return strings.Join(out, " ")
	}
	testkit.Diff(t, holding("F"), fmt.Sprintf("a.go:%d c.txt:%d .github/x.py:%[1]d", lang.CodeUse, lang.TextUse))
	testkit.Diff(t, holding("G"), fmt.Sprintf("a.go:%d c.txt:%d", lang.TextUse, lang.QualifiedUse))
	read := source.FilesRead()
	testkit.Diff(t, read, built)
	testkit.Diff(t, holding("F", "G"), fmt.Sprintf("a.go:%d c.txt:%d .github/x.py:%d",
		lang.CodeUse|lang.TextUse, lang.TextUse|lang.QualifiedUse, lang.CodeUse))
	testkit.Diff(t, source.FilesRead(), read)

	write("a.go", "package a\n")
	write("new.go", "package a\n\nvar v = `{{.F}}`\n")
	if err := os.Remove(filepath.Join(root, "c.txt")); err != nil {
		t.Fatal(err)
	}
	testkit.Diff(t, holding("F"), fmt.Sprintf("new.go:%d .github/x.py:%d", lang.TemplateUse, lang.CodeUse))
	testkit.Diff(t, source.FilesRead(), read+2)
}

// What an index has no room for is read by who asks.
func TestFull(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		testkit.Must(t, os.WriteFile(filepath.Join(root, name), []byte("package a\n\nvar A, B int\n"), 0o666))
	}
	j := watch.Open(root, watch.Options{})
	t.Cleanup(func() { _ = j.Close() })
	x := New(j)
	x.limit = 8
	held, all, err := x.Holding(t.Context(), "C")
	if len(held) != 2 || !held[0].Unread || !all || err != nil {
		t.Error(held, all, err)
	}
}
