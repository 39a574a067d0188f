package lang

import (
	"strings"
	"testing"
)

func TestScriptExport(t *testing.T) {
	for text, want := range map[string]string{
		"exports.sum = |add;":                   "sum",
		"module.exports.sum = |add\n":           "sum",
		"module.exports = { sum: |add }":        "sum",
		"module.exports = { a: { sum: |add } }": "",
		"const all = { sum: |add }":             "",
		"export default { sum: |add, b }":       "sum",
		"exports.sum = |add(1);":                "",
		"exports.sum = a.|add;":                 "",
	} {
		before, behind, _ := strings.Cut(text, "|")
		content := before + behind
		got := ""
		if at := ScriptExport(content, len(before), len(before)+3); at >= 0 {
			got = content[at : at+3]
		}
		if got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}

func TestIsScriptDefault(t *testing.T) {
	for text, want := range map[string]bool{
		"export default function |add() {}":        true,
		"export default async function* |add() {}": true,
		"export default class |add {}":             true,
		"export default |add;":                     true,
		"export { |add as default };":              true,
		"module.exports = |add;":                   true,
		"export function |add() {}":                false,
		"export { |add };":                         false,
	} {
		before, behind, _ := strings.Cut(text, "|")
		if got := IsScriptDefault(before+behind, len(before), len(before)+3); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
