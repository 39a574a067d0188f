package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools/toolstest"
)

// A source that a build writes into an ignored folder is read like any other: a change of it is in the next answer
// about what imports it.
func TestSourcesThatABuildWrites(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	for server, p := range map[string]struct {
		files          map[string]string
		asked, made    string
		sound, unsound string
	}{
		"gopls": {map[string]string{"go.mod": "module ex.com/m\n\ngo 1.24\n",
			"main.go": "package main\n\nimport pk \"ex.com/m/build\"\n\nfunc main() { pk.Made(1) }\n"},
			"main.go", "build/x.go", "package pk\n\nfunc Made(int) {}\n", "package pk\n\nfunc Other(int) {}\n"},
		// A package of the same workspace, by its built declarations.
		"typescript-language-server": {
			map[string]string{"tsconfig.json": `{"compilerOptions":{"strict":true},"files":["main.ts"]}`,
				"main.ts": "import { made } from \"./pkg/dist/index\";\nmade(1);\n"},
			"main.ts", "pkg/dist/index.d.ts", "export declare function made(n: number): void;\n",
			"export declare function other(n: number): void;\n"},
		"pyright": {map[string]string{"main.py": "from build.x import made\nmade(1)\n", "build/__init__.py": ""},
			"main.py", "build/x.py", "def made(n: int) -> None: ...\n", "def other(n: int) -> None: ...\n"},
	} {
		t.Run(server, func(t *testing.T) {
			testkit.Always(t, server, "gopls", "typescript-language-server")
			t.Parallel()
			needServer(t, server)
			p.files[".gitignore"], p.files[p.made] = "build/\ndist/\n", p.sound
			dir := project(t, p.files)
			specs := toolstest.Catalogue(server)
			specs[0].SkipDirs = []string{"build", "dist"} // as other servers of the catalogue have them
			env := toolstest.OpenWith(t, dir, func(o *router.PoolOptions) {
				o.Cache = filepath.Join(t.TempDir(), "cache")
			}, specs...)
			path := filepath.Join(dir, filepath.FromSlash(p.made))
			put := func(text string) func() { return func() { testkit.Write(t, path, text) } }
			type step struct {
				change func()
				errors string
			}
			steps := []step{{func() {}, "0"}, {put(p.unsound), "1"}, {put(p.sound), "0"}}
			// Several times, because a server that is at work may read a file before it is told of it.
			for range 8 {
				steps = append(steps, step{func() { testkit.Must(t, os.Remove(path)) }, "1"}, step{put(p.sound), "0"})
			}
			for i, step := range steps {
				step.change()
				testkit.Holds(t, errorsOf(t, env, p.asked, ""), step.errors+" complete", fmt.Sprint("step ", i))
			}
			for path := range env.Workspace.Pool.Journal(env.Workspace.Root).Files() {
				if filepath.Base(path) == filepath.Base(p.made) {
					t.Errorf("%s counts as a source of the project", path)
				}
			}
		})
	}
}
