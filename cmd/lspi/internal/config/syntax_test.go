package config

import (
	"strings"
	"testing"

	"lspi/internal/lang"
)

// A syntax error among what an MCP server is given has its line, its column and what was expected, and quotes
// nothing of a value.
func TestSyntaxErrorsOfMCPServersQuoteNoValue(t *testing.T) {
	const secret = "hunter2"
	for name, c := range map[string]struct{ line, want string }{
		"no quotes":              {`command = hunter2`, "expected a value"},
		"nothing":                {`command =`, "expected a value"},
		"no end of the string":   {"command = \"hunter2", "ends the string on the same line"},
		"a line in the string":   {"command = \"hunter2\nx\"", "ends the string on the same line"},
		"behind the value":       {`command = "x" hunter2`, "the end of the line"},
		"no comma":               {`args = ["a" hunter2]`, "a comma or ]"},
		"no comma in a table":    {`env = { A = "b" hunter2 }`, "a comma or }"},
		"no end of the list":     {"args = [\"hunter2\"\nurl = 7", "a comma or ]"},
		"no equals sign":         {`command hunter2`, "expected = behind the key"},
		"only a key":             {`command`, "expected = behind the key"},
		"too large a number":     {`call_timeout_ms = 99999999999999999999`, "looks like a number"},
		"a colon":                {`command: "hunter2"`, "expected = behind the key"},
		"an escape":              {`command = "C:\hunter2"`, "an escape that TOML does not know"},
		"an escape with numbers": {`command = "\uhunter2"`, "four hexadecimal digits"},
		"an escape of no rune":   {`command = "\ud800hunter2"`, "none of Unicode"},
		"a number":               {`call_timeout_ms = 1__2`, "looks like a number"},
		"a number with zeros":    {`call_timeout_ms = 012`, "looks like a number"},
		"a float":                {`call_timeout_ms = 1.hunter2`, "looks like a number"},
		"a date":                 {`command = 2026-13-45`, "looks like a date"},
		"a key twice":            {"command = \"hunter2\"\ncommand = \"hunter2\"", "given before"},
		"a table that is none":   {"env = \"hunter2\"\n[mcp_servers.x.env]\nA = \"b\"", "given before"},
		"a control character":    {"command = \"hunter2\x01\"", "control character"},
		"not UTF-8":              {"command = \"hunter2\xff\"", "in UTF-8"},
	} {
		text := "[mcp_servers.x]\n" + c.line + "\n"
		_, err := lang.DecodeTOML(text, &map[string]any{})
		if err == nil {
			t.Errorf("%s: it is valid", name)
			continue
		}
		f := syntaxFinding(text, err)
		if f.Line < 2 || f.Column < 1 || !strings.Contains(f.Message, c.want) || strings.Contains(f.Message, secret) {
			t.Errorf("%s: %d:%d %s, of %v", name, f.Line, f.Column, f.Message, err)
		}
	}
}
