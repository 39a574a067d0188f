package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
)

// Code of few files beside the rest, or of tests alone, is nothing that the workspace is written in, unless the
// report is strict.
func TestStrayLanguages(t *testing.T) {
	many := func(n int, with ...string) map[string]string {
		out := map[string]string{}
		for i := range n {
			out["src/f"+string(rune('a'+i))+".go"] = "package f\n"
		}
		for _, name := range with {
			out[name] = ""
		}
		return out
	}
	for _, c := range []struct {
		name   string
		files  map[string]string
		needed string
		stray  string
	}{
		{"one of twelve", many(11, "x.py"), "go", "python"},
		{"one of three", many(2, "x.py"), "go python", ""},
		{"of tests alone", many(3, "tests/x.py", "testdata/deep/y.py"), "go", "python"},
		{"one of them outside of tests", many(3, "tests/x.py", "y.py"), "go python", ""},
		{"alone, and of tests", map[string]string{"tests/x.py": ""}, "python", ""},
	} {
		conf, _ := loaded(t, c.files)
		examine := func(strict bool) (needed, stray []string, ok bool) {
			r := Examine(t.Context(),
				Options{Config: conf, Machine: facts{os: "darwin", servers: []string{"gopls"},
					programs: []string{"go"}}.machine(), Files: source.OS{}, Probe: fakeProber{}, Strict: strict})
			for _, l := range r.Languages {
				if l.Needed {
					needed = append(needed, l.ID)
				}
				if l.Stray {
					stray = append(stray, l.ID)
				}
			}
			return needed, stray, r.OK
		}
		needed, stray, ok := examine(false)
		testkit.Equal(t, strings.Join(needed, " ")+"/"+strings.Join(stray, " "), c.needed+"/"+c.stray, c.name)
		testkit.Equal(t, ok, c.needed == "go", c.name, "is all right")
		if _, _, ok := examine(true); ok {
			t.Errorf("%s: a strict report is all right", c.name)
		}
	}
}

// The packages of each project of the workspace are looked for; a folder below one that lacks its own is not told
// apart.
func TestDependenciesOfAllProjects(t *testing.T) {
	lists := `{"dependencies": {"left-pad": "1"}}`
	conf, dir := loaded(t, map[string]string{
		"a/package.json": lists, "a/index.ts": "export {}\n", "a/package-lock.json": "{}",
		"a/below/package.json": lists,
		"b/package.json":       lists, "b/index.ts": "export {}\n", "b/node_modules/left-pad/index.js": "",
		"c/package.json": "{}",
		"d/package.json": lists, "d/yarn.lock": "", "testdata/e/package.json": lists,
	})
	r := Examine(t.Context(),
		Options{Config: conf, Machine: facts{os: "darwin", servers: []string{"typescript-language-server"},
			programs: []string{"npm"}}.machine(),
			Files: source.OS{},
			Probe: fakeProber{probed: map[string]Probed{"typescript-language-server": {Root: filepath.Join(dir,
				"b")}}}})
	var told, repairs []string
	for _, c := range r.Servers[0].Checks {
		if c.Name == "dependencies_missing" {
			told = append(told, strings.Join(c.Fix, "; "))
		}
	}
	for _, n := range r.Repairs() {
		repairs = append(repairs, n.Repair.Line())
	}
	ci := "cd " + filepath.Join(dir, "a") + " && npm ci"
	testkit.Diff(t, told, []string{ci, "Install yarn and put it on PATH.; cd " + filepath.Join(dir, "d") +
		" && yarn install"})
	testkit.Diff(t, repairs, []string{ci})
}

// onServers puts the servers of the project on PATH, and skips the test where one is not there.
func onServers(t *testing.T, programs ...string) {
	t.Helper()
	bin, err := filepath.Abs("../../../../.servers/bin")
	testkit.Must(t, err)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(program + " is not installed; run scripts/servers.sh")
		}
	}
}

// What keeps answers about a project from being whole is told by real servers: imports that lead to nothing,
// modules that use each other by path, a project that cannot be loaded.
func TestRealProjects(t *testing.T) {
	testkit.OwnServer(t)
	for _, c := range []struct {
		name, program string
		files         map[string]string
		want          []string // level and name
		says          []string // in messages and fixes
	}{
		{"python", "pyright-langserver", map[string]string{"requirements.txt": "flask_nowhere\n",
			"app.py": "import flask_nowhere\nimport os\n\n\ndef main():\n    return os.name\n"},
			[]string{"warning imports_unresolved"},
			[]string{"flask_nowhere (app.py:1):", "pip install -r requirements.txt"}},
		{"go", "gopls", map[string]string{"a/go.mod": "module a\n\ngo 1.24\n\nrequire b v0.0.0\n\nreplace b => ../b\n",
			"a/main.go": "package main\n\nimport (\n\t\"b\"\n\n\t\"nowhere.example/x\"\n)\n\nfunc main() {\n\tb.Run()\n\tx.Y()\n}\n",
			"b/go.mod":  "module b\n\ngo 1.24\n", "b/b.go": "package b\n\n// Run runs.\nfunc Run() {}\n"},
			[]string{"warning imports_unresolved", "warning linked_projects"},
			[]string{"nowhere.example/x (a/main.go:6):", "go work init ./a ./b"}},
		{"c", "clangd",
			map[string]string{
				"compile_commands.json": `[{"directory": "/", "file": "HERE/main.c", "command": "cc -c HERE/main.c"}]`,
				"main.c":                "#include \"nowhere.h\"\n\nint main(void) { return 0; }\n"},
			[]string{"warning imports_unresolved"}, []string{"nowhere.h (main.c:1):"}},
		{"typescript", "typescript-language-server", map[string]string{"tsconfig.json": "{}",
			"index.ts": "import { pad } from \"nowhere-pad\";\nexport function run(): string { return pad(1); }\n"},
			[]string{"warning imports_unresolved"}, []string{"nowhere-pad (index.ts:1):", "npm install"}},
		{"rust", "rust-analyzer",
			map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"1871\"\n",
				"src/main.rs": "fn main() {}\n"},
			[]string{"problem load_failed"}, []string{"edition"}},
		{"broken Cargo.toml", "rust-analyzer",
			map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition =\n",
				"src/main.rs": "fn main() {}\n"},
			[]string{"problem load_failed"}, []string{"expected literal string --> Cargo.toml:4:10\n",
				"Correct Cargo.toml:4."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onServers(t, c.program)
			conf, dir := loaded(t, c.files)
			if text, ok := c.files["compile_commands.json"]; ok {
				testkit.Write(t, filepath.Join(dir, "compile_commands.json"), strings.ReplaceAll(text, "HERE", dir))
			}
			r := Examine(t.Context(), Options{Config: conf, Machine: ThisMachine(nil, nil), Files: source.OS{},
				Probe: live(t, conf)})
			i := slices.IndexFunc(r.Servers, func(s Server) bool { return filepath.Base(s.Command) == c.program })
			if i < 0 {
				t.Fatalf("%+v", r.Servers)
			}
			var got []string
			var all strings.Builder
			for _, check := range r.Servers[i].Checks {
				if check.Level != Note && check.Level != OK {
					got = append(got, string(check.Level)+" "+check.Name)
					all.WriteString(check.Message + "\n" + strings.Join(check.Fix, "\n") + "\n")
				}
			}
			testkit.Diff(t, got, c.want, all.String())
			for _, word := range c.says {
				testkit.Holds(t, all.String(), word)
			}
			if c.name == "broken Cargo.toml" { // one problem, told once
				var text strings.Builder
				testkit.Must(t, r.Text(&text, false))
				testkit.Equal(t, fmt.Sprint(r.Problems, strings.Count(text.String(), "could not load"),
					strings.Count(text.String(), "→ Correct Cargo.toml:4.")), "1 1 1", text.String())
				testkit.Equal(t, strings.Contains(text.String(), "component add rust-analyzer"), false,
					"a server that is there is to be installed")
			}
		})
	}
}
