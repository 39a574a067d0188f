package edits

import (
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp"
)

// symbolIn is a symbol from the first «, or the second when the first is part of the range that a server leaves
// out, to », named at §.
func symbolIn(t *testing.T, path, marked string) (*source.Text, lsp.Symbol) {
	t.Helper()
	text := marked
	at := func(mark string) int {
		i := strings.Index(text, mark)
		if i < 0 {
			t.Fatalf("%q lacks %s", marked, mark)
		}
		text = text[:i] + text[i+len(mark):]
		return i
	}
	start, name, end := at("«"), at("§"), at("»")
	s := source.New(path, text)
	return s, lsp.Symbol{Name: "f", Range: contract.Range{Start: s.PositionAt(start), End: s.PositionAt(end)},
		NameAt: contract.Range{Start: s.PositionAt(name), End: s.PositionAt(name + 1)}}
}

func TestDeclarations(t *testing.T) {
	for name, c := range map[string]struct{ path, text, operation, now, want string }{
		"go, the documentation stays": {"a.go", "x\n\n// f is.\n«func §f() {\n\treturn\n}»\n\ny\n", "replace",
			"func f() {}", "x\n\n// f is.\nfunc f() {}\n\ny\n"},
		"go, with documentation": {"a.go", "x\n\n// f is.\n«func §f() {\n\treturn\n}»\n\ny\n", "replace",
			"// f was.\nfunc f() {}\n", "x\n\n// f was.\nfunc f() {}\n\ny\n"},
		"go, a type without its word": {"a.go", "// f is.\ntype «§f struct {\n\ta int\n}»\n", "replace", "type f int",
			"// f is.\ntype f int\n"},
		"go, deleted":      {"a.go", "x\n\n// f is.\ntype «§f int»\n\ny\n", "delete", "", "x\n\ny\n"},
		"go, the last one": {"a.go", "x\n\n«func §f() {\n}»\n", "delete", "", "x\n"},
		"go, body": {"a.go", "«func §f(a struct{ b int }) interface{} {\n\treturn nil\n}»\n",
			"replace_body", "x := 1\nif x > 0 {\n\treturn x\n}\nreturn nil",
			"func f(a struct{ b int }) interface{} {\n\tx := 1\n\tif x > 0 {\n\t\treturn x\n\t}\n\treturn nil\n}\n"},
		"go, a brace in a string": {"a.go", "«func §f() string {\n\treturn \"}{\" // }\n}»\n", "replace_body",
			"{\n\treturn `{`\n}", "func f() string {\n\treturn `{`\n}\n"},
		"crlf": {"a.go", "// f is.\r\n«func §f() {\r\n\treturn\r\n}»\r\n", "insert_after",
			"func g() {\n}\n", "// f is.\r\nfunc f() {\r\n\treturn\r\n}\r\n\r\nfunc g() {\r\n}\r\n"},
		"rust, attributes in range": {"a.rs",
			"mod m {\n    «/// Is.\n    #[inline]\n    pub fn §f() -> u32 {\n        1\n    }»\n}\n", "insert_before",
			"fn g() {}",
			"mod m {\n    fn g() {}\n\n    /// Is.\n    #[inline]\n    pub fn f() -> u32 {\n        1\n    }\n}\n"},
		"rust, replaced": {"a.rs",
			"«/// Is.\n#[derive(\n    Debug,\n)]\npub struct §f {\n    a: u32,\n}»\n", "replace", "pub struct f;",
			"/// Is.\n#[derive(\n    Debug,\n)]\npub struct f;\n"},
		"rust, with an attribute": {"a.rs", "«/// Is.\n#[derive(Debug)]\npub struct §f;»\n", "replace",
			"#[derive(Clone)]\npub struct f;", "/// Is.\n#[derive(Clone)]\npub struct f;\n"},
		"c++, a template and its sign": {"a.cc",
			"int x;\n\n/* Is. */\ntemplate <typename T,\n          int n>\n«struct §f {\n  T t;\n}»;\nint y;\n",
			"delete", "", "int x;\n\nint y;\n"},
		"c++, the sign is not doubled": {"a.cc", "«struct §f {\n  int a;\n}»;\n", "replace",
			"struct f {\n  int b;\n};", "struct f {\n  int b;\n};\n"},
		"c++, the sign stays": {"a.cc", "«int §f = 1»; // one\n", "replace", "int f = 2",
			"int f = 2; // one\n"},
		"c++, with its comment": {"a.cc", "«namespace §f {\nint a;\n}»  // f\n", "replace",
			"namespace f {\nint b;\n}  // f", "namespace f {\nint b;\n}  // f\n"},
		"ts, modifiers": {"a.ts", "/**\n * Is.\n */\nexport const «§f = () => {\n  return 1;\n}»;\n",
			"replace_body", "return 2;", "/**\n * Is.\n */\nexport const f = () => {\n  return 2;\n};\n"},
		"python, decorators": {"a.py",
			"x = 1\n\n\n@cached(\n    1,\n)\n@other\n«def §f(a: int = {1: 2}[1]) -> int:\n    return a»\n\n\ny = 2\n",
			"delete", "", "x = 1\n\n\n\ny = 2\n"},
		"python, body": {"a.py",
			"class A:\n    «def §f(self, a: dict[str, int]) -> int:  # it: is\n        return 1»\n\n    x = 1\n",
			"replace_body", "if self:\n    return 2\nreturn 3\n",
			"class A:\n    def f(self, a: dict[str, int]) -> int:  # it: is\n        if self:\n            return 2\n        return 3\n\n    x = 1\n"},
		"a file without a last end": {"a.py", "«def §f():\n    pass»", "insert_after", "def g():\n    pass",
			"def f():\n    pass\n\ndef g():\n    pass"},
		"two on a line":             {"a.ts", "const «§f = 1», g = 2;\n", "delete", "", ""},
		"two on a line, the second": {"a.ts", "const g = 1, «§f = 2»;\n", "delete", "", ""},
		"no body":                   {"a.ts", "«type §f = number;»\n", "replace_body", "1", ""},
		"a body on the line":        {"a.py", "«def §f(): return 1»\n", "replace_body", "return 2", ""},
	} {
		text, s := symbolIn(t, c.path, c.text)
		d, err := DeclarationOf(text, s)
		got := ""
		if err == nil {
			switch c.operation {
			case "replace":
				got = d.Replace(c.now)
			case "replace_body":
				got, err = d.ReplaceBody(c.now)
			case "delete":
				got = d.Delete()
			default:
				got = d.Insert(c.now, c.operation == "insert_after")
			}
		}
		testkit.Equal(t, err != nil, c.want == "", name, err)
		if err == nil {
			testkit.Equal(t, got, c.want, name)
		}
	}
}

// Some attributes hand what they stand at to somebody; others only say how it is built.
func TestRegistered(t *testing.T) {
	for text, want := range map[string]string{
		"#[cfg(unix)]\n#[repr(C)]\n#[inline]\n«fn §f() {}»\n":     "",
		"#[cfg(test)]\n#[test]\n«fn §f() {}»\n":                   "#[test]",
		"#[cfg_attr(test, no_mangle)]\n«pub extern fn §f() {}»\n": "#[cfg_attr(test, no_mangle)]",
		"#[no_mangle]\n#[cfg(unix)]\n«pub extern fn §f() {}»\n":   "#[no_mangle]",
	} {
		s, sym := symbolIn(t, "a.rs", text)
		d, err := DeclarationOf(s, sym)
		testkit.Must(t, err)
		testkit.Equal(t, d.Registered(), want, text)
	}
}
