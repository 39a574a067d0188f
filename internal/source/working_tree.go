package source

import (
	"bytes"
	"path/filepath"
	"strings"
)

// WorkingTree returns the root of the linked working tree of git (git-worktree(1)) that holds a path below root; root
// where there is none. Such a tree is another copy of the code around it, so no answer may mix the two. root is
// absolute and holds path. Where root is in no working tree itself, as a folder that has all trees of a bare
// repository, the trees are parts of it.
func WorkingTree(files Files, path, root string) string {
	for dir := filepath.Dir(path); dir != root && Within(root, dir); dir = filepath.Dir(dir) {
		if LinkedTree(files, dir) && InWorkingTree(files, root) {
			return dir
		}
	}
	return root
}

// LinkedTree reports whether a folder is the root of a linked working tree: its .git is a file that names a folder
// below worktrees of the repository (gitrepository-layout(5)). That of a submodule, which is code of the tree around
// it, names one below modules.
func LinkedTree(files Files, dir string) bool {
	return strings.Contains(gitDir(files, dir), "/worktrees/")
}

// InWorkingTree reports whether a folder lies in a working tree of git.
func InWorkingTree(files Files, dir string) bool {
	for {
		if files.Has(dir, ".git") {
			repository := filepath.Join(dir, ".git")
			if named := gitDir(files, dir); named != "" {
				repository = Absolute(dir, filepath.FromSlash(named))
			}
			return !bytes.Contains(files.Read(filepath.Join(repository, "config")), []byte("bare = true"))
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// gitDir returns what a file called .git in a folder names, with forward slashes; "" where it is no file.
func gitDir(files Files, dir string) string {
	rest, ok := bytes.CutPrefix(files.Read(filepath.Join(dir, ".git")), []byte("gitdir:"))
	if !ok {
		return ""
	}
	return filepath.ToSlash(strings.TrimSpace(string(rest)))
}
