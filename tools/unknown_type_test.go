package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// restrictedEnv is newEnv for a workspace that nobody trusted.
func restrictedEnv(t *testing.T, dir string, servers ...string) *Env {
	t.Helper()
	env := newEnv(t, dir, servers...)
	env.Settings.Trust = &Trust{Why: "nobody trusted it"}
	for i := range env.Table.Specs {
		env.Table.Specs[i] = env.Table.Specs[i].Restricted([]string{env.Settings.Workspace})
	}
	return env
}

// generatedCrate uses what its build script and a macro of its own make.
var generatedCrate = map[string]string{
	"Cargo.toml":     "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nmac = { path = \"mac\" }\n[workspace]\n",
	"Cargo.lock":     "version = 3\n\n[[package]]\nname = \"mac\"\nversion = \"0.1.0\"\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\ndependencies = [\n \"mac\",\n]\n",
	"build.rs":       "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    std::fs::write(format!(\"{out}/gen.rs\"), \"pub fn made() -> u8 { 1 }\").unwrap();\n}\n",
	"mac/Cargo.toml": "[package]\nname = \"mac\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
	"mac/src/lib.rs": "use proc_macro::TokenStream;\n#[proc_macro]\npub fn number(_: TokenStream) -> TokenStream {\n    \"7u8\".parse().unwrap()\n}\n",
	"src/lib.rs": "include!(concat!(env!(\"OUT_DIR\"), \"/gen.rs\"));\npub fn greet() -> u8 {\n    let m = mac::number!();\n    let n = made();\n" +
		"    let k: u8 = 1;\n    m + n + k\n}\n",
}

// In a workspace that is not trusted rust-analyzer shows {unknown} for what a macro or a build script makes, and finds no
// definition of it (1.97.1).
func TestATypeThatRestrictedCodeMakesIsNotComplete(t *testing.T) {
	needServer(t, "rust-analyzer")
	needServer(t, "cargo")
	env := restrictedEnv(t, project(t, generatedCrate), "rust-analyzer")
	at := func(line int, name string) map[string]any {
		return map[string]any{"file_path": "src/lib.rs", "line": line, "symbol_name": name}
	}
	for _, c := range []struct {
		tool string
		at   map[string]any
		want string // the warning; "" for a complete answer
	}{
		{"hover", at(3, "m"), "restricted"},
		{"hover", at(4, "n"), "restricted"},
		{"find_definition", at(4, "made"), "restricted"},
		{"hover", at(5, "k"), ""},
		{"find_definition", at(6, "k"), ""},
	} {
		a := run(t, env, c.tool, c.at)
		kinds := ""
		for _, w := range asList(a["warnings"]) {
			kinds += fmt.Sprint(w.(map[string]any)["kind"], " ")
		}
		if (a["completeness"] == "complete") != (c.want == "") || !strings.Contains(kinds, c.want) {
			t.Errorf("%s %v: %v, %v", c.tool, c.at, a["completeness"], a)
		}
	}
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// Each server shows a type that it does not know in its own words. Where the same words stand for what the source gives no type, an
// import that is not there is needed besides.
func TestATypeThatTheServerDoesNotKnowIsNotComplete(t *testing.T) {
	for _, c := range []struct {
		server, path, text string
		unknown, known     int // lines of x
	}{
		{"pyright", "a.py", "import missing_mod\nx = missing_mod.value\ndef f():\n    x = 1\n    return x\n", 2, 4},
		{"pyright", "b.py", "def f(y):\n    x = y\n    return x\n", 0, 2},
		{"gopls", "a.go", "package a\n\nimport \"ex.com/nothere/lib\"\n\nfunc F() {\n\tx := lib.Thing()\n\t_ = x\n}\n\nfunc G() {\n\tx := 1\n\t_ = x\n}\n", 6, 11},
		{"typescript-language-server", "a.ts", "import { thing } from \"not-there\";\nexport const x = thing();\nexport function f() {\n  const x = 1;\n  return x;\n}\n", 2, 4},
		{"typescript-language-server", "b.ts", "export const x: any = 1;\n", 0, 1},
		{"clangd", "a.cc", "int f() {\n  auto x = missing();\n  return 0;\n}\nint g() {\n  auto x = 1;\n  return x;\n}\n", 2, 6},
	} {
		t.Run(c.server+" "+c.path, func(t *testing.T) {
			env := newEnv(t, unknownTypeProject(t, c.path, c.text), c.server)
			for line, complete := range map[int]bool{c.unknown: false, c.known: true} {
				if line == 0 {
					continue
				}
				a := run(t, env, "hover", map[string]any{"file_path": c.path, "line": line, "symbol_name": "x"})
				if got := a["completeness"] == "complete"; got != complete || !complete && !strings.Contains(fmt.Sprint(a["warnings"]), "unresolved_name") {
					t.Errorf("line %d: %v, %v", line, a["completeness"], a)
				}
			}
		})
	}
}

func unknownTypeProject(t *testing.T, path, text string) string {
	t.Helper()
	files := map[string]string{path: text}
	switch filepath.Ext(path) {
	case ".go":
		files["go.mod"] = "module ex.com/a\n\ngo 1.24\n"
	case ".ts":
		files["tsconfig.json"] = `{"compilerOptions":{"strict":true},"include":["*.ts"]}`
	}
	dir := project(t, files)
	if filepath.Ext(path) == ".cc" {
		list := fmt.Sprintf(`[{"directory":%q,"file":%q,"arguments":["clang++","-c",%q]}]`, dir, path, path)
		if err := os.WriteFile(filepath.Join(dir, "compile_commands.json"), []byte(list), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
