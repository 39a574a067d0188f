package edit

import "github.com/aymanbagabas/go-udiff"

// TextChange replaces the text of a file by another one.
type TextChange struct {
	Path          string // absolute
	Before, After string
	Begins, Ends  bool // the change creates or deletes the file
}

// ChangeTexts returns the edit that makes the changes. Its plan needs the zero Options.Encoding and IgnoresMark.
func ChangeTexts(changes []TextChange) *Edit {
	e := &Edit{annotations: map[string]Annotation{}}
	for _, c := range changes {
		// The text goes with the file.
		if c.Ends {
			e.operations = append(e.operations, operation{verb: verbDelete, path: c.Path})
			continue
		}
		if c.Begins {
			e.operations = append(e.operations, operation{verb: verbCreate, path: c.Path})
		}
		text := operation{verb: verbText, path: c.Path}
		at := (&Options{}).encoded(c.Path, c.Before)
		for _, d := range udiff.Strings(c.Before, c.After) {
			text.edits = append(text.edits,
				textEdit{start: at.positionOf(d.Start), end: at.positionOf(d.End), text: d.New})
		}
		if len(text.edits) > 0 {
			e.operations = append(e.operations, text)
		}
	}
	return e
}
