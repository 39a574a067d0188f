package trust

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// repositoryMarks are names in the root of a repository; .git is a file in worktrees and submodules.
var repositoryMarks = []string{".git", ".hg", ".jj"}

// Repository has what decides about trust in the repository that holds a folder. lspi reads it from files: running git
// could run programs that the repository's own configuration names.
type Repository struct {
	Root   string // symbolic links resolved
	Main   string // for a linked worktree, the root of its main worktree; else Root
	Origin string // the remote "origin" as host/path, see remoteName; "" when it is not on a network
}

// RepositoryOf returns the repository that holds dir. When neither dir nor a folder above is one, dir counts as a
// repository without a remote. The home folder counts only when it is dir itself: a repository of dot files does not
// hold the projects below it.
func RepositoryOf(dir, home string) Repository {
	root := dir
	for !isRepository(root) || root != dir && root == home {
		parent := filepath.Dir(root)
		if parent == root {
			return Repository{Root: dir, Main: dir}
		}
		root = parent
	}
	r := Repository{Root: root, Main: root}
	git := filepath.Join(root, ".git")
	if main := mainOf(root, git); main != "" {
		r.Main, git = main, filepath.Join(main, ".git")
	}
	r.Origin = originOf(filepath.Join(git, "config"))
	return r
}

// WithRepositories returns folders and, for each of them, the outermost repository that holds it. Distrust concerns
// whole repositories, because tools read the configuration of all folders above the one that they work in. That holds
// also when the workspace is a part of the repository, and when a part of it has a mark of its own, such as .hg.
func WithRepositories(folders []string, home string) []string {
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	out := slices.Clone(folders)
	for _, folder := range folders {
		if repository := outermost(folder, home); !slices.Contains(out, repository) {
			out = append(out, repository)
		}
	}
	return out
}

// outermost returns the highest repository from dir upwards and below home; dir when there is none.
func outermost(dir, home string) string {
	highest := dir
	for at := dir; at != home; at = filepath.Dir(at) {
		if isRepository(at) {
			highest = at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return highest
}

func isRepository(dir string) bool {
	return slices.ContainsFunc(repositoryMarks, func(mark string) bool {
		_, err := os.Lstat(filepath.Join(dir, mark))
		return err == nil
	})
}

// maxGitFile bounds the files of git that are read, in bytes.
const maxGitFile = 128 << 10

// mainOf returns the root of the main worktree when root is a linked worktree, else "". The file .git of root proves
// nothing, because anybody can write one: the main worktree has to name root as well (git help worktree, gitdir).
func mainOf(root, git string) string {
	content, err := ReadFile(git, maxGitFile)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "gitdir:")
	if !ok {
		return ""
	}
	dir = source.Absolute(root, strings.TrimSpace(dir)) // main/.git/worktrees/NAME
	back, err := ReadFile(filepath.Join(dir, "gitdir"), maxGitFile)
	if err != nil || filepath.Base(filepath.Dir(dir)) != "worktrees" {
		return ""
	}
	named, err := filepath.EvalSymlinks(filepath.Dir(source.Absolute(dir, strings.TrimSpace(string(back)))))
	if err != nil || named != root {
		return ""
	}
	main, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(filepath.Dir(dir))))
	if err != nil || filepath.Base(filepath.Dir(filepath.Dir(dir))) != ".git" {
		return ""
	}
	return main
}

// originOf reads the URL of the remote "origin" from a file .git/config and returns its remoteName. It does not read
// included files.
func originOf(config string) string {
	content, err := ReadFile(config, maxGitFile)
	if err != nil {
		return ""
	}
	inside := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			inside = strings.EqualFold(strings.ReplaceAll(line, " ", ""), `[remote"origin"]`)
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if inside && strings.EqualFold(strings.TrimSpace(name), "url") {
			return remoteName(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return ""
}

// remoteName returns host/path of a remote on a network, without protocol and user; "" for other remotes. A folder of
// this machine has no such name, because anybody can make a folder of the same name.
func remoteName(remote string) string {
	if !strings.Contains(remote, "://") { // git@host:path
		host, path, ok := strings.Cut(remote, ":")
		if !ok || strings.ContainsAny(host, `/\`) || len(host) < 2 || strings.HasPrefix(path, ":") {
			return ""
		}
		remote = "ssh://" + host + "/" + strings.TrimPrefix(path, "/")
	}
	u, err := url.Parse(remote)
	if err != nil || u.Hostname() == "" || u.Scheme == "file" || strings.Contains(u.Path, "..") {
		return ""
	}
	path := strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
	if path == "" {
		return ""
	}
	return strings.ToLower(u.Hostname()) + "/" + path
}
