//go:build linux

package faults

import (
	"path/filepath"
	"strings"
)

// A server that is hostile, or was led there by what a repository says, names files outside of the workspace.

var _ = add(attack{
	point: "C11", name: "a server answers with places in the user's files and in /proc",
	never:  "the text of these files in definition, references, hover, search or bundle",
	answer: "path and line, without text, and the warning `outside_sources`; nothing is read",

	try: func(a *attempt) {
		word := a.file("a.w", "Greet\n")
		env := a.file(filepath.Join(a.outside, ".env"), secret+"\n"+secret+"\n")
		places := []any{locatedAt(env, 1), locatedAt("/proc/self/environ", 0), locatedAt(word, 0)}
		s := a.scripted(options{},
			replies("textDocument/definition", places), replies("textDocument/references", places),
			replies("textDocument/implementation", places), replies("textDocument/typeDefinition", places),
			replies("workspace/symbol",
				[]any{map[string]any{"name": "Greet", "kind": 12, "location": locatedAt(env, 1)}}))
		at := map[string]any{"file_path": "a.w", "symbol_name": "Greet"}
		for _, tool := range []string{"find_definition", "find_references", "find_implementations", "hover",
			"symbol_bundle"} {
			x := s.call(tool, at)
			a.hides(x)
			if tool == "find_definition" || tool == "find_references" {
				if !strings.Contains(string(x.raw), env) || !strings.Contains(strings.Join(x.Kinds(), " "),
					"outside_sources") {
					a.worked("%s does not tell of the place outside: %s", tool, x.raw)
				}
			}
		}
		a.hides(s.call("search_workspace_symbols", map[string]any{"query": "Greet"}))
		a.hides(s.call("get_document_symbols", map[string]any{"file_path": env}))
	},
})
