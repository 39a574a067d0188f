package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// A linked working tree is a copy of the workspace; a submodule and a repository of its own are not.
func TestIsWorktree(t *testing.T) {
	for _, c := range []struct {
		name, git string
		want      bool
	}{
		{"linked working tree", "gitdir: /src/app/.git/worktrees/fix\n", true},
		{"submodule", "gitdir: ../.git/modules/lib\n", false},
		{"text of something else", "see /worktrees/ of the wiki\n", false},
		{"no .git", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.git != "" {
				if err := os.WriteFile(filepath.Join(dir, ".git"), []byte(c.git), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := isWorktree(dir); got != c.want {
				t.Errorf("isWorktree with .git %q = %v, want %v", c.git, got, c.want)
			}
		})
	}
	t.Run("repository of its own", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		if isWorktree(dir) {
			t.Error("a folder .git counts as a linked working tree")
		}
	})
}
