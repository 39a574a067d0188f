//go:build linux

package faults

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/testkit"
)

// What a repository says leads a real server out of the workspace; the standard library, which also lies outside,
// is shown.

// leads is a way in which files of a project name a file outside.
type leads struct {
	name     string // what the project does, for the row
	server   string
	programs []string
	files    map[string]string // of the workspace; absolute names are of the folder outside, "$OUTSIDE" in a name too
	links    map[string]string // of the workspace, to what they lead
	from     map[string]any    // a use of what is declared outside
	also     map[string]any    // another use; nil when there is none
	standard map[string]any    // a use of the standard library
	snippet  string            // what the definition of that has
	known    bool              // the file is of a dependency that a trusted workspace names, and is shown there
}

// try asks for what is outside in every tool that shows code. The hover's own text is the server's
// (docs/security.md), so the secret stands in bodies, which no hover has.
func (l leads) try(a *attempt) {
	outside := strings.NewReplacer("$OUTSIDE", a.outside)
	for name, text := range l.files {
		a.file(outside.Replace(name), text)
	}
	for name, to := range l.links {
		path := filepath.Join(a.dir, name)
		testkit.Must(a, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(outside.Replace(to), path)))
	}
	l.hides(a, a.restricted(l.server))
	if s := a.at(l.server); !l.known {
		l.hides(a, s)
	} else if x := loaded(func() *reply {
		return s.call("find_definition", l.from)
	}); !strings.Contains(string(x.raw), secret) ||
		slices.Contains(x.Kinds(), "outside_sources") {
		a.Errorf("the workspace is trusted, and its dependency is not shown: %s", x.raw)
	}
}

// hides asks a session for what is outside.
func (l leads) hides(a *attempt, s *faultSession) {
	outside := strings.NewReplacer("$OUTSIDE", a.outside)
	defined := loaded(func() *reply { return s.call("find_definition", l.from) })
	if !defined.OK || !strings.Contains(string(defined.raw), a.outside) {
		a.Fatalf("%s was not led outside: %s", l.server, defined.raw)
	}
	if !strings.Contains(strings.Join(defined.Kinds(), " "), "outside_sources") {
		a.worked("no warning: %s", defined.raw)
	}
	a.hides(defined)
	for _, tool := range []string{"find_references", "symbol_bundle", "call_hierarchy"} {
		a.hides(s.call(tool, l.from))
	}
	a.hides(s.call("hover", with(l.from, "include_snippet", true)))
	a.hides(s.call("search_workspace_symbols", map[string]any{"query": "Leak"}))
	if l.also != nil {
		a.hides(s.call("find_definition", l.also))
	}
	for name := range l.files {
		if path := outside.Replace(name); filepath.IsAbs(path) {
			a.hides(s.call("get_document_symbols", map[string]any{"file_path": path}))
			a.hides(s.call("hover", map[string]any{"file_path": path, "line": 1, "character": 1,
				"include_snippet": true}))
		}
	}
	if x := s.call("find_definition", l.standard); !strings.Contains(string(x.raw), l.snippet) {
		a.Errorf("the standard library is not shown: %s", x.raw)
	}
}

// with is arguments and one more.
func with(arguments map[string]any, key string, value any) map[string]any {
	out := map[string]any{key: value}
	for k, v := range arguments {
		out[k] = v
	}
	return out
}

const (
	hiddenText = "the text of that file in definition, references, hover with code, hierarchy, search, outline or bundle"
	toldPlace  = "path and line with `outside_sources`, and no text; the standard library beside it is shown"
	toldKnown  = toldPlace +
		"; in a trusted workspace the text of this dependency is, since its manifest has the name that the project gives it"
)

// replaced is a go.mod that replaces a module by a folder outside, whose go.mod names module.
func replaced(name, module string, known bool) leads {
	return leads{
		name: name, server: gopls, programs: []string{"gopls", "go"}, known: known,
		files: map[string]string{
			"go.mod":              "module ex.com/m\n\ngo 1.25\n\nrequire ex.com/o v0.0.0\n\nreplace ex.com/o => $OUTSIDE\n",
			"m.go":                "package m\n\nimport (\n\t\"strings\"\n\n\t\"ex.com/o\"\n)\n\nvar X = o.Leak() + strings.ToUpper(\"\")\n",
			"$OUTSIDE/go.mod":     "module " + module + "\n\ngo 1.25\n",
			"$OUTSIDE/private.go": "package o\n\nfunc Leak() string { return \"" + secret + "\" }\n",
		},
		from:     map[string]any{"file_path": "m.go", "line": 9, "symbol_name": "Leak"},
		standard: map[string]any{"file_path": "m.go", "line": 9, "symbol_name": "ToUpper"},
		snippet:  "func ToUpper(s string) string",
	}
}

// led are the rows; each names a file outside, in a way that its server follows.
var led = []leads{
	replaced("go.mod replaces a module by a folder of the user's", "ex.com/o", true),
	{
		name: "#include of a file of the user's", server: clangd, programs: []string{"clangd"},
		files: map[string]string{
			"compile_commands.json": `[{"directory": "$DIR", "file": "m.c", "arguments": ["cc", "-c", "m.c"]}]`,
			"m.c":                   "#include <stdio.h>\n#include \"$OUTSIDE/private.env\"\nint main(void) { Leak(); return printf(\"\"); }\n",
			"$OUTSIDE/private.env":  "static void Leak(void) { const char *s = \"" + secret + "\"; }\n",
		},
		from:     map[string]any{"file_path": "m.c", "line": 3, "symbol_name": "Leak"},
		standard: map[string]any{"file_path": "m.c", "line": 3, "symbol_name": "printf"},
		snippet:  "extern int printf",
	},
	{
		name: "Cargo.toml names a folder of the user's as a dependency", known: true, server: rust,
		programs: []string{"rust-analyzer", "cargo"},
		files: map[string]string{
			"Cargo.toml":          "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\no = { path = \"$OUTSIDE\" }\n",
			"src/lib.rs":          "pub fn m() -> String {\n    o::Leak();\n    String::with_capacity(1)\n}\n",
			"$OUTSIDE/Cargo.toml": "[package]\nname = \"o\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"$OUTSIDE/src/lib.rs": "pub fn Leak() {\n    let _ = \"" + secret + "\";\n}\n",
		},
		from:     map[string]any{"file_path": "src/lib.rs", "line": 2, "symbol_name": "Leak"},
		standard: map[string]any{"file_path": "src/lib.rs", "line": 3, "symbol_name": "with_capacity"},
		snippet:  "pub fn with_capacity(capacity: usize) -> String",
	},
	{
		name: "a declaration map and a reference path name files of the user's", server: ts,
		programs: []string{"typescript-language-server"},
		files: map[string]string{
			"tsconfig.json":       `{"compilerOptions": {"module": "esnext", "target": "es2020", "moduleResolution": "bundler", "lib": ["es2020"], "types": []}}`,
			"m.ts":                "/// <reference path=\"$OUTSIDE/private.ts\" />\nimport { mapped } from \"./lib\";\nexport const x = [1].concat(Leak(), mapped());\n",
			"lib.d.ts":            "export declare function mapped(): number;\n//# sourceMappingURL=lib.d.ts.map\n",
			"lib.d.ts.map":        `{"version": 3, "file": "lib.d.ts", "sourceRoot": "", "sources": ["$OUTSIDE/mapped.env"], "names": [], "mappings": "AAAA,wBAAgB,MAAM,IAAI,MAAM,CAE/B"}`,
			"$OUTSIDE/mapped.env": "export function mapped(): number { return \"" + secret + "\"; }\n",
			"$OUTSIDE/private.ts": "function Leak(): number {\n  return \"" + secret + "\".length;\n}\n",
		},
		from:     map[string]any{"file_path": "m.ts", "line": 3, "symbol_name": "Leak"},
		also:     map[string]any{"file_path": "m.ts", "line": 3, "symbol_name": "mapped"},
		standard: map[string]any{"file_path": "m.ts", "line": 3, "symbol_name": "concat"},
		snippet:  "concat(...items",
	},
	{
		name: "pyrightconfig.json names a folder of the user's", server: pyright,
		programs: []string{"pyright-langserver"},
		files: map[string]string{
			"pyrightconfig.json":  `{"extraPaths": ["$OUTSIDE"]}`,
			"m.py":                "import shutil\n\nimport private\n\nprivate.Leak()\nshutil.copyfileobj(1, 2)\n",
			"$OUTSIDE/private.py": "def Leak() -> None:\n    s = \"" + secret + "\"\n",
		},
		from:     map[string]any{"file_path": "m.py", "line": 5, "symbol_name": "Leak"},
		standard: map[string]any{"file_path": "m.py", "line": 6, "symbol_name": "copyfileobj"},
		snippet:  "def copyfileobj",
	},
	{
		name: "package.json and a link in node_modules lead to a folder of the user's", known: true, server: ts,
		programs: []string{"typescript-language-server"},
		files: map[string]string{
			"tsconfig.json":         `{"compilerOptions": {"module": "esnext", "target": "es2020", "moduleResolution": "bundler", "lib": ["es2020"], "types": []}}`,
			"package.json":          `{"name": "m", "dependencies": {"o": "file:../outside"}}`,
			"m.ts":                  "import { Leak } from \"o\";\nexport const x = [1].concat(Leak());\n",
			"$OUTSIDE/package.json": `{"name": "o", "version": "1.0.0", "main": "private.ts"}`,
			"$OUTSIDE/private.ts":   "export function Leak(): number {\n  return \"" + secret + "\".length;\n}\n",
		},
		links:    map[string]string{"node_modules/o": "$OUTSIDE"},
		from:     map[string]any{"file_path": "m.ts", "line": 2, "symbol_name": "Leak"},
		standard: map[string]any{"file_path": "m.ts", "line": 2, "symbol_name": "concat"},
		snippet:  "concat(...items",
	},
	replaced("go.mod replaces a module by a folder of the user's whose go.mod has another name", "ex.com/another",
		false),
}

var _ = func() bool {
	for _, l := range led {
		answer := toldPlace
		if l.known {
			answer = toldKnown
		}
		add(attack{point: "C11", name: l.server + ": " + l.name, never: hiddenText, answer: answer,
			programs: l.programs,
			further:  l.server != gopls, try: l.try})
	}
	return true
}()
