package edit

import "github.com/aymanbagabas/go-udiff"

// TextChange is a text that takes the place of another one.
type TextChange struct {
	Path          string // absolute
	Before, After string
	Begins, Ends  bool // the file begins or ends with it
}

// ChangeTexts is the edit that makes the changes. Its plan needs the zero Options.Encoding and IgnoresMark.
func ChangeTexts(changes []TextChange) *Edit {
	e := &Edit{annotations: map[string]Annotation{}}
	for _, c := range changes {
		if c.Ends {
			e.operations = append(e.operations, operation{verb: verbDelete, path: c.Path})
			continue
		}
		if c.Begins {
			e.operations = append(e.operations, operation{verb: verbCreate, path: c.Path})
		}
		text := operation{verb: verbText, path: c.Path}
		at := (&Options{}).counted(c.Path, c.Before)
		for _, d := range udiff.Strings(c.Before, c.After) {
			text.edits = append(text.edits, textEdit{start: at.encode(d.Start), end: at.encode(d.End), text: d.New})
		}
		if len(text.edits) > 0 {
			e.operations = append(e.operations, text)
		}
	}
	return e
}
