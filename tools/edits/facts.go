package edits

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/edit"
	"lspi/tools/answer"
)

// PlanFacts warns of what a careful reader of a plan wants to know, and reports whether the plan can be
// applied.
func PlanFacts(c *answer.Call, ch *Proposed) (applicable bool) {
	p := ch.Plan
	// Part of a rename would leave the project broken: all or nothing.
	blocked := len(p.Outside) > 0
	if blocked {
		c.Warn(contract.WarnOutsideWorkspace, contract.Facts{"files": c.ShowSome(p.Outside)}, fmt.Sprintf(
			"the edit would also change %s outside the workspace, such as %s; lspi shows nothing outside, and applies no part of the edit",
			answer.Counted(len(p.Outside), "file"), p.Outside[0]))
		c.Step(answer.OutsideStep())
	}
	if len(p.Confirm) > 0 {
		blocked = true
		c.Warn(contract.WarnNeedsConfirmation, contract.Facts{"label": "protected place",
			"files": c.ShowSome(p.Confirm)},
			several(len(p.Confirm), c.Show(p.Confirm[0]), "decides what a CI service runs",
				"decide what a CI service runs")+
				": show the user the diff, and "+agreedBy(c)+" only when the user agrees")
	}
	// One warning for each fact with its files, and not one for each file: a rename may touch hundreds.
	for _, fact := range fileFacts {
		var files []string
		for i := range p.Files {
			if fact.has(&p.Files[i]) {
				files = append(files, p.Files[i].Path)
			}
		}
		if len(files) == 0 {
			continue
		}
		blocked = blocked || fact.blocks
		c.Warn(fact.kind, contract.Facts{"files": c.ShowSome(files)}, several(len(files), c.Show(files[0]), fact.one,
			fact.many))
	}
	annotations(c, p)
	// Only a rename replaces a name wherever it stands; other edits in comments are meant.
	if ch.Renamed != nil {
		InComments(c, p)
	}
	return !blocked
}

// several returns a sentence about one file, or about several with the first as an example.
func several(n int, first, one, many string) string {
	if n == 1 {
		return first + " " + one
	}
	return fmt.Sprintf("%d files, such as %s, %s", n, first, many)
}

// agreedBy says how a change to which the user consents is made with this tool.
func agreedBy(c *answer.Call) string {
	// it writes what brings no error, and nothing by agreement
	if c.Tool != nil && c.Tool.Input.Properties["dry_run"] == nil {
		return "write it with your own tools"
	}
	return "apply it (dry_run false with preview_id)"
}

// fileFacts are the facts that may hold of a file, each with its warning.
var fileFacts = []struct {
	kind      contract.WarningKind
	has       func(*edit.File) bool
	blocks    bool // the writer refuses it
	one, many string
}{
	{contract.WarnReadOnlyFiles, func(f *edit.File) bool { return f.ReadOnly }, true,
		"is read-only; lspi applies nothing while it is", "are read-only; lspi applies nothing while they are"},
	{contract.WarnHardLinks, func(f *edit.File) bool { return f.HardLinks > 0 && len(f.Edits) > 0 }, true,
		"has other names (hard links) that would keep the old text; lspi applies nothing while it has",
		"have other names (hard links) that would keep the old text; lspi applies nothing while they have"},
	{contract.WarnGeneratedFiles, func(f *edit.File) bool { return f.Generated }, false,
		"says that a program generates it; the input of that program may have to change instead",
		"say that a program generates them; the input of that program may have to change instead"},
	{contract.WarnSymbolicLinks, func(f *edit.File) bool { return f.Link != "" }, false,
		"was reached through a symbolic link; the edit changes the file itself",
		"were reached through symbolic links; the edit changes the files themselves"},
	{contract.WarnOddLineEnds, func(f *edit.File) bool { return f.OddLineEnds }, false,
		"has characters that some servers count as line ends and others do not; look at its diff",
		"have characters that some servers count as line ends and others do not; look at their diffs"},
}

// annotations warns of the parts of an edit for which the server asks consent (LSP 3.17,
// ChangeAnnotation).
func annotations(c *answer.Call, p *edit.Plan) {
	for _, a := range p.Annotations {
		if !a.NeedsConfirmation {
			continue
		}
		var files []string
		for _, f := range p.Files {
			if slices.Contains(f.Annotations, a.ID) {
				files = append(files, f.Path)
			}
		}
		message := strings.Join(strings.Fields(a.Label+": "+a.Description), " ")
		c.Warn(contract.WarnNeedsConfirmation, contract.Facts{"label": a.Label, "description": a.Description,
			"files": c.ShowSome(files)},
			fmt.Sprintf("the server asks for confirmation of this in %s: %s", answer.Counted(len(files), "file"),
				answer.CutText(strings.TrimSuffix(message, ":"), 300)))
	}
}

// InComments warns of the names that are replaced in comments and quotes, as far as single lines tell.
func InComments(c *answer.Call, p *edit.Plan) {
	n := 0
	var files []string
	for i := range p.Files {
		f := &p.Files[i]
		// A whole file is no single edit in a comment.
		if f.Kind == edit.Create || f.Kind == edit.Delete {
			continue
		}
		if m := EditsInComments(f); m > 0 {
			n, files = n+m, append(files, f.Path)
		}
	}
	if n > 0 {
		c.Warn(contract.WarnInComments, contract.Facts{"edits": n, "files": c.ShowSome(files)},
			fmt.Sprintf("%s in comments or quotes, the first in %s", isOrAre(n, "edit"), c.Show(files[0])))
	}
}

// isOrAre returns a number of things as the subject of a sentence.
func isOrAre(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}

// isElement reports whether a stretch of a line is the name of a member between brackets and quotes (box["name"]),
// which is code.
func isElement(line string, at, size int) bool {
	from, to := strings.TrimRight(line[:at], `"'`+"`"), strings.TrimLeft(line[min(at+size, len(line)):], `"'`+"`")
	return len(from) < at && strings.HasSuffix(from, "[") && strings.HasPrefix(to, "]")
}

// annotation matches the text of a quoted annotation of Python, and one of __all__; prose has spaces between words.
var annotation = source.LazyRegexp(`^[\w.]+(?:\s*[\[\],|]+\s*[\w.]*)*$`)

// isQuotedCode reports whether a stretch of a line of Python stands in a string that reads as code does. Servers change
// such a string only where the language takes it for code: a quoted annotation, and an entry of __all__.
func isQuotedCode(path, line string, at, size int) bool {
	from, to := strings.LastIndexAny(line[:at], `"'`), strings.IndexAny(line[min(at+size, len(line)):], `"'`)
	if lang.Of(path).ID != "python" || from < 0 || to < 0 || strings.Contains(line[:from], "#") {
		return false
	}
	to += at + size
	return line[from] == line[to] && annotation.FindString(line[from+1:to]) != ""
}

// EditsInComments counts the edits of a file that replace something in comments and quotes. Each line
// is looked at once, since all edits of a generated file may be in one line of megabytes.
func EditsInComments(f *edit.File) (n int) {
	text := source.New(f.Path, f.Old)
	offsets := map[int][]int{} // of the edits in each line
	for _, r := range f.Edits {
		at := r.Start - text.LineStart(r.Line)
		if at >= 0 && at < len(text.Line(r.Line)) && r.Old != "" && !isElement(text.Line(r.Line), at, len(r.Old)) &&
			!isQuotedCode(f.Path, text.Line(r.Line), at, len(r.Old)) {
			offsets[r.Line] = append(offsets[r.Line], at)
		}
	}
	for line, at := range offsets {
		n += len(at) - len(lang.InCode(f.Path, text.Line(line), at))
	}
	return n
}
