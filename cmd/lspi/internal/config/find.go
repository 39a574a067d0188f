package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Workspace is the folder that a session works on.
type Workspace struct {
	Root   string   // absolute, symbolic links resolved
	Others []string // the host's further roots, likewise
	From   string   // what named it: --workspace-root, the host's roots, CLAUDE_PROJECT_DIR, or the current folder
}

// NoWorkspaceError is that no folder is there where one was named.
type NoWorkspaceError struct {
	From string // what named it, as in [Workspace]
	Err  error
}

func (e *NoWorkspaceError) Error() string {
	return fmt.Sprintf("finding the workspace: %s: %v", e.From, e.Err)
}

// Unwrap is the reason.
func (e *NoWorkspaceError) Unwrap() error { return e.Err }

// FindWorkspace takes the flag as it is; else the host's first root that is there, else CLAUDE_PROJECT_DIR, else the
// current folder, each lifted to the root of the repository that holds it. Its error is a [*NoWorkspaceError].
func FindWorkspace(flag string, hostRoots []string, getenv func(string) string, cwd string) (Workspace, error) {
	if flag != "" {
		root, err := realFolder(absolute(cwd, flag))
		if err != nil {
			return Workspace{}, &NoWorkspaceError{From: "--workspace-root", Err: err}
		}
		return Workspace{Root: root, From: "--workspace-root"}, nil
	}
	if len(hostRoots) > 0 {
		return fromHost(hostRoots, getenv)
	}
	from, start := "the current folder", cwd
	if dir := getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		from, start = "CLAUDE_PROJECT_DIR", absolute(cwd, dir)
	}
	root, err := realFolder(start)
	if err != nil {
		return Workspace{}, &NoWorkspaceError{From: from, Err: err}
	}
	return Workspace{Root: lift(root, getenv), From: from}, nil
}

// fromHost skips roots that are not there, as long as one is: hosts name folders that were moved since.
func fromHost(hostRoots []string, getenv func(string) string) (Workspace, error) {
	w := Workspace{From: "the host's roots"}
	var errs []error
	for _, given := range hostRoots {
		path, err := hostPath(given)
		if err == nil {
			path, err = realFolder(path)
		}
		switch {
		case err != nil:
			errs = append(errs, err)
		case w.Root == "":
			w.Root = lift(path, getenv)
		case path != w.Root && !slices.Contains(w.Others, path):
			w.Others = append(w.Others, path)
		}
	}
	if w.Root == "" {
		return Workspace{}, &NoWorkspaceError{From: w.From, Err: errors.Join(errs...)}
	}
	return w, nil
}

// hostPath is the path of a root that the host gave as a path or, as MCP has it, as a file URI.
func hostPath(given string) (string, error) {
	if !strings.HasPrefix(given, "file:") {
		if !filepath.IsAbs(given) {
			return "", fmt.Errorf("%s is not an absolute path", quoted(given))
		}
		return given, nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%s is not the URI of a local folder", quoted(given))
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), nil
}

// repositoryMarks are what the root of a repository holds; .git is a file in worktrees and submodules.
var repositoryMarks = []string{".git", ".hg", ".jj"}

// lift is the nearest folder from dir upwards that is a repository, or dir when there is none. The home folder is never
// lifted to: a repository of dot files does not make everything at home one workspace. Nor is a folder of somebody else.
func lift(dir string, getenv func(string) string) string {
	home, _ := filepath.EvalSymlinks(getenv("HOME"))
	for at := dir; ; {
		if at != dir && !ownedWith(dir, at) {
			return dir
		}
		if at != home || at == dir {
			for _, mark := range repositoryMarks {
				path := filepath.Join(at, mark)
				if _, err := os.Lstat(path); err == nil && (at == dir || ownedWith(dir, path)) {
					return at
				}
			}
		}
		parent := filepath.Dir(at)
		if parent == at || at == home {
			return dir
		}
		at = parent
	}
}

// realFolder resolves symbolic links; its errors say what is there instead of a folder.
func realFolder(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is a file, not a folder", path)
	}
	return filepath.Clean(real), nil
}

// absolute is path seen from base.
func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// within reports whether path is dir or lies below it; both are absolute and clean.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// userFile is the user's own file, or "" when there is no home folder. Relative XDG variables are ignored, as the XDG
// Base Directory Specification demands; otherwise a repository could become its own user.
func userFile(getenv func(string) string, home string) string {
	dir := configDir(getenv, home)
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "lspi", "config.toml")
}

func configDir(getenv func(string) string, home string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir, err := os.UserConfigDir(); err == nil && (runtime.GOOS == "windows" || runtime.GOOS == "darwin") {
		return dir
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".config")
}

// WorkspaceFiles are the names under which a workspace may keep its configuration, relative to its root, the one that
// wins first.
var WorkspaceFiles = []string{".lspi/config.toml", "lspi.toml"}

// workspaceFile is the file of the workspace, or "" when it has none. second is the other one when both are there.
func workspaceFile(root string) (first, second string) {
	for _, name := range WorkspaceFiles {
		path := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if first == "" {
			first = path
		} else {
			second = path
		}
	}
	return first, second
}

// baseOf is the folder that relative paths of a file count from: its own, but the workspace for .lspi/config.toml, so
// that a file may move between its two places unchanged.
func baseOf(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == ".lspi" {
		return filepath.Dir(dir)
	}
	return dir
}
