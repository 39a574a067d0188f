package lang

import (
	"strings"
	"testing"
)

// A repository's TOML cannot exhaust the stack or the memory; what projects write is decoded.
func TestDecodeTOMLIsBounded(t *testing.T) {
	path := strings.TrimSuffix(strings.Repeat("a.", 100_000), ".")
	quoted := strings.TrimSuffix(strings.Repeat(`"=[#" . `, 100_000), ". ")
	deep := strings.TrimSuffix(strings.Repeat("a.", 1000), ".")
	var keys strings.Builder
	for range 10_000 {
		keys.WriteString("k = 1\n")
	}
	for name, text := range map[string]string{
		"arrays":                           "a = " + strings.Repeat("[", 1000),
		"arrays behind comments":           "a = " + strings.Repeat("[ # ]\n", 1000),
		"arrays behind strings":            "a = " + strings.Repeat("[ ']', \"\\\"]\", ", 1000),
		"inline tables":                    "a = " + strings.Repeat("{ a = ", 1000),
		"a path":                           path + " = 1",
		"a quoted path":                    quoted + " = 1",
		"a table":                          "[" + path + "]",
		"tables of an array":               "[[" + path + "]]",
		"many keys of a deep table":        "[" + deep + "]\n" + keys.String(),
		"keys of a table with a long name": "[" + strings.Repeat("a", 20_000) + "]\n" + keys.String(),
		"keys of an inline table with another": "x = { \"" + strings.Repeat("a", 20_000) + "\" = {" +
			strings.ReplaceAll(keys.String(), "\n", ",") + "} }",
		"after a string with quotes": "a = \"\"\"\"\\\"\"\"\"\nb = " + strings.Repeat("[", 1000),
		"after a literal string":     "a = '''it's'''\nb = " + strings.Repeat("[", 1000),
		"size":                       strings.Repeat("#", maxTOMLBytes+1),
	} {
		if _, err := DecodeTOML(text, &map[string]any{}); err != errTOMLBounds {
			t.Errorf("%s: %v", name, err)
		}
	}
	harmless := "[package]\nname = 'x' # [[[\n[a.b.\"c.d\"]\nx = [\n" +
		strings.Repeat("  '[', 1.5, { a.b = [\"{\"] },\n", 20_000) + "]\n" +
		strings.Repeat("[[t]]\nkey.sub = \"\"\"\n[[[\n\"\"\"\nlist = [1.5, 2.5, 3.5]\n", 10_000)
	values := map[string]any{}
	if _, err := DecodeTOML(harmless, &values); err != nil || len(values["t"].([]map[string]any)) != 10_000 {
		t.Errorf("an ordinary file: %v", err)
	}
}
