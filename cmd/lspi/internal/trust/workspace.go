package trust

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

	"lspi/internal/source"
)

// FoundWorkspace is the folder that a session works on.
type FoundWorkspace struct {
	Root   string   // absolute, symbolic links resolved
	Others []string // the host's further roots, in the same form
	From   string   // what named it: --workspace-root, the host's roots, CLAUDE_PROJECT_DIR, or the current folder
}

// NoWorkspaceError says that a folder which was named as the workspace does not exist or is none.
type NoWorkspaceError struct {
	From string // what named it, as in [FoundWorkspace]
	Err  error
}

func (e *NoWorkspaceError) Error() string {
	return fmt.Sprintf("finding the workspace: %s: %v", e.From, e.Err)
}

// Unwrap returns what is wrong with the named folder.
func (e *NoWorkspaceError) Unwrap() error { return e.Err }

// FindWorkspace chooses the workspace: the folder that the flag names, else the first of the host's roots that
// exists, else CLAUDE_PROJECT_DIR, else the current folder. The flag's folder is taken as it is; each of the others is
// widened to the repository that holds it (see repositoryAround). The error is a [*NoWorkspaceError].
func FindWorkspace(flag string, hostRoots []string, user User, cwd string) (FoundWorkspace, error) {
	if flag != "" {
		root, err := Real(source.Absolute(cwd, flag))
		if err != nil {
			return FoundWorkspace{}, &NoWorkspaceError{From: "--workspace-root", Err: err}
		}
		return FoundWorkspace{Root: root, From: "--workspace-root"}, nil
	}
	if len(hostRoots) > 0 {
		return fromHost(hostRoots, user)
	}
	from, start := "the current folder", cwd
	if dir := user.Env("CLAUDE_PROJECT_DIR"); dir != "" {
		from, start = "CLAUDE_PROJECT_DIR", source.Absolute(cwd, dir)
	}
	root, err := Real(start)
	if err != nil {
		return FoundWorkspace{}, &NoWorkspaceError{From: from, Err: err}
	}
	return FoundWorkspace{Root: repositoryAround(root, user), From: from}, nil
}

// fromHost takes the host's roots that exist, because hosts also name folders that were moved since. It fails when none
// exists.
func fromHost(hostRoots []string, user User) (FoundWorkspace, error) {
	w := FoundWorkspace{From: "the host's roots"}
	var errs []error
	for _, given := range hostRoots {
		path, err := hostPath(given)
		if err == nil {
			path, err = Real(path)
		}
		switch {
		case err != nil:
			errs = append(errs, err)
		case w.Root == "":
			w.Root = repositoryAround(path, user)
		case path != w.Root && !slices.Contains(w.Others, path):
			w.Others = append(w.Others, path)
		}
	}
	if w.Root == "" {
		return FoundWorkspace{}, &NoWorkspaceError{From: w.From, Err: errors.Join(errs...)}
	}
	return w, nil
}

// hostPath returns the path of a root that the host gave as an absolute path or a file URI (MCP, Roots).
func hostPath(given string) (string, error) {
	if !strings.HasPrefix(given, "file:") {
		if !filepath.IsAbs(given) {
			return "", fmt.Errorf("%.60q is not an absolute path", given)
		}
		return given, nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%.60q is not the URI of a local folder", given)
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), nil
}

// repositoryAround returns the nearest folder from dir upwards that is the root of a repository, or dir when there is
// none. It never returns a home folder above dir, because a repository of dot files does not make everything at home
// one workspace, nor a folder of another user (see trustedOwner).
func repositoryAround(dir string, user User) string {
	home, _ := filepath.EvalSymlinks(user.HomeDir())
	for at := dir; ; at = filepath.Dir(at) {
		if at != dir && (at == home || !trustedOwner(dir, at)) {
			return dir
		}
		for _, mark := range repositoryMarks {
			path := filepath.Join(at, mark)
			if _, err := os.Lstat(path); err == nil && (at == dir || trustedOwner(dir, path)) {
				return at
			}
		}
		if at == filepath.Dir(at) || at == home {
			return dir
		}
	}
}

// Real resolves the symbolic links of a folder's path. Its error says what the path is instead of a folder.
func Real(path string) (string, error) {
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
