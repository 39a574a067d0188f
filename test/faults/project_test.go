//go:build linux

package faults

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// The columns of the matrix.
const (
	gopls    = "gopls"
	clangd   = "clangd"
	rust     = "rust-analyzer"
	ts       = "typescript-language-server"
	pyright  = "pyright"
	scripted = "scripted"
)

var (
	realServers = []string{gopls, clangd, rust, ts, pyright}
	everyServer = append(slices.Clone(realServers), scripted)
)

// project is a small project of one language, in which every whole word Greet is a use or the declaration of one
// function, but for the files that are left out by their project. So the truth about it can be read off the disk.
type project struct {
	server   string
	programs []string          // that its server needs
	env      map[string]string // of the server, besides what it would have
	ext      []string
	files    map[string]string
	home     string // the file with the definition
	out      string // a folder whose files have no use of the symbol, until the project file is changed
	changes  map[string]change
}

// change is what somebody does to the project from outside.
type change struct {
	write  map[string]string
	move   [][2]string
	remove []string
}

// The changes that each project has, in the order in which they are made.
var changeNames = []string{edited, created, deleted, renamed, folderRenamed, projectChanged}

const (
	edited         = "a source file is edited"
	created        = "a source file is created"
	deleted        = "a source file is deleted"
	renamed        = "a source file is renamed"
	folderRenamed  = "a folder is renamed"
	projectChanged = "the project file is changed"
)

// symbol is what is asked about.
const symbol = "Greet"

var word = regexp.MustCompile(`\b` + symbol + `\b`)

// truth is every place of the symbol on disk, "path:line:column".
func (p *project) truth(t testing.TB, dir string) []string {
	t.Helper()
	var places []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(p.ext, strings.TrimPrefix(filepath.Ext(path), ".")) {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if p.out != "" && strings.HasPrefix(rel, p.out+"/") {
			return nil
		}
		text, err := os.ReadFile(path)
		for n, line := range strings.Split(string(text), "\n") {
			for _, at := range word.FindAllStringIndex(line, -1) {
				places = append(places, fmt.Sprintf("%s:%d:%d", rel, n+1, at[0]+1))
			}
		}
		return err
	})
	testkit.Must(t, err)
	slices.Sort(places)
	return places
}

// create writes the project into a folder; $DIR in a text is that folder.
func (p *project) create(t testing.TB, dir string) {
	t.Helper()
	testkit.Fill(t, dir, p.files)
}

// by makes a change in another process, and returns when that has ended.
func (c change) by(t testing.TB, dir string) {
	t.Helper()
	staged := t.TempDir()
	script := "set -e\n"
	for i, name := range slices.Sorted(maps.Keys(c.write)) {
		from, to := filepath.Join(staged, fmt.Sprint(i)), filepath.Join(dir, name)
		write(t, from, strings.ReplaceAll(c.write[name], "$DIR", dir), 0o644)
		script += fmt.Sprintf("mkdir -p %s\ncp %s %s\n", shell(filepath.Dir(to)), shell(from), shell(to))
	}
	for _, m := range c.move {
		script += fmt.Sprintf("mv %s %s\n", shell(filepath.Join(dir, m[0])), shell(filepath.Join(dir, m[1])))
	}
	for _, name := range c.remove {
		script += fmt.Sprintf("rm -r %s\n", shell(filepath.Join(dir, name)))
	}
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// projectOf is the project of a server.
func projectOf(server string) *project {
	for _, p := range projects {
		if p.server == server {
			return p
		}
	}
	panic("no project for " + server)
}

var projects = []*project{goProject, cppProject, rustProject, tsProject, pythonProject, wordsProject}
