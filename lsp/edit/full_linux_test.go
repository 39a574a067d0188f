package edit_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"lspi/internal/testkit"
	"lspi/lsp/edit"
)

// smallDisk is a folder on a file system of its own with 256 KiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("mounting a small disk:", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, 0) })
	return dir
}

// TestReallyFullDisk: the second of two texts does not fit beside its file, or the journal has no room. All is as
// before, and with room again the same plan is applied.
func TestReallyFullDisk(t *testing.T) {
	text := strings.Repeat("0123456789\n", 5000)
	for name, c := range map[string]struct {
		root, state string
		fill        int
	}{
		"files":   {smallDisk(t), t.TempDir(), 96 << 10},
		"journal": {makeTree(t, nil), smallDisk(t), 256 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			tree := files{"a": text, "b": text}
			if name == "files" {
				tree = files{"a": text, "b": text[:len(text)/2]}
			}
			tree.write(t, c.root)
			full := c.root
			if name == "journal" {
				full = c.state
				testkit.Must(t, os.MkdirAll(c.state+"/locks", 0o700))
			}
			ballast, err := os.Create(full + "/ballast")
			testkit.Must(t, err)
			defer ballast.Close()
			ballast.Write(make([]byte, c.fill)) // as much as there is room for
			before := readTree(t, c.root)
			p := planOf(t, c.root, document(c.root+"/a", replace(0, 0, 1, "A")),
				document(c.root+"/b", replace(0, 0, 1, "B")))
			w := edit.NewWriter(c.state)
			if _, err := apply(t, w, p); !errors.Is(err, syscall.ENOSPC) {
				t.Error(err)
			}
			sameTree(t, c.root, before)
			testkit.Must(t, ballast.Truncate(0))
			if _, err := apply(t, w, p); err != nil {
				t.Error(err)
			}
			if got := readTree(t, c.root); got["a"][0] != 'A' || got["b"][0] != 'B' {
				t.Error("it was not applied")
			}
			noJournal(t, c.state)
		})
	}
}
