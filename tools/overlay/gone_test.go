package overlay

import (
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// What a text declared and does not declare any more, by the words of its lines.
func TestGone(t *testing.T) {
	for _, c := range []struct {
		path, before, now string
		want              []string
	}{
		{"a.js", "exports.one = function () {};\nmodule.exports.two = 2;\nA.prototype.three = f;\n", "x\ny\nz\n",
			[]string{"one", "two", "three"}},
		{"a.js", "  draw(n) {\n  call(n);\n  if (n) {\n  constructor(n) {\n  o.three = 1;\n", "a\nb\nc\nd\ne\n", []string{"draw"}},
		{"a.ts", "class A {\n  draw(n: number): void {\n  private name: string;\n  abstract weigh(): number;\n  title?: string;\n",
			"class A {\n  paint(n: number): void {\n\n\n\n", []string{"draw", "name", "weigh", "title"}},
		{"a.ts", "  draw(n: number) {\n  return 1\n", "  draw(n: string) {\n  return 2\n", nil},
		{"a.go", "\tdraw(n) {\n", "\n", nil},
		{"a.go", "func Old() { run() }\n", "func Old() { _ = 1 }\n", nil},
		{"a.cc", "int Old() { }\nint New() {}\n", "int Old() { x = 1; }\n\n", []string{"New"}},
	} {
		testkit.Diff(t, Gone(source.New(c.path, c.now), source.New(c.path, c.before)), c.want, c.before)
	}
}
