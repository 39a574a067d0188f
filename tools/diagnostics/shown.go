package diagnostics

import (
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
)

// InFile are the findings of one file as an answer has them; Diagnostics is empty for a clean file,
// never nil.
type InFile struct {
	FilePath    string       `json:"file_path"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is one finding as an answer has it, with positions from 1 and the lines of its range as
// preview. get_diagnostics promises every field; answers about edits leave out those that say nothing,
// and end_line where the range is within one line.
type Diagnostic struct {
	Severity           string   `json:"severity"`
	Line               int      `json:"line"`
	Character          int      `json:"character"`
	EndLine            *int     `json:"end_line,omitempty"`
	EndCharacter       int      `json:"end_character"`
	Code               string   `json:"code,omitempty"`
	Source             string   `json:"source,omitempty"`
	Message            string   `json:"message"`
	Tags               []string `json:"tags,omitempty"`
	Preview            *string  `json:"preview,omitempty"`
	PreviewTruncated   *bool    `json:"preview_truncated,omitempty"`
	PreviewUnavailable *bool    `json:"preview_unavailable,omitempty"`
}

// Shown returns findings grouped by file, in their order. preview adds the lines of their ranges; whole
// writes every field.
func Shown(all []lsp.Finding, preview, whole bool) []InFile {
	out := []InFile{}
	for _, f := range all {
		if n := len(out); n == 0 || out[n-1].FilePath != f.Path {
			out = append(out, InFile{FilePath: f.Path})
		}
		last := &out[len(out)-1]
		last.Diagnostics = append(last.Diagnostics, diagnosticOf(f, preview, whole))
	}
	return out
}

// Tell writes files with their diagnostics below them.
func Tell(s *answer.Sheet, files []InFile) {
	for _, f := range files {
		s.Line(0, "%s (%d)", f.FilePath, len(f.Diagnostics))
		for i := range f.Diagnostics {
			f.Diagnostics[i].Tell(s)
		}
	}
}

// Tell writes range, severity, source and code, and message, then the rest of the message and the lines
// of the range.
func (d *Diagnostic) Tell(s *answer.Sheet) {
	text := fmt.Sprintf("%d:%d-%d:%d %s", d.Line, d.Character, d.lastLine(), d.EndCharacter, d.Severity)
	if about := strings.TrimSpace(d.Source + " " + d.Code); about != "" {
		text += " (" + about + ")"
	}
	message, rest, _ := strings.Cut(d.Message, "\n")
	s.Line(1, "%s", text+": "+message)
	s.Block(rest)
	s.List(1, "tags", d.Tags)
	if d.Preview != nil && *d.Preview != "" {
		s.Block(*d.Preview)
		if d.PreviewTruncated != nil && *d.PreviewTruncated {
			s.Block("…")
		}
	}
}

// lastLine returns the last line of the range.
func (d *Diagnostic) lastLine() int {
	if d.EndLine != nil {
		return *d.EndLine
	}
	return d.Line
}

// DropPreview removes the lines, and reports whether there were any.
func (d *Diagnostic) DropPreview() (had bool) {
	had = d.Preview != nil && *d.Preview != ""
	d.Preview, d.PreviewTruncated = nil, new(true)
	return had
}

// The bounds of one diagnostic: lines of its preview, code points of each line, and of its message.
const (
	maxPreviewLines = 10
	maxPreviewLine  = 200
	maxMessage      = 2000
)

// diagnosticOf is one finding of [Shown].
func diagnosticOf(f lsp.Finding, preview, whole bool) Diagnostic {
	d := Diagnostic{Severity: f.Severity, Line: f.Range.Start.Line, Character: f.Range.Start.Character,
		EndCharacter: f.Range.End.Character, Code: f.Code, Source: f.Source,
		Message: answer.CutText(f.Message, maxMessage), Tags: f.Tags}
	text, truncated, unavailable := "", true, false
	if preview {
		text, truncated, unavailable = previewOf(f.Text, f.Range)
	}
	if whole || f.Range.End.Line != d.Line {
		d.EndLine = &f.Range.End.Line
	}
	d.Preview = unlessZero(text, whole)
	d.PreviewTruncated, d.PreviewUnavailable = unlessZero(truncated, whole), unlessZero(unavailable, whole)
	return d
}

// unlessZero returns a pointer to v; nil for the zero value, unless too says that it is told as well.
func unlessZero[T comparable](v T, too bool) *T {
	if v == *new(T) && !too {
		return nil
	}
	return &v
}

// previewOf returns the lines of a range. A range that ends before the first character of a line does
// not include that line (LSP ends are exclusive). unavailable is true where the text is not known or
// does not have the line.
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
