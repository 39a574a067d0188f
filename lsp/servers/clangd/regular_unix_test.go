//go:build unix

package clangd

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// A pipe or a device where a repository may put one neither holds a start up nor fills the memory.
func TestSpecialFilesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, ".cache", "clangd", "index")
	pipe, device := filepath.Join(index, "a.cpp.0123456789ABCDEF.idx"), filepath.Join(dir, ".clangd")
	testkit.Must(t, errors.Join(os.MkdirAll(index, 0o755), syscall.Mkfifo(pipe, 0o644),
		os.Symlink("/dev/zero", device)))
	p := &spec.ProjectFile{Files: []string{"compile_commands.json"}, Flags: []string{".clangd"}}
	done := make(chan map[string]uint64)
	go func() {
		dropShards(false, dir)
		commands, _ := compileCommands(p, dir)
		done <- commands
	}()
	select {
	case commands := <-done:
		testkit.Equal(t, commands[device], 0, "a device was read")
	case <-time.After(10 * time.Second):
		t.Fatal("a pipe or a device is waited for")
	}
}
