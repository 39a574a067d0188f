package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lspi/internal/testkit"
)

const repository = "../../../.."

// Each requirement has evidence, and each test that is named exists.
func TestSeeds(t *testing.T) {
	s, err := readSeeds()
	testkit.Must(t, err)
	known, asked := tests{}, map[string]bool{}
	for _, part := range s.Parts {
		for _, r := range part.Rows {
			about := part.Heading + ": " + r.Asks
			if r.Asks == "" || asked[about] {
				t.Errorf("%s: the sentence is missing, or there twice", about)
			}
			asked[about] = true
			if r.Missing != "" && r.NotHere != "" {
				t.Errorf("%s: it has two states", about)
			}
			if len(r.Tests) == 0 && r.Seen == "" && r.NotHere == "" {
				t.Errorf("%s: nothing shows it", about)
			}
			for _, test := range r.Tests {
				if !known.have(t, test) {
					t.Errorf("%s: there is no test %s", about, test)
				}
			}
		}
	}
	if len(asked) < 150 {
		t.Errorf("there are %d requirements", len(asked))
	}
}

// tests are the names of the tests of folders that were read.
type tests map[string]map[string]bool

// have reports whether a test of the list exists: its function, and its script where a script is named.
func (known tests) have(t *testing.T, test string) bool {
	folder, name, _ := strings.Cut(test, " ")
	name, script, scripted := strings.Cut(name, "/")
	if known[folder] == nil {
		known[folder] = testsIn(t, folder)
	}
	if !scripted {
		return known[folder][name]
	}
	files, err := filepath.Glob(filepath.Join(repository, folder, "testdata", "script*", script+".txtar"))
	testkit.Must(t, err)
	return known[folder][name] && len(files) == 1
}

// testFunc is the name of a test function.
var testFunc = regexp.MustCompile(`^Test[A-Z]`)

// testsIn returns the names of the test functions in the files of a folder, whatever system they are for.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, folder, "*_test.go"))
	testkit.Must(t, err)
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		testkit.Must(t, err)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && testFunc.MatchString(f.Name.Name) {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
