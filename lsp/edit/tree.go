package edit

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"lspi/internal/source"
)

// tree is the model of the files to which the operations of an edit are applied. Nothing on disk changes.
//
// A path in an operation means what is there after the operations before it. When p was renamed to q, q/a is looked
// up on disk as p/a (origin), and p/a does not exist unless something was made there since. Each path that was looked
// at has a node, which keeps where it is on disk while its path changes.
type tree struct {
	opts    *Options
	id      string           // of the plan, in the names of auxiliary files
	nodes   map[string]*node // by their paths now
	all     []*node          // the same and those that were deleted, in the order in which they were first looked at
	moved   []relocation     // in the order of the operations
	steps   []step           // all but the swaps
	names   int              // how many auxiliary names were made
	outside []string         // paths outside of the roots
	confirm []string         // paths that the user has to confirm ([Protected])
}

// relocation is a path that has another name since an operation; to is "" when it was deleted.
type relocation struct{ from, to string }

// node is one file, link or folder.
type node struct {
	path   string      // after the operations so far
	origin string      // on disk; "" for a node that the plan makes
	info   fs.FileInfo // nil for a node that the plan makes
	folder bool
	before string // digest on disk; "" for a folder
	named  string // the symbolic link to it by which the server named it; else ""

	read     bool   // old and text are set
	old      string // text on disk
	text     string // text after the operations so far
	edits    []Replacement
	groups   int // how many groups of edits were applied
	renamed  bool
	deleted  bool
	removed  bool     // deleted for itself, not with its folder
	notes    []string // IDs of annotations
	contains int      // number of entries of a folder that was renamed or deleted
	entries  string   // digest of the entries of a deleted folder
}

func (n *node) isSymlink() bool { return n.info != nil && n.info.Mode().Type() == fs.ModeSymlink }

func (n *node) regular() bool { return !n.folder && (n.info == nil || n.info.Mode().IsRegular()) }

// aux returns an unused name for an auxiliary file beside path.
func (t *tree) aux(path string) string {
	t.names++
	return filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%s-%d.tmp", Prefix, t.id, t.names))
}

// origin returns where on disk the file is that path names now; "" when none can be there.
func (t *tree) origin(path string) string {
	// Backwards through the operations, from the name now to the one on disk. A path that something was moved away
	// from, and nothing to, names nothing on disk.
	for _, m := range slices.Backward(t.moved) {
		if rel, ok := source.RelativeTo(m.to, path); ok && m.to != "" {
			path = filepath.Join(m.from, rel)
		} else if _, ok := source.RelativeTo(m.from, path); ok {
			return ""
		}
	}
	return path
}

// at returns the node at path now; nil when nothing is there.
func (t *tree) at(path string) (*node, error) {
	if n := t.nodes[path]; n != nil {
		return n, nil
	}
	origin := t.origin(path)
	if origin == "" {
		return nil, nil
	}
	info, err := os.Lstat(origin)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	n := &node{path: path, origin: origin, info: info, folder: info.IsDir()}
	if !n.folder && !n.isSymlink() && !n.regular() {
		return nil, rejected(ReasonNotAFile, path, "%s is neither a file nor a folder", path)
	}
	t.add(n)
	return n, nil
}

func (t *tree) add(n *node) {
	t.nodes[n.path] = n
	t.all = append(t.all, n)
}

// load reads a node's digest, and with text its text as well.
func (t *tree) load(n *node, text bool) error {
	if n.origin == "" || n.folder || n.before != "" && (n.read || !text) {
		return nil
	}
	var err error
	if !text {
		n.before, err = digestOf(n.origin)
	} else {
		n.old, n.before, err = readText(n.origin)
		n.text, n.read = n.old, true
	}
	if err != nil {
		return unreadable(n.path, err)
	}
	// Positions in such a text cannot be counted as the server counts them.
	if text && !utf8.ValidString(n.old) {
		return rejected(ReasonNotUTF8, n.path, "%s is not UTF-8, so the server's edit of it cannot be placed", n.path)
	}
	return nil
}

// inside reports whether path may be written. It records a path that may not.
func (t *tree) inside(path string) bool {
	for _, r := range t.opts.real {
		if rel, ok := source.RelativeTo(r, path); ok && rel != "." {
			return true
		}
	}
	if !slices.Contains(t.outside, path) {
		t.outside = append(t.outside, path)
	}
	return false
}

// real returns path with the symbolic links on the way resolved, and with follow the last one too. The part of it
// that does not exist stays as it is.
func (t *tree) real(path string, follow bool) (string, error) {
	if n := t.nodes[path]; n != nil && !(follow && n.isSymlink()) {
		return path, nil
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	// The last element is looked at apart, since a rename or deletion of a link means the link.
	parent, err := filepath.EvalSymlinks(dir)
	if gone(err) {
		parent, err = t.real(dir, true)
	}
	if err != nil {
		return "", unreadable(path, err)
	}
	path = filepath.Join(parent, filepath.Base(path))
	if !follow || t.origin(path) != path {
		return path, nil
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeSymlink {
		return path, nil // an error is reported where the path is used
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	return target, nil
}

// swapped reports whether the plan exchanges the node's text on disk. It does not for a deleted file.
func (n *node) swapped() bool { return n.origin != "" && n.read && n.text != n.old && !n.deleted }

// digestNow returns the digest that the node has on disk after the swaps; "" for a folder.
func (n *node) digestNow() string {
	switch {
	case n.folder:
		return ""
	case n.swapped() || n.origin == "":
		return DigestText(n.text)
	default:
		return n.before
	}
}

// note records the ID of an annotation, once.
func (n *node) note(annotation string) {
	if annotation != "" && !slices.Contains(n.notes, annotation) {
		n.notes = append(n.notes, annotation)
	}
}

// descendants returns the paths of everything that is in a folder now, at most maxFolderEntries.
func (t *tree) descendants(dir string) []string {
	found := map[string]bool{}
	if origin := t.origin(dir); origin != "" {
		filepath.WalkDir(origin, func(p string, _ fs.DirEntry, err error) error {
			path := carry(p, origin, dir)
			if p != origin && (t.nodes[path] != nil || t.origin(path) == p) {
				found[path] = true
			}
			if len(found) >= maxFolderEntries {
				return fs.SkipAll
			}
			return nil // an entry that cannot be read is an error where it is loaded
		})
	}
	for path := range t.nodes {
		if rel, ok := source.RelativeTo(dir, path); ok && rel != "." {
			found[path] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
