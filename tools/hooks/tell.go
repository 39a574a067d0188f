package hooks

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
)

// maxText bounds what a model is told at once, in code points.
const maxText = 1500

// The first lines of answers, with the number of errors.
const (
	headChange = "lspi: %s since the last change"
	headEnd    = "lspi: %s of this session still there; mend what you can, or say what stays"
)

// tell returns what is told in the words of get_diagnostics, and notes that it was told.
func (l *look) tell(head string) Answer {
	l.st.takeBack = func() {
		for _, f := range l.takeBack {
			f()
		}
	}
	news := diagnostics.Distinct(l.news, "")
	return Answer{Text: l.words(head, news), Told: len(news), Owed: len(l.st.owed)}
}

// words writes as many errors as there is room for, then how many more there are and how to see them.
func (l *look) words(head string, news []lsp.Finding) string {
	if len(news) == 0 {
		return ""
	}
	for i := range news {
		news[i].Path, news[i].Tags = l.c.Show(news[i].Path), nil // that code is not needed is no part of an error
	}
	for n := len(news); ; n-- {
		text := page(head, news, n)
		if utf8.RuneCountInString(text) <= maxText || n == 1 {
			return answer.CutText(text, maxText)
		}
	}
}

// page writes the first n errors.
func page(head string, news []lsp.Finding, n int) string {
	what := "new error"
	if head == headEnd {
		what = "error"
	}
	var s answer.Sheet
	s.Line(0, head, answer.Counted(len(news), what))
	diagnostics.Tell(&s, diagnostics.Shown(news[:n], false, false))
	if more := len(news) - n; more > 0 {
		s.Line(0, `%d more: get_diagnostics {"file_paths":[%s],"severities":["error"]}`, more, quoted(news[n:]))
	}
	return s.Text()
}

// quoted returns the files of findings as JSON strings, at most ten.
func quoted(all []lsp.Finding) string {
	var files []string
	for _, f := range all {
		name := fmt.Sprintf("%q", f.Path)
		if len(files) < 10 && (len(files) == 0 || files[len(files)-1] != name) {
			files = append(files, name)
		}
	}
	return strings.Join(files, ",")
}
