package diagnostics

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/audit"
)

// answer sorts, drops what was said twice, and takes the window.
func (d *Diagnosis) answer(c *answer.Call, in In, paths []string) *Out {
	first := ""
	if in.FilePath != "" && len(paths) > 0 {
		first = paths[0]
	}
	out := &Out{Counts: map[string]int{}, previews: true, from: in.Offset, Pending: d.pending}
	if len(d.pending) > 0 {
		c.Step(c.Repeat("Wait for what is pending.", map[string]any{"wait": waitAll}))
	}
	for _, s := range in.Severities {
		out.Counts[s] = 0
	}
	has := map[string]bool{}
	for _, f := range Distinct(d.Findings, first) {
		if slices.Contains(in.Severities, f.Severity) {
			has[f.Path] = true
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

// Distinct sorts findings and drops those that were said before: by another server, or by the checker of the same one
// in other words, which the code then shows.
func Distinct(all []Finding, first string) []Finding {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return audit.ComparePlaces(lsp.Place{Path: a.Path, Range: a.Range}, lsp.Place{Path: b.Path, Range: b.Range}, first)
	})
	var out []Finding
	for _, f := range all {
		if !slices.ContainsFunc(out[max(len(out)-20, 0):], f.same) {
			out = append(out, f)
		}
	}
	return out
}

// MarshalJSON writes the window.
func (o Out) MarshalJSON() ([]byte, error) {
	type plain Out
	return contract.Marshal(plain(o.window()))
}

// window groups what is shown by file and adds the files without diagnostics to the first page.
func (o Out) window() Out {
	p := o
	p.Returned = o.to - o.from
	p.Files = []wholeFile{}
	for _, f := range o.all[o.from:o.to] {
		if n := len(p.Files); n == 0 || p.Files[n-1].FilePath != f.Path {
			p.Files = append(p.Files, wholeFile{FilePath: f.Path})
		}
		last := &p.Files[len(p.Files)-1]
		d := f.Shown(o.previews)
		d.EndLine = cmp.Or(d.EndLine, d.Line)
		last.Diagnostics = append(last.Diagnostics, wholeDiagnostic(d))
	}
	for _, path := range o.clean {
		if o.from == 0 {
			p.Files = append(p.Files, wholeFile{path, []wholeDiagnostic{}})
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

func (o *Out) Tell(s *answer.Sheet) {
	shown := o.window()
	for _, f := range shown.Files {
		s.Line(0, "%s (%d)", f.FilePath, len(f.Diagnostics))
		for i := range f.Diagnostics {
			(*diagnostic)(&f.Diagnostics[i]).Tell(s)
		}
	}
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

// Tell writes the diagnostics of each file below it.
func Tell(s *answer.Sheet, files []FileDiagnostics) {
	for _, f := range files {
		s.Line(0, "%s (%d)", f.FilePath, len(f.Diagnostics))
		for i := range f.Diagnostics {
			f.Diagnostics[i].Tell(s)
		}
	}
}

// Tell writes range, severity, code, source and message, then the lines of the range.
func (d *diagnostic) Tell(s *answer.Sheet) {
	text := fmt.Sprintf("%d:%d-%d:%d %s", d.Line, d.Character, cmp.Or(d.EndLine, d.Line), d.EndCharacter, d.Severity)
	if about := strings.TrimSpace(d.Source + " " + d.Code); about != "" {
		text += " (" + about + ")"
	}
	message, rest, _ := strings.Cut(d.Message, "\n")
	s.Line(1, "%s", text+": "+message)
	s.Block(rest)
	s.List(1, "tags", d.Tags)
	s.Block(d.Preview)
	if d.PreviewTruncated && d.Preview != "" {
		s.Block("…")
	}
}

// The bounds of one diagnostic.
const (
	maxPreviewLines = 10
	maxPreviewLine  = 200
	maxMessage      = 2000
)

// Shown is a finding as answers have it, with the lines of its range where preview is set.
func (f Finding) Shown(preview bool) diagnostic {
	d := diagnostic{Severity: f.Severity, Line: f.Range.Start.Line, Character: f.Range.Start.Character,
		EndCharacter: f.Range.End.Character, Code: f.Code, Source: f.Source,
		Message: answer.CutText(f.Message, maxMessage), Tags: f.Tags}
	if f.Range.End.Line != d.Line {
		d.EndLine = f.Range.End.Line
	}
	if !preview {
		d.PreviewTruncated = true
		return d
	}
	d.Preview, d.PreviewTruncated, d.PreviewUnavailable = previewOf(f.Text, f.Range)
	return d
}

// previewOf is the lines of a range; a range that ends before the first character of a line does not have that line.
func previewOf(text *source.Text, r contract.Range) (preview string, truncated, unavailable bool) {
	if text == nil || r.Start.Line > text.Lines() {
		return "", false, true
	}
	last := r.End.Line
	if r.End.Character == 1 && last > r.Start.Line {
		last--
	}
	end := min(last, r.Start.Line+maxPreviewLines-1)
	truncated = end < last
	lines := strings.Split(text.Slice(r.Start.Line, end), "\n")
	for i, line := range lines {
		if lines[i] = answer.CutText(line, maxPreviewLine); lines[i] != line {
			truncated = true
		}
	}
	return strings.Join(lines, "\n"), truncated, false
}

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

// pendingWords is what is pending, with whom.
func (o Out) pendingWords() string {
	var all []string
	for _, p := range o.Pending {
		all = append(all, p.Stage+" ("+p.ServerID+")")
	}
	return strings.Join(all, ", ")
}

func (o *Out) ShedSnippets() bool {
	had := o.previews && o.to > o.from
	o.previews = false
	return had
}

func (o *Out) Size() int { return o.to - o.from }

func (o *Out) Cut(n int) any {
	less := *o
	less.to = less.from + n
	return &less
}

func (o *Out) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.from + n}
}

// SeverityWords are counts by severity in words; of those that were asked for.
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
