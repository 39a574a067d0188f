//go:build unix

package source

import (
	"path/filepath"
	"syscall"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
)

// To open a pipe waits for whoever writes to it: for good.
func TestReadOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	testkit.Must(t, syscall.Mkfifo(pipe, 0o600))
	if _, err := Read(pipe); kindOf(err) != contract.KindNotAFile {
		t.Errorf("Read: %v", err)
	}
	if _, err := NewCache(1).Load(pipe, everywhere); kindOf(err) != contract.KindNotAFile {
		t.Errorf("Load: %v", err)
	}
}
