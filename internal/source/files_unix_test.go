//go:build unix

package source

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestOSReadPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "Cargo.toml")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	if got := (OS{}).Read(pipe); got != nil {
		t.Errorf("Read of a pipe = %q", got)
	}
}
