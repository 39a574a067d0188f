//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

const groupToolchain = "A tool chain is broken"

// damage is how the tool chain of a project is broken for one server.
type damage struct {
	// of the server; $OUT is a folder beside the project, $EMPTY an empty one, $FULL a full file system
	env        map[string]string
	write      map[string]string // in the project; $DIR is its folder
	unreadable []string          // files and folders in the project
}

// brokenToolchain is one row: what is broken, and how for each server. A server that is not there has nothing of
// the kind.
type brokenToolchain struct {
	*fault
	at map[string]damage
}

func toolchainBroken(name, always string, at map[string]damage) brokenToolchain {
	var servers []string
	for _, s := range realServers {
		if _, ok := at[s]; ok {
			servers = append(servers, s)
		}
	}
	return brokenToolchain{&fault{group: groupToolchain, name: name, servers: servers, always: always}, at}
}

// everywhere is the same damage at all servers.
func everywhere(d damage) map[string]damage {
	out := map[string]damage{}
	for _, s := range realServers {
		out[s] = d
	}
	return out
}

// wrongly is a file of each project with one error in it, which needs the rest of the project to be seen.
var wrongly = map[string][2]string{
	gopls:   {"app/wrong.go", "package app\n\nimport \"ex.com/shop/lib\"\n\nvar Wrong string = lib.Greet()\n"},
	clangd:  {"app/wrong.cc", "#include \"lib/lib.h\"\nconst char *wrong = Greet();\n"},
	rust:    {"src/app/wrong.rs", "pub fn wrong() -> String {\n    crate::lib::Greet()\n}\n"},
	ts:      {"src/app/wrong.ts", "import { Greet } from \"../lib/lib\";\nexport const wrong: string = Greet();\n"},
	pyright: {"shop/app/wrong.py", "from shop.lib import Greet\n\nwrong: str = Greet()\n"},
}

// withWrong is a project with that file.
func withWrong(p *project) *project {
	whole := *p
	whole.files = map[string]string{}
	for name, text := range p.files {
		whole.files[name] = text
	}
	whole.files[wrongly[p.server][0]] = wrongly[p.server][1]
	switch p.server {
	case rust:
		whole.files["src/app/mod.rs"] += "pub mod wrong;\n"
	case clangd:
		entry := `,` + "\n" +
			`{"directory": "$DIR", "file": "app/wrong.cc", "arguments": ["clang++", "-I$DIR", "-c", "app/wrong.cc"]}` +
			"\n]\n"
		whole.files["compile_commands.json"] = strings.TrimSuffix(strings.TrimSpace(p.files["compile_commands.json"]),
			"]") + entry
	}
	return &whole
}

const cargoHead = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[features]\nextra = []\n"

func tsconfig(options, more string) string {
	return `{"compilerOptions": {"module": "esnext", "target": "es2020", "moduleResolution": "bundler", "strict": true` + options +
		`}, "include": ["src", "extra"]` + more + `}` + "\n"
}

func database(compiler, flags string) string {
	var entries []string
	for _, f := range []string{"lib/lib.cc", "main.cc", "app/one.cc", "app/wrong.cc", "extra/extra.cc"} {
		entries = append(entries, fmt.Sprintf(`{"directory": "$DIR", "file": %q, "arguments": [%q, %s, "-c", %q]}`, f,
			compiler, flags, f))
	}
	return "[" + strings.Join(entries, ",\n") + "]\n"
}

var brokenToolchains = []brokenToolchain{
	toolchainBroken("the compiler is missing", "", map[string]damage{
		gopls:  {env: map[string]string{"GOROOT": "/nonexistent"}},
		clangd: {write: map[string]string{"compile_commands.json": database("/nonexistent/clang++", `"-I$DIR"`)}},
		rust:   {env: map[string]string{"RUSTC": "/nonexistent/rustc"}},
		ts: {write: map[string]string{"tsconfig.json": tsconfig(`, "lib": ["missing"], "types": ["missing"]`,
			"")}},
		pyright: {env: map[string]string{"PATH": "$NODE"}},
	}),
	toolchainBroken("its cache cannot be written", gopls, map[string]damage{
		gopls:  {env: map[string]string{"GOCACHE": "off"}},
		clangd: {write: map[string]string{".cache": "no folder\n"}},
		rust: {env: map[string]string{"CARGO_HOME": "$OUT/file/below"},
			write: map[string]string{"target": "no folder\n"}},
		ts:      {env: map[string]string{"XDG_CACHE_HOME": "$OUT/file/below"}},
		pyright: {env: map[string]string{"XDG_CACHE_HOME": "$OUT/file/below"}},
	}),
	toolchainBroken("the lock file or the configuration is broken", clangd, map[string]damage{
		gopls: {write: map[string]string{"go.sum": "garbage\n",
			"go.mod":     "module ex.com/shop\n\ngo 1.25\n\nignore ./extra\n\nrequire golang.org/x/mod v0.20.0\n",
			"app/dep.go": "package app\n\nimport _ \"golang.org/x/mod/module\"\n"}},
		clangd:  {write: map[string]string{"compile_commands.json": "[{\"directory\": \n"}},
		rust:    {write: map[string]string{"Cargo.lock": "garbage [\n"}},
		ts:      {write: map[string]string{"tsconfig.json": "{ \"compilerOptions\": \n"}},
		pyright: {write: map[string]string{"pyrightconfig.json": "{ \"include\": [\n"}},
	}),
	toolchainBroken("a dependency is missing, offline", "", map[string]damage{
		gopls: {env: map[string]string{"GOPROXY": "off", "GOFLAGS": "-mod=mod"}, write: map[string]string{
			"go.mod":     "module ex.com/shop\n\ngo 1.25\n\nignore ./extra\n\nrequire example.invalid/dep v1.0.0\n",
			"app/one.go": "package app\n\nimport (\n\t\"ex.com/shop/lib\"\n\n\t\"example.invalid/dep\"\n)\n\nfunc One() int { return dep.Wrap(lib.Greet()) }\n"}},
		clangd: {write: map[string]string{
			"app/one.cc": "#include <missing/dep.h>\n#include \"lib/lib.h\"\nint one() { return dep::wrap(Greet()); }\n"}},
		rust: {env: map[string]string{"CARGO_NET_OFFLINE": "true"}, write: map[string]string{
			"Cargo.toml":     cargoHead + "\n[dependencies]\nmissing-dep-of-faults = \"1\"\n",
			"src/app/one.rs": "pub fn one() -> i32 {\n    missing_dep_of_faults::wrap(crate::lib::Greet())\n}\n"}},
		ts: {write: map[string]string{
			"package.json":   `{"name": "shop", "version": "1.0.0", "dependencies": {"missing-dep": "1.0.0"}}` + "\n",
			"src/app/one.ts": "import { wrap } from \"missing-dep\";\nimport { Greet } from \"../lib/lib\";\nexport const one = wrap(Greet());\n"}},
		pyright: {write: map[string]string{
			"shop/app/one.py": "from missing_dep import wrap\n\nfrom shop.lib import Greet\n\none = wrap(Greet())\n"}},
	}),
	toolchainBroken("a version is too new", "", map[string]damage{
		gopls: {env: map[string]string{"GOTOOLCHAIN": "local"},
			write: map[string]string{"go.mod": "module ex.com/shop\n\ngo 1.99\n\nignore ./extra\n"}},
		clangd: {write: map[string]string{"compile_commands.json": database("clang++", `"-std=c++99", "-I$DIR"`)}},
		rust: {write: map[string]string{"Cargo.toml": strings.Replace(cargoHead, "edition",
			"rust-version = \"1.999\"\nedition", 1)}},
		ts: {write: map[string]string{"tsconfig.json": tsconfig(`, "target": "es2099", "module": "es2099"`, "")}},
		pyright: {write: map[string]string{"pyrightconfig.json": `{"include": ["shop"], "pythonVersion": "9.99"}` +
			"\n"}},
	}),
	toolchainBroken("what is vendored or extended is not there", "", map[string]damage{
		gopls: {write: map[string]string{
			"vendor/modules.txt": "# golang.org/x/mod v0.1.0\n## explicit\ngolang.org/x/mod/module\n"}},
		clangd: {write: map[string]string{"compile_commands.json": database("clang++", `"-I$DIR/vendor"`)}},
		rust: {write: map[string]string{"Cargo.toml": cargoHead + "\n[dependencies]\nlibc = \"0.2\"\n",
			".cargo/config.toml": "[source.crates-io]\nreplace-with = \"vendored\"\n\n[source.vendored]\ndirectory = \"vendor\"\n"}},
		ts: {write: map[string]string{"tsconfig.json": tsconfig("", `, "extends": "./missing/base.json"`)}},
		pyright: {write: map[string]string{
			"pyrightconfig.json": `{"include": ["shop"], "venvPath": "missing", "venv": "none", "extends": "missing.json"}` + "\n"}},
	}),
	toolchainBroken("nothing is on PATH", "", everywhere(damage{env: map[string]string{"PATH": "$EMPTY"}})),
	toolchainBroken("there is no HOME", "",
		everywhere(damage{env: map[string]string{"HOME": "", "GOCACHE": "", "GOPATH": "", "XDG_CACHE_HOME": "",
			"CARGO_HOME": "", "RUSTUP_HOME": ""}})),
	toolchainBroken("the folder for temporary files is not there", "",
		everywhere(damage{env: map[string]string{"TMPDIR": "$OUT/missing", "GOTMPDIR": "$OUT/missing"}})),
	toolchainBroken("the folder for temporary files is full", "",
		everywhere(damage{env: map[string]string{"TMPDIR": "$FULL", "GOTMPDIR": "$FULL"}})),
	toolchainBroken("a source cannot be read", "", map[string]damage{
		gopls: {unreadable: []string{"app/one.go"}}, clangd: {unreadable: []string{"app/one.cc"}},
		rust: {unreadable: []string{"src/app/one.rs"}},
		ts:   {unreadable: []string{"src/app/one.ts"}}, pyright: {unreadable: []string{"shop/app/one.py"}},
	}),
	toolchainBroken("a folder cannot be listed", "", map[string]damage{
		gopls: {unreadable: []string{"app"}}, clangd: {unreadable: []string{"app"}},
		rust: {unreadable: []string{"src/app"}},
		ts:   {unreadable: []string{"src/app"}}, pyright: {unreadable: []string{"shop/app"}},
	}),
	toolchainBroken("a build script fails", "", map[string]damage{
		rust: {write: map[string]string{
			"build.rs": "fn main() {\n    let out = std::path::PathBuf::from(std::env::var_os(\"OUT_DIR\").unwrap()).join(\"made.rs\");\n" +
				"    assert!(std::path::Path::new(\"made.proto\").exists(), \"there is no made.proto\");\n" +
				"    std::fs::write(out, \"pub fn made() -> i32 { crate::lib::Greet() }\").unwrap();\n}\n",
			"src/app/one.rs": "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\n\npub fn one() -> i32 {\n    crate::lib::Greet() + made()\n}\n"}},
	}),
}

// Where the tool chain is broken, nothing is complete that the healthy project would answer otherwise, and no edit is
// applied that leaves a use behind.
func TestBrokenToolchain(t *testing.T) {
	t.Parallel()
	for _, b := range brokenToolchains {
		t.Run(b.name, func(t *testing.T) {
			for _, server := range b.servers {
				t.Run(server, func(t *testing.T) {
					t.Parallel()
					b.in(t, server, func(c *cell) { b.at[server].tried(c, withWrong(projectOf(server))) })
				})
			}
		})
	}
}

// tried asks for references, diagnostics and a rename.
func (d damage) tried(c *cell, p *project) {
	testkit.Need(c, p.programs...)
	dir := testkit.TempDir(c)
	p.create(c, dir)
	env := d.environment(c)
	for name, text := range d.write {
		write(c, filepath.Join(dir, name), strings.ReplaceAll(text, "$DIR", dir), 0o644)
	}
	truth := p.truth(c, dir)
	for _, name := range d.unreadable {
		unreadable(c, filepath.Join(dir, name))
	}
	s := p.openIn(c, dir, options{spec: func(s *spec.Spec) { s.Env, s.Commands = env, byPath(s.Commands) }})
	s.session.Workspace.Process.EditDir = testkit.TempDir(c)
	c.again()
	a := loaded(s.ask)
	c.says("references %s", a.shape())
	if lies := a.lies(truth); lies != "" {
		c.breaks("references: %s", lies)
	}
	wrong := wrongly[p.server][0]
	for what, arguments := range map[string]map[string]any{"the file": {"file_path": wrong}, "the workspace": {}} {
		a := loaded(func() *reply { return s.call("get_diagnostics", arguments) })
		if arguments["file_path"] != nil {
			c.says("diagnostics %s", a.shape())
		}
		if a.OK && a.Completeness == "complete" && a.Counts.Error == 0 {
			c.breaks("diagnostics of %s: complete, without the error", what)
		}
	}
	s.renamed(c, p, dir, truth)
	c.measured()
}

// byPath names the programs of a server by their paths, so that it starts whatever its own PATH is.
func byPath(all []spec.Command) (out []spec.Command) {
	for _, one := range all {
		if path, err := exec.LookPath(one.Name); err == nil {
			one.Name = path
			out = append(out, one)
		}
	}
	return out
}

// renamed has the symbol renamed, as an agent would that agrees to whatever the preview shows.
func (s *faultSession) renamed(c *cell, p *project, dir string, truth []string) {
	arguments := map[string]any{"file_path": p.home, "symbol_name": symbol, "new_name": "Welcome"}
	preview := s.call("rename_symbol", arguments)
	if !preview.OK {
		c.says("rename %s", preview.shape())
		return
	}
	for _, step := range preview.NextSteps {
		if step.Tool == "rename_symbol" && preview.Completeness == "partial" &&
			slices.Contains(preview.Kinds(), "load_failed") {
			c.breaks("the preview offers to apply an edit that lacks files")
		}
	}
	arguments["dry_run"], arguments["preview_id"] = false, preview.PreviewID
	a := s.call("rename_symbol", arguments)
	c.says("rename %s", a.shape())
	if !a.OK {
		return
	}
	var left int
	for _, place := range truth {
		name, _, _ := strings.Cut(place, ":")
		_ = os.Chmod(filepath.Join(dir, name), 0o644)
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || word.Match(text) {
			left++
		}
	}
	if left > 0 {
		c.breaks("a rename was applied that left %d of %d places", left, len(truth))
	}
}

// environment is what the server gets.
func (d damage) environment(c *cell) map[string]string {
	out := testkit.TempDir(c)
	write(c, filepath.Join(out, "file"), "", 0o644)
	env := map[string]string{}
	for name, value := range d.env {
		switch {
		case value == "$EMPTY":
			value = testkit.TempDir(c)
		case value == "$NODE":
			value = nodeAlone(c)
		case value == "$FULL":
			value = full(c)
		}
		env[name] = strings.ReplaceAll(value, "$OUT", out)
	}
	return env
}

// nodeAlone is a folder for PATH with what a server in JavaScript is started by, and no more.
func nodeAlone(c *cell) string {
	dir := testkit.TempDir(c)
	for _, program := range []string{"node", "env", "sh"} {
		path, err := exec.LookPath(program)
		if err != nil {
			c.Skipf("%v", err)
		}
		testkit.Must(c, os.Symlink(path, filepath.Join(dir, program)))
	}
	return dir
}

// full is a file system without any room left.
func full(c *cell) string {
	dir := testkit.TempDir(c)
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16k"); err != nil {
		if os.Getenv("CI") != "" && os.Getuid() == 0 {
			c.Fatalf("mounting: %v", err)
		}
		c.Skipf("mounting is not possible here: %v", err)
	}
	c.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	f, err := os.Create(filepath.Join(dir, "all"))
	testkit.Must(c, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	return dir
}

// unreadable takes the right to read a file, or to list a folder, away, and makes sure that it counts.
func unreadable(c *cell, path string) {
	c.Helper()
	testkit.Must(c, os.Chmod(path, 0))
	c.Cleanup(func() { _ = os.Chmod(path, 0o755) }) // a folder could not be removed
	if f, err := os.Open(path); err == nil {
		f.Close()
		c.Skip("this user may read every file")
	}
}
