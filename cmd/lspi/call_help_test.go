package main

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools"
)

// lspi call TOOL --help describes every argument of every tool, wherever the flag stands.
func TestHelpOfTools(t *testing.T) {
	named := map[string]bool{}
	for _, tool := range tools.All() {
		var out, errs strings.Builder
		code := run([]string{"call", tool.Name, "--help"}, nil, &out, &errs)
		testkit.Equal(t, code, exitOK, tool.Name, errs.String())
		for name, p := range tool.Input.Properties {
			named[name] = named[name] || p.Description == ""
			if !strings.Contains(out.String(), "\n  "+name+" ") || wordsOf(name, p) == "" {
				t.Errorf("%s: nothing is said of %s", tool.Name, name)
			}
		}
		var before strings.Builder
		run([]string{"call", "--help", tool.Name}, nil, &before, &errs)
		testkit.Equal(t, before.String(), out.String(), "the flag stands first")
	}
	for name := range commonArguments {
		if !named[name] {
			t.Errorf("commonArguments has %s, which is in no schema, or described there", name)
		}
	}
	var out, errs strings.Builder
	run([]string{"call", "--help"}, nil, &out, &errs)
	run([]string{"call", "no_tool", "--help"}, nil, &out, &errs)
	testkit.Equal(t, strings.Count(out.String(), "Usage:\n  lspi call TOOL"), 2, "help of the command")
}
