package trust

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// repositoryMarks are what the root of a repository holds; .git is a file in worktrees and submodules.
var repositoryMarks = []string{".git", ".hg", ".jj"}

// Repository is what decides about trust of the repository that holds a folder. It is read from files and not by
// running git, which would run what the repository's own configuration names.
type Repository struct {
	Root   string // symbolic links resolved
	Main   string // for a linked worktree the root of the main worktree, which names it as its own; else Root
	Origin string // the remote "origin" as host/path, see remoteName; "" when it is not on a network
}

// RepositoryOf is the repository that holds dir, or one of dir alone when no folder from dir upwards has a mark.
// The home folder counts only when it is dir itself: a repository of dot files does not hold the projects below it.
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

// WithRepositories is folders and, for each of them, the outermost repository that holds it. What is not trusted is
// always a whole repository: tools read the configuration of all folders above the one that they work in, also when
// somebody named a part of the repository as the workspace, or the repository brings a mark of its own (such as a
// .hg) in a part.
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

// outermost is the highest folder from dir upwards, and below home, that is a repository; dir when there is none.
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

// mainOf is the root of the main worktree whose linked worktree is root; "" when root is not a linked worktree. The
// file .git of root proves nothing, since anyone can write one: the main worktree has to name root too (git help
// worktree, gitdir).
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

// originOf reads the URL of the remote "origin" from a file .git/config. Files that it includes are not read.
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

// remoteName is host/path of a remote on a network, without protocol and user; "" for every other. A folder of this
// machine has no such name, because anybody can make one of the same name.
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
