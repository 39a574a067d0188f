package tools

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp/edit"
	"lspi/source"
)

// planFacts warns of what a careful reader of a plan wants to know, and reports whether it can be applied.
func (c *Call) planFacts(ch *proposed) (applicable bool) {
	p := ch.Plan
	blocked := len(p.Outside) > 0
	if blocked {
		c.warn(contract.WarnOutsideWorkspace, contract.Facts{"files": c.showSome(p.Outside)}, fmt.Sprintf(
			"%d files outside of the workspace would have to change too, such as %s; they are not shown, and nothing is applied without them",
			len(p.Outside), p.Outside[0]))
	}
	if len(p.Confirm) > 0 {
		blocked = true
		c.warn(contract.WarnNeedsConfirmation, contract.Facts{"label": "protected place", "files": c.showSome(p.Confirm)}, fmt.Sprintf(
			"%d files decide what a CI service runs, such as %s: show the user the diff, and apply it (dry_run false with its before_sha256) only "+
				"when the user agrees", len(p.Confirm), c.show(p.Confirm[0])))
	}
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
		c.warn(fact.kind, contract.Facts{"files": c.showSome(files)}, fmt.Sprintf(fact.message, len(files), c.show(files[0])))
	}
	c.annotations(p)
	if ch.renamed != nil {
		c.inComments(p)
	}
	return !blocked
}

// fileFacts are what may be said of a file; the message takes how many there are and the first.
var fileFacts = []struct {
	kind    contract.WarningKind
	has     func(*edit.File) bool
	blocks  bool // the writer refuses it
	message string
}{
	{contract.WarnReadOnlyFiles, func(f *edit.File) bool { return f.ReadOnly }, true,
		"%d files are read-only, such as %s; nothing is applied while they are"},
	{contract.WarnHardLinks, func(f *edit.File) bool { return f.HardLinks > 0 && len(f.Edits) > 0 }, true,
		"%d files have further names (hard links) that would keep the old text, such as %s; nothing is applied while they have"},
	{contract.WarnGeneratedFiles, func(f *edit.File) bool { return f.Generated }, false,
		"%d files say that a program writes them, such as %s; what it reads may have to be changed instead"},
	{contract.WarnSymbolicLinks, func(f *edit.File) bool { return f.Link != "" }, false,
		"%d files were named by a symbolic link; %s is the file that is changed"},
	{contract.WarnOddLineEnds, func(f *edit.File) bool { return f.OddLineEnds }, false,
		"%d files hold characters that servers count differently as line ends, such as %s; look at their diffs"},
}

// annotations shows what the server wants to be agreed to (LSP 3.17, ChangeAnnotation).
func (c *Call) annotations(p *edit.Plan) {
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
		c.warn(contract.WarnNeedsConfirmation, contract.Facts{"label": a.Label, "description": a.Description, "files": c.showSome(files)},
			fmt.Sprintf("the server asks for confirmation of this in %d files: %s", len(files), cutText(strings.TrimSuffix(message, ":"), 300)))
	}
}

// inComments counts the names that are replaced in comments and quotes, as far as the line alone tells.
func (c *Call) inComments(p *edit.Plan) {
	n := 0
	var files []string
	for i := range p.Files {
		f := &p.Files[i]
		if f.Kind == edit.Create || f.Kind == edit.Delete {
			continue
		}
		text := source.New(f.Path, f.Old)
		before := n
		for _, r := range f.Edits {
			at := r.Start - text.LineStart(r.Line)
			if line := text.Line(r.Line); at >= 0 && at < len(line) && r.Old != "" && len(inCode(f.Path, line, []int{at})) == 0 {
				n++
			}
		}
		if n > before {
			files = append(files, f.Path)
		}
	}
	if n > 0 {
		c.warn(contract.WarnInComments, contract.Facts{"edits": n, "files": c.showSome(files)},
			fmt.Sprintf("%d of the edits are in comments or quotes, the first in %s", n, c.show(files[0])))
	}
}
