package config

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// repository is what decides about trust of the repository that holds a folder. It is read from files and not by git, which
// runs what a repository's own configuration says.
type repository struct {
	root   string // real path
	main   string // of a linked worktree the root of the main one, which names it as its own; else root
	origin string // the remote origin in the form of [remoteName]; "" when there is none on a network
}

// repositoryOf is the repository that holds dir; one without marks is dir itself.
// The home folder is a repository of what is in it only when it is dir: one of dot files holds no others.
func repositoryOf(dir, home string) repository {
	r := repository{root: dir, main: dir}
	for at := dir; ; at = filepath.Dir(at) {
		if isRepository(at) && (at == dir || at != home) {
			r.root, r.main = at, at
			break
		}
		if filepath.Dir(at) == at {
			return r
		}
	}
	git := filepath.Join(r.root, ".git")
	if main := mainOf(r.root, git); main != "" {
		r.main, git = main, filepath.Join(main, ".git")
	}
	r.origin = originOf(filepath.Join(git, "config"))
	return r
}

// withRepositories is folders, and the outermost repository that holds each: a folder of a repository comes with what stands above
// it there, whether somebody named the folder as the workspace or it has a mark of its own, as a .hg that the repository brings.
// The home folder holds no others.
func withRepositories(folders []string, home string) []string {
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	out := slices.Clone(folders)
	for _, folder := range folders {
		outermost := folder
		for at := folder; at != home; at = filepath.Dir(at) {
			if isRepository(at) {
				outermost = at
			}
			if filepath.Dir(at) == at {
				break
			}
		}
		if !slices.Contains(out, outermost) {
			out = append(out, outermost)
		}
	}
	return out
}

func isRepository(dir string) bool {
	for _, mark := range repositoryMarks {
		if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
			return true
		}
	}
	return false
}

// mainOf is the root of the repository whose linked worktree root is. A file .git alone proves nothing, since anyone can write
// one: the repository has to name the worktree too (git help worktree, gitdir). "" when it is none.
func mainOf(root, git string) string {
	content, err := readFile(git)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "gitdir:")
	if !ok {
		return ""
	}
	dir = absolute(root, strings.TrimSpace(dir)) // main/.git/worktrees/NAME
	back, err := readFile(filepath.Join(dir, "gitdir"))
	if err != nil || filepath.Base(filepath.Dir(dir)) != "worktrees" {
		return ""
	}
	named, err := filepath.EvalSymlinks(filepath.Dir(absolute(dir, strings.TrimSpace(string(back)))))
	if err != nil || named != root {
		return ""
	}
	main, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(filepath.Dir(dir))))
	if err != nil || filepath.Base(filepath.Dir(filepath.Dir(dir))) != ".git" {
		return ""
	}
	return main
}

// originOf reads the URL of remote.origin. Includes are not followed.
func originOf(config string) string {
	content, err := readFile(config)
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

// remoteName is host/path of a remote on a network, whatever the protocol and the user; "" for any other. Folders of this
// machine are none: their names are anybody's.
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
