package edits

import (
	"fmt"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/edit"
	"lspi/tools/answer"
)

// nameRisk returns why a rename may break the code although the server has an edit for it; "" where
// nothing speaks against the name. Servers of scripts take any text, and few look whether the name
// means something else where the edit puts it (pyright and TypeScript do not).
func nameRisk(c *answer.Call, ch *Proposed) string {
	if ch.Carried[1] != "" && notSafe(c, ch, true) == "" {
		return "only the servers tell then whether the code is right in its new place"
	}
	if ch.NewName == "" {
		return ""
	}
	if lang.Of(ch.Files[0].Path).Name == nil && !lang.IsName(ch.NewName) {
		return ch.NewName + " may be no name in this language"
	}
	for i := range ch.Files {
		if at := inUse(&ch.Files[i], ch.NewName); at > 0 {
			return fmt.Sprintf("%s is in use already, in line %d of %s", ch.NewName, at, c.Show(ch.Files[i].Path))
		}
	}
	return ""
}

// inUse returns the first line of a changed file whose code holds a name before the change; 0 for none.
// Which scope the line is in nobody knows without the compiler, so the whole file counts.
func inUse(f *edit.File, name string) int {
	if len(f.Edits) == 0 {
		return 0
	}
	text, inside, block := source.New(f.Path, f.Old), false, false
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		if inside, block = lang.InBlock(f.Path, line, block); inside {
			continue
		}
		if len(lang.InCode(f.Path, line, source.Occurrences(line, name))) > 0 {
			return n
		}
	}
	return 0
}
