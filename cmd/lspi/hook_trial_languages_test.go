//go:build linux || darwin

package main

import "regexp"

var trialTypeScript = trialLanguage{
	name: "typescript", needs: []string{"typescript-language-server", "tsc"}, comment: "//", inSource: "src/base.ts",
	files: map[string]string{
		"tsconfig.json": `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "esnext",` +
			` "moduleResolution": "bundler", "types": []}, "include": ["src"]}` + "\n",
		"package.json": "{}\n",
		"src/base.ts": "export function sum(a: number, b: number): number {\n  const total = a + b;\n  return total;\n}\n\n" +
			"export class Square {\n  constructor(readonly side: number) {}\n  area(): number { return this.side * this.side; }\n}\n",
		"src/use.ts": "import { sum, Square } from \"./base\";\n\nexport function run(): number {\n" +
			"  return sum(1, new Square(2).area());\n}\n",
		"src/old.ts": "export const broken: number = nowhere;\n\nexport function fine(): number {\n  return 1;\n}\n",
	},
	breaks: []trialBreak{
		{"src/base.ts", "const total = a + b", "const total = a + undefinedName"},
		{"src/base.ts", "return total;", "return \"text\";"},
		{"src/base.ts", "sum(a: number, b: number)", "sum(a: number, b: number, c: number)"},
		{"src/base.ts", "area(): number", "area(unit: string): number"},
		{"src/use.ts", "sum(1, ", "sum(\"1\", "},
		{"src/use.ts", "\"./base\"", "\"./bose\""},
		{"src/old.ts", "return 1;", "return elsewhere;"},
	},
	check:     [][]string{{"tsc", "-p", ".", "--pretty", "false"}},
	errorLine: regexp.MustCompile(`(?m)^([\w./-]+)\((\d+),\d+\): error`),
}

var trialPython = trialLanguage{
	name: "python", needs: []string{"pyright-langserver", "pyright"}, comment: "#", inSource: "base.py",
	files: map[string]string{
		"pyproject.toml": "[project]\nname = \"trial\"\nversion = \"1\"\n",
		"base.py": "def total(a: int, b: int) -> int:\n    result = a + b\n    return result\n\n\n" +
			"class Square:\n    def __init__(self, side: int) -> None:\n        self.side = side\n\n" +
			"    def area(self) -> int:\n        return self.side * self.side\n",
		"use.py": "from base import Square, total\n\n\ndef run() -> int:\n    return total(1, Square(2).area())\n",
		"old.py": "broken: int = nowhere\n\n\ndef fine() -> int:\n    return 1\n",
	},
	breaks: []trialBreak{
		{"base.py", "result = a + b", "result = a + undefined_name"},
		{"base.py", "return result", "return \"text\""},
		{"base.py", "total(a: int, b: int)", "total(a: int, b: int, c: int)"},
		{"base.py", "def area(self)", "def area(self, unit: str)"},
		{"use.py", "total(1, ", "total(\"1\", "},
		{"use.py", "from base", "from bose"},
		{"old.py", "return 1", "return elsewhere"},
	},
	check:     [][]string{{"pyright"}},
	errorLine: regexp.MustCompile(`(?m)^\s+\S*?/([\w-]+\.py):(\d+):\d+ - error`),
}

var trialRust = trialLanguage{
	name: "rust", needs: []string{"rust-analyzer", "cargo"}, comment: "//", inSource: "src/base.rs",
	files: map[string]string{
		"Cargo.toml": "[package]\nname = \"trial\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"Cargo.lock": "version = 4\n\n[[package]]\nname = \"trial\"\nversion = \"0.1.0\"\n",
		".gitignore": "target\n",
		"src/lib.rs": "pub mod base;\npub mod user;\n",
		"src/base.rs": "pub fn sum(a: i32, b: i32) -> i32 {\n    let total = a + b;\n    total\n}\n\n" +
			"pub struct Square {\n    pub side: i32,\n}\n\nimpl Square {\n    pub fn area(&self) -> i32 {\n        self.side * self.side\n    }\n}\n",
		"src/user.rs": "use crate::base::{sum, Square};\n\npub fn run() -> i32 {\n    sum(1, Square { side: 2 }.area())\n}\n",
	},
	breaks: []trialBreak{
		{"src/base.rs", "let total = a + b", "let total = a + undefined_name"},
		{"src/base.rs", "    total\n", "    \"text\"\n"},
		{"src/base.rs", "sum(a: i32, b: i32)", "sum(a: i32, b: i32, _c: i32)"},
		{"src/base.rs", "area(&self)", "area(&self, _unit: &str)"},
		{"src/user.rs", "sum(1, ", "sum(\"1\", "},
	},
	check:     [][]string{{"cargo", "check", "--offline", "--message-format", "short"}},
	errorLine: regexp.MustCompile(`(?m)^([\w./-]+\.rs):(\d+):\d+: error`),
}

var trialCpp = trialLanguage{
	name: "cpp", needs: []string{"clangd", "g++"}, comment: "//", inSource: "base.cc",
	files: map[string]string{
		"compile_flags.txt": "-std=c++20\n-I.\n",
		"base.h":            "#pragma once\n\nint sum(int a, int b);\n\nstruct Square {\n  int side;\n  int area() const;\n};\n",
		"base.cc": "#include \"base.h\"\n\nint sum(int a, int b) {\n  int total = a + b;\n  return total;\n}\n\n" +
			"int Square::area() const { return side * side; }\n",
		"use.cc": "#include \"base.h\"\n\nint run() {\n  return sum(1, Square{2}.area());\n}\n",
		"old.cc": "int broken() { return nowhere; }\n\nint fine() {\n  return 1;\n}\n",
	},
	breaks: []trialBreak{
		{"base.cc", "int total = a + b", "int total = a + undefined_name"},
		{"base.cc", "return total;", "return \"text\";"},
		{"use.cc", "sum(1, ", "sum(1, 2, "},
		{"use.cc", "Square{2}.area()", "Square{2}.volume()"},
		{"old.cc", "return 1;", "return elsewhere;"},
	},
	check: [][]string{{"g++", "-std=c++20", "-fsyntax-only", "-I.", "base.cc"}, {"g++", "-std=c++20", "-fsyntax-only", "-I.", "use.cc"},
		{"g++", "-std=c++20", "-fsyntax-only", "-I.", "old.cc"}},
	errorLine: regexp.MustCompile(`(?m)^([\w./-]+):(\d+):\d+: error`),
}
