package fixes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/edits"
)

// maxListed bounds the files that are named with their number of changes.
const maxListed = 20

// maxReasons bounds the reasons why something is left.
const maxReasons = 8

// Out is what was done in many files, or would be.
type Out struct {
	FilePath string
	LookedAt int            // files
	Rounds   int            // that were written
	Fixes    map[string]int // quick fixes by their rule
	Left     []Left
	Passed   []Left // files that the call does not mean
	edits.ChangeOut

	what       string   // as the summary names it
	by         []string // the servers whose changes these are
	unfinished bool
}

// Left is why something is left in some files.
type Left struct {
	Reason string   `json:"reason"`
	Files  []string `json:"files,omitempty"` // the first ones
	Total  int      `json:"total"`
}

// out begins the answer.
func (w *work) out() *Out {
	return &Out{FilePath: w.q.Given, what: w.what(), Fixes: map[string]int{}}
}

// what is what is done, in words.
func (w *work) what() string {
	switch {
	case w.q.Kind == Format:
		return "Formatting"
	case w.source():
		return w.q.Kind
	}
	return "Fixes of " + w.q.Rule
}

// count adds the fixes in files.
func (w *work) count(out *Out, paths []string) {
	for _, path := range paths {
		for rule, n := range w.changes[path].fixes {
			out.Fixes[rule] += n
		}
	}
}

// nothing makes it the answer that there is nothing to do.
func (o *Out) nothing() { o.Files = []edits.FileChange{} }

// add adds a part that was written.
func (o *Out) add(made edits.ChangeOut) {
	o.Applied = true
	o.Totals.Edits += made.Totals.Edits
	o.Totals.LinesAdded += made.Totals.LinesAdded
	o.Totals.LinesRemoved += made.Totals.LinesRemoved
	o.ErrorsGone += made.ErrorsGone
	for path, backup := range made.Backups {
		if o.Backups == nil {
			o.Backups = map[string]string{}
		}
		if o.Backups[path] == "" { // that of the first round has the text from before
			o.Backups[path] = backup
		}
	}
	for _, f := range made.Files {
		i := slices.IndexFunc(o.Files, func(have edits.FileChange) bool { return have.FilePath == f.FilePath })
		if i < 0 {
			i, o.Files = len(o.Files), append(o.Files, edits.FileChange{FilePath: f.FilePath})
			o.Totals.Changed++
		}
		o.Files[i].Edits += f.Edits
	}
}

// close tells what is left.
func (w *work) close(out *Out) {
	out.LookedAt = len(w.looked)
	if len(w.asked)+len(w.lacking) > 1 {
		w.c.AnsweredByMany()
	} else {
		out.by = nil // the envelope has it
	}
	out.Left, out.Passed = w.leftOf(w.left), w.leftOf(w.passed)
	for i := range out.Passed {
		out.Passed[i].Files = nil
	}
	w.tellLate(out)
}

// leftOf are the reasons for the most files, first.
func (w *work) leftOf(by map[string][]string) (out []Left) {
	reasons := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(by[b]), len(by[a])), strings.Compare(a, b))
	})
	more := 0
	for i, why := range reasons {
		if i < maxReasons {
			out = append(out, Left{why, w.c.ShowSome(by[why]), len(by[why])})
		} else {
			more += len(by[why])
		}
	}
	if more > 0 {
		out = append(out, Left{"further reasons", nil, more})
	}
	return out
}

// tellLate says which files were not looked at, or not again after the last round.
func (w *work) tellLate(out *Out) {
	never := slices.DeleteFunc(slices.Clone(w.late), func(path string) bool { return w.looked[path] })
	slices.Sort(never)
	switch {
	case len(w.late) == 0:
		return
	case len(never) == 0:
		w.unfinished(out, fmt.Sprintf("there was no time to look at %s again after the last round",
			answer.Counted(len(w.late), "file")))
		return
	}
	from := w.from() + slices.Index(w.files, never[0])
	step := w.c.Repeat("Go on with these.", map[string]any{"offset": from})
	if w.q.Writes() { // a step does not write
		step = contract.NextStep{Kind: contract.StepDoc,
			Message: fmt.Sprintf("Repeat the call with offset %d to go on; what is done stays.", from)}
	}
	out.unfinished = true
	w.c.LeavesOut(contract.Facts{"total": w.all, "returned": w.all - len(never)}, fmt.Sprintf(
		"there was no time to look at %s, the first %s", answer.Counted(len(never), "file"), w.c.Show(never[0])), step)
}

// Summary is the text beside the answer.
func (o *Out) Summary() string {
	if len(o.by) > 0 {
		o.what += " by " + strings.Join(o.by, ", ")
		o.by = nil
	}
	n := answer.Counted(o.LookedAt, "file")
	switch {
	case o.NotApplied != "":
		return fmt.Sprintf("%s: nothing was changed: %s.", o.what, o.NotApplied)
	case o.Applied && o.Rounds == 0:
		return o.what + ": " + o.ChangeOut.Summary()
	case o.Applied:
		end := "; nothing more to do"
		if o.unfinished || len(o.Left) > 0 {
			end = "; something is left"
		}
		return fmt.Sprintf("%s: %s changed %s of %d in %s; +%d -%d lines%s.", o.what, answer.Counted(o.Totals.Edits, "edit"),
			answer.Counted(o.Totals.Changed, "file"), o.LookedAt, answer.Counted(o.Rounds, "round"), o.Totals.LinesAdded,
			o.Totals.LinesRemoved, end)
	case len(o.Files) == 0 && len(o.Left) > 0:
		return fmt.Sprintf("%s: nothing that lspi may change in %s; something is left.", o.what, n)
	case len(o.Files) == 0:
		return fmt.Sprintf("%s: nothing to do in %s.", o.what, n)
	}
	return fmt.Sprintf("%s: %s would change %d of %s; +%d -%d lines.", o.what, answer.Counted(o.Totals.Edits, "edit"),
		o.Totals.Changed, n, o.Totals.LinesAdded, o.Totals.LinesRemoved)
}

// MarshalJSON writes the counts, and the change behind them.
func (o Out) MarshalJSON() ([]byte, error) {
	return contract.Marshal(struct {
		FilePath string         `json:"file_path"`
		LookedAt int            `json:"files_looked_at,omitempty"`
		Rounds   int            `json:"rounds,omitempty"`
		Fixes    map[string]int `json:"fixes,omitempty"`
		Left     []Left         `json:"left,omitempty"`
		Passed   []Left         `json:"not_meant,omitempty"`
		edits.ChangeFields
	}{o.FilePath, o.LookedAt, o.Rounds, o.Fixes, o.Left, o.Passed, o.ChangeOut.Shown()})
}

// Tell writes the same as text.
func (o *Out) Tell(s *answer.Sheet) {
	for _, rule := range slices.Sorted(maps.Keys(o.Fixes)) {
		s.Line(0, "fixes of %s: %d", rule, o.Fixes[rule])
	}
	o.ChangeOut.Tell(s)
	for _, l := range o.Left {
		s.Line(0, "left in %s: %s", answer.Counted(l.Total, "file"), l.Reason)
		s.List(1, "files", l.Files)
	}
	for _, l := range o.Passed {
		s.Line(0, "not meant: %s, %s", answer.Counted(l.Total, "file"), l.Reason)
	}
}
