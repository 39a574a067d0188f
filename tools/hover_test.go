package tools

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/toolstest"
)

// What the verified servers answered, word by word.
func TestSplitHover(t *testing.T) {
	for _, c := range []struct {
		name, text string
		plain      bool
		want       hoverParts
	}{
		{name: "gopls type",
			text: "```go\ntype Shape interface { // size=16 (0x10)\n\tArea() float64\n}\n```\n\n---\n\nShape has an area.\n\nSee [Square](file:///tmp/go/shape.go#16,6) for one.\n\n\n```go\nfunc (fmt.Stringer) String() string\n```",
			want: hoverParts{signature: "type Shape interface { // size=16 (0x10)\n\tArea() float64\n}",
				documentation: "Shape has an area.\n\nSee Square for one.\n\n\n```go\nfunc (fmt.Stringer) String() string\n```"}},
		{name: "gopls without documentation", text: "```go\nfunc main()\n```",
			want: hoverParts{signature: "func main()"}},
		{name: "clangd",
			text: "### class `Widget`\n\nprovided by `\"widget.h\"`\n\n---\nSize: 16 bytes, alignment 8 bytes\n\nA widget. Draws itself.\n\n---\n```cpp\n// In namespace ui\nclass Widget {}\n```",
			want: hoverParts{"ui", "class Widget {}",
				"provided by `\"widget.h\"`\n\n---\nSize: 16 bytes, alignment 8 bytes\n\nA widget. Draws itself."}},
		{name: "clangd member",
			text: "### constructor `Widget::Widget`\n\n---\nParameters:\n\n- `int id`\n\n---\n```cpp\n// In Widget\npublic: explicit Widget::Widget(int id)\n```",
			want: hoverParts{"Widget", "public: explicit Widget::Widget(int id)", "Parameters:\n\n- `int id`"}},
		{name: "clangd without a declaration", text: "### namespace `std`\n\n---\nprose",
			want: hoverParts{documentation: "### namespace `std`\n\n---\nprose"}},
		{name: "rust-analyzer",
			text: "```rust\nshop::Shape\n```\n\n```rust\npub trait Shape\npub fn area(&self) -> f64\n```\n\n---\n\nIn square metres.\n\n# Examples\n\n```rust\nlet a = 1;\n```",
			want: hoverParts{"shop::Shape", "pub trait Shape\npub fn area(&self) -> f64",
				"In square metres.\n\n# Examples\n\n```rust\nlet a = 1;\n```"}},
		{name: "rust-analyzer local", text: "```rust\nlet x: i32\n```\n\n---\n\nsize = 4, align = 0x4",
			want: hoverParts{signature: "let x: i32", documentation: "size = 4, align = 0x4"}},
		{name: "rust-analyzer builtin", text: "```rust\ni32\n```\n\n---\n\nThe 32-bit signed integer type.",
			want: hoverParts{signature: "i32", documentation: "The 32-bit signed integer type."}},
		{name: "typescript", text: "```typescript\nclass Square\n```\nA square.\n\n*@param* `side` — the side",
			want: hoverParts{signature: "class Square", documentation: "A square.\n\n*@param* `side` — the side"}},
		{name: "pyright", text: "```python\nclass Square(side: float)\n```\n---\nHas an area.\n\nMore about it.",
			want: hoverParts{signature: "class Square(side: float)", documentation: "Has an area.\n\nMore about it."}},
		{name: "pyright escapes",
			text: "```python\n(function) def prompt(hide_input: bool)\n```\n---\nSends a signal, this  \nfunction stops.\n\n:param hide\\_input: a *list* of `x\\_y` &lt;b&gt;  \n&nbsp;&nbsp;&nbsp;&nbsp;is hidden.\n\n```\na\\_b &nbsp;\n```\n\n    c\\_d",
			want: hoverParts{signature: "(function) def prompt(hide_input: bool)",
				documentation: "Sends a signal, this\nfunction stops.\n\n:param hide_input: a *list* of `x\\_y` <b>\n    is hidden.\n\n```\na\\_b &nbsp;\n```\n\n    c\\_d"}},
		{name: "no escapes", text: `C:\dir \d & &x; a\\b ` + "`` a`\\_ `` `",
			want: hoverParts{documentation: `C:\dir \d & &x; a\b ` + "`` a`\\_ `` `"}},
		{name: "a longer fence", text: "````md\n```go\nx\n```\n````\nrest",
			want: hoverParts{signature: "```go\nx\n```", documentation: "rest"}},
		{name: "an open fence", text: "```go\nfunc main()", want: hoverParts{documentation: "```go\nfunc main()"}},
		{name: "traits of what is unknown",
			text: "```rust\nfn f<T>()\n```\n\n---\n\nImplements notable traits: `Future<Output = <fn f<{unknown}>() as Future>::Output>`\n\n---\n\nDoc.", want: hoverParts{signature: "fn f<T>()", documentation: "Doc."}},
		{name: "traits and no more",
			text: "```rust\nfn f<T>()\n```\n\n---\n\nImplements notable traits: `Iterator<Item = {unknown}>`",
			want: hoverParts{signature: "fn f<T>()"}},
		{name: "known traits",
			text: "```rust\nstruct S\n```\n\n---\n\nImplements notable traits: `Iterator<Item = u8>`\n\n---\n\nDoc.",
			want: hoverParts{signature: "struct S",
				documentation: "Implements notable traits: `Iterator<Item = u8>`\n\n---\n\nDoc."}},
		{name: "prose", text: "Just *words*.", want: hoverParts{documentation: "Just *words*."}},
		{name: "plain text", text: "```\nx\n```", plain: true, want: hoverParts{documentation: "```\nx\n```"}},
		{name: "other line ends", text: "```go\r\nfunc main()\r\n```\r\n---\r\nDoc.",
			want: hoverParts{signature: "func main()", documentation: "Doc."}},
		{name: "web links stay", text: "See [`Err`](https://doc.rust-lang.org/x#y) and [x](file:///a%20b).",
			want: hoverParts{documentation: "See [`Err`](https://doc.rust-lang.org/x#y) and x."}},
	} {
		testkit.Equal(t, splitHover(c.text, !c.plain), c.want, c.name)
	}
}

const hoverFile = "def target\n  other\ndef other\n"

func hoverOf(t *testing.T, rules string, arguments map[string]any) reply {
	t.Helper()
	session := toolstest.Open(t, project(t, map[string]string{"a.w": hoverFile}),
		toolstest.Fake(t, "words", `{"language":"words","rules":[`+rules+`]}`))
	arguments["file_path"] = "a.w"
	return run(t, session, "hover", arguments)
}

func TestHoverOfNothingIsEmpty(t *testing.T) {
	a := hoverOf(t,
		`{"method":"textDocument/hover","actions":[{"result":null}]},{"method":"textDocument/definition","actions":[{"result":[]}]}`,
		map[string]any{"line": 2, "character": 4})
	equal(t, "ok", a["ok"], any(true))
	equal(t, "completeness", a["completeness"], any("complete"))
	for _, field := range []string{"symbol", "kind", "signature", "documentation", "definition"} {
		if v, there := a[field]; v != nil || !there {
			t.Errorf("%s is %v", field, v)
		}
	}
}

func TestHoverWithoutDefinition(t *testing.T) {
	a := hoverOf(t, `{"method":"textDocument/definition","actions":[{"error":{"code":-32603,"message":"boom"}}]}`,
		map[string]any{"line": 2, "symbol_name": "other"})
	equal(t, "symbol", a["symbol"], any("other"))
	equal(t, "definition", a["definition"], nil)
	equal(t, "warnings", kinds(a), "part_failed")
	equal(t, "completeness", a["completeness"], any("partial"))
}

func TestHoverFails(t *testing.T) {
	a := hoverOf(t, `{"method":"textDocument/hover","actions":[{"error":{"code":-32603,"message":"boom"}}]}`,
		map[string]any{"line": 2, "symbol_name": "other"})
	equal(t, "ok", a["ok"], any(false))
}

func TestHoverIsCutAtWholeLines(t *testing.T) {
	text := "```w\ndef target\n```\n---\n" + strings.Repeat("A line of documentation.\\n", 200)
	text = strings.ReplaceAll(text, "\n", `\n`)
	a := hoverOf(t, `{"method":"textDocument/hover","actions":[{"result":{"contents":{"kind":"markdown","value":"`+
		text+`"}}}]}`,
		map[string]any{"symbol_name": "target", "include_snippet": true, "max_total_chars": 1500})
	equal(t, "truncated", a["truncated"], any(true))
	equal(t, "completeness", a["completeness"], any("partial"))
	equal(t, "signature", a["signature"], any("def target"))
	documentation := a["documentation"].(string)
	if n := lineCount(documentation); n < 5 || n > 60 ||
		strings.TrimSuffix(strings.Repeat("A line of documentation.\n", n), "\n") != documentation {
		t.Errorf("%d lines: %q", n, documentation)
	}
	step := a["next_steps"].([]any)[0].(map[string]any)
	equal(t, "step", step["arguments"].(map[string]any)["max_total_chars"], any(6000.0))
}
