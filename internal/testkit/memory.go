package testkit

import (
	"os"
	"testing"
)

// MemoryDir returns a new folder, in memory if the system has /dev/shm: for tests that write or sync files by the
// thousand.
func MemoryDir(t testing.TB) string {
	t.Helper()
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "lspi-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
