package lang

import (
	"strings"
	"testing"
)

// In each text | stands in front of the member; the bases are as text, with () behind one that is called and {} behind
// one of an object.
func TestScriptBases(t *testing.T) {
	for text, want := range map[string]string{
		"class A extends B { |run() {} }":                            "B",
		"class A extends ns.B<{ a: C }> implements D, E { |run() {}": "B D E",
		"class A extends Timed(Job) { run = 1; |stop() {}":           "Timed()",
		"interface A extends B, C { |run(): void }":                  "B C",
		"class A extends B<() => C, D> { |run() {} }":                "B",
		"class A { |run() {} }":                                      "",
		"class A extends B { run() { |local = 1 } }":                 "",
		"class A extends B { opts = { |run() {} } }":                 "",
		"const a: Options<C>[] = [{ |run() {} }]":                    "Options{}",
		"const a = { |run() {} } satisfies ns.Options;":              "Options{}",
		"const a = { |run() {} } as Options\nb":                      "",
		"const a = { |run() {} } as const;":                          "",
		"const a = { |run() {} } as const satisfies Options;":        "Options{}",
		"const a = { |run() {} };":                                   "",
		"ns.mount(el, { deep: { |run() {} } })":                      "mount(){}",
		"new Vue<T>({ |run() {} })":                                  "Vue{}",
		"function f({ |run }) {}":                                    "",
		"if (a) { |run }":                                            "",
		"`${a}` ; f({ |run: 1 })":                                    "f(){}",
		"module.exports = { |run }":                                  "",
	} {
		content, behind, _ := strings.Cut(text, "|")
		at := len(content)
		content += behind
		if got := shownBases(content, ReadScriptHeads(content).Bases(at)); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	text := "abstract class A<T> extends mixin(B, { a: 1 }) { }"
	if got := shownBases(text, ReadScriptHeads(text).HeadBases(strings.Index(text, "A<"))); got != "mixin()" {
		t.Errorf("%s: %q", text, got)
	}
}

func shownBases(content string, all []ScriptBase) string {
	var out []string
	for _, b := range all {
		end := b.At
		for end < len(content) && wordByte(content[end]) {
			end++
		}
		word := content[b.At:end]
		if b.Called {
			word += "()"
		}
		if b.Literal {
			word += "{}"
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}
