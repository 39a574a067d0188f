//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"lspi/internal/testkit"
)

var _ = add(attack{
	point:    "C13",
	name:     "gopls: a pipe among the sources, a source and a go.mod that are links to devices, a pipe as .gitignore",
	programs: []string{"gopls", "go"},
	never:    "a call that waits for its deadline, or a program that reads without end",
	answer:   "`special_file` at once with the path, before the server is started; files that this server does not read refuse nothing",
	try: func(a *attempt) {
		a.file("go.mod", "module ex.com/m\n\ngo 1.25\n")
		a.file("m.go", "package m\n\nfunc Greet() {}\n")
		pipe := func(name string) string {
			path := filepath.Join(a.dir, name)
			testkit.Must(a, syscall.Mkfifo(path, 0o644))
			return path
		}
		pipe(".gitignore")
		pipe("notes.py") // no source of gopls
		at := map[string]any{"file_path": "m.go", "symbol_name": "Greet"}
		refused := func(s *faultSession, what, path string) {
			x := s.call("find_references", at)
			if x.Reason() != "special_file" || x.took > 10*time.Second || len(x.NextSteps) == 0 {
				a.worked("%s, after %v: %.600s", what, x.took, x.raw)
			}
			testkit.Must(a, os.Remove(path))
		}
		path := pipe("x.go")
		s := a.at(gopls)
		refused(s, "a pipe", path)
		random := filepath.Join(a.dir, "y.go")
		testkit.Must(a, os.Symlink("/dev/random", random))
		refused(a.at(gopls), "a link to a device", random)
		sub := filepath.Join(a.dir, "sub")
		testkit.Must(a, os.Mkdir(sub, 0o755))
		mod := filepath.Join(sub, "go.mod")
		testkit.Must(a, os.Symlink("/dev/zero", mod))
		refused(a.at(gopls), "a go.mod", mod)
		if x := loaded(func() *reply { return s.call("find_references", at) }); !x.OK || x.Total != 1 {
			a.Errorf("when they are gone: %s", x.raw)
		}
	},
})
