package main

import (
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"lspi/lsp/servers"
	"lspi/tools"
	"lspi/tools/answer"
)

// completeCall completes the name of a tool, then the names of its arguments, and values where the schema lists them.
func completeCall(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		var out []cobra.Completion
		for _, t := range tools.All() {
			if strings.HasPrefix(t.Name, typed) {
				out = append(out, cobra.CompletionWithDesc(t.Name, firstSentence(t.Description)))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	t, err := tools.Lookup(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if key, value, ok := strings.Cut(typed, "="); ok {
		if isPath(key) {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return completeValue(t.Input.Properties[key], key, value), cobra.ShellCompDirectiveNoFileComp
	}
	return completeKey(t, args[1:], typed), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

// completeKey completes the names of arguments that are not given yet, and of lists, which may be repeated.
func completeKey(t *answer.Tool, given []string, typed string) []cobra.Completion {
	has := map[string]bool{}
	for _, g := range given {
		key, _, _ := strings.Cut(g, "=")
		has[key] = true
	}
	var out []cobra.Completion
	for _, name := range t.Input.PropertyOrder {
		p := t.Input.Properties[name]
		if strings.HasPrefix(name, typed) && (!has[name] || p.Type == "array") {
			out = append(out, cobra.CompletionWithDesc(name+"=", p.Description))
		}
	}
	return out
}

// completeValue completes the value of an argument; in a list, the item after the last comma.
func completeValue(s *jsonschema.Schema, key, value string) []cobra.Completion {
	if s == nil {
		return nil
	}
	head := key + "="
	if i := strings.LastIndexByte(value, ','); i >= 0 && s.Type == "array" {
		head += value[:i+1]
		value = value[i+1:]
	}
	var out []cobra.Completion
	for _, v := range valuesOf(s, key) {
		if strings.HasPrefix(v, value) {
			out = append(out, head+v)
		}
	}
	return out
}

// valuesOf returns the values that an argument may have, as far as they are known.
func valuesOf(s *jsonschema.Schema, key string) []string {
	var out []string
	enum := s.Enum
	if s.Items != nil {
		enum = s.Items.Enum
	}
	for _, e := range enum {
		out = append(out, fmt.Sprint(e))
	}
	if s.Type == "boolean" {
		out = append(out, "true", "false")
	}
	if key == "server_id" {
		for _, spec := range servers.Servers() {
			out = append(out, spec.ID)
		}
	}
	return out
}
