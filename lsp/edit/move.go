package edit

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Move adds to the edit, behind everything else, that a file or folder gets another path. The edit's texts are those of
// the paths before: servers answer workspace/willRenameFiles so (LSP 3.17).
func (e *Edit) Move(from, to string) {
	e.operations = append(e.operations, operation{verb: verbRename, path: from, to: to})
}

// Moved is a file or folder that gets another path.
type Moved struct{ From, To string }

// Moves returns the files and folders that the edit renames.
func (e *Edit) Moves() []Moved {
	var out []Moved
	for _, op := range e.operations {
		if op.verb == verbRename {
			out = append(out, Moved{op.path, op.to})
		}
	}
	return out
}

// Precede puts the operations of another edit in front, whose texts are those before this one.
func (e *Edit) Precede(first *Edit) {
	e.operations = slices.Concat(first.operations, e.operations)
	maps.Copy(e.annotations, first.annotations)
}

// Undo returns the edit that takes an applied plan back: the texts before, the paths before, and no folder that the
// plan made and that holds nothing else. It is for plans that delete nothing but folders without files. Its own plan
// needs the zero Options.Encoding and IgnoresMark.
func (p *Plan) Undo() *Edit {
	var texts []TextChange
	moved := map[string]bool{} // what is at a path only because of the plan
	for i := range p.Files {
		f := &p.Files[i]
		if f.Kind == Create || f.Old != f.New {
			texts = append(texts, TextChange{Path: f.Path, Before: f.New, After: f.Old, Ends: f.Kind == Create})
		}
		moved[f.Path] = f.Kind == Create || f.Kind == Rename
	}
	e := ChangeTexts(texts)
	for _, f := range slices.Backward(p.Files) {
		if f.Kind == Rename {
			e.Move(f.Path, f.From)
		}
	}
	for _, s := range slices.Backward(p.steps) {
		path := p.shown(s.Path)
		if s.Kind != stepMkdir || !holdsOnly(path, moved) {
			continue
		}
		moved[path] = true
		e.operations = append(e.operations, operation{verb: verbDelete, path: path})
	}
	return e
}

// holdsOnly reports whether a folder holds nothing but some paths.
func holdsOnly(dir string, some map[string]bool) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !some[filepath.Join(dir, e.Name())]
	})
}
