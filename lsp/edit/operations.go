package edit

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// applyOperation applies an operation on a file or folder. Links on the way are resolved, but not the last one:
// renaming or deleting a link means the link.
func (t *tree) applyOperation(op operation) error {
	path, err := t.real(op.path, false)
	if err != nil {
		return err
	}
	inside := t.inside(path)
	// A rename needs both of its paths in the roots.
	var to string
	if op.verb == verbRename {
		if to, err = t.real(op.to, false); err != nil {
			return err
		}
		inside = t.inside(to) && inside
	}
	if err := t.guard(op.path, path, op.to, to); err != nil {
		return err
	}
	if !inside {
		return nil
	}
	switch op.verb {
	case verbCreate:
		return t.createFile(path, op)
	case verbRename:
		return t.renamePath(path, to, op)
	default:
		return t.deletePath(path, op)
	}
}

// editText applies the edits that one group of operations makes to one file. named is the path by which the server
// named it.
func (t *tree) editText(path, named string, parts []operation) error {
	n, err := t.at(path)
	if err != nil {
		return err
	}
	if n == nil {
		// The file does not exist on disk either: DropGone is not for one that this edit itself deletes.
		if _, err := os.Lstat(path); t.opts.DropGone && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return rejected(ReasonMissing, path, "the server edits %s, which does not exist", path)
	}
	if !n.regular() {
		return rejected(ReasonNotAFile, path, "the server edits %s, which is not a regular file", path)
	}
	if err := t.load(n, true); err != nil {
		return err
	}
	// Later groups of the edit are about what the earlier ones made of the text, which is not on disk.
	if t.opts.Seen != nil && n.origin != "" && n.groups == 0 {
		for _, p := range parts {
			if err := t.opts.Seen(t.opts.shown(n.path), n.old, p.version); err != nil {
				return err
			}
		}
	}
	edits, err := t.merge(n, parts)
	if err != nil {
		return err
	}
	if named != path {
		n.named = named
	}
	n.text = applyReplacements(n.text, edits)
	n.edits = append(n.edits, edits...)
	n.groups++
	return nil
}

// merge resolves the edits of all parts against one text, as VS Code does. LSP allows reading them one after the
// other as well; when that gives another text, the server's edit is refused.
func (t *tree) merge(n *node, parts []operation) ([]Replacement, error) {
	var all []textEdit
	for _, p := range parts {
		all = append(all, p.edits...)
	}
	edits, err := resolve(n.path, n.text, t.opts.encoded(n.path, n.text), all)
	if err != nil || len(parts) == 1 || oneVersion(parts) {
		return edits, err
	}
	text := n.text
	for _, p := range parts {
		one, err := resolve(n.path, text, t.opts.encoded(n.path, text), p.edits)
		if err != nil {
			text = ""
			break
		}
		text = applyReplacements(text, one)
	}
	if text != applyReplacements(n.text, edits) {
		return nil, rejected(ReasonAmbiguous, n.path,
			"the server's edit changes %s in %d parts, which give different texts together and one after the other",
			n.path, len(parts))
	}
	return edits, nil
}

// oneVersion reports whether all parts name the same version of the document: then they are about that text, and not
// about what the part before makes of it. typescript-language-server 6.0.2 sends such parts for "fix all".
func oneVersion(parts []operation) bool {
	for _, p := range parts {
		if p.version == nil || *p.version <= 0 || *p.version != *parts[0].version {
			return false
		}
	}
	return true
}

// mkdirs makes the missing folders on the way to path.
func (t *tree) mkdirs(path string) error {
	dir := filepath.Dir(path)
	n, err := t.at(dir)
	if err != nil {
		return err
	}
	if n != nil {
		if !n.folder {
			return rejected(ReasonExists, dir, "the server's edit needs the folder %s, which is a file", dir)
		}
		return nil
	}
	if err := t.mkdirs(dir); err != nil {
		return err
	}
	t.add(&node{path: dir, folder: true})
	t.steps = append(t.steps, step{Kind: stepMkdir, Path: dir})
	return nil
}

// createFile applies CreateFile (LSP 3.17).
func (t *tree) createFile(path string, op operation) error {
	n, err := t.at(path)
	if err != nil {
		return err
	}
	if n != nil {
		return t.createOver(n, op)
	}
	if err := t.mkdirs(path); err != nil {
		return err
	}
	n = &node{path: path, read: true}
	n.note(op.annotation)
	stage := t.stagePath(path)
	t.steps = append(t.steps, step{Kind: stepPlace, Path: path, Stage: stage, Aux: stage, node: n})
	t.add(n)
	return nil
}

// stagePath returns a name for the text of a new file, in the nearest folder that exists on disk, by its name there:
// the text is written before any folder is made or moved.
func (t *tree) stagePath(path string) string {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if n := t.nodes[dir]; n != nil && n.origin == "" {
			continue
		}
		if origin := t.origin(dir); origin != "" {
			if info, err := os.Lstat(origin); err == nil && info.IsDir() {
				return t.aux(filepath.Join(origin, "x"))
			}
		}
		if dir == filepath.Dir(dir) {
			return t.aux(path)
		}
	}
}

// createOver applies CreateFile where something exists: overwrite wins over ignoreIfExists (LSP 3.17,
// CreateFileOptions).
func (t *tree) createOver(n *node, op operation) error {
	switch {
	case op.options.Overwrite && n.regular():
		if err := t.load(n, true); err != nil {
			return err
		}
		n.edits = append(n.edits, Replacement{Line: 1, Old: n.text, Annotation: op.annotation})
		n.text = ""
		n.groups++
		return nil
	case op.options.IgnoreIfExists && !op.options.Overwrite:
		return nil
	default:
		return rejected(ReasonExists, n.path, "the server's edit creates %s, which exists", n.path)
	}
}

// renamePath applies RenameFile (LSP 3.17) to a file, a link, or a folder with everything in it.
func (t *tree) renamePath(from, to string, op operation) error {
	n, err := t.at(from)
	if err != nil {
		return err
	}
	if n == nil {
		return rejected(ReasonMissing, from, "the server renames %s, which does not exist", from)
	}
	if from == to {
		return nil
	}
	if _, ok := source.RelativeTo(from, to); ok {
		return rejected(ReasonMalformed, from, "the server moves %s into itself", from)
	}
	proceed, onlyCase, err := t.vacate(n, to, op)
	if err != nil || !proceed {
		return err
	}
	if err := t.load(n, false); err != nil {
		return err
	}
	if err := t.mkdirs(to); err != nil {
		return err
	}
	n.note(op.annotation)
	n.renamed = true
	if n.folder {
		if err := t.guardFolder(from); err != nil {
			return err
		}
		n.contains = len(t.descendants(from))
	}
	if onlyCase { // in two moves: to a file system that ignores case, the target exists
		via := t.aux(from)
		t.move(n, via)
	}
	t.move(n, to)
	return nil
}

// move adds the step and gives everything in n its new path.
func (t *tree) move(n *node, to string) {
	from := n.path
	t.steps = append(t.steps, step{Kind: stepMove, From: from, Path: to, node: n})
	t.relocate(from, to)
}

// relocate changes the paths of the nodes in from; with to "" they are deleted.
func (t *tree) relocate(from, to string) {
	t.moved = append(t.moved, relocation{from, to})
	for _, path := range slices.Collect(maps.Keys(t.nodes)) {
		rel, ok := source.RelativeTo(from, path)
		if !ok {
			continue
		}
		n := t.nodes[path]
		delete(t.nodes, path)
		if to == "" {
			n.deleted = true
			continue
		}
		n.path = filepath.Join(to, rel)
	}
	for _, n := range t.all {
		if !n.deleted {
			t.nodes[n.path] = n
		}
	}
}

// vacate makes room for n at the path to; proceed is false when the operation is to be skipped. onlyCase says that to
// is n itself with another spelling.
func (t *tree) vacate(n *node, to string, op operation) (proceed, onlyCase bool, err error) {
	target, err := t.at(to)
	if err != nil {
		return false, false, err
	}
	onlyCase = filepath.Dir(n.path) == filepath.Dir(to) && strings.EqualFold(n.path, to)
	if target == nil {
		return true, onlyCase, nil
	}
	if onlyCase && n.info != nil && target.info != nil && n.origin != "" && os.SameFile(n.info, target.info) {
		t.dropAlias(target)
		return true, true, nil
	}
	switch {
	case op.options.Overwrite && !target.folder:
		return true, onlyCase, t.remove(target, op)
	case op.options.IgnoreIfExists && !op.options.Overwrite:
		return false, false, nil
	default:
		return false, false, rejected(ReasonExists, to, "the server's edit renames %s to %s, which exists", n.path, to)
	}
}

// dropAlias removes a node that is a second name of another one.
func (t *tree) dropAlias(n *node) {
	delete(t.nodes, n.path)
	t.all = slices.DeleteFunc(t.all, func(m *node) bool { return m == n })
}

// deletePath applies DeleteFile (LSP 3.17).
func (t *tree) deletePath(path string, op operation) error {
	n, err := t.at(path)
	if err != nil {
		return err
	}
	if n == nil {
		if op.options.IgnoreIfNotExists {
			return nil
		}
		return rejected(ReasonMissing, path, "the server deletes %s, which does not exist", path)
	}
	return t.remove(n, op)
}

// remove deletes a node. Everything in a folder is read and compared before the folder goes, so that nothing goes
// that the plan has not shown.
func (t *tree) remove(n *node, op operation) error {
	if err := t.load(n, false); err != nil {
		return err
	}
	n.note(op.annotation)
	n.removed = true
	s := step{Kind: stepRemove, Path: n.path, Aux: t.aux(n.path), node: n}
	if n.folder {
		if err := t.guardFolder(n.path); err != nil {
			return err
		}
		entries, err := t.entries(n, op)
		if err != nil {
			return err
		}
		s.Before, n.entries = entries, entries
	}
	t.steps = append(t.steps, s)
	t.relocate(n.path, "")
	return nil
}

// entries returns the digest of a folder as it is now.
func (t *tree) entries(n *node, op operation) (string, error) {
	inside := t.descendants(n.path)
	n.contains = len(inside)
	if len(inside) > 0 && !op.options.Recursive {
		return "", rejected(ReasonNotEmpty, n.path,
			"the server deletes the folder %s, which is not empty, without the option recursive", n.path)
	}
	if len(inside) >= maxFolderEntries {
		return "", rejected(ReasonNotEmpty, n.path, "the server deletes the folder %s with more than %d entries",
			n.path, maxFolderEntries)
	}
	digests := map[string]string{}
	for _, path := range inside {
		e, err := t.at(path)
		if err != nil {
			return "", err
		}
		if err := t.load(e, false); err != nil {
			return "", err
		}
		rel, _ := source.RelativeTo(n.path, path)
		// Edits of what is deleted are not written, so an edited file counts with its text on disk. One that the plan
		// itself has made has only its new text.
		if digests[rel] = e.before; e.origin == "" {
			digests[rel] = e.digestNow()
		}
	}
	return digestEntries(digests), nil
}
