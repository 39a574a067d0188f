package edit

import (
	"io/fs"
	"os"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is what patch and git show around a change.
const contextLines = udiff.DefaultContextLines

// diff is the unified diff of a file, "" when its text stays. It is made from the server's own edits where these are
// about the text on disk, so that it shows what the server changed and not another way to the same text.
func (f *File) diff(opts *Options, n *node) (string, error) {
	if f.Old == f.New {
		return "", nil
	}
	from, to := opts.label(f.before()), opts.label(f.Path)
	switch {
	case f.Kind == Create:
		from = os.DevNull
	case f.Kind == Delete:
		to = os.DevNull
	}
	if n.groups != 1 || f.Kind == Create || f.Kind == Delete {
		return udiff.Unified(from, to, f.Old, f.New), nil
	}
	edits := make([]udiff.Edit, len(f.Edits))
	for i, e := range f.Edits {
		edits[i] = udiff.Edit{Start: e.Start, End: e.end(), New: e.New}
	}
	d, err := udiff.ToUnified(from, to, f.Old, edits, contextLines)
	if err != nil {
		return "", rejected(ReasonOverlap, f.Path, "showing the edit of %s: %w", f.Path, err)
	}
	return d, nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}
