package answer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lspi/contract"
	"lspi/router"
)

// maxPath is PATH_MAX of Linux, in bytes. Roots are looked for in every folder above a file, so that a path without
// bound would cost time without bound.
const maxPath = 4096

// Path turns a file_path argument into the real absolute path of an existing file that may be asked about. Whether a
// server is configured for it is checked before whether it exists: a wrong extension is the more useful news. Links
// are followed first, so that it is the real file that must be allowed, and that servers are asked about.
func (c *Call) Path(given string) (string, error) {
	if plain, ok := FileURI(given); ok {
		return "", contract.Errorf(contract.KindNotAFilePath,
			contract.Facts{"given": given, "file_path": c.Show(plain)},
			"file_path takes a plain path, not a URI: use %s", c.Show(plain))
	}
	if len(given) > maxPath {
		return "", Invalid("file_path", "has %d bytes; no path is longer than %d", len(given), maxPath)
	}
	path := c.AbsolutePath(given)
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		if info, err := os.Stat(real); err == nil && info.IsDir() {
			return "", contract.Errorf(contract.KindNotAFile, contract.Facts{"file_path": path}, "%s is a folder",
				c.Show(path))
		}
		routes, err := c.Routes(real)
		if err == nil {
			c.mu.Lock()
			c.routed = &routed{real, routes}
			c.mu.Unlock()
		}
		return real, err
	}
	if _, err := c.Routes(path); err != nil {
		return "", err
	}
	if errors.Is(err, fs.ErrNotExist) {
		if to, err := os.Readlink(path); err == nil {
			return "", contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": path, "link_to": to,
				"closest": []string{}},
				"%s is a symbolic link that leads nowhere: there is no %s", c.Show(path), to)
		}
		return "", contract.Errorf(contract.KindFileNotFound,
			contract.Facts{"file_path": path, "closest": c.nearFiles(path)},
			"there is no file %s", c.Show(path))
	}
	reason := err
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		reason = pe.Err
	}
	return "", contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": reason.Error()},
		"reading %s: %w", c.Show(path), reason)
}

// FileURI is the path of a file:// URI.
func FileURI(given string) (string, bool) {
	if !strings.HasPrefix(strings.ToLower(given), "file:") {
		return "", false
	}
	u, err := url.Parse(given)
	if err != nil {
		return strings.TrimPrefix(given[len("file:"):], "//"), true
	}
	return filepath.FromSlash(u.Path), true
}

// HasFile reports whether the workspace has a file of a name in any of its folders.
func HasFile(c *Call, base string) bool {
	has := false
	eachFile(c, c.Workspace.Root, func(path string) bool {
		has = filepath.Base(path) == base
		return !has
	})
	return has
}

// eachFile visits the files that are followed in the tree of a path, until visit returns false.
func eachFile(c *Call, path string, visit func(path string) bool) {
	j := c.Workspace.Pool.Journal(path)
	if j == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ScanPatience) // the first call comes before the first walk
	defer cancel()
	_, _ = j.Barrier(ctx)
	for f := range j.Files() {
		if !visit(f) {
			return
		}
	}
}

// nearFiles are files that were probably meant: the same name in another folder, or a similar name in the same one.
func (c *Call) nearFiles(path string) []string {
	base, dir := filepath.Base(path), filepath.Dir(path)
	same, siblings := []string{}, []string{}
	eachFile(c, path, func(f string) bool {
		switch {
		case filepath.Base(f) == base:
			same = append(same, c.Show(f))
		case filepath.Dir(f) == dir:
			siblings = append(siblings, filepath.Base(f))
		}
		return len(same) < 3
	})
	if len(same) == 3 {
		return same
	}
	if near := contract.Closest(base, siblings); near != "" {
		same = append(same, c.Show(filepath.Join(dir, near)))
	}
	return same
}

// Relative is a copy of an error that shows paths of the workspace as the rest of the answers does. Errors are made
// deep below, where paths are absolute, and the message is text by now; so the root is simply taken out of it.
func Relative(c *Call, e *contract.Error) *contract.Error {
	if c.Workspace.Root == "" {
		return e
	}
	copied := *e
	prefix := c.Workspace.Root + "/"
	copied.Message = strings.ReplaceAll(copied.Message, prefix, "")
	copied.Facts = maps.Clone(e.Facts)
	if path, ok := e.Facts["file_path"].(string); ok {
		copied.Facts["file_path"] = c.Show(path)
	}
	if paths, ok := e.Facts["file_paths"].([]string); ok {
		copied.Facts["file_paths"] = c.ShowSome(paths)
	}
	return &copied
}

// Invalid is the error for an argument whose value is refused; format says why, as the end of a sentence that
// begins with its name.
func Invalid(name, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": name, "reason": reason},
		"the argument %s %s", name, reason)
}

// routed are the servers for a file that [Call.Path] has just found, for the question about it that follows. They
// are taken once: a later question looks at the disk again.
type routed struct {
	path   string
	routes []router.Route
}

// Routes are the servers for a file: those of the table, or for a dependency's source the one that pointed at it.
func (c *Call) Routes(path string) ([]router.Route, error) {
	c.mu.Lock()
	found := c.routed
	c.routed = nil
	c.mu.Unlock()
	if found != nil && found.path == path {
		return found.routes, nil
	}
	routes, err := c.Workspace.Table.Route(c.Workspace.Process.Files, path)
	if err != nil {
		if r, ok := c.Workspace.Pointed.Route(path); ok {
			return []router.Route{r}, nil
		}
	}
	return routes, err
}

// ScanPatience is how long a tool that has to answer at once searches the workspace.
const ScanPatience = 2 * time.Second

// Folder is a folder as sentences name it.
func (c *Call) Folder(path string) string {
	if path == c.Workspace.Root {
		return "the workspace"
	}
	return c.Show(path)
}

// Missing is the error for an argument that has to be given.
func Missing(name string) error {
	return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": name},
		"the argument %s is missing", name)
}
