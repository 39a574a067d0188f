//go:build linux

package faults

import (
	"fmt"
	"strings"

	"lspi/internal/testkit"
)

// Each language has the same project: the definition in one file, a use in main, one in a folder app, and one in a
// folder extra that means another thing, or nothing, until the project file is changed.

var goProject = func() *project {
	use := func(pkg, function string, down int) string {
		return fmt.Sprintf("package %s\n\nimport \"ex.com/shop/lib\"\n\n%sfunc %s() int { return lib.Greet() }\n",
			pkg, strings.Repeat("//\n", down), function)
	}
	p := &project{server: gopls, programs: []string{"gopls", "go"}, ext: []string{"go"}, home: "lib/lib.go",
		out: "extra"}
	p.files = map[string]string{
		"go.mod":         "module ex.com/shop\n\ngo 1.25\n\nignore ./extra\n",
		"lib/lib.go":     "package lib\n\nfunc Greet() int { return 1 }\n",
		"main.go":        "package main\n\nimport \"ex.com/shop/lib\"\n\nfunc main() { println(lib.Greet()) }\n",
		"app/one.go":     use("app", "One", 0),
		"extra/extra.go": use("extra", "Extra", 0),
	}
	p.changes = map[string]change{
		edited:         {write: map[string]string{"app/one.go": use("app", "One", 7)}},
		created:        {write: map[string]string{"app/two.go": use("app", "Two", 2)}},
		deleted:        {remove: []string{"app/two.go"}},
		renamed:        {move: [][2]string{{"app/one.go", "app/uno.go"}}},
		folderRenamed:  {move: [][2]string{{"app", "web"}}},
		projectChanged: {write: map[string]string{"go.mod": "module ex.com/shop\n\ngo 1.25\n"}},
	}
	return p
}()

var cppProject = func() *project {
	const decoy, plain = `, "-DDECOY=namespace decoy { int Greet(); }", "-DOF=decoy::"`, `, "-DDECOY=", "-DOF="`
	database := func(flags string, files ...string) string {
		var entries []string
		for _, f := range files {
			entries = append(entries,
				fmt.Sprintf(
					`{"directory": "$DIR", "file": %q, "arguments": ["clang++", "-std=c++17", "-I$DIR"%s, "-c", %q]}`,
					f, flags, f))
		}
		return "[" + strings.Join(entries, ",\n") + "]\n"
	}
	use := func(function string, down int) string {
		return fmt.Sprintf("#include \"lib/lib.h\"\n%sint %s() { return Greet(); }\n", strings.Repeat("//\n", down),
			function)
	}
	p := &project{server: clangd, programs: []string{"clangd"}, ext: []string{"cc", "h"}, home: "lib/lib.cc",
		out: "extra",
		env: testkit.ServerEnv("clangd")}
	p.files = map[string]string{
		"compile_commands.json": database(decoy, "lib/lib.cc", "main.cc", "app/one.cc", "extra/extra.cc"),
		"lib/lib.h":             "#pragma once\nint Greet();\n",
		"lib/lib.cc":            "#include \"lib/lib.h\"\nint Greet() { return 1; }\n",
		"main.cc":               "#include \"lib/lib.h\"\nint main() { return Greet(); }\n",
		"app/one.cc":            use("one", 0),
		"extra/extra.cc":        "#include \"lib/lib.h\"\nDECOY\nint extra() { return OF Greet(); }\n",
	}
	p.changes = map[string]change{
		edited: {write: map[string]string{"app/one.cc": use("one", 7),
			"lib/lib.h": "#pragma once\n//\n//\nint Greet();\n"}},
		created: {write: map[string]string{"app/two.cc": use("two", 2),
			"compile_commands.json": database(decoy, "lib/lib.cc", "main.cc", "app/one.cc", "app/two.cc",
				"extra/extra.cc")}},
		deleted: {remove: []string{"app/two.cc"}},
		renamed: {move: [][2]string{{"app/one.cc", "app/uno.cc"}}, write: map[string]string{
			"compile_commands.json": database(decoy, "lib/lib.cc", "main.cc", "app/uno.cc", "extra/extra.cc")}},
		folderRenamed: {move: [][2]string{{"app", "web"}}, write: map[string]string{
			"compile_commands.json": database(decoy, "lib/lib.cc", "main.cc", "web/uno.cc", "extra/extra.cc")}},
		projectChanged: {write: map[string]string{
			"compile_commands.json": database(plain, "lib/lib.cc", "main.cc", "web/uno.cc", "extra/extra.cc")}},
	}
	return p
}()

var rustProject = func() *project {
	cargo := func(features string) string {
		return "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\ndefault = [" +
			features + "]\nextra = []\n"
	}
	use := func(function string, down int) string {
		return fmt.Sprintf("%spub fn %s() -> i32 {\n    crate::lib::Greet()\n}\n", strings.Repeat("//\n", down),
			function)
	}
	root := func(app string) string {
		return "mod " + app +
			";\n#[cfg(feature = \"extra\")]\nmod extra;\nmod lib;\n\nfn main() {\n    lib::Greet();\n}\n"
	}
	p := &project{server: rust, programs: []string{"rust-analyzer", "cargo"}, ext: []string{"rs"},
		home: "src/lib/mod.rs", out: "src/extra",
		env: testkit.ServerEnv("rust-analyzer")}
	p.files = map[string]string{
		"Cargo.toml":       cargo(""),
		"src/main.rs":      root("app"),
		"src/lib/mod.rs":   "#[allow(non_snake_case)]\npub fn Greet() -> i32 {\n    1\n}\n",
		"src/app/mod.rs":   "pub mod one;\n",
		"src/app/one.rs":   use("one", 0),
		"src/extra/mod.rs": use("extra", 0),
	}
	p.changes = map[string]change{
		edited: {write: map[string]string{"src/app/one.rs": use("one", 7)}},
		created: {write: map[string]string{"src/app/two.rs": use("two", 2),
			"src/app/mod.rs": "pub mod one;\npub mod two;\n"}},
		deleted: {remove: []string{"src/app/two.rs"}},
		renamed: {move: [][2]string{{"src/app/one.rs", "src/app/uno.rs"}},
			write: map[string]string{"src/app/mod.rs": "pub mod uno;\n"}},
		folderRenamed: {move: [][2]string{{"src/app", "src/web"}},
			write: map[string]string{"src/main.rs": root("web")}},
		projectChanged: {write: map[string]string{"Cargo.toml": cargo(`"extra"`)}},
	}
	return p
}()

var tsProject = func() *project {
	config := func(paths string) string {
		return `{"compilerOptions": {"module": "esnext", "target": "es2020", "moduleResolution": "bundler"` + paths +
			`}, "include": ["src", "extra"]}` + "\n"
	}
	use := func(function string, down int) string {
		return fmt.Sprintf(
			"import { Greet } from \"../lib/lib\";\n%sexport function %s(): number {\n  return Greet();\n}\n",
			strings.Repeat("//\n", down), function)
	}
	p := &project{server: ts, programs: []string{"typescript-language-server"}, ext: []string{"ts"},
		home: "src/lib/lib.ts", out: "extra"}
	p.files = map[string]string{
		"tsconfig.json":  config(""),
		"src/lib/lib.ts": "export function Greet(): number {\n  return 1;\n}\n",
		"src/main.ts":    "import { Greet } from \"./lib/lib\";\nconsole.log(Greet());\n",
		"src/app/one.ts": use("one", 0),
		"extra/extra.ts": "import { Greet } from \"@lib/lib\";\nexport const extra = Greet();\n",
	}
	p.changes = map[string]change{
		edited:         {write: map[string]string{"src/app/one.ts": use("one", 7)}},
		created:        {write: map[string]string{"src/app/two.ts": use("two", 2)}},
		deleted:        {remove: []string{"src/app/two.ts"}},
		renamed:        {move: [][2]string{{"src/app/one.ts", "src/app/uno.ts"}}},
		folderRenamed:  {move: [][2]string{{"src/app", "src/web"}}},
		projectChanged: {write: map[string]string{"tsconfig.json": config(`, "paths": {"@lib/*": ["./src/lib/*"]}`)}},
	}
	return p
}()

var pythonProject = func() *project {
	use := func(function string, down int) string {
		return fmt.Sprintf("from shop.lib import Greet\n\n%s\ndef %s() -> int:\n    return Greet()\n",
			strings.Repeat("#\n", down), function)
	}
	p := &project{server: pyright, programs: []string{"pyright-langserver"}, ext: []string{"py"}, home: "shop/lib.py",
		out: "extra"}
	p.files = map[string]string{
		"pyrightconfig.json":   `{}` + "\n",
		"shop/__init__.py":     "",
		"shop/lib.py":          "def Greet() -> int:\n    return 1\n",
		"shop/main.py":         "from shop.lib import Greet\n\nprint(Greet())\n",
		"shop/app/__init__.py": "",
		"shop/app/one.py":      use("one", 0),
		"extra/lib.pyi":        "def Greet() -> int: ...\n",
		"extra/extra.py":       "from lib import Greet\n\nextra = Greet()\n",
	}
	p.changes = map[string]change{
		edited:         {write: map[string]string{"shop/app/one.py": use("one", 7)}},
		created:        {write: map[string]string{"shop/app/two.py": use("two", 2)}},
		deleted:        {remove: []string{"shop/app/two.py"}},
		renamed:        {move: [][2]string{{"shop/app/one.py", "shop/app/uno.py"}}},
		folderRenamed:  {move: [][2]string{{"shop/app", "shop/web"}}},
		projectChanged: {write: map[string]string{"pyrightconfig.json": `{"extraPaths": ["shop"]}` + "\n"}},
	}
	return p
}()

// wordsProject is in the scripted server's own language.
var wordsProject = func() *project {
	p := &project{server: scripted, ext: []string{"w"}, home: "lib.w"}
	p.files = map[string]string{
		"lib.w":     "def Greet\n  1\n",
		"main.w":    "def main\n  Greet\n",
		"app/one.w": "def one\n  Greet\n",
	}
	p.changes = map[string]change{
		edited:        {write: map[string]string{"app/one.w": "def one\n  1\n  2\n  Greet\n  Greet\n"}},
		created:       {write: map[string]string{"app/two.w": "def two\n  Greet\n"}},
		deleted:       {remove: []string{"app/two.w"}},
		renamed:       {move: [][2]string{{"app/one.w", "app/uno.w"}}},
		folderRenamed: {move: [][2]string{{"app", "web"}}},
	}
	return p
}()
