//go:build linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// eachStep edits a generated project of every language again and again.
func eachStep(t *testing.T, steps int, check func(t *testing.T, l language, p *project, moves []move, root string)) {
	for _, l := range languages {
		t.Run(l.server, func(t *testing.T) {
			root := t.TempDir()
			r := rand.New(rand.NewPCG(1, 1))
			p := newProject(r, l.odd)
			check(t, l, p, nil, root)
			earlier := p.clone()
			for range steps {
				e := &editor{p: p, r: r, earlier: earlier}
				for range r.IntN(4) {
					e.random()
				}
				check(t, l, p, e.moves, root)
			}
		})
	}
}

// The truth is what a search of the texts by themselves finds: every name is given once, so each word of that form
// outside of documentation is one place of its symbol.
func TestTruthIsInTheTexts(t *testing.T) {
	names := regexp.MustCompile(`\b([FT]\d+é?|Shape)\b`)
	eachStep(t, testkit.Times(40, 150), func(t *testing.T, l language, p *project, _ []move, root string) {
		tree := l.render(p, root)
		var told, found []string
		for _, m := range tree.marks {
			told = append(told, m.String()+" "+m.name)
		}
		for path, text := range tree.files {
			for n, line := range strings.Split(text, "\n") {
				if strings.Contains(line, "has revision") || strings.Contains(line, "has an area") {
					continue
				}
				for _, at := range names.FindAllStringIndex(line, -1) {
					word := line[at[0]:at[1]]
					if strings.HasPrefix(line[at[1]:], "é") { // \b is for ASCII
						word += "é"
					}
					found = append(found, fmt.Sprintf("%s:%d:%d %s", path, n+1, len([]rune(line[:at[0]]))+1, word))
				}
			}
		}
		slices.Sort(told)
		slices.Sort(found)
		if !slices.Equal(told, found) {
			t.Fatalf("told\n%s\nfound\n%s", strings.Join(told, "\n"), strings.Join(found, "\n"))
		}
	})
}

// A project keeps the form that its language needs: calls go to what is there, and to no later folder.
func TestEditsKeepTheProjectWhole(t *testing.T) {
	eachStep(t, 300, func(t *testing.T, _ language, p *project, _ []move, _ string) {
		alive := map[*symbol]bool{}
		for _, s := range p.symbols() {
			alive[s] = true
		}
		for _, s := range p.symbols() {
			for _, st := range s.body {
				if st.call == nil {
					continue
				}
				if !alive[st.call] {
					t.Fatalf("%s calls %s, which is gone", s.name, st.call.name)
				}
				if p.rank(st.call.unit.folder) > p.rank(s.unit.folder) {
					t.Fatalf("%s calls %s in a later folder", s.name, st.call.name)
				}
			}
		}
		if p.base() == nil || len(p.functions()) == 0 {
			t.Fatal("nothing is left")
		}
	})
}

// The disk has exactly the files of the tree after every step, whatever was moved.
func TestDiskFollows(t *testing.T) {
	disks := map[string]*disk{}
	r := rand.New(rand.NewPCG(2, 2))
	eachStep(t, testkit.Times(30, 100), func(t *testing.T, l language, p *project, moves []move, root string) {
		if disks[l.server] == nil {
			disks[l.server] = &disk{root: root, files: map[string]string{}}
		}
		tree := l.render(p, root)
		testkit.Must(t, disks[l.server].apply(r, moves, tree))
		left := len(tree.files)
		err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			left--
			text, err := os.ReadFile(path)
			rel, _ := filepath.Rel(root, path)
			if want, ok := tree.files[filepath.ToSlash(rel)]; !ok || want != string(text) {
				t.Fatalf("%s is not as it should be (known: %v)", rel, ok)
			}
			return err
		})
		if err != nil || left != 0 {
			t.Fatalf("%v; %d files are missing", err, left)
		}
	})
}
