//go:build unix

package source

import (
	"path/filepath"
	"syscall"
	"testing"

	"lspi/contract"
)

// To open a pipe waits for whoever writes to it: for good.
func TestReadOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(pipe); kindOf(err) != contract.KindNotAFile {
		t.Errorf("Read: %v", err)
	}
	if _, err := NewCache(1).Load(pipe, everywhere); kindOf(err) != contract.KindNotAFile {
		t.Errorf("Load: %v", err)
	}
}
