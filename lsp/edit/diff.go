package edit

import (
	"io/fs"
	"os"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/rogpeppe/go-internal/diff"
)

// contextLines is how many lines around a change a diff has, as in those of git.
const contextLines = udiff.DefaultContextLines

// shorterDiff returns the unified diff of a file; "" when its text stays. It is the shortest one of these: the diff of
// the texts, that of the server's own edits where these are about the text on disk, and, where both are long, the
// anchored diff. Edits may replace much by the same, and of many changes in a long text go-udiff makes a single one
// (0.4.1).
func (f *File) shorterDiff(opts *Options, n *node) (string, error) {
	if f.Old == f.New {
		return "", nil
	}
	var best string
	if n.groups == 1 && f.Kind != Create && f.Kind != Delete {
		var edits []udiff.Edit
		for _, e := range f.Edits {
			edits = append(edits, udiff.Edit{Start: e.Start, End: e.end(), New: e.New})
		}
		var err error
		if best, err = f.unified(opts, edits); err != nil || len(f.Old)+len(f.New) >= maxCompared {
			return best, err
		}
	}
	compared, err := f.unified(opts, udiff.Lines(f.Old, f.New))
	if err != nil {
		return "", err
	}
	if best == "" || len(compared) <= len(best) {
		best = compared
	}
	if len(best) >= longDiff && f.Kind == Change {
		name := opts.labelOf(f.Path)
		_, anchored, _ := strings.Cut(string(diff.Diff(name, []byte(f.Old), name, []byte(f.New))), "\n")
		if anchored != "" && len(anchored) < len(best) {
			return anchored, nil
		}
	}
	return best, nil
}

// longDiff is the size in bytes from which a diff may be one of a single change where there are many.
const longDiff = 4096

// unified formats edits of the text on disk as a unified diff.
func (f *File) unified(opts *Options, edits []udiff.Edit) (string, error) {
	from, to := opts.labelOf(f.pathBefore()), opts.labelOf(f.Path)
	switch {
	case f.Kind == Create:
		from = os.DevNull
	case f.Kind == Delete:
		to = os.DevNull
	}
	d, err := udiff.ToUnifiedDiff(from, to, f.Old, edits, contextLines)
	if err != nil {
		return "", rejected(ReasonOverlap, f.Path, "showing the edit of %s: %w", f.Path, err)
	}
	number(d.Hunks)
	return d.String(), nil
}

// maxCompared is the size in bytes, of both texts together, from which the diff of the texts is not tried.
const maxCompared = 1 << 20

// number sets the lines at which hunks begin in the new text. go-udiff forgets the lines that stay between two
// changes of one hunk (0.4.1), and git applies a hunk at the line that it names.
func number(hunks []*udiff.Hunk) {
	more := 0
	for _, h := range hunks {
		h.ToLine = h.FromLine + more
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				more++
			case udiff.Delete:
				more--
			}
		}
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}
