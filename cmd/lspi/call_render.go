package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"lspi/contract"
	"lspi/tools"
)

// envelopeFields are the fields that every answer has; people see them in other words, or not at all.
var envelopeFields = []string{"schema_version", "ok", "tool", "server_id", "input", "warnings", "truncated", "next_steps",
	"completeness", "error", "mcp_error_code", "message"}

// told is what of an envelope is told around its own fields.
type told struct {
	ServerID     string                `json:"server_id"`
	Completeness contract.Completeness `json:"completeness"`
	Warnings     []struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"warnings"`
	Steps []contract.NextStep `json:"next_steps"`
	Error struct {
		Kind    contract.Category `json:"kind"`
		Message string            `json:"message"`
		Data    struct {
			Reason json.RawMessage `json:"lspi_error"`
		} `json:"data"`
	} `json:"error"`
}

// render is an answer as people read it: what was found, then how far it can be trusted.
func render(result tools.Result) string {
	var t told
	_ = json.Unmarshal(result.Structured, &t)
	own := slices.DeleteFunc(fieldsOf(result.Structured), func(f field) bool { return slices.Contains(envelopeFields, f.key) })
	var b strings.Builder
	writeFields(&b, own, "")
	for _, w := range t.Warnings {
		fmt.Fprintf(&b, "warning: %s (%s)\n", w.Message, w.Kind)
	}
	if t.Completeness != contract.NoClaim {
		fmt.Fprintf(&b, "%s answer", t.Completeness)
		if t.ServerID != "" {
			fmt.Fprintf(&b, " of %s", t.ServerID)
		}
		b.WriteByte('\n')
	}
	writeSteps(&b, t.Steps)
	return b.String()
}

// renderError is an error as people read it, with commands for its steps.
func renderError(result tools.Result) string {
	var t told
	_ = json.Unmarshal(result.Structured, &t)
	var b strings.Builder
	fmt.Fprintf(&b, "error: %s\n", t.Error.Message)
	for _, f := range fieldsOf(t.Error.Data.Reason) {
		if text, ok := scalar(f.value); ok && (f.key == "kind" || !strings.Contains(t.Error.Message, text)) {
			fmt.Fprintf(&b, "  %s: %s\n", f.key, text)
			continue
		}
		items, _ := itemsOf(f.value)
		for i, item := range items {
			if text, ok := scalar(item); ok {
				if i == 0 {
					fmt.Fprintf(&b, "  %s:\n", f.key)
				}
				fmt.Fprintf(&b, "    %s\n", text)
			}
		}
	}
	writeSteps(&b, t.Steps)
	return b.String()
}

func writeSteps(b *strings.Builder, steps []contract.NextStep) {
	for i, s := range steps {
		if i == 0 {
			b.WriteString("next:\n")
		}
		fmt.Fprintf(b, "  %s\n", s.Message)
		switch {
		case s.Tool != "":
			fmt.Fprintf(b, "    %s\n", callCommand(s.Tool, s.Arguments))
		case s.Command != "":
			fmt.Fprintf(b, "    %s\n", s.Command)
		}
	}
}

// callCommand is the shell command that calls a tool.
func callCommand(tool string, arguments map[string]any) string {
	command := "lspi call " + tool
	if len(arguments) == 0 {
		return command
	}
	raw, _ := contract.Marshal(arguments)
	return command + " '" + strings.ReplaceAll(string(raw), "'", `'\''`) + "'"
}

// writeFields writes an object: its short values aligned, then what takes lines of its own.
func writeFields(b *strings.Builder, fields []field, indent string) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	var long []field
	for _, f := range fields {
		text, ok := scalar(f.value)
		switch {
		case !ok || strings.Contains(text, "\n"):
			long = append(long, f)
		case text != "null":
			fmt.Fprintf(w, "%s%s\t%s\n", indent, f.key, text)
		}
	}
	_ = w.Flush()
	for _, f := range long {
		writeLong(b, f, indent)
	}
}

// writeLong writes a value that takes lines of its own, below its key. Empty ones are not worth a line but for lists,
// where nothing is an answer.
func writeLong(b *strings.Builder, f field, indent string) {
	if text, ok := scalar(f.value); ok {
		fmt.Fprintf(b, "%s%s\n", indent, f.key)
		writeBlock(b, text, indent+"  ")
		return
	}
	items, ok := itemsOf(f.value)
	if !ok {
		if inner := fieldsOf(f.value); len(inner) > 0 {
			fmt.Fprintf(b, "%s%s\n", indent, f.key)
			writeFields(b, inner, indent+"  ")
		}
		return
	}
	if len(items) == 0 {
		fmt.Fprintf(b, "%s%s: none\n", indent, f.key)
		return
	}
	fmt.Fprintf(b, "%s%s\n", indent, f.key)
	writeItems(b, items, indent+"  ")
}

func writeItems(b *strings.Builder, items []json.RawMessage, indent string) {
	width := placeWidth(items)
	for _, item := range items {
		text, ok := scalar(item)
		switch place, rest, placed := strings.Cut(text, " "); {
		case ok && placed && width > 0:
			fmt.Fprintf(b, "%s%-*s  %s\n", indent, width, place, rest)
		case ok:
			writeBlock(b, text, indent)
		default:
			writeItem(b, fieldsOf(item), indent)
		}
	}
}

// placeWidth is the width of the places in lines such as "135:24 code" or "261-290 function Load"; 0 when there are other
// lines too.
func placeWidth(items []json.RawMessage) int {
	width := 0
	for _, item := range items {
		text, ok := scalar(item)
		place, _, _ := strings.Cut(text, " ")
		if !ok || place == "" || strings.Trim(place, "0123456789:-") != "" {
			return 0
		}
		width = max(width, utf8.RuneCountInString(place))
	}
	return width
}

// writeItem writes one object of a list: a line that names it, then what takes lines of its own.
func writeItem(b *strings.Builder, fields []field, indent string) {
	head, rest := headOf(fields)
	fmt.Fprintf(b, "%s%s\n", indent, head)
	for _, f := range rest {
		if text, ok := scalar(f.value); ok {
			writeBlock(b, text, indent+"  ")
			continue
		}
		// A single list below a line needs no name: it is what the line is about.
		if items, ok := itemsOf(f.value); ok && len(rest) == 1 {
			writeItems(b, items, indent+"  ")
			continue
		}
		writeLong(b, f, indent+"  ")
	}
}

// headOf puts the short fields of an object on one line: where it is, in the form that terminals and editors open, then
// the rest with the values first that need no name.
func headOf(fields []field) (head string, rest []field) {
	value := map[string]string{}
	var named []string
	for _, f := range fields {
		text, ok := scalar(f.value)
		if !ok || strings.Contains(text, "\n") {
			rest = append(rest, f)
			continue
		}
		value[f.key] = text
		if !slices.Contains(unnamed, f.key) && text != "null" && text != "" {
			named = append(named, f.key+" "+text)
		}
	}
	var parts []string
	if place := value["file_path"]; place != "" {
		for _, key := range []string{"line", "character"} {
			if value[key] != "" {
				place += ":" + value[key]
			}
		}
		parts = append(parts, place)
	} else if value["line"] != "" {
		parts = append(parts, strings.TrimSuffix(value["line"]+":"+value["character"], ":"))
	}
	for _, key := range []string{"severity", "kind", "id", "symbol", "name", "message"} {
		if value[key] != "" {
			parts = append(parts, value[key])
		}
	}
	return strings.Join(append(parts, named...), "  "), rest
}

// unnamed are the fields that speak for themselves, or that a line has no room for.
var unnamed = []string{"file_path", "line", "character", "end_line", "end_character", "severity", "kind", "id", "symbol",
	"name", "message"}

func writeBlock(b *strings.Builder, text, indent string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		fmt.Fprintf(b, "%s%s\n", indent, strings.TrimRight(line, "\n"))
	}
}
