package lang

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

func TestTakenFrom(t *testing.T) {
	for text, want := range map[string]bool{
		"const { x } = f()":            true,
		"const { a, x: b = {} } = f()": true,
		"({ x }: any) => x":            true,
		"function f({ a, x }) {}":      true,
		"for (const { x } of all) {}":  true,
		"const a = { x: 1 };":          false,
		"f({ x: 1 })":                  false,
		"if (a) { x(); }":              false,
		"interface A { a: 1, x: 2 }":   false,
		"type A = { x: number; y: 1 }": false,
		"a.x":                          false,
	} {
		from := strings.Index(text, "x")
		testkit.Equal(t, TakenFrom(text, from, from+1), want)
	}
}
