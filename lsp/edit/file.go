package edit

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"lspi/internal/source"
)

// Kind is what happens to a file.
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
	Path string // where it is at the end; absolute, inside a root as the root was given
	From string // where it was, when that is elsewhere; else ""
	Kind Kind
	// BeforeSHA256 is hex, of the bytes on disk; "" for what is created and for a folder that stays. "link:" stands
	// before that of a link's target, "folder:" before that of what is in a folder which is deleted.
	BeforeSHA256 string
	AfterSHA256  string // hex; "" for what is deleted and for a folder
	Old, New     string // the texts; both "" when the text does not change, or is not shown (see Binary)
	Binary       bool   // it is deleted, and its text is not shown: not UTF-8, or above 1 MiB
	Edits        []Replacement
	Diff         string // unified, with three lines of context; "" when the text does not change
	Annotations  []string

	Folder    bool
	Contains  int    // entries of a folder, at most 100,000
	Link      string // a symbolic link by which the server named the file, else ""
	Generated bool   // its text says that a program wrote it
	ReadOnly  bool   // it may not be written: Apply refuses
	HardLinks int    // further names of the file, which would keep the old text: Apply refuses when the text changes
	// OddLineEnds: before the last edit stands a lone \r or a Unicode line separator, which not all servers count
	// alike.
	OddLineEnds bool
}

// before is the file's path before the plan.
func (f *File) before() string { return cmp.Or(f.From, f.Path) }

// maxDeletedText is the largest text that is shown of a deleted file.
const maxDeletedText = 1 << 20

// describe fills in texts and facts.
func (f *File) describe(t *tree, n *node) error {
	if n.info != nil {
		f.ReadOnly = readOnly(n.origin, n.info)
		f.HardLinks = furtherNames(n.info)
	}
	if n.named != "" && f.Path != n.named && isLink(n.named) {
		f.Link = n.named
	}
	switch {
	case f.Kind == Delete:
		f.deleted(n)
	case n.swapped() || n.origin == "":
		f.Old, f.New, f.Edits = n.old, n.text, n.edits
	}
	for _, e := range f.Edits {
		if e.Annotation != "" && !slices.Contains(f.Annotations, e.Annotation) {
			f.Annotations = append(slices.Clone(f.Annotations), e.Annotation)
		}
	}
	f.Generated = source.IsGenerated(cmp.Or(n.old, f.New))
	f.OddLineEnds = n.groups == 1 && oddLineEnds(n.old, f.Edits)
	var err error
	f.Diff, err = f.diff(t.opts, n)
	return err
}

// deleted shows the text that goes.
func (f *File) deleted(n *node) {
	text, sum := n.old, n.before
	if !n.read && n.regular() && n.info.Size() <= maxDeletedText {
		text, sum, _ = readText(n.origin)
	}
	f.Binary = !n.regular() || sum != n.before || !utf8.ValidString(text) || n.info.Size() > maxDeletedText
	if !f.Binary {
		f.Old = text
	}
}
