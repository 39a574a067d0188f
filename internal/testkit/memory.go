package testkit

import (
	"os"
	"testing"
)

// MemoryDir is a new folder, in memory where the system has such: for tests that write or sync files by the thousand.
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
