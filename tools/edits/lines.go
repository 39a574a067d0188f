package edits

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/internal/source"
)

// A preview shows each change as one string. Line numbers are those of the file as it is on disk now:
//
//	"12:5 return Fresh()"  line 12 becomes this behind its indentation, which stays; the first difference is at column 5
//	"12-14 text"           lines 12 to 14 become the lines of text; without a text they go
//	"12+ text"             the lines of text come in behind line 12; behind line 0 is in front of the first
//
// These are shorter than a unified diff and lead to the same text.

// maxChangedLine bounds one shown line of the first form, in code points: generated files have lines of
// megabytes.
const maxChangedLine = 300

// changeRun is lines of a diff that are removed together, and what comes in their place.
type changeRun struct {
	line    int // the first that is taken out, else the one in front
	old, in []string
}

// changedLines returns the strings for a unified diff. exact is false for a file with mixed line ends,
// or one that ends in another way than before: the strings would not lead to the same bytes, so such a
// file is shown by its diff.
func changedLines(diff string) (lines []string, exact bool) {
	runs, exact := changeRuns(diff)
	for _, r := range runs {
		lines = append(lines, r.lines()...)
	}
	return lines, exact
}

// hunkHead matches the head of a hunk; the groups are the first line and the number of lines on disk.
var hunkHead = source.LazyRegexp(`^@@ -(\d+)(,\d+)? `)

// changeRuns reads a unified diff.
func changeRuns(diff string) (runs []changeRun, exact bool) {
	// ends has both keys when line ends differ; unended says on which sides the last line has no end.
	ends, last, unended := map[bool]bool{}, byte(0), map[byte]bool{}
	next := 0 // the line on disk that the next line of the diff is, or stands before
	for n, line := range strings.SplitAfter(diff, "\n") {
		if n < 2 || line == "" { // the names of the file
			continue
		}
		if head := hunkHead.FindStringSubmatch(line); head != nil {
			next, _ = strconv.Atoi(head[1])
			if head[2] == ",0" { // a hunk that only adds names the line in front
				next++
			}
			last = 0
			continue
		}
		if line[0] == '\\' {
			unended[last] = true
			continue
		}
		text := strings.TrimSuffix(line[1:], "\n")
		ends[strings.HasSuffix(text, "\r")] = true
		text = strings.TrimSuffix(text, "\r")
		if line[0] != ' ' && (last == ' ' || last == 0 || last == '+' && line[0] == '-') {
			runs = append(runs, changeRun{line: next})
		}
		last = line[0]
		switch last {
		case '-':
			runs[len(runs)-1].old = append(runs[len(runs)-1].old, text)
			next++
		case '+':
			runs[len(runs)-1].in = append(runs[len(runs)-1].in, text)
		default:
			next++
		}
	}
	return runs, len(ends) == 1 && unended['-'] == unended['+']
}

// lines returns the strings for one run.
func (r changeRun) lines() (out []string) {
	text := " " + strings.Join(r.in, "\n")
	switch {
	case len(r.old) == 0:
		return []string{fmt.Sprintf("%d+%s", r.line-1, text)}
	case len(r.in) == 0:
		text = ""
	}
	if len(r.old) != len(r.in) {
		return []string{fmt.Sprintf("%d-%d%s", r.line, r.line+len(r.old)-1, text)}
	}
	// As many lines as before: each is shown by itself, which is shorter where only words change.
	for i, old := range r.old {
		if indentation(old) != indentation(r.in[i]) || r.in[i] == "" {
			return []string{fmt.Sprintf("%d-%d%s", r.line, r.line+len(r.old)-1, text)}
		}
		out = append(out, oneLine(r.line+i, old, r.in[i]))
	}
	return out
}

// indentation returns the white space at the beginning of a line.
func indentation(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// oneLine returns the string for a line that becomes another one of the same indentation.
func oneLine(n int, old, now string) string {
	same := 0
	for same < min(len(old), len(now)) && old[same] == now[same] {
		same++
	}
	for same > 0 { // to the beginning of the word that differs
		r, size := utf8.DecodeLastRuneInString(now[:same])
		if r != utf8.RuneError && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		same -= size
	}
	from := len(indentation(now))
	column, text := utf8.RuneCountInString(now[:same])+1, now[from:]
	if all := []rune(text); len(all) > maxChangedLine { // around the difference
		begin := min(max(utf8.RuneCountInString(now[min(from, same):same])-maxChangedLine/3, 0),
			len(all)-maxChangedLine)
		text = string(all[begin : begin+maxChangedLine])
		if begin > 0 {
			text = "…" + text
		}
		if begin+maxChangedLine < len(all) {
			text += "…"
		}
	}
	return fmt.Sprintf("%d:%d %s", n, column, text)
}
