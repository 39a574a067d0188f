package source

import (
	"os"
	"path/filepath"
	"testing"
)

// A linked working tree is a copy of the workspace; a submodule and a repository of its own are parts of it.
func TestWorkingTree(t *testing.T) {
	for _, c := range []struct {
		name, git, config string
		want              string
	}{
		{"linked working tree", "gitdir: /src/app/.git/worktrees/fix\n", "[core]\n\tbare = false\n", "trees/fix"},
		{"submodule", "gitdir: ../.git/modules/lib\n", "", "."},
		{"text of something else", "see /worktrees/ of the wiki\n", "", "."},
		{"no .git", "", "", "."},
		{"trees of a bare repository", "gitdir: /src/app/.git/worktrees/fix\n", "[core]\n\tbare = true\n", "."},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			tree := filepath.Join(root, "trees", "fix")
			for path, text := range map[string]string{
				filepath.Join(root, ".git", "config"):   c.config,
				filepath.Join(tree, ".git"):             c.git,
				filepath.Join(tree, "pkg", "source.py"): "",
			} {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want := filepath.Join(root, c.want)
			if got := WorkingTree(OS{}, filepath.Join(tree, "pkg", "source.py"), root); got != want {
				t.Errorf("the tree is %s, want %s", got, want)
			}
			if got := WorkingTree(OS{}, filepath.Join(root, "source.py"), root); got != root {
				t.Errorf("a file beside the tree is in %s", got)
			}
		})
	}
	t.Run("repository of its own", func(t *testing.T) {
		root := t.TempDir()
		inner := filepath.Join(root, "inner")
		for _, dir := range []string{root, inner} {
			if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if got := WorkingTree(OS{}, filepath.Join(inner, "source.py"), root); got != root {
			t.Errorf("a repository of its own counts as a linked tree: %s", got)
		}
	})
}
