//go:build linux

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// A repository brings code that language servers run: with the first question about it, with whatever the user may do.

// marks is the folder in which code of the repository leaves a file when it runs.
func (a *attempt) marks() string { return filepath.Join(a.outside, "marks") }

// program writes a shell script of the repository that leaves a mark and then does what it stands for.
func (a *attempt) program(name, then string) {
	a.Helper()
	path := a.file(name, "#!/bin/sh\necho \"$0 $*\" >>$OUTSIDE/marks/"+filepath.Base(name)+"\n"+then+"\n")
	testkit.Must(a, os.Chmod(path, 0o755))
}

// restricted opens a session on the workspace, which is not trusted, with a server of lsp/servers. vary changes the row
// first.
func (a *attempt) restricted(server string, vary ...func(*spec.Spec)) *faultSession {
	a.Helper()
	testkit.Must(a, os.MkdirAll(a.marks(), 0o755))
	return (&project{server: server}).openIn(a, a.dir, options{spec: func(s *spec.Spec) {
		for _, v := range vary {
			v(s)
		}
		*s = s.Restricted([]string{a.dir})
	}})
}

// ran notes every mark that code of the repository left.
func (a *attempt) ran() {
	a.Helper()
	for _, mark := range a.marked() {
		said, _ := os.ReadFile(filepath.Join(a.marks(), mark))
		a.worked("code of the repository ran: %s %.300s", mark, said)
	}
}

func (a *attempt) marked() (out []string) {
	entries, _ := os.ReadDir(a.marks())
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// expect records an answer that has none of these shapes.
func (a *attempt) expect(x *reply, shapes ...string) {
	a.Helper()
	if !slices.Contains(shapes, x.shape()) {
		a.worked("%s, not %s: %.1500s", x.shape(), strings.Join(shapes, " or "), x.raw)
	}
}

var _ = add(attack{
	point:    "C9",
	name:     "build.rs, a derive macro, wrappers, a linker and a runner of .cargo/config.toml, commands of rust-analyzer.toml (rust-analyzer)",
	never:    "any of it runs for references, hover or diagnostics",
	answer:   "rust-analyzer without build scripts, macros and cargo check; what may lack is `partial` with the warning `restricted`",
	programs: []string{rust, "cargo"},
	try: func(a *attempt) {
		a.file("Cargo.toml",
			"[package]\nname = \"victim\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\npm = { path = \"pm\" }\n[workspace]\nmembers = [\"pm\"]\n")
		a.file("pm/Cargo.toml",
			"[package]\nname = \"pm\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n")
		a.file("pm/src/lib.rs",
			"use proc_macro::TokenStream;\n#[proc_macro_derive(Evil)]\npub fn evil(_: TokenStream) -> TokenStream {\n    let _ = std::fs::write(\"$OUTSIDE/marks/macro\", \"\");\n    \"impl X { pub fn made(&self) {} }\".parse().unwrap()\n}\n#[proc_macro]\npub fn text(input: TokenStream) -> TokenStream { input }\n")
		a.file("build.rs", "fn main() { let _ = std::fs::write(\"$OUTSIDE/marks/build\", \"\"); }\n")
		a.file("src/main.rs",
			"#[derive(pm::Evil)]\nstruct X;\nfn helper() -> i32 { 1 }\nfn main() { let _ = X; println!(\"{}\", helper()); }\nfn other() -> i32 { pm::text!(helper()) }\nfn alone() {}\n")
		for _, name := range []string{"rustc", "wrapper", "workspace-wrapper", "linker", "runner"} {
			a.program("evil/"+name,
				`case "$0" in *wrapper) exec "$@";; *rustc) exec rustc "$@";; *linker) exec cc "$@";; esac; exit 1`)
		}
		a.file(".cargo/config.toml",
			"[build]\nrustc = \"evil/rustc\"\nrustc-wrapper = \"evil/wrapper\"\nrustc-workspace-wrapper = \"evil/workspace-wrapper\"\n"+
				"rustflags = [\"--cfg\", \"from_config\"]\n[target.'cfg(all())']\nlinker = \"evil/linker\"\nrunner = \"evil/runner\"\n")
		s := a.restricted(rust, func(spec *spec.Spec) { spec.Env = testkit.ServerEnv(rust) })
		at := map[string]any{"file_path": "src/main.rs", "symbol_name": "helper"}
		a.expect(loaded(func() *reply { return s.call("find_references", at) }), "partial + restricted + unexplained")
		a.expect(s.call("hover", at), "complete")
		a.expect(s.call("find_references", map[string]any{"file_path": "src/main.rs", "symbol_name": "alone"}),
			"complete")
		a.expect(s.call("get_diagnostics", map[string]any{"wait": "all"}), "partial + restricted")
		a.ran()
	},
})

var _ = add(attack{
	point:  "C9",
	name:   "[env] and credential providers of .cargo/config.toml, a toolchain path, a sysroot of rust-project.json, overrideCommand (rust-analyzer)",
	never:  "rustc with LD_PRELOAD, a toolchain or a command of the repository",
	answer: "rust-analyzer is not started: `restricted`, with the file and the key",
	try: func(a *attempt) {
		a.file("Cargo.toml", "[package]\nname = \"victim\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
		a.file("src/main.rs", "fn helper() {}\nfn main() { helper() }\n")
		for _, c := range []struct{ file, text string }{
			{".cargo/config.toml", "[env]\nLD_PRELOAD = { value = \"evil.so\", relative = true }\n"},
			{".cargo/config", "include = \"other.toml\"\n"},
			{".cargo/config.toml", "[registry]\nglobal-credential-providers = [\"evil/cred\"]\n"},
			{"rust-toolchain.toml", "[toolchain]\npath = \"evil\"\n"},
			{"rust-toolchain", "[toolchain]\npath = \"evil\"\n"},
			{"rust-project.json", "{\"sysroot\": \"evil\", \"crates\": []}"},
			{"rust-analyzer.toml", "[check]\noverrideCommand = [\"evil/check\"]\n"},
		} {
			path := a.file(c.file, c.text)
			x := a.restricted(rust).call("hover", map[string]any{"file_path": "src/main.rs", "symbol_name": "helper"})
			if x.Reason() != "restricted" || !strings.Contains(string(x.raw), filepath.Base(c.file)) {
				a.worked("%s: %s %.600s", c.file, x.shape(), x.raw)
			}
			if strings.Contains(string(x.raw), `"command":"lspi trust`) {
				a.worked("the model is offered to trust: %s", x.raw)
			}
			testkit.Must(a, os.Remove(path))
		}
		a.ran()
	},
})

var _ = add(attack{
	point: "C9", name: "node_modules/typescript and a tsserver plugin of tsconfig.json (typescript-language-server)",
	never:    "either runs",
	answer:   "the TypeScript that is installed with the server; the answer is complete",
	programs: []string{ts},
	try: func(a *attempt) {
		a.file("package.json", `{"name": "victim"}`)
		a.file("tsconfig.json",
			`{"compilerOptions": {"strict": true, "plugins": [{"name": "evil"}, {"name": "./node_modules/evil"}]}, "include": ["*.ts"]}`)
		a.file("node_modules/typescript/package.json",
			`{"name": "typescript", "version": "6.0.3", "main": "lib/typescript.js"}`)
		for _, name := range []string{"tsserver", "typescript", "tsc", "_tsserver"} {
			a.file("node_modules/typescript/lib/"+name+".js", "require('fs').writeFileSync('$OUTSIDE/marks/"+name+
				"', '')\n")
		}
		a.file("node_modules/evil/package.json", `{"name": "evil", "version": "1.0.0", "main": "index.js"}`)
		a.file("node_modules/evil/index.js",
			"require('fs').writeFileSync('$OUTSIDE/marks/plugin', ''); module.exports = () => ({create: i => i.languageService})\n")
		a.file("a.ts", "export function helper(a: number): number { return a }\n")
		a.file("b.ts", "import { helper } from './a'\nexport const x = helper(1)\n")
		s := a.restricted(ts)
		x := s.call("find_references", map[string]any{"file_path": "a.ts", "symbol_name": "helper"})
		a.expect(x, "complete")
		testkit.Equal(a, x.Total, 3, x.raw)
		a.ran()
	},
})

var _ = add(attack{
	point: "C9", name: "eslint.config.js and node_modules/eslint (ESLint)",
	never:    "either runs",
	answer:   "ESLint is not started: `restricted`",
	programs: []string{"vscode-eslint-language-server"},
	try: func(a *attempt) {
		a.file("package.json", `{"name": "victim"}`)
		mark := "require('fs').writeFileSync('$OUTSIDE/marks/"
		a.file("eslint.config.js", mark+"config', ''); module.exports = []\n")
		a.file("node_modules/eslint/package.json", `{"name": "eslint", "version": "9.0.0", "main": "lib/api.js"}`)
		a.file("node_modules/eslint/lib/api.js", mark+"eslint', '')\n")
		a.file("a.js", "let a = 1\n")
		a.expect(a.restricted("eslint").call("get_diagnostics", map[string]any{"file_path": "a.js"}),
			"restricted + restricted")
		a.ran()
	},
})

var _ = add(attack{
	point: "C9", name: "python of a .venv that is on PATH and active, pyrightconfig.json that names it (pyright)",
	never:    "it runs",
	answer:   "the python outside of the workspace; packages of the .venv are read without it",
	programs: []string{pyright, "python3"},
	try: func(a *attempt) {
		for _, name := range []string{"python", "python3"} {
			a.program(".venv/bin/"+name, "exit 1")
		}
		a.file(".venv/pyvenv.cfg", "home = $DIR/.venv/bin\n")
		a.file("pyrightconfig.json", `{"venvPath": ".", "venv": ".venv"}`)
		a.file("a.py", "import lib\n\ndef helper() -> int:\n    return lib.one()\n")
		a.file(".venv/lib/python3.11/site-packages/lib/__init__.py", "def one() -> int:\n    return 1\n")
		s := a.restricted(pyright, func(spec *spec.Spec) {
			spec.Env = map[string]string{"PATH": filepath.Join(a.dir, ".venv", "bin") + ":" + os.Getenv("PATH")}
		})
		a.expect(s.call("find_references", map[string]any{"file_path": "a.py", "symbol_name": "helper"}), "complete")
		a.expect(s.call("get_diagnostics", map[string]any{"file_path": "a.py"}), "complete")
		a.ran()
	},
})

var _ = add(attack{
	point:    "C9",
	name:     "go, git, gcc and gopackagesdriver in the workspace and on PATH, core.fsmonitor of .git/config, a toolchain line (gopls)",
	never:    "any of these runs, or another Go is downloaded",
	answer:   "the tools outside of the workspace, by GOTOOLCHAIN=local; the answer is complete",
	programs: []string{gopls, "git"},
	try: func(a *attempt) {
		if out, err := exec.Command("git", "init", "-q", a.dir).CombinedOutput(); err != nil {
			a.Fatalf("git init: %v %s", err, out)
		}
		for _, name := range []string{"go", "git", "gcc", "gopackagesdriver", "pkg-config"} {
			a.program("bin/"+name, "exit 1")
		}
		a.program("monitor", "exit 1")
		a.file(".git/config",
			"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = $DIR/monitor\n\thooksPath = $DIR/bin\n")
		a.file("go.mod", "module example.com/victim\n\ngo 1.21\n\ntoolchain go1.99.0\n")
		a.file("main.go", "package main\n\nfunc helper() {}\n\nfunc main() { helper() }\n")
		s := a.restricted(gopls, func(spec *spec.Spec) {
			spec.Env = map[string]string{"PATH": "bin::" + filepath.Join(a.dir, "bin") + ":" + os.Getenv("PATH")}
		})
		x := s.call("find_references", map[string]any{"file_path": "main.go", "symbol_name": "helper"})
		a.expect(x, "complete")
		testkit.Equal(a, x.Total, 2, x.raw)
		a.expect(s.call("get_diagnostics", map[string]any{"wait": "all"}), "complete",
			"partial + coverage_open_files_only")
		a.ran()
	},
})

var _ = add(attack{
	point: "C9", name: "a compiler and a plugin that compile_commands.json and .clangd name (clangd)",
	never:    "either runs",
	answer:   "clangd reads the flags and runs no driver",
	programs: []string{clangd, "gcc"},
	try: func(a *attempt) {
		a.program("evil/c++", "exit 1")
		source := a.file("evil/plugin.c",
			"#include <stdio.h>\n__attribute__((constructor)) static void f(void) { fclose(fopen(\"$OUTSIDE/marks/plugin\", \"a\")); }\n")
		plugin := filepath.Join(a.dir, "evil", "plugin.so")
		if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", plugin, source).CombinedOutput(); err != nil {
			a.Fatalf("gcc: %v %s", err, out)
		}
		a.file("a.cc", "int helper() { return 1; }\nint main() { return helper(); }\n")
		flags := `"-fplugin=` + plugin + `", "-Xclang", "-load", "-Xclang", "` + plugin + `"`
		a.file("compile_commands.json", `[{"directory": "$DIR", "file": "a.cc", "arguments": ["$DIR/evil/c++", `+flags+
			`, "-c", "a.cc"]}]`)
		a.file(".clangd", "CompileFlags:\n  Compiler: $DIR/evil/c++\n  Add: [-fplugin="+plugin+
			"]\nDiagnostics:\n  ClangTidy:\n    Add: ['*']\n")
		s := a.restricted(clangd)
		x := s.call("find_references", map[string]any{"file_path": "a.cc", "symbol_name": "helper"})
		testkit.Equal(a, x.Total, 2, x.raw)
		s.call("get_diagnostics", map[string]any{"file_path": "a.cc"})
		a.ran()
	},
})

var _ = add(attack{
	point: "C9", name: "shellcheck and shfmt in the workspace and on PATH (bash-language-server)",
	never:    "either runs",
	answer:   "those outside of the workspace, or none",
	programs: []string{"bash-language-server"},
	try: func(a *attempt) {
		for _, name := range []string{"shellcheck", "shfmt"} {
			a.program("bin/"+name, "exit 1")
		}
		a.file("a.sh", "helper() { echo; }\nhelper\n")
		s := a.restricted("bash-language-server", func(spec *spec.Spec) {
			spec.Env = map[string]string{"PATH": filepath.Join(a.dir, "bin") + ":bin:" + os.Getenv("PATH")}
		})
		s.call("find_references", map[string]any{"file_path": "a.sh", "symbol_name": "helper"})
		s.call("get_diagnostics", map[string]any{"file_path": "a.sh"})
		a.ran()
	},
})
