package trial

import "regexp"

var languageGo = Language{
	Name: "go", Title: "Go, gopls", Needs: []string{"gopls", "go"}, Comment: "//", InSource: "base/base.go",
	Files: map[string]string{
		"go.mod": "module example.com/trial\n\ngo 1.24\n",
		"base/base.go": "package base\n\nimport \"strings\"\n\n// Shape has an area.\ntype Shape interface{ Area() int }\n\n" +
			"// Square is a shape.\ntype Square struct{ Side int }\n\n" +
			"func (s Square) Area() int { return s.Side * s.Side }\n\n" +
			"func Upper(text string) string { return strings.ToUpper(text) }\n\n" +
			"func Sum(a, b int) int {\n\ttotal := a + b\n\treturn total\n}\n",
		"base/more.go":      "package base\n\nfunc Twice(n int) int {\n\treturn Sum(n, n)\n}\n",
		"base/base_test.go": "package base\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n",
		"use/use.go": "package use\n\nimport \"example.com/trial/base\"\n\nvar _ base.Shape = base.Square{}\n\n" +
			"func Run() int {\n\treturn base.Twice(base.Square{Side: 2}.Area())\n}\n\nfunc Name() string {\n\treturn base.Upper(\"x\")\n}\n",
		"old/old.go": "package old\n\nfunc Broken() int { return nowhere }\n\nfunc Fine() int {\n\treturn 1\n}\n",
		".gitignore": "",
	},
	Breaks: []Break{
		{"base/base.go", "total := a + b", "total := a + undefinedName"},
		{"base/base.go", "return total", "return \"text\""},
		{"base/base.go", "func Sum(a, b int) int {", "func Sum(a, b, c int) int {"},
		{"base/base.go", "func Upper(", "func Lower("},
		{"base/base.go", "Area() int { return", "Area(unit string) int { return"},
		{"base/base.go", "import \"strings\"\n", ""},
		{"base/more.go", "return Sum(n, n)", "unused := 1\n\treturn Sum(n, n)"},
		{"base/more.go", "func Twice(n int)", "func Twice(n string)"},
		{"base/base_test.go", "Sum(1, 2)", "Sum(1)"},
		{"use/use.go", "return base.Upper(\"x\")", "return base.Upper(1)"},
		{"use/use.go", "func Run() int {", "func Run() int {{"},
		{"old/old.go", "return 1\n", "return elsewhere\n"},
		{"base/more.go", "package base\n", "package base\n\nimport \"os\"\n"},
	},
	Format:    []string{"gofmt", "-w", "base/base.go"},
	Hidden:    hiddenInGo,
	Check:     [][]string{{"go", "test", "-vet=off", "-run=^$", "-gcflags=-e", "./..."}},
	ErrorLine: regexp.MustCompile(`(?m)^(?:vet: )?(?:\./)?([\w./-]+\.go):(\d+):\d+: `),
}

var languageTypeScript = Language{
	Name: "typescript", Title: "TypeScript, typescript-language-server", Needs: []string{"typescript-language-server", "tsc"}, Comment: "//", InSource: "src/base.ts",
	Files: map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "esnext",` +
			` "moduleResolution": "bundler", "types": []}, "include": ["src"]}` + "\n",
		"package.json": "{}\n",
		"src/base.ts": "export function sum(a: number, b: number): number {\n  const total = a + b;\n  return total;\n}\n\n" +
			"export class Square {\n  constructor(readonly side: number) {}\n  area(): number { return this.side * this.side; }\n}\n",
		"src/use.ts": "import { sum, Square } from \"./base\";\n\nexport function run(): number {\n" +
			"  return sum(1, new Square(2).area());\n}\n",
		"src/old.ts": "export const broken: number = nowhere;\n\nexport function fine(): number {\n  return 1;\n}\n",
	},
	Breaks: []Break{
		{"src/base.ts", "const total = a + b", "const total = a + undefinedName"},
		{"src/base.ts", "return total;", "return \"text\";"},
		{"src/base.ts", "sum(a: number, b: number)", "sum(a: number, b: number, c: number)"},
		{"src/base.ts", "area(): number", "area(unit: string): number"},
		{"src/use.ts", "sum(1, ", "sum(\"1\", "},
		{"src/use.ts", "\"./base\"", "\"./bose\""},
		{"src/old.ts", "return 1;", "return elsewhere;"},
	},
	Check:     [][]string{{"tsc", "-p", ".", "--pretty", "false"}},
	ErrorLine: regexp.MustCompile(`(?m)^([\w./-]+)\((\d+),\d+\): error`),
}

var languagePython = Language{
	Name: "python", Title: "Python, pyright", Needs: []string{"pyright-langserver", "pyright"}, Comment: "#", InSource: "base.py",
	Files: map[string]string{
		"pyproject.toml": "[project]\nname = \"trial\"\nversion = \"1\"\n",
		"base.py": "def total(a: int, b: int) -> int:\n    result = a + b\n    return result\n\n\n" +
			"class Square:\n    def __init__(self, side: int) -> None:\n        self.side = side\n\n" +
			"    def area(self) -> int:\n        return self.side * self.side\n",
		"use.py": "from base import Square, total\n\n\ndef run() -> int:\n    return total(1, Square(2).area())\n",
		"old.py": "broken: int = nowhere\n\n\ndef fine() -> int:\n    return 1\n",
	},
	Breaks: []Break{
		{"base.py", "result = a + b", "result = a + undefined_name"},
		{"base.py", "return result", "return \"text\""},
		{"base.py", "total(a: int, b: int)", "total(a: int, b: int, c: int)"},
		{"base.py", "def area(self)", "def area(self, unit: str)"},
		{"use.py", "total(1, ", "total(\"1\", "},
		{"use.py", "from base", "from bose"},
		{"old.py", "return 1", "return elsewhere"},
	},
	Check:     [][]string{{"pyright"}},
	ErrorLine: regexp.MustCompile(`(?m)^\s+\S*?/([\w-]+\.py):(\d+):\d+ - error`),
}

var languageRust = Language{
	Name: "rust", Title: "Rust, rust-analyzer with cargo check", Needs: []string{"rust-analyzer", "cargo"}, Comment: "//", InSource: "src/base.rs",
	Files: map[string]string{
		"Cargo.toml": "[package]\nname = \"trial\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		// As cargo writes it: else the check does, git takes it back, and rust-analyzer loads the project anew each time.
		"Cargo.lock": "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"trial\"\nversion = \"0.1.0\"\n",
		".gitignore": "target\n",
		"src/lib.rs": "pub mod base;\npub mod user;\n",
		"src/base.rs": "pub fn sum(a: i32, b: i32) -> i32 {\n    let total = a + b;\n    total\n}\n\n" +
			"pub struct Square {\n    pub side: i32,\n}\n\nimpl Square {\n    pub fn area(&self) -> i32 {\n        self.side * self.side\n    }\n}\n",
		"src/user.rs": "use crate::base::{sum, Square};\n\npub fn run() -> i32 {\n    sum(1, Square { side: 2 }.area())\n}\n",
	},
	Breaks: []Break{
		{"src/base.rs", "let total = a + b", "let total = a + undefined_name"},
		{"src/base.rs", "    total\n", "    \"text\"\n"},
		{"src/base.rs", "sum(a: i32, b: i32)", "sum(a: i32, b: i32, _c: i32)"},
		{"src/base.rs", "area(&self)", "area(&self, _unit: &str)"},
		{"src/user.rs", "sum(1, ", "sum(\"1\", "},
	},
	Check:     [][]string{{"cargo", "check", "--offline", "--message-format", "short"}},
	ErrorLine: regexp.MustCompile(`(?m)^([\w./-]+\.rs):(\d+):\d+: error`),
}

var languageCpp = Language{
	Name: "cpp", Title: "C++, clangd", Needs: []string{"clangd", "g++"}, Comment: "//", InSource: "base.cc",
	Files: map[string]string{
		"compile_flags.txt": "-std=c++20\n-I.\n",
		"base.h":            "#pragma once\n\nint sum(int a, int b);\n\nstruct Square {\n  int side;\n  int area() const;\n};\n",
		"base.cc": "#include \"base.h\"\n\nint sum(int a, int b) {\n  int total = a + b;\n  return total;\n}\n\n" +
			"int Square::area() const { return side * side; }\n",
		"use.cc": "#include \"base.h\"\n\nint run() {\n  return sum(1, Square{2}.area());\n}\n",
		"old.cc": "int broken() { return nowhere; }\n\nint fine() {\n  return 1;\n}\n",
	},
	Breaks: []Break{
		{"base.cc", "int total = a + b", "int total = a + undefined_name"},
		{"base.cc", "return total;", "return \"text\";"},
		{"use.cc", "sum(1, ", "sum(1, 2, "},
		{"use.cc", "Square{2}.area()", "Square{2}.volume()"},
		{"old.cc", "return 1;", "return elsewhere;"},
	},
	Check: [][]string{{"g++", "-std=c++20", "-fsyntax-only", "-I.", "base.cc"}, {"g++", "-std=c++20", "-fsyntax-only", "-I.", "use.cc"},
		{"g++", "-std=c++20", "-fsyntax-only", "-I.", "old.cc"}},
	ErrorLine: regexp.MustCompile(`(?m)^([\w./-]+):(\d+):\d+: error`),
}
