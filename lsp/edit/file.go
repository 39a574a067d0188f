package edit

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"lspi/internal/source"
)

// Kind is what a plan does to a file.
type Kind string

// The kinds.
const (
	Change Kind = "change"
	Create Kind = "create"
	Rename Kind = "rename"
	Delete Kind = "delete"
)

// File is what a plan does to one file, link or folder.
type File struct {
	Path string // after the plan; absolute, inside a root as the root was given
	From string // before the plan, when that is another path; else ""
	Kind Kind
	// BeforeSHA256 is hex, of the bytes on disk; "" for what is created and for a folder that stays. For a symbolic
	// link it is "link:" and the hash of its target, for a deleted folder "folder:" and the hash of its entries.
	BeforeSHA256 string
	AfterSHA256  string // hex; "" for what is deleted and for a folder
	Old, New     string // the texts; both "" when the text does not change, or is not shown (see Binary)
	Binary       bool   // a deleted file whose text is not shown: it is not UTF-8, or larger than 1 MiB
	Edits        []Replacement
	Diff         string // unified, with three lines of context; "" when the text does not change
	Annotations  []string

	Folder    bool
	Contains  int    // entries of a folder, at most 100,000
	Link      string // a symbolic link by which the server named the file; else ""
	Generated bool   // the text says that a program wrote it
	ReadOnly  bool   // Apply refuses the plan
	HardLinks int    // further names, which would keep the old text: Apply refuses when the text changes
	// OddLineEnds: before the last edit stands a lone \r or a Unicode line separator, which not all servers count as
	// the end of a line.
	OddLineEnds bool
}

// pathBefore returns the path before the plan.
func (f *File) pathBefore() string { return cmp.Or(f.From, f.Path) }

// maxDeletedText is the largest text of a deleted file that is shown, in bytes.
const maxDeletedText = 1 << 20

// describe fills in texts and facts.
func (f *File) describe(t *tree, n *node) error {
	if n.info != nil {
		f.ReadOnly = isReadOnly(n.origin, n.info)
		f.HardLinks = furtherNames(n.info)
	}
	if n.named != "" && f.Path != n.named && isLink(n.named) {
		f.Link = n.named
	}
	switch {
	case f.Kind == Delete:
		f.describeDeleted(n)
	case n.swapped() || n.origin == "":
		f.Old, f.New, f.Edits = n.old, n.text, n.edits
	}
	for _, e := range f.Edits {
		if e.Annotation != "" && !slices.Contains(f.Annotations, e.Annotation) {
			f.Annotations = append(slices.Clone(f.Annotations), e.Annotation)
		}
	}
	f.Generated = source.IsGenerated(cmp.Or(n.old, f.New, f.movedText(n)))
	f.OddLineEnds = n.groups == 1 && hasOddLineEnds(n.old, f.Edits)
	var err error
	f.Diff, err = f.shorterDiff(t.opts, n)
	return err
}

// movedText is the text of a file that moves as it is; "" for anything else.
func (f *File) movedText(n *node) string {
	if f.Kind != Rename || n.read || !n.regular() || n.info.Size() > maxDeletedText {
		return ""
	}
	text, _, _ := readText(n.origin)
	return text
}

// describeDeleted fills in the text of a deleted file.
func (f *File) describeDeleted(n *node) {
	text, sum := n.old, n.before
	if !n.read && n.regular() && n.info.Size() <= maxDeletedText {
		text, sum, _ = readText(n.origin)
	}
	f.Binary = !n.regular() || sum != n.before || !utf8.ValidString(text) || n.info.Size() > maxDeletedText
	if !f.Binary {
		f.Old = text
	}
}
