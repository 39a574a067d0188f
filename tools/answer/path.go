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

// maxPath is PATH_MAX of Linux, in bytes. lspi looks for a project's root in every folder above a file,
// so a path without a bound would cost time without a bound.
const maxPath = 4096

// Path turns the argument file_path into the real absolute path of an existing file that may be asked
// about.
//
// Links are followed first: the real file is the one that must be allowed, and that servers know.
// Whether a server is configured for the file is checked before whether it exists, since a wrong
// extension is the more useful news. The routes that were found stay for the question that follows
// ([Call.Routes]).
func (c *Call) Path(given string) (string, error) {
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
	// A link that leads nowhere exists by its own name; the other cause needs another remedy.
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

// FileURI returns the path of a file:// URI; ok is false when given is none. One that does not parse is
// taken as it stands behind "file:".
func FileURI(given string) (string, bool) {
	if !strings.HasPrefix(strings.ToLower(given), "file:") {
		return "", false
	}
	u, err := url.Parse(given)
	if err != nil {
		return strings.TrimPrefix(given[len("file:"):], "//"), true
	}
	return filepath.FromSlash(u.Path + u.Opaque), true // file:a.go is opaque (RFC 3986)
}

// HasFile reports whether the workspace has a file with this base name in any folder.
func HasFile(c *Call, base string) bool {
	has := false
	eachFile(c, c.Workspace.Root, func(path string) bool {
		has = filepath.Base(path) == base
		return !has
	})
	return has
}

// eachFile calls visit with the files that lspi watches in the tree that holds path, until visit
// returns false. It waits at most [ScanPatience] for the first walk over the tree, and visits what is
// known by then.
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

// nearFiles returns the files that a wrong path probably meant: up to three of the same name in other
// folders, and one with a similar name in the same folder. Never nil: the fact "closest" is an array.
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

// Relative returns a copy of an error with the paths of the workspace as answers show them. Errors are
// made in layers that know only absolute paths, and their message is text by the time it comes here, so
// the root is cut out of the text.
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

// Invalid returns the error for an argument whose value is refused. format ends a sentence that begins
// with the argument's name: "the argument line must be at least 1".
func Invalid(name, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": name, "reason": reason},
		"the argument %s %s", name, reason)
}

// routed are the routes that [Call.Path] has just found, for the question about the same file that
// follows at once. They are used once: between two questions the files that decide routes may change.
type routed struct {
	path   string
	routes []router.Route
}

// Routes returns the servers for a file, the preferred one first: those of the table, or for a
// dependency's source, which no table has, the server that named it.
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
		if r, ok := c.Workspace.Named.Route(path); ok {
			return []router.Route{r}, nil
		}
	}
	return routes, err
}

// ScanPatience is how long a tool that has to answer at once (an error, a status) looks through the
// workspace.
const ScanPatience = 2 * time.Second

// Folder returns a folder as sentences name it: "the workspace", or its path.
func (c *Call) Folder(path string) string {
	if path == c.Workspace.Root {
		return "the workspace"
	}
	return c.Show(path)
}

// Missing returns the error for an argument that has to be given.
func Missing(name string) error {
	return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": name},
		"the argument %s is missing", name)
}
