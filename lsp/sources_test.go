package lsp

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"lspi/source"
)

// everywhere lets every file be read.
var everywhere = source.NewReach("/")

// folder makes a folder with files, links resolved.
func folder(t testing.TB, files ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(name+"\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// The folders of dependencies are what row, environment and tools say, never what the project says.
func TestSourcesFolders(t *testing.T) {
	project, packages, other, home := folder(t, "a.w"), folder(t, "lib/c.w"), folder(t, "d.w"), folder(t, "h.w")
	link(t, home, filepath.Join(project, "node_modules"))
	link(t, other, filepath.Join(packages, "src"))
	t.Setenv("HOME", home)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{spec: &Spec{Env: map[string]string{"PACKAGES": packages, "HOMES": home + string(filepath.ListSeparator) + filepath.Dir(home)}},
		root: project, command: filepath.Join(packages, "bin", "server"), reach: source.NewReach(project), life: t.Context(), proc: &process{cmd: &exec.Cmd{Process: self}}}
	s.spec.Sources = &Sources{Variables: []string{"PACKAGES/lib", "PACKAGES", "HOMES", "NONE"}, Upward: []string{"node_modules"},
		Folders: []string{"/", "~/*", "relative", "/proc"}, Ask: [][]string{{"pwd"}, {"echo", other}}}
	got, whole := s.spec.Sources.folders(s)
	want := []string{packages, filepath.Join(packages, "lib"), other}
	slices.Sort(want)
	if !slices.Equal(got, want) || !whole {
		t.Errorf("%v, want %v", got, want)
	}
}

// A command that fails once, as it does on a machine that is too busy, does not leave the folders out for good.
func TestSourcesAreAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		a := &askedFolders{find: func() ([]string, bool) {
			asked++
			return []string{"/known", "/told"}[:min(asked, 2)], asked >= 2
		}}
		if got := a.all(); len(got) != 1 {
			t.Errorf("at first: %v", got)
		}
		if got := a.all(); len(got) != 1 || asked != 1 {
			t.Errorf("at once: %v, asked %d times", got, asked)
		}
		time.Sleep(firstPause)
		for range 2 {
			if got := a.all(); len(got) != 2 || asked != 2 {
				t.Errorf("later: %v, asked %d times", got, asked)
			}
		}
		time.Sleep(time.Hour)
		if a.all(); asked != 2 {
			t.Errorf("asked %d times, though all was told", asked)
		}
	})
}

// What a command prints counts only when it ends well; that it did not is told.
func TestSourcesOfACommandThatFails(t *testing.T) {
	dir, programs := folder(t, "a.w"), folder(t)
	program := filepath.Join(programs, "tell")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &Server{spec: &Spec{Env: map[string]string{"PATH": programs + ":/bin:/usr/bin"}}, root: dir, reach: source.NewReach(dir), life: t.Context()}
	f := &Sources{Ask: [][]string{{"tell"}, {"no-such-program"}}}
	write("exit 1")
	if got, whole := f.asked(s); len(got) > 0 || whole {
		t.Errorf("it failed: %v, %v", got, whole)
	}
	write("echo /x")
	if got, whole := f.asked(s); !slices.Equal(got, []string{"/x"}) || !whole {
		t.Errorf("it told: %v, %v", got, whole)
	}
}
