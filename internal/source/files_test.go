package source

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

func TestOS(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "a.csproj", "cmake-build-debug/compile_commands.json",
		"with [b] #1%/x.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		testkit.Write(t, path, name)
	}
	for glob, want := range map[string]bool{
		"go.mod": true, "go.sum": false, "*.csproj": true, "*.sln": false, "cmake-build-*/compile_commands.json": true,
		"cmake-build-*/x": false, "cmake-build-debug": true, "missing/*": false, "*/x.txt": true, "go.mod/x": false,
	} {
		testkit.Equal(t, (OS{}).Has(dir, glob), want, glob)
	}
	if got := (OS{}).Has(filepath.Join(dir, "with [b] #1%"), "*.txt"); !got {
		t.Error("a folder whose name has pattern characters is not searched")
	}
	testkit.Equal(t, string((OS{}).Read(filepath.Join(dir, "go.mod"))), "go.mod", "Read")
	if got := (OS{}).Read(filepath.Join(dir, "missing")); got != nil {
		t.Errorf("Read of a missing file = %q", got)
	}
}
