//go:build unix

package trust

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
)

// A repository mark that somebody else put above the folder, or one in a folder of theirs, lifts nothing.
func TestFindWorkspaceStopsAtOthers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to others")
	}
	const stranger, friend = 12345, 12346
	for name, c := range map[string]struct {
		owners map[string]int // of what is not root's
		want   string
	}{
		"own":                         {nil, "top"},
		"the repository is another's": {map[string]int{"top": stranger, "top/.git": stranger}, "top/mid/sub"},
		"only its mark is":            {map[string]int{"top/.git": stranger}, "top/mid/sub"},
		"a folder on the way is":      {map[string]int{"top/mid": stranger}, "top/mid/sub"},
		"all belongs to the same user": {map[string]int{"top": friend, "top/.git": friend, "top/mid": friend,
			"top/mid/sub": friend}, "top"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			testkit.Must(t, err)
			for _, folder := range []string{"top/.git", "top/mid/sub"} {
				testkit.Must(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
			}
			for path, uid := range c.owners {
				testkit.Must(t, os.Lchown(filepath.Join(dir, path), uid, uid))
			}
			w, err := FindWorkspace("", nil, User{Getenv: func(string) string {
				return ""
			}, Home: "/nowhere"}, filepath.Join(dir, "top/mid/sub"))
			if err != nil || w.Root != filepath.Join(dir, c.want) {
				t.Errorf("%s, %v; want %s", w.Root, err, c.want)
			}
		})
	}
}
