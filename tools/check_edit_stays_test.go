//go:build unix

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/toolstest"
)

// staysProject is a project in a folder with one outside of it that holds headers.
type staysProject struct {
	above, dir string
	started    atomic.Int32 // processes of clangd
	ended      atomic.Int32
}

func (p *staysProject) write(t *testing.T, name, text string) {
	t.Helper()
	testkit.Write(t, filepath.Join(p.above, name), text)
}

// The process of clangd that tries texts stays for the next check of the same file, and what a check says is what a
// new process would say, whatever has changed since the check before: the texts of that check, headers that lspi
// follows or not, those that come before others in the search or were not there, the configuration. A check that
// changes nothing finds no difference, and a use of the changed header is wrong.
func TestCheckEditAgainInTheSameProcess(t *testing.T) {
	testkit.OwnServer(t)
	t.Parallel()
	needServer(t, "clangd")
	const two = "#pragma once\ninline int sys(int a, int b) { return a + b; }\n"
	for _, c := range []struct {
		name   string
		change func(t *testing.T, p *staysProject)
		file   string // what it then says in the second check of a call of sys with one argument
		starts int32  // of processes, in all
	}{
		{"nothing", func(*testing.T, *staysProject) {}, "", 1},
		{"another project file", func(t *testing.T, p *staysProject) { p.write(t, "p/src/other.txt", "x\n") }, "", 2},
		{"a header outside", func(t *testing.T, p *staysProject) {
			p.write(t, "out/sys.h", two)
		}, "ovl_no_viable_function_in_call", 2},
		{"a header of an ignored folder", func(t *testing.T, p *staysProject) {
			p.write(t, "p/gen/gen.h", "#pragma once\n#define sys(a) undefined\n")
		}, "undeclared_var_use", 2},
		{"a header of the project", func(t *testing.T, p *staysProject) {
			p.write(t, "p/src/dir.h", "#pragma once\nstruct Dir {};\n")
		}, "undeclared_var_use", 2},
		{"a header that comes first", func(t *testing.T, p *staysProject) {
			p.write(t, "first/sys.h", two)
		}, "ovl_no_viable_function_in_call", 2},
		{"one in a folder there", func(t *testing.T, p *staysProject) {
			p.write(t, "first/sub/in.h", "#pragma once\n#define sys(a) undefined\n")
		}, "undeclared_var_use", 2},
		{"one that was looked for", func(t *testing.T, p *staysProject) {
			p.write(t, "first/has.h", "")
		}, "undeclared_var_use", 2},
		{"one that was there", func(t *testing.T, p *staysProject) {
			testkit.Must(t, os.Remove(filepath.Join(p.above, "out/sys.h")))
		}, "undeclared_var_use", 2},
		{"configuration above", func(t *testing.T, p *staysProject) {
			p.write(t, ".clangd", "CompileFlags:\n  Add: [-DBAD]\n")
		}, "undeclared_var_use", 2},
		{"the user's", func(t *testing.T, p *staysProject) {
			p.write(t, "user/clangd/config.yaml", "CompileFlags:\n  Add: [-DBAD]\n")
		}, "undeclared_var_use", 2},
		{"the list", func(t *testing.T, p *staysProject) { p.list(t, `"-DBAD",`) }, "undeclared_var_use", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			// each case has a process of clangd of its own, two of them mostly
			testkit.Always(t, c.name, "nothing", "another project file", "a header outside", "one that was looked for",
				"the list")
			t.Parallel()
			p := &staysProject{above: testkit.TempDir(t)}
			p.dir = filepath.Join(p.above, "p")
			p.write(t, "out/sys.h", "#pragma once\ninline int sys(int a) { return a; }\n")
			p.write(t, "out/sub/in.h", "#pragma once\n")
			p.write(t, "first/sub/none.h", "")
			p.write(t, "p/.gitignore", "/gen/\n")
			p.write(t, "p/gen/gen.h", "#pragma once\n")
			p.write(t, "p/src/dir.h",
				"#pragma once\n#include <sys.h>\n#include <gen.h>\n#include <sub/in.h>\n#if __has_include(<has.h>) || defined BAD\n#define sys(a) undefined\n#endif\n"+
					"struct Dir {};\n")
			testkit.Must(t, os.Mkdir(filepath.Join(p.dir, ".git"), 0o755))
			const text = "#include \"dir.h\"\nDir dir;\nint f() {\n  return sys(1);\n}\nint g() {\n  return 1;\n}\n"
			p.write(t, "p/src/a.cc", strings.Replace(text, "sys(1)", "1", 1))
			p.list(t, "")
			// as they usually are: not changed a moment ago
			for _, dir := range []string{"out", "out/sub", "first", "first/sub"} {
				long := time.Now().Add(-time.Hour)
				testkit.Must(t, os.Chtimes(filepath.Join(p.above, dir), long, long))
			}
			specs := toolstest.Catalogue("clangd")
			for n := range specs[0].Commands { // of a user who wants less of it
				specs[0].Commands[n].Args = append(slices.Clone(specs[0].Commands[n].Args), "--log=error")
			}
			specs[0].Env = map[string]string{"XDG_CONFIG_HOME": filepath.Join(p.above, "user")}
			session := toolstest.OpenWith(t, p.dir, func(o *router.PoolOptions) {
				o.Cache = filepath.Join(p.above, "cache")
				o.Trace = func(_ string, sent bool, message []byte) {
					if sent && strings.Contains(string(message), `"method":"initialize"`) {
						p.started.Add(1)
					}
					if sent && strings.Contains(string(message), `"method":"exit"`) {
						p.ended.Add(1)
					}
				}
			}, specs...)
			check := func(old, text string, want ...string) {
				t.Helper()
				a := tryEdits(t, session, "src/a.cc", old, text)
				testkit.Equal(t, fmt.Sprint(differs(a)), fmt.Sprint(want), text)
				testkit.Equal(t, fmt.Sprint(a["completeness"], a.kinds()), "complete[]")
			}
			check("g() {\n  return 1", "g() {\n  return nope", "+src/a.cc:7:10 error undeclared_var_use")
			check("g() {\n  return 1", "g() {\n  return 2")
			testkit.Equal(t, p.started.Load(), 1, "processes")
			c.change(t, p)
			check("g() {\n  return 1", "g() {\n  return 2")
			want := []string{}
			if c.file != "" {
				want = append(want, "+src/a.cc:4:10 error "+c.file)
			}
			check("f() {\n  return 1", "f() {\n  return sys(1)", want...)
			testkit.Equal(t, p.started.Load(), c.starts, "processes")
			// What a check has tried is on disk.
			p.write(t, "p/src/a.cc", text)
			check("g() {\n  return 1", "g() {\n  return 2")
			if len(session.Workspace.Pool.Running()) > 0 {
				t.Error("a process that tries texts is a server of the pool")
			}
			session.Workspace.Pool.Stop(func(*spec.Spec) bool { return true })
			testkit.Wait(t, "the end of all processes", func() bool { return p.ended.Load() == p.started.Load() })
		})
	}
}

// list writes the commands of the one source, with further arguments.
func (p *staysProject) list(t *testing.T, more string) {
	t.Helper()
	testkit.Write(t, filepath.Join(p.dir, "compile_commands.json"), fmt.Sprintf(
		`[{"directory":%q,"file":%q,"arguments":["clang++",%s"-Igen","-I../first","-isystem","../out","-c","src/a.cc"]}]`, p.dir, filepath.Join(p.dir, "src/a.cc"), more))
}
