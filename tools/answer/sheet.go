package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
)

// Sheet is the text of an answer while it is written, for models whose host shows no structuredContent
// and for people at a terminal. All of it goes through [Sheet.Line], [Sheet.Block] and [Sheet.Diff],
// which indent or escape: the headings of fullText are the only lines that begin at the margin and end
// with a colon, so a file or a server's message cannot forge a section such as "Next steps:".
type Sheet struct {
	b     strings.Builder
	shell bool // the reader is in a shell: steps are command lines
}

// teller is an answer that can be written as text. Tell writes what follows the first line (see
// [Call.fullText]): all that the JSON says, in the form of its strings.
type teller interface{ Tell(*Sheet) }

// Line writes one line, indented by two spaces for each level. Line ends inside of it become spaces.
func (s *Sheet) Line(level int, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	s.b.WriteString(strings.Repeat("  ", level))
	s.b.WriteString(contract.OneLine(text))
	s.b.WriteByte('\n')
}

// Block writes the lines of a text as they are, each behind one space. The space keeps them from
// looking like headings and costs no more than the escape of a line end does in JSON.
func (s *Sheet) Block(text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		s.b.WriteByte(' ')
		s.b.WriteString(contract.EscapeLine(strings.TrimRight(line, "\r\n")))
		s.b.WriteByte('\n')
	}
}

// Diff writes a unified diff as it is, so that tools can apply it. No line of a diff can look like a
// heading: each begins with a space, a sign or a header of diff.
func (s *Sheet) Diff(text string) {
	s.b.WriteString(contract.EscapeText(strings.TrimRight(text, "\n")))
	s.b.WriteByte('\n')
}

// Text returns what was written.
func (s *Sheet) Text() string { return strings.TrimRight(s.b.String(), "\n") }

// List writes names on one line; nothing when there are none.
func (s *Sheet) List(level int, what string, names []string) {
	if len(names) > 0 {
		s.Line(level, "%s: %s", what, strings.Join(names, ", "))
	}
}

// Counts writes how many items of each file an answer leaves out; nothing when it leaves out none.
func (s *Sheet) Counts(leftOut map[string]int) {
	if len(leftOut) == 0 {
		return
	}
	var parts []string
	for _, file := range slices.Sorted(maps.Keys(leftOut)) {
		if file != "…" {
			parts = append(parts, fmt.Sprintf("%s %d", file, leftOut[file]))
		}
	}
	if n := leftOut["…"]; n > 0 {
		parts = append(parts, fmt.Sprintf("other files %d", n))
	}
	s.Line(0, "Not shown here: %s", strings.Join(parts, ", "))
}

// tellFacts writes a message, behind it the facts that its words do not have already, and below it the
// lists of texts. Keys are sorted, so that the same error reads the same each time.
func (s *Sheet) tellFacts(message string, facts contract.Facts) {
	var short []string
	var long []string
	for _, key := range slices.Sorted(maps.Keys(facts)) {
		if all, ok := facts[key].([]string); ok {
			if slices.ContainsFunc(all, func(text string) bool { return !strings.Contains(message, text) }) {
				long = append(long, key)
			}
			continue
		}
		switch facts[key].(type) {
		case []Candidate, []SessionCandidate, []LookedAt, bool: // a step says these; yes or no is for programs
			continue
		}
		raw, _ := contract.Marshal(facts[key])
		if text := plainValue(raw); text != "" && !strings.Contains(message, text) {
			short = append(short, key+" "+CutText(text, MaxFact))
		}
	}
	if len(short) > 0 {
		message += " (" + strings.Join(short, ", ") + ")"
	}
	s.Line(0, "%s", message)
	for _, key := range long {
		s.texts(key, facts[key].([]string))
	}
}

// maxFactLines bounds one list of facts in the text, in bytes; the JSON has all of it.
const maxFactLines = 1500

// texts writes a list: words on one line, sentences on a line each.
func (s *Sheet) texts(key string, all []string) {
	if !slices.ContainsFunc(all, func(text string) bool { return strings.ContainsAny(text, " \n") }) {
		s.Line(1, "%s: %s", key, CutText(strings.Join(all, ", "), maxFactLines))
		return
	}
	s.Line(1, "%s:", key)
	left := maxFactLines
	for _, text := range all {
		if left -= len(text); left < 0 {
			break
		}
		s.Line(2, "%s", text)
	}
}

// tellWarnings writes the warnings of an answer under their heading. told is the message of an error, which
// a warning with the same words would only repeat.
func (s *Sheet) tellWarnings(all []contract.Warning, told string) {
	all = slices.DeleteFunc(slices.Clone(all), func(w contract.Warning) bool { return w.Message == told })
	if len(all) == 0 {
		return
	}
	s.Line(0, "Warnings:")
	for _, w := range all {
		s.tellFacts("- "+string(w.Kind)+": "+w.Message, w.Facts)
	}
}

// tellSteps writes the next steps under their heading, as calls that can be made as they stand: for a shell
// as command lines, else as the tool's name and its arguments.
func (s *Sheet) tellSteps(all []contract.NextStep) {
	if len(all) == 0 {
		return
	}
	s.Line(0, "Next steps:")
	for i, step := range all {
		text := fmt.Sprintf("%d. %s", i+1, step.Message)
		switch {
		case step.Tool != "" && s.shell:
			text += " → " + callCommand(step.Tool, step.Arguments)
		case step.Tool != "":
			arguments := step.Arguments
			if arguments == nil {
				arguments = map[string]any{}
			}
			text += " → " + step.Tool + " " + string(encodedArguments(arguments))
		case step.Command != "":
			text += " → `" + step.Command + "`"
		}
		s.Line(0, "%s", text)
	}
}

// callCommand returns the command line that makes a call, quoted for a POSIX shell.
func callCommand(tool string, arguments map[string]any) string {
	command := "lspi call " + tool
	if len(arguments) == 0 {
		return command
	}
	return command + " '" + strings.ReplaceAll(string(encodedArguments(arguments)), "'", `'\''`) + "'"
}

// PlainFields returns the fields of a value on one line by their JSON names, for what is short and not
// worth a form of its own. Fields that are null or empty are left out. "" for what cannot be
// marshalled.
func PlainFields(v any) string {
	raw, err := contract.Marshal(v)
	if err != nil {
		return ""
	}
	return plainJSON(raw)
}

// plainJSON is [PlainFields] for an object.
func plainJSON(object json.RawMessage) string {
	var parts []string
	for _, f := range fieldsOf(object) {
		if text := plainValue(f.value); text != "" {
			parts = append(parts, f.key+" "+text)
		}
	}
	return strings.Join(parts, "; ")
}

// plainValue returns a value without the punctuation that JSON needs; "" for null and for what is
// empty.
func plainValue(raw json.RawMessage) string {
	if text, ok := scalar(raw); ok {
		if text == "null" {
			return ""
		}
		return text
	}
	items, ok := itemsOf(raw)
	if !ok {
		if inner := plainJSON(raw); inner != "" {
			return "{" + inner + "}"
		}
		return ""
	}
	var parts []string
	for _, item := range items {
		parts = append(parts, plainValue(item))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
