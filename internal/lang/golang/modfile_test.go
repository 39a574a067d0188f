package golang

import (
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The copy of a go.work has every path absolute, in the line where it stands, and all else as it was.
func TestAbsoluteWork(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "go.work")
	const text = "go 1.24 // the version\n\nuse . // itself\n\nuse (\n\n\t./a // one\n\t\"./with space\"\n\t../b\n\t/abs\n)\n\n" +
		"replace (\n\tex.com/x => ./x // near\n\tex.com/y v1.0.0 => ../y\n\tex.com/z => ex.com/w v1.2.3\n)\n"
	testkit.Write(t, path, text)
	up := filepath.Dir(dir)
	want := strings.NewReplacer("use . ", "use "+dir+" ", "./a ", dir+"/a ", "\"./with space\"",
		"\""+dir+"/with space\"", "../b", up+"/b",
		"./x ", dir+"/x ", "../y", up+"/y").Replace(text)
	got, ok := AbsoluteWork(path)
	if filepath.Separator == '/' && (!ok || string(got) != want) {
		t.Errorf("%v, %s", ok, got)
	}
	testkit.Write(t, path, "use (\n")
	if _, ok := AbsoluteWork(path); ok {
		t.Error("a file that does not parse has a copy")
	}
}

// The sums of the user win; those of the cache are kept for modules that the user's file does not name.
func TestJoinedSums(t *testing.T) {
	got := string(JoinedSums([]byte("a v1 h1:1\na v1/go.mod h1:2"), []byte("a v1 h1:9\nb v1 h1:3\n")))
	testkit.Equal(t, got, "a v1 h1:1\na v1/go.mod h1:2\nb v1 h1:3\n")
}

// A vendored file is a copy of that in the folder by which its module, or the nearest around it, was replaced.
func TestVendoredFrom(t *testing.T) {
	top := testkit.TempDir(t)
	testkit.Write(t, filepath.Join(top, "app/vendor/modules.txt"), "# ex.com/lib v0.0.0 => ../lib\n## explicit\nex.com/lib/num\n"+
		"# ex.com/lib/sub v1.0.0 => ../other\n# ex.com/far v1.0.0 => ex.com/fork v1.1.0\n# ex.com/plain v1.0.0\n")
	for path, want := range map[string]string{"num/num.go": "lib/num/num.go", "sub/s.go": "other/s.go"} {
		testkit.Equal(t, VendoredFrom(filepath.Join(top, "app/vendor/ex.com/lib", path)), filepath.Join(top, want), path)
	}
	for _, path := range []string{"app/vendor/ex.com/far/f.go", "app/vendor/ex.com/plain/p.go", "app/main.go",
		"lib/vendor/ex.com/lib/num/num.go", "app/vendor/ex.com/library/l.go"} {
		testkit.Equal(t, VendoredFrom(filepath.Join(top, path)), "", path)
	}
}
