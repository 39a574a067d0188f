//go:build linux

package faults

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/watch"
)

const groupDisk = "Files change on disk right before the call"

// modes are the two ways in which lspi finds changes on disk.
var modes = []watch.Mode{watch.Events, watch.Compare}

// onDisk has a fault for each change in each mode.
var onDisk = func() (all []*fault) {
	for _, name := range changeNames {
		servers := everyServer
		if name == projectChanged {
			servers = realServers
		}
		for _, mode := range modes {
			all = append(all, &fault{group: groupDisk, name: name + byMode(mode), servers: servers})
		}
	}
	return all
}()

func byMode(mode watch.Mode) string {
	if mode == watch.Compare {
		return ", files compared"
	}
	return ", events"
}

// An answer is complete and has what another process did to the project right before the call.
func TestChangesOnDisk(t *testing.T) {
	for _, p := range projects {
		for _, mode := range modes {
			t.Run(p.server+byMode(mode), func(t *testing.T) {
				if !find(onDisk, edited+byMode(mode)).runs(p.server) {
					t.Skip("runs with LSPI_FAULTS=all")
				}
				s := p.open(t, options{watch: mode})
				s.sound()
				if have, _ := s.session.Workspace.Pool.Journal(s.dir).Mode(); have != mode {
					t.Fatalf("changes are found by %v", have)
				}
				for _, name := range changeNames {
					change, ok := p.changes[name]
					f := find(onDisk, name+byMode(mode))
					if !ok || !f.runs(p.server) {
						continue
					}
					t.Run(name, func(t *testing.T) {
						f.in(t, p.server, func(c *cell) {
							change.by(t, s.dir)
							c.again()
							a := loaded(s.ask)
							c.measured()
							c.right(a, p.truthAfter(t, name, s.dir))
						})
					})
				}
			})
		}
	}
}

// truthAfter is the truth behind a change; that of the project file takes in what was left out.
func (p *project) truthAfter(t testing.TB, name, dir string) []string {
	whole := *p
	if name == projectChanged {
		whole.out = ""
	}
	return whole.truth(t, dir)
}

func find(all []*fault, name string) *fault {
	return all[slices.IndexFunc(all, func(f *fault) bool { return f.name == name })]
}

var checkout = &fault{group: groupDisk, name: "git checkout changes 1,000 files", servers: everyServer}

// many is how many files a checkout changes.
const many = 1000

// A checkout that changes a thousand files is one change: the answer is that of the branch.
func TestCheckout(t *testing.T) {
	for _, p := range projects {
		t.Run(p.server, func(t *testing.T) {
			checkout.in(t, p.server, func(c *cell) {
				testkit.Need(t, append([]string{"git"}, p.programs...)...)
				dir := testkit.TempDir(t)
				p.create(t, dir)
				git := func(args ...string) {
					t.Helper()
					cmd := exec.Command("git",
						append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-c", "core.autocrlf=false"},
							args...)...)
					cmd.Dir = dir
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
					}
				}
				git("init", "-q", "-b", "one")
				p.multiply(t, dir, 0)
				git("add", "-A")
				git("commit", "-q", "-m", "one")
				git("checkout", "-q", "-b", "two")
				p.multiply(t, dir, 3)
				git("commit", "-q", "-a", "-m", "two")
				git("checkout", "-q", "one")
				s := p.openIn(t, dir, options{})
				s.sound()
				git("checkout", "-q", "two")
				c.again()
				a := loaded(s.ask)
				c.measured()
				truth := s.truth()
				if len(truth) < many {
					t.Fatalf("%d places", len(truth))
				}
				c.right(a, truth)
			})
		})
	}
}

// multiply writes many files that use the symbol so many lines down, and what makes them part of the project.
func (p *project) multiply(t testing.TB, dir string, down int) {
	t.Helper()
	var modules strings.Builder
	files := map[string]string{}
	for i := range many {
		name := fmt.Sprintf("f%04d", i)
		pad := func(comment string) string { return strings.Repeat(comment+"\n", down) }
		switch p.server {
		case gopls:
			files["many/"+name+
				".go"] = fmt.Sprintf(
				"package many\n\nimport \"ex.com/shop/lib\"\n\n%sfunc %s() int { return lib.Greet() }\n", pad("//"),
				name)
		case clangd:
			files["many/"+name+".cc"] = fmt.Sprintf("#include \"lib/lib.h\"\n%sint %s() { return Greet(); }\n",
				pad("//"), name)
			fmt.Fprintf(&modules,
				",\n"+`{"directory": "$DIR", "file": "many/%[1]s.cc", "arguments": ["clang++", "-I$DIR", "-c", "many/%[1]s.cc"]}`, name)
		case rust:
			files["src/many/"+name+".rs"] = fmt.Sprintf("%spub fn %s() -> i32 {\n    crate::lib::Greet()\n}\n",
				pad("//"), name)
			fmt.Fprintf(&modules, "pub mod %s;\n", name)
		case ts:
			files["src/many/"+name+
				".ts"] = fmt.Sprintf("import { Greet } from \"../lib/lib\";\n%sexport const %s = Greet();\n",
				pad("//"), name)
		case pyright:
			files["shop/many/"+name+".py"] = fmt.Sprintf("from shop.lib import Greet\n%s%s = Greet()\n", pad("#"), name)
		case scripted:
			files["many/"+name+".w"] = fmt.Sprintf("def %s\n%s  Greet\n", name, pad("  x"))
		}
	}
	switch p.server {
	case rust:
		files["src/many/mod.rs"] = modules.String()
		files["src/main.rs"] = "mod many;\n" + p.files["src/main.rs"]
	case clangd:
		files["compile_commands.json"] = strings.TrimSuffix(strings.TrimSpace(p.files["compile_commands.json"]), "]") +
			modules.String() + "]\n"
	}
	testkit.Fill(t, dir, files)
}
