//go:build linux

package tools

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// A source that could not be read for a time is in the answers again as soon as it can be read, though its time and
// size are as before: the go command (1.26.8) goes by these, and then says for ever that it cannot be read.
func TestFilesThatAreReadableAgain(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	if !asUser(t) {
		return
	}
	needServer(t, "gopls")
	// One, more than are asked about by name because they changed, and more than are asked about at all.
	for _, n := range []int{1, 40, 210} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
				"lib/lib.go": "package lib\n\nfunc Greet() int { return 1 }\n",
				"app/one.go": "package app\n\nimport \"ex.com/m/lib\"\n\nvar One = lib.Greet()\n"}
			var closed []string
			for i := range n {
				name := fmt.Sprintf("app/use%03d.go", i)
				files[name] = fmt.Sprintf("package app\n\nimport \"ex.com/m/lib\"\n\nvar Use%d = lib.Greet()\n", i)
				closed = append(closed, name)
			}
			dir := project(t, files)
			old := time.Now().Add(-time.Hour)
			for name := range files {
				testkit.Must(t, os.Chtimes(filepath.Join(dir, name), old, old))
			}
			mode := func(mode os.FileMode) {
				t.Helper()
				for _, name := range closed {
					testkit.Must(t, os.Chmod(filepath.Join(dir, name), mode))
				}
			}
			session := toolstest.Real(t, dir, "gopls")
			ask := func() map[string]any {
				t.Helper()
				return run(t, session, "find_references", map[string]any{"file_path": "lib/lib.go",
					"symbol_name": "Greet", "max_results": 1000})
			}
			whole := func(when string) {
				t.Helper()
				if a := ask(); a["completeness"] != "complete" || a["total"] != float64(n+2) {
					t.Errorf("%s: %v", when, a)
				}
			}
			mode(0)
			if a := ask(); a["completeness"] != "partial" || !strings.Contains(fmt.Sprint(a["warnings"]),
				"unreadable_files") {
				t.Errorf("not readable: %v", a)
			}
			mode(0o644)
			whole("readable again")
			whole("asked once more")
			// The project is loaded anew.
			testkit.Must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module ex.com/m\n\ngo 1.23\n"), 0o644))
			whole("loaded again")
		})
	}
}

// The go command may have kept it before gopls was started, as it does for go build. gopls tells that with the
// diagnostics of the package, and an answer is then not called complete.
func TestFilesThatWereReadableAgainBefore(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	if !asUser(t) {
		return
	}
	needServer(t, "gopls")
	dir := project(t, map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
		"lib/lib.go": "package lib\n\nfunc Greet() int { return 1 }\n",
		"app/one.go": "package app\n\nimport \"ex.com/m/lib\"\n\nvar One = lib.Greet()\n",
		"app/two.go": "package app\n\nimport \"ex.com/m/lib\"\n\nvar Two = lib.Greet()\n"})
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"app/one.go", "app/two.go"} {
		testkit.Must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	closed := filepath.Join(dir, "app/two.go")
	testkit.Must(t, os.Chmod(closed, 0))
	invalid := func() string {
		t.Helper()
		list := exec.Command("go", "list", "-e", "-f", "{{.InvalidGoFiles}}", "./app")
		list.Dir = dir
		out, err := list.Output()
		testkit.Must(t, err)
		return strings.TrimSpace(string(out))
	}
	testkit.Equal(t, invalid(), "[two.go]", "not readable")
	testkit.Must(t, os.Chmod(closed, 0o644))
	testkit.Equal(t, invalid(), "[two.go]", "readable again, as go list has it")
	session := toolstest.Real(t, dir, "gopls")
	diagnostics := map[string]any{"file_path": "app/one.go", "wait": "all"}
	// behind all that gopls pushes; what it says depends on whether that was told before
	run(t, session, "get_diagnostics", diagnostics)
	a := run(t, session, "find_references", map[string]any{"file_path": "lib/lib.go", "symbol_name": "Greet"})
	if a["completeness"] != "partial" && a["total"] != 3.0 {
		t.Errorf("%v", a)
	}
	if a := run(t, session, "get_diagnostics", diagnostics); a["total"] != 1.0 {
		t.Errorf("%v", a)
	}
}
