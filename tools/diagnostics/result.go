package diagnostics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// answer makes the answer: findings sorted and each once, the files that are clean, and the window. A
// file is clean only when some server reported on it and none kept silent.
func (d *gathered) answer(c *answer.Call, in In, paths []string) *Out {
	first := ""
	if in.FilePath != "" && len(paths) > 0 {
		first = paths[0]
	}
	out := &Out{Counts: map[string]int{}, previews: true, from: in.Offset, Pending: d.pending}
	if len(d.pending) > 0 {
		c.Step(c.Repeat("Wait for what is pending.", map[string]any{"wait": waitAll}))
	}
	// A severity that was asked for and has no finding is told as 0.
	for _, s := range in.Severities {
		out.Counts[s] = 0
	}
	has := map[string]bool{}
	for _, f := range Distinct(d.findings, first) {
		if slices.Contains(in.Severities, f.Severity) {
			has[f.Path] = true
			// From here on findings are as they are shown.
			f.Path = c.Show(f.Path)
			out.all = append(out.all, f)
			out.Counts[f.Severity]++
		}
	}
	for _, p := range paths {
		if d.reported[p] && !d.silent[p] && !has[p] {
			out.clean = append(out.clean, c.Show(p))
		}
	}
	out.Total = len(out.all)
	out.from = min(in.Offset, out.Total)
	out.to = min(out.from+in.MaxResults, out.Total)
	if out.to < out.Total {
		c.Leaves(out.Total, out.to-out.from, out.Total-out.to, out.Next(c, out.to-out.from))
	}
	return out
}

// Distinct returns findings sorted by place, those in the file first coming first, and without those
// that were said before: by another server of the file, or by the checker of the same one in other
// words with the same code. Looking back over the last 20 is enough, since equal findings are at the
// same place.
func Distinct(all []lsp.Finding, first string) []lsp.Finding {
	byPlace := func(a, b lsp.Finding) int {
		return answer.ComparePlaces(lsp.Place{Path: a.Path, Range: a.Range}, lsp.Place{Path: b.Path, Range: b.Range},
			first)
	}
	slices.SortStableFunc(all, byPlace)
	var out []lsp.Finding
	for _, f := range all {
		if !slices.ContainsFunc(out[max(len(out)-20, 0):], func(o lsp.Finding) bool { return same(f, o) }) {
			out = append(out, f)
		}
	}
	// Several servers answer in any order.
	slices.SortStableFunc(out, func(a, b lsp.Finding) int {
		return cmp.Or(byPlace(a, b), strings.Compare(a.Source, b.Source))
	})
	return out
}

// same reports whether two findings are one: the same words at the same range, or the same code there
// from another source.
func same(f, o lsp.Finding) bool {
	return f.Path == o.Path && f.Range == o.Range && f.Severity == o.Severity &&
		(f.Message == o.Message || f.Code != "" && f.Code == o.Code && f.Source != o.Source)
}

// MarshalJSON writes the answer with its window filled in.
func (o Out) MarshalJSON() ([]byte, error) {
	type plain Out
	return contract.Marshal(plain(o.window()))
}

// window returns the answer with what its window shows, grouped by file. Clean files stand on the first
// page only.
func (o Out) window() Out {
	p := o
	p.Returned = o.to - o.from
	p.Files = Shown(o.all[o.from:o.to], o.previews, true)
	for _, path := range o.clean {
		if o.from == 0 {
			p.Files = append(p.Files, InFile{path, []Diagnostic{}})
		}
	}
	if o.to < len(o.all) {
		rest := make([]answer.PlaceLine, 0, len(o.all)-o.to)
		for _, f := range o.all[o.to:] {
			rest = append(rest, answer.PlaceLine{File: f.Path})
		}
		p.LeftOut = answer.LeftOut(rest, answer.MaxLeftOut)
	}
	return p
}

// Tell writes the findings by file, then what is pending.
func (o *Out) Tell(s *answer.Sheet) {
	shown := o.window()
	Tell(s, shown.Files)
	s.Counts(shown.LeftOut)
	if words := o.pendingWords(); words != "" {
		for _, p := range o.Pending {
			if len(p.Files) > 0 {
				words += ": " + strings.Join(p.Files, ", ")
			}
		}
		s.Line(0, "pending: %s", words)
	}
}

// Summary counts by severity. What is pending follows at once: "No diagnostics" alone would be read as
// clean.
func (o Out) Summary() string {
	text := "No diagnostics"
	if o.Total > 0 {
		text = SeverityWords(o.Counts) + fmt.Sprintf("; %d shown", o.to-o.from)
	}
	if words := o.pendingWords(); words != "" {
		text += "; pending: " + words
	}
	return text + "."
}

// pendingWords returns the pending stages with their servers; "" for none.
func (o Out) pendingWords() string {
	var all []string
	for _, p := range o.Pending {
		all = append(all, p.Stage+" ("+p.ServerID+")")
	}
	return strings.Join(all, ", ")
}

// ShedSnippets drops the lines of code.
func (o *Out) ShedSnippets() bool {
	had := o.previews && o.to > o.from
	o.previews = false
	return had
}

// Size counts findings.
func (o *Out) Size() int { return o.to - o.from }

// Cut keeps the first n findings of the window.
func (o *Out) Cut(n int) any {
	less := *o
	less.to = less.from + n
	return &less
}

// Next continues behind the first n findings.
func (o *Out) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.from + n}
}

// SeverityWords returns the counts of the severities that were asked for, in words: "2 errors, 1
// warning", or "no error or warning".
func SeverityWords(counts map[string]int) string {
	var some, none []string
	for _, s := range []string{"error", "warning", "information", "hint"} {
		n, asked := counts[s]
		if !asked {
			continue
		}
		what := s
		if s == "information" {
			what = "information message"
		}
		none = append(none, what)
		if n > 0 {
			some = append(some, answer.Counted(n, what))
		}
	}
	if len(some) == 0 {
		return "no " + strings.Join(none, " or ")
	}
	return strings.Join(some, ", ")
}
