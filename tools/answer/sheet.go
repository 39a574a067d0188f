package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
)

// Sheet is the text of an answer while it is written, for models whose host shows no structuredContent and for
// people at a terminal. Everything goes through [Sheet.Line], [Sheet.Block] and [Sheet.Diff], so that none of it
// looks like one of the headings of fullText: those alone stand at the beginning of a line and end with a colon.
type Sheet struct {
	b     strings.Builder
	shell bool // steps are command lines
}

// teller is an answer that can be written as text; what it tells follows the first line, see [Call.fullText]. It
// says all that its JSON says, in the form of its strings.
type teller interface{ Tell(*Sheet) }

// Line writes one line, two spaces in for each level. What would begin another line becomes a space.
func (s *Sheet) Line(level int, format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	s.b.WriteString(strings.Repeat("  ", level))
	s.b.WriteString(contract.OneLine(text))
	s.b.WriteByte('\n')
}

// Block writes lines as they are behind one space, which costs no more than the escape of a line end in JSON.
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

// Diff writes a unified diff as it is, for tools that read one: no line of it looks like a heading.
func (s *Sheet) Diff(text string) {
	s.b.WriteString(contract.EscapeText(strings.TrimRight(text, "\n")))
	s.b.WriteByte('\n')
}

// text is what was written.
func (s *Sheet) text() string { return strings.TrimRight(s.b.String(), "\n") }

// List writes names on one line, if there are any.
func (s *Sheet) List(level int, what string, names []string) {
	if len(names) > 0 {
		s.Line(level, "%s: %s", what, strings.Join(names, ", "))
	}
}

// Counts writes how many items of each file an answer leaves out.
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

// facts writes a message with the facts that its words do not have already: numbers and names behind it, lists of
// texts below. Keys are sorted, so that the same error reads the same each time.
func (s *Sheet) facts(message string, facts contract.Facts) {
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
		case []Candidate, []SessionCandidate, bool: // each candidate has a step; yes or no is for programs
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

// maxFactLines bounds a list of facts, in bytes.
const maxFactLines = 1500

// texts writes a list: names on one line, sentences on a line each.
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

// warnings writes the warnings of an answer, if there are any; not the one that the message of an error repeats.
func (s *Sheet) warnings(all []contract.Warning, told string) {
	all = slices.DeleteFunc(slices.Clone(all), func(w contract.Warning) bool { return w.Message == told })
	if len(all) == 0 {
		return
	}
	s.Line(0, "Warnings:")
	for _, w := range all {
		s.facts("- "+string(w.Kind)+": "+w.Message, w.Facts)
	}
}

// steps writes what to do next as calls that can be made as they stand.
func (s *Sheet) steps(all []contract.NextStep) {
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

// callCommand is the command line that calls a tool.
func callCommand(tool string, arguments map[string]any) string {
	command := "lspi call " + tool
	if len(arguments) == 0 {
		return command
	}
	return command + " '" + strings.ReplaceAll(string(encodedArguments(arguments)), "'", `'\''`) + "'"
}

// PlainFields are the fields of an object on one line, by the names that its JSON has: what is short without them,
// and is not worth a form of its own. Fields that are null or empty are left out.
func PlainFields(v any) string {
	raw, err := contract.Marshal(v)
	if err != nil {
		return ""
	}
	return plainJSON(raw)
}

func plainJSON(object json.RawMessage) string {
	var parts []string
	for _, f := range fieldsOf(object) {
		if text := plainValue(f.value); text != "" {
			parts = append(parts, f.key+" "+text)
		}
	}
	return strings.Join(parts, "; ")
}

// plainValue is a value without what JSON needs around it; "" for null and for what is empty.
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
