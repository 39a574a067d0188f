package typescript

import (
	"testing"

	"lspi/internal/testkit"
)

// A text gives a name away by a default export, by "as" and by an assignment to all exports.
func TestRenames(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                        false,
		"export function foo() {}":                false,
		"export default function foo() {}":        true,
		"export default\tclass extends foo {}":    true,
		"export\n  default foo":                   true,
		"export default bar\nfoo()":               false,
		"export defaults = foo":                   false,
		"export = foo":                            true,
		"export= { bar, foo }":                    true,
		"module.exports = { a: foo }":             true,
		"module.exports.foo = 1":                  false,
		"exports = foo":                           false,
		"reexport = foo":                          false,
		"export { foo as bar }":                   true,
		"export { bar as foo }":                   false,
		"import { foo  as\n bar } from './a'":     true,
		"const x = bar as foo; let y = foos as z": false,
		"foo ask":                                 false,
		"foo.as(bar)":                             false,
		"export { $foo as bar }":                  false,
		"export { $bar as bar }":                  true,
		"export { é as bar }":                     true,
	} {
		testkit.Equal(t, Renames(text, []string{"foo", "$bar", "é"}), want, text)
	}
	testkit.Equal(t, Renames("export { foo as bar }", nil), false)
}

// A name that a module exports is not kept, whatever its first letter is.
func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		text, hover, name string
		want              bool
	}{
		{"export interface foo {}", "```typescript\ninterface foo", "foo", false},
		{"export interface $foo {}", "```typescript\ninterface $foo", "$foo", false},
		{"interface $foo {}\nexport type { bar, $foo }", "```typescript\ninterface $foo", "$foo", false},
		{"interface $foo {}\nexport const x = 1", "```typescript\ninterface $foo", "$foo", true},
		{"interface foo {}\nexport const $foo = 1", "```typescript\ninterface foo", "foo", true},
		{"interface foo {}", "```typescript\ninterface foo", "foo", false}, // no module: every script sees it
		{"export const x = 1; function f(a) {}", "```typescript\n(parameter) a", "a", true},
	} {
		testkit.Equal(t, Keeps(c.text, c.hover, c.name), c.want, c.text, c.name)
	}
}
