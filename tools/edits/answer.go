package edits

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// Out is the answer of check_edit, what an edit would change: first the findings that appear, with
// their places in the new texts, then those that vanish, with their places on disk. MarshalJSON fills
// the lists from the window.
type Out struct {
	Tried    []string              `json:"files_tried"`
	Pending  []diagnostics.Pending `json:"pending,omitempty"`
	Appeared map[string]int        `json:"appear_counts"`
	Vanished map[string]int        `json:"vanish_counts"`
	Total    int                   `json:"total"`
	Returned int                   `json:"returned"`
	Appears  []diagnostics.InFile  `json:"appears" schema:"object"`
	Vanishes []diagnostics.InFile  `json:"vanishes" schema:"object"`
	// Of a call that applies: whether it did, and why not.
	Applied    *bool  `json:"applied,omitempty"`
	NotApplied string `json:"not_applied,omitempty"`
	// Of what was applied, as other tools that change files have it.
	Totals     *ChangeTotals        `json:"totals,omitempty" schema:"-"`
	Files      []FileChange         `json:"files,omitempty" schema:"-"`
	NewErrors  []diagnostics.InFile `json:"new_errors,omitempty" schema:"-"`
	ErrorsGone int                  `json:"errors_gone,omitempty" schema:"-"`
	Backups    map[string]string    `json:"backups,omitempty" schema:"-"`

	change     *ChangeOut    // nil when nothing was applied
	near       int           // how many files were looked at besides those that were tried
	everywhere bool          // a server reported on all of its files
	all        []lsp.Finding // those that appear, then those that vanish
	appear     int           // how many of all appear
	from, to   int           // the window in all
	previews   bool
}

// MarshalJSON writes the answer with its window filled in.
func (o Out) MarshalJSON() ([]byte, error) {
	type plain Out
	return contract.Marshal(plain(o.window()))
}

// window returns the answer with what its window shows, grouped by file.
func (o Out) window() Out {
	p := o
	p.Returned = o.to - o.from
	// all has both in a row, so that one offset pages through them.
	between := min(max(o.appear, o.from), o.to)
	p.Appears = diagnostics.Shown(o.all[o.from:between], o.previews, false)
	p.Vanishes = diagnostics.Shown(o.all[between:o.to], o.previews, false)
	if c := o.change; c != nil {
		p.Totals, p.Files, p.NewErrors, p.ErrorsGone, p.Backups = &c.Totals, c.Files, c.NewErrors, c.ErrorsGone,
			c.Backups
	}
	return p
}

// Tell writes what was tried, what appears and vanishes, and what was applied.
func (o *Out) Tell(s *answer.Sheet) {
	shown := o.window()
	s.List(0, "tried", shown.Tried)
	for _, part := range []struct {
		what  string
		files []diagnostics.InFile
	}{{"Introduced (places in the new texts)", shown.Appears},
		{"Fixed (places in the texts on disk)", shown.Vanishes}} {
		if len(part.files) > 0 {
			s.Line(0, "%s", part.what)
			diagnostics.Tell(s, part.files)
		}
	}
	for _, p := range o.Pending {
		s.Line(0, "pending: %s (%s) %s", p.Stage, p.ServerID, strings.Join(p.Files, ", "))
	}
	if o.change != nil {
		o.change.Tell(s)
		return
	}
	TellApplied(s, 0, o.NewErrors, 0, nil)
}

func (o *Out) Summary() string { return o.SummaryOf(contract.Envelope{}) }

// SummaryOf returns the line that many hosts show alone. Where not everything was checked it names what
// was: a bare "introduces no errors" would be read as a reason to make the edit. Truncation does not
// count, because the counts cover all findings, not only those that are shown.
func (o *Out) SummaryOf(e contract.Envelope) string {
	if len(o.NewErrors) > 0 && o.change == nil {
		return o.takenBack()
	}
	text := fmt.Sprintf("The edit introduces %s and fixes %s. ", diagnostics.SeverityWords(o.Appeared),
		diagnostics.SeverityWords(o.Vanished))
	if len(o.Pending) > 0 {
		text = fmt.Sprintf(
			"lspi has not looked at all files that use what the edit changes (see pending). In %s, the edit introduces %s and fixes %s. ",
			o.lookedAt(), diagnostics.SeverityWords(o.Appeared), diagnostics.SeverityWords(o.Vanished))
	}
	if lacking := slices.DeleteFunc(answer.ReasonKinds(e), func(kind string) bool {
		return kind == string(contract.WarnTruncated)
	}); len(lacking) > 0 {
		text = fmt.Sprintf(
			"lspi could not check everything (see the warnings). In what it checked (%s), the edit introduces %s and fixes %s. ",
			o.lookedAt(), diagnostics.SeverityWords(o.Appeared), diagnostics.SeverityWords(o.Vanished))
	}
	switch {
	case o.change != nil:
		return text + o.change.Summary()
	case o.NotApplied != "":
		return text + "Nothing was written: " + o.NotApplied + "."
	}
	return text + "Nothing was written."
}

// takenBack is the summary of an edit that was undone. It names the first of the errors, since many
// hosts show no more than this line.
func (o *Out) takenBack() string {
	n := 0
	for _, f := range o.NewErrors {
		n += len(f.Diagnostics)
	}
	file := o.NewErrors[0]
	d := file.Diagnostics[0]
	message, _, _ := strings.Cut(d.Message, "\n")
	return fmt.Sprintf(
		"lspi wrote the edit and undid it, so the files are as they were: the edit introduces %s that only the files on disk show, the first at %s:%d:%d: %s",
		answer.Counted(n, "new error"), file.FilePath, d.Line, d.Character, message)
}

// lookedAt returns the files that were checked, in words.
func (o *Out) lookedAt() string {
	words := strings.Join(o.Tried[:min(len(o.Tried), 2)], ", ")
	more := len(o.Tried) - 2 + o.near
	switch {
	case o.everywhere:
		return words + " and the other files that the server reports on"
	case len(o.Tried) < 2:
		more = o.near
	}
	if more > 0 {
		return words + " and " + answer.Counted(more, "more file")
	}
	return words
}

// ShedSnippets drops the lines of code; ranges and messages, which tell the findings apart, stay.
func (o *Out) ShedSnippets() bool {
	had := o.previews && o.to > o.from
	o.previews = false
	return DropPreviews(o.NewErrors) || had
}

// Size counts findings.
func (o *Out) Size() int { return o.to - o.from }

// Cut keeps the first findings: those that appear come first, because they matter more.
func (o *Out) Cut(n int) any {
	less := *o
	less.to = less.from + n
	return &less
}

func (o *Out) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.from + n}
}

// close tells the call what the window left out.
func (o *Out) close(c *answer.Call) {
	if o.to < o.Total {
		c.Leaves(o.Total, o.to-o.from, o.Total-o.to, o.Next(c, o.to-o.from))
	}
}
