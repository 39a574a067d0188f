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

// tree is the picture of the files on which a plan is played. Nothing on disk changes.
//
// A path in an operation means what is there after the operations before it. So when p was renamed to q, q/a is
// looked up on disk as p/a (origin), and p/a is missing unless something was made there since. What was looked at
// is a node, which keeps where it is on disk while its path changes.
type tree struct {
	opts    *Options
	id      string           // of the plan, in the names of auxiliary files
	nodes   map[string]*node // what was looked at, by where it is now
	all     []*node          // the same and what was deleted, in the order of the first look
	moved   []relocation     // in the order of the operations
	steps   []step           // all but the swaps
	names   int              // auxiliary names given out
	outside []string
	confirm []string // paths of [Protected] that want a person's word
}

// relocation is a path that now has another name; to is "" when it was deleted.
type relocation struct{ from, to string }

// node is one file, link or folder.
type node struct {
	path   string      // where it is now
	origin string      // where it is on disk; "" for one that the plan makes
	info   fs.FileInfo // nil for one that the plan makes
	folder bool
	before string // digest of it on disk, "" for a folder
	named  string // how the server named it when that is a symbolic link to it

	read     bool   // old and text are set
	old      string // on disk
	text     string // now
	edits    []Replacement
	groups   int // how often edits were applied
	renamed  bool
	deleted  bool
	removed  bool     // deleted by itself, not with its folder
	notes    []string // IDs of annotations
	contains int      // entries of a folder that was renamed or deleted
	entries  string   // digest of those of one that was deleted
}

func (n *node) link() bool { return n.info != nil && n.info.Mode().Type() == fs.ModeSymlink }

func (n *node) regular() bool { return !n.folder && (n.info == nil || n.info.Mode().IsRegular()) }

// aux is an unused name beside path.
func (t *tree) aux(path string) string {
	t.names++
	return filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%s-%d.tmp", Prefix, t.id, t.names))
}

// origin is where on disk the file is that path names now, "" when none can be there.
func (t *tree) origin(path string) string {
	for _, m := range slices.Backward(t.moved) {
		if rel, ok := source.RelativeTo(m.to, path); ok && m.to != "" {
			path = filepath.Join(m.from, rel)
		} else if _, ok := source.RelativeTo(m.from, path); ok {
			return ""
		}
	}
	return path
}

// at is what is at path now, nil when nothing is.
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
	if !n.folder && !n.link() && !n.regular() {
		return nil, rejected(ReasonNotAFile, path, "%s is neither a file nor a folder", path)
	}
	t.add(n)
	return n, nil
}

func (t *tree) add(n *node) {
	t.nodes[n.path] = n
	t.all = append(t.all, n)
}

// load reads a node's digest, and with text its text.
func (t *tree) load(n *node, text bool) error {
	if n.origin == "" || n.folder || n.before != "" && (n.read || !text) {
		return nil
	}
	var err error
	if !text {
		n.before, err = digest(n.origin)
	} else {
		n.old, n.before, err = readText(n.origin)
		n.text, n.read = n.old, true
	}
	if err != nil {
		return unreadable(n.path, err)
	}
	if text && !utf8.ValidString(n.old) {
		return rejected(ReasonNotUTF8, n.path, "%s is not UTF-8, so the server's edit of it cannot be placed", n.path)
	}
	return nil
}

// inside reports whether path may be written, and notes it otherwise.
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

// real is path with the symbolic links on the way resolved, and with follow also the last one. The part that does
// not exist is kept as it is.
func (t *tree) real(path string, follow bool) (string, error) {
	if n := t.nodes[path]; n != nil && !(follow && n.link()) {
		return path, nil
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
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
		return path, nil // what is wrong with it is said where it is used
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	return target, nil
}

// swapped reports whether the node's text on disk is exchanged. That of a deleted file is not.
func (n *node) swapped() bool { return n.origin != "" && n.read && n.text != n.old && !n.deleted }

// now is the digest that the node has on disk once the swaps are done; "" for a folder.
func (n *node) now() string {
	switch {
	case n.folder:
		return ""
	case n.swapped() || n.origin == "":
		return DigestText(n.text)
	default:
		return n.before
	}
}

func (n *node) note(annotation string) {
	if annotation != "" && !slices.Contains(n.notes, annotation) {
		n.notes = append(n.notes, annotation)
	}
}

// descendants are the paths of all that is in a folder as it is now, at most maxFolderEntries.
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
			return nil // what cannot be read is found when it is needed
		})
	}
	for path := range t.nodes {
		if rel, ok := source.RelativeTo(dir, path); ok && rel != "." {
			found[path] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
