//go:build unix

package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"lspi/internal/testkit"
)

// Special files are known after the first walk, when they come and when they go; an ignore file that is one stops
// nothing.
func TestSpecialFiles(t *testing.T) {
	for _, mode := range []Mode{Events, Compare} {
		t.Run(mode.String(), func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			testkit.Must(t, err)
			pipe, device := filepath.Join(dir, "pipe"), filepath.Join(dir, "sub", "device")
			testkit.Must(t, errors.Join(os.Mkdir(filepath.Dir(device), 0o755), syscall.Mkfifo(pipe, 0o644),
				syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o644),
				os.WriteFile(filepath.Join(dir, "file"), nil, 0o644), os.Symlink("file", filepath.Join(dir, "link"))))
			j := Open(dir, Options{Mode: mode})
			defer j.Close()
			want := func(paths ...string) {
				t.Helper()
				if _, err := j.Barrier(t.Context()); err != nil {
					t.Fatal(err)
				}
				if got := j.Special(func(string) bool { return true }); !slices.Equal(got, paths) {
					t.Errorf("%v, want %v", got, paths)
				}
			}
			ignore := filepath.Join(dir, ".gitignore")
			want(ignore, pipe)
			testkit.Must(t, os.Symlink(os.DevNull, device))
			want(ignore, pipe, device)
			testkit.Must(t, errors.Join(os.Remove(pipe), os.WriteFile(pipe, nil, 0o644), os.Remove(device)))
			want(ignore)
			var links []string
			for i := range 300 { // none hides behind others
				link := filepath.Join(dir, fmt.Sprintf("link%03d", i))
				testkit.Must(t, os.Symlink(os.DevNull, link))
				links = append(links, link)
			}
			want(append([]string{ignore}, links...)...)
			if got := j.Special(func(path string) bool { return path == links[299] }); !slices.Equal(got, links[299:]) {
				t.Errorf("%v", got)
			}
		})
	}
}
