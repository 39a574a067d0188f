package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
)

// How answers write paths, and what paths mean that begin with the name of a root.

// Show returns a path as answers have it: inside of the workspace relative to it, with forward slashes; outside
// absolute, or behind the name of its root ([Workspace.behindRoot]). Characters that would read as something else are
// escaped. Every tool takes the result as an argument.
func (w *Workspace) Show(path string) string {
	if named := w.behindRoot(path); named != "" {
		return contract.EscapeLine(named)
	}
	return contract.EscapeLine(w.Relative(path))
}

// Relative returns a path relative to the workspace, with forward slashes, where it lies in it; any other as it is.
func (w *Workspace) Relative(path string) string {
	if rel, ok := source.RelativeTo(w.Root, path); ok {
		return filepath.ToSlash(rel)
	}
	return path
}

// behindRoot returns a path of a further root behind the root's name (mixed/go/x.go) where another root holds the same
// relative path, so that the two are told apart by what differs; "" for every other path, and where the name alone does
// not lead back to the path.
func (w *Workspace) behindRoot(path string) string {
	if w.Table == nil || len(w.Table.Roots) == 0 || source.Within(w.Root, path) {
		return ""
	}
	roots, root, rel := w.Table.Allowed(), "", ""
	for _, r := range roots {
		if below, in := source.RelativeTo(r, path); in && len(r) > len(root) { // the innermost
			root, rel = r, below
		}
	}
	if root == "" || rel == "." || !slices.ContainsFunc(roots, func(other string) bool {
		return other != root && exists(filepath.Join(other, rel))
	}) {
		return ""
	}
	named := filepath.Base(root) + "/" + filepath.ToSlash(rel)
	if meant := w.InRoots(named); len(meant) != 1 || meant[0] != path || !exists(filepath.Dir(path)) {
		return ""
	}
	return named
}

// InRoots returns what a path means that begins with the name of a root, once for each root of that name; nil where the
// workspace itself has something of the name, which the path then means.
func (w *Workspace) InRoots(given string) (out []string) {
	roots, rest := w.rootsNamed(given)
	for _, root := range roots {
		if path := filepath.Join(root, filepath.FromSlash(rest)); source.Within(root, path) {
			out = append(out, path)
		}
	}
	return out
}

// GlobsInRoots is [Workspace.InRoots] for a glob; it returns globs of absolute paths, with forward slashes.
func (w *Workspace) GlobsInRoots(glob string) (out []string) {
	roots, rest := w.rootsNamed(glob)
	for _, root := range roots {
		out = append(out, strings.TrimSuffix(source.GlobQuote(filepath.ToSlash(root))+"/"+rest, "/"))
	}
	return out
}

// rootsNamed returns the roots of the name that a path begins with, and the rest of the path.
func (w *Workspace) rootsNamed(given string) (roots []string, rest string) {
	name, rest, _ := strings.Cut(filepath.ToSlash(given), "/")
	if w.Table == nil || name == "" || exists(filepath.Join(w.Root, name)) {
		return nil, ""
	}
	for _, root := range w.Table.Allowed() {
		if filepath.Base(root) == name {
			roots = append(roots, root)
		}
	}
	return roots, rest
}

// exists reports whether something of that name is there, also a link that leads nowhere.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
