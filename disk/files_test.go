package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOS(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "a.csproj", "cmake-build-debug/compile_commands.json", "with [b] #1%/x.txt"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for glob, want := range map[string]bool{
		"go.mod": true, "go.sum": false, "*.csproj": true, "*.sln": false, "cmake-build-*/compile_commands.json": true,
		"cmake-build-*/x": false, "cmake-build-debug": true, "missing/*": false, "*/x.txt": true, "go.mod/x": false,
	} {
		if got := (OS{}).Has(dir, glob); got != want {
			t.Errorf("Has(%q) = %v, want %v", glob, got, want)
		}
	}
	if got := (OS{}).Has(filepath.Join(dir, "with [b] #1%"), "*.txt"); !got {
		t.Error("a folder whose name has pattern characters is not searched")
	}
	if got := string((OS{}).Read(filepath.Join(dir, "go.mod"))); got != "go.mod" {
		t.Errorf("Read = %q", got)
	}
	if got := (OS{}).Read(filepath.Join(dir, "missing")); got != nil {
		t.Errorf("Read of a missing file = %q", got)
	}
}
