package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"lspi/tools"
	"lspi/tools/answer"
)

// helpOfCall returns the help function of lspi call: the help of the tool that the command line names, else ofCommand.
func helpOfCall(f *sessionFlags, ofCommand func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		for _, word := range slices.Concat(cmd.Flags().Args(), args) {
			if t, err := tools.Lookup(word); err == nil {
				_, _ = io.WriteString(cmd.OutOrStdout(), toolHelp(t))
				return
			}
			if helpOfOther(cmd, f, word) {
				return
			}
		}
		ofCommand(cmd, args)
	}
}

// toolHelp describes a tool and its arguments for a person.
func toolHelp(t *answer.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUsage:\n  lspi call %s [KEY=VALUE ... | JSON | -] [flags]\n", wrap(t.Description, ""),
		t.Name)
	for _, part := range []struct {
		title    string
		required bool
	}{{"Required", true}, {"Arguments", false}} {
		first := true
		for _, name := range t.Input.PropertyOrder {
			if slices.Contains(t.Input.Required, name) != part.required {
				continue
			}
			if first {
				fmt.Fprintf(&b, "\n%s:\n", part.title)
				first = false
			}
			p := t.Input.Properties[name]
			fmt.Fprintf(&b, "  %s %s\n", name, form(p))
			for line := range strings.Lines(wrap(wordsOf(name, p), "      ")) {
				b.WriteString("      " + strings.TrimLeft(line, " "))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString(
		"\nlspi call --help has the flags, and how values are written. lspi tools --json has the schemas of the arguments " +
			"and of the answer.\n")
	return b.String()
}

// form describes the type of an argument: its choices, bounds and default.
func form(s *jsonschema.Schema) string {
	out := cmp.Or(s.Type, "any value")
	item := s
	if s.Type == "array" && s.Items != nil {
		out, item = "list of "+plural(s.Items.Type), s.Items
	}
	if len(item.Enum) > 0 {
		var all []string
		for _, e := range item.Enum {
			all = append(all, fmt.Sprint(e))
		}
		out = strings.Join(all, "|")
		if s != item {
			out = "list of " + out
		}
	}
	var more []string
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		more = append(more, fmt.Sprintf("%v to %v", *s.Minimum, *s.Maximum))
	case s.Minimum != nil:
		more = append(more, fmt.Sprintf("at least %v", *s.Minimum))
	}
	if len(s.Default) > 0 {
		more = append(more, "default "+defaultWords(s.Default))
	}
	if len(more) > 0 {
		out += " (" + strings.Join(more, ", ") + ")"
	}
	return out
}

func plural(kind string) string {
	return cmp.Or(map[string]string{"string": "texts", "integer": "integers", "number": "numbers", "": "values",
		"object": "objects (JSON)"}[kind], kind)
}

// defaultWords returns a default as one would write it on the command line.
func defaultWords(raw json.RawMessage) string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, ",")
	}
	return strings.Trim(string(raw), `"`)
}

// wordsOf describes an argument: by its schema, else by commonArguments. Schemas leave out what every model knows.
func wordsOf(name string, s *jsonschema.Schema) string {
	return cmp.Or(s.Description, commonArguments[name])
}

// commonArguments describes, by name, the arguments that have no description in their schema.
var commonArguments = map[string]string{
	"file_path":             "A file or folder, relative to the workspace or absolute.",
	"file_paths":            "Files and folders, relative to the workspace or absolute.",
	"line":                  "Counts from 1.",
	"character":             "The column: counts from 1, in Unicode code points.",
	"end_line":              "The last line; counts from 1.",
	"symbol_name":           "A name, also qualified: Client.Call, ns::Widget::draw.",
	"symbol_kind":           "Takes only symbols of this kind: function, method, struct, class, interface, ...",
	"kinds":                 "Takes only symbols of these kinds: function, method, struct, class, interface, ...",
	"query":                 "A name or a part of one.",
	"symbols":               "Names, or places such as a.go:12 f.",
	"question":              "Words of names of declarations, in a sentence: how does a request reach the pool?",
	"package":               "A package by its import path: serde::de, zod, <vector>.",
	"match":                 "How names are matched.",
	"scope":                 "Takes only files of this folder, file or glob.",
	"index":                 "Takes this one of the candidates, counted from 1.",
	"include_generated":     "Shows the code of generated files, too.",
	"target":                "Which definition: where the symbol is declared or implemented, or the definition of its type.",
	"direction":             "Which way to go.",
	"detail":                "Adds signatures.",
	"severities":            "Takes only these.",
	"edits":                 "Each has file_path and new_text, and old_text for what it replaces.",
	"revision":              "A git revision, with which the files on disk are compared, or a range of commits: main..HEAD. By default HEAD.",
	"server_id":             "Asks this language server.",
	"include_declaration":   "Shows the declaration, too.",
	"include_snippet":       "Adds the text of each line.",
	"snippet_context_lines": "Adds lines around it.",
	"include_body":          "Adds the whole declaration.",
	"include_env":           "Adds the environment variables that are set for servers, without their values.",
	"max_results":           "How many at most.",
	"offset":                "Leaves out so many, to go on where an answer was cut.",
	"max_depth":             "How many levels.",
	"max_breadth":           "How many of each symbol.",
	"max_total_chars":       "The size of the answer in characters; by default as the configuration says.",
	"references_limit":      "How many references at most; 0 leaves them out.",
	"implementations_limit": "How many implementations at most; 0 leaves them out.",
	"call_max_depth":        "How many levels of calls; 0 leaves them out.",
	"call_max_breadth":      "How many calls of each function.",
	"apply_if_clean":        "Writes the edit if it introduces no error.",
	"all":                   "Also those that the workspace does not need.",
	"diff":                  "Shows unified diffs.",
	"new_name":              "The new name, unqualified.",
	"preview_id":            "Applies the preview with this id.",
	"wait_ms":               "How long to wait for what takes longer, in milliseconds.",
	"backup_suffix":         "Keeps the old text of each file under its name with this suffix.",
}

// helpWidth is the width of lines of help, in columns.
const helpWidth = 110

// wrap breaks a text into lines of helpWidth; every line but the first begins with indent.
func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > helpWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
