package lsp

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/source"
)

// Inactive says by which diagnostics a server marks code that it does not build: code that conditions of the language leave
// out (#[cfg], sys.platform). It reports no other diagnostics there, whatever is wrong.
type Inactive struct {
	Code    string         // the diagnostic's code; "" when it has none
	Message *regexp.Regexp // of its message; nil means any
	// Conditional is where the code of a text holds one of names in what a condition may leave out, as offsets; nil when nobody knows.
	// Sign is what conditions are written with, for people.
	Conditional func(text string, names []string) []int
	Sign        string
}

// marks reports whether a finding marks code as not built. A nil i marks none.
func (i *Inactive) marks(f Finding) bool {
	return i != nil && (i.Code == "" || f.Code == i.Code) && (i.Message == nil || i.Message.MatchString(f.Message))
}

// UnbuiltLine is a line of code that a server does not build.
type UnbuiltLine struct {
	Path string
	Line int // of the new text, or of the text on disk where the trial takes the line away; 1-based
}

// unbuiltLines are the first lines of code that a trial adds or takes away where the server builds nothing, one for each
// file. Blank lines do not count.
func unbuiltLines(spec *Spec, t *Tried, before, after trial) (out []UnbuiltLine) {
	for _, path := range slices.Sorted(maps.Keys(after)) {
		now, was := inactiveIn(spec, t.After, path), inactiveIn(spec, t.Before, path)
		if len(now) == 0 && len(was) == 0 {
			continue
		}
		text := before[path]
		if text == nil {
			text = source.New(path, "")
		}
		old, added := changedLines(text, after[path])
		line := firstWithin(after[path], added, now)
		if line == 0 {
			line = firstWithin(text, old, was)
		}
		if line > 0 {
			out = append(out, UnbuiltLine{path, line})
		}
	}
	return out
}

// inactiveIn are the stretches of a file that a diagnosis marks as not built.
func inactiveIn(spec *Spec, d *Diagnosis, path string) (out []contract.Range) {
	for _, r := range d.Reports {
		if r.Path != path {
			continue
		}
		for _, f := range r.Findings {
			if spec.Diagnostics.Inactive.marks(f) {
				out = append(out, f.Range)
			}
		}
		out = append(out, r.Inactive...)
	}
	return out
}

// firstWithin is the first of changed lines with code in one of the ranges; 0 when there is none.
func firstWithin(text *source.Text, lines []changedLine, ranges []contract.Range) int {
	for _, l := range lines {
		if l.inserted || l.line > text.Lines() || strings.TrimSpace(text.Line(l.line)) == "" {
			continue
		}
		if slices.ContainsFunc(ranges, func(r contract.Range) bool { return r.Start.Line <= l.line && l.line <= r.End.Line }) {
			return l.line
		}
	}
	return 0
}
