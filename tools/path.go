package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lspi/contract"
	"lspi/router"
)

// maxPath is PATH_MAX of Linux, in bytes. Roots are looked for in every folder above a file, so that a path without bound
// would cost time without bound.
const maxPath = 4096

// path turns a file_path argument into the real absolute path of an existing file that may be asked about. Whether a
// server is configured for it is checked before whether it exists: a wrong extension is the more useful news.
func (c *Call) path(given string) (string, error) {
	if plain, ok := fileURI(given); ok {
		return "", contract.Errorf(contract.KindNotAFilePath, contract.Facts{"given": given, "file_path": c.show(plain)},
			"file_path takes a plain path, not a URI: use %s", c.show(plain))
	}
	if len(given) > maxPath {
		return "", invalid("file_path", "has %d bytes; no path is longer than %d", len(given), maxPath)
	}
	path := c.absolutePath(given)
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		if info, err := os.Stat(real); err == nil && info.IsDir() {
			return "", contract.Errorf(contract.KindNotAFile, contract.Facts{"file_path": path}, "%s is a folder", c.show(path))
		}
		_, err := c.routes(real)
		return real, err
	}
	if _, err := c.routes(path); err != nil {
		return "", err
	}
	if errors.Is(err, fs.ErrNotExist) {
		if to, err := os.Readlink(path); err == nil {
			return "", contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": path, "link_to": to, "closest": []string{}},
				"%s is a symbolic link that leads nowhere: there is no %s", c.show(path), to)
		}
		return "", contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": path, "closest": c.nearFiles(path)},
			"there is no file %s", c.show(path))
	}
	return "", contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": err.Error()},
		"reading %s: %w", c.show(path), err)
}

// fileURI is the path of a file:// URI.
func fileURI(given string) (string, bool) {
	if !strings.HasPrefix(strings.ToLower(given), "file:") {
		return "", false
	}
	u, err := url.Parse(given)
	if err != nil {
		return strings.TrimPrefix(given[len("file:"):], "//"), true
	}
	return filepath.FromSlash(u.Path), true
}

// nearFiles are files that were probably meant: the same name in another folder, or a similar name in the same one.
func (c *Call) nearFiles(path string) []string {
	j := c.env.Pool.Journal(path)
	if j == nil {
		return []string{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), scanPatience) // the first call comes before the first walk
	defer cancel()
	_, _ = j.Barrier(ctx)
	base, dir := filepath.Base(path), filepath.Dir(path)
	same, siblings := []string{}, []string{}
	for f := range j.Files() {
		switch {
		case filepath.Base(f) == base:
			if same = append(same, c.show(f)); len(same) == 3 {
				return same
			}
		case filepath.Dir(f) == dir:
			siblings = append(siblings, filepath.Base(f))
		}
	}
	if near := contract.Closest(base, siblings); near != "" {
		same = append(same, c.show(filepath.Join(dir, near)))
	}
	return same
}

func invalid(name, format string, args ...any) error {
	reason := fmt.Sprintf(format, args...)
	return contract.Errorf(contract.KindInvalidArgument, contract.Facts{"argument": name, "reason": reason},
		"the argument %s %s", name, reason)
}

// routes are the servers for a file: those of the table, or for a dependency's source the one that pointed at it.
func (c *Call) routes(path string) ([]router.Route, error) {
	routes, err := c.env.Table.Route(c.env.Files, path)
	if err != nil {
		if r, ok := c.env.pointed.route(path); ok {
			return []router.Route{r}, nil
		}
	}
	return routes, err
}

// scanPatience is how long a tool that has to answer at once searches the workspace.
const scanPatience = 2 * time.Second

// folder is a folder as sentences name it.
func (c *Call) folder(path string) string {
	if path == c.env.Settings.Workspace {
		return "the workspace"
	}
	return c.show(path)
}

func missing(name string) error {
	return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": name}, "the argument %s is missing", name)
}
