package adapter

import (
	"cmp"
	"context"
	"go/build/constraint"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lang/golang"
	"lspi/lsp"
	"lspi/source"
)

// SourceChange is the text of a source before and after an edit.
type SourceChange struct {
	From, Path    string // where it is before and after, absolute; "" where it is not there
	Before, After string
}

// CompilerLine is where an edit changes something that the server leaves to the compiler of the language or to another tool of the build:
// whether that breaks anything its diagnostics do not tell.
type CompilerLine struct {
	Path string
	Line int
	What string // what the edit changes, as the object of a sentence; "" for a new file that no build takes in, or not the server's
}

// CompilerJudges are who judges it, for people: so far all of it is about Go.
const CompilerJudges = "go build and go test"

// OnlyCompiler is what an edit changes that the server does not judge, the first line of each file: build constraints, directives,
// functions without a body, C code, what assembly and go:linkname name, package main without main; and in the sources of other languages what Go sources use by cgo.
func OnlyCompiler(ctx context.Context, s *lsp.Server, changes []SourceChange) []CompilerLine {
	out := cgoUses(s, changes)
	rules, ok := of(s).leftOut.rules.(*goBuild)
	if !ok {
		return out
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(one SourceChange) bool {
		return !rules.source(one.From) && !rules.source(one.Path) || one.From == one.Path && one.Before == one.After
	})
	if len(changes) == 0 {
		return out
	}
	l := of(s).leftOut
	unknown := []CompilerLine{{cmp.Or(changes[0].Path, changes[0].From), 1, "what assembly and directives name, which could not be looked up in time"}}
	release := l.lock(ctx)
	if release == nil {
		return unknown
	}
	defer release()
	if !l.refresh(ctx, s) {
		return unknown
	}
	e := &compilerEdit{s: s, rules: rules, changes: changes, out: out, after: map[string]SourceChange{}, gone: map[string]bool{}}
	for _, one := range changes {
		if one.From != one.Path {
			e.gone[one.From] = true
		}
	}
	for _, one := range changes {
		e.after[one.Path] = one
		delete(e.gone, one.Path)
	}
	for _, one := range changes {
		e.source(one)
	}
	e.folders()
	if !e.names(ctx) {
		return unknown
	}
	return e.out
}

// compilerEdit is an edit of Go sources. The turn of leftOut is held as long as it is used.
type compilerEdit struct {
	s       *lsp.Server
	rules   *goBuild
	changes []SourceChange
	after   map[string]SourceChange // by path behind the edit
	gone    map[string]bool         // files that are not there behind the edit
	out     []CompilerLine
}

func (e *compilerEdit) add(path string, line int, what string) {
	if !slices.ContainsFunc(e.out, func(have CompilerLine) bool { return have.Path == path }) {
		e.out = append(e.out, CompilerLine{path, line, what})
	}
}

// source compares the two texts of one file.
func (e *compilerEdit) source(one SourceChange) {
	switch {
	case one.Path == "":
	case one.From == "":
		if e.unbuilt(one.Path, one.After) {
			e.add(one.Path, 1, "")
			return
		}
	default:
		was, oldLine := golang.Constraint(one.Before)
		is, line := golang.Constraint(one.After)
		if was == nil && is == nil || was != nil && is != nil && was.String() == is.String() {
			break
		}
		text := one.After
		if is == nil {
			text, line = one.Before, oldLine
		}
		before, _, _ := strings.Cut(text, line)
		e.add(one.Path, 1+strings.Count(before, "\n"), "the build constraint")
	}
	if c := golang.Compare(filepath.Base(cmp.Or(one.Path, one.From)), one.Before, one.After); c != nil {
		e.add(cmp.Or(one.Path, one.From), c.Line, c.What)
	}
}

// unbuilt reports whether no diagnostics come for a new file. gopls loads a file that some system's build has, without tags, and a program
// that only the tag ignore keeps out (0.23.0).
func (e *compilerEdit) unbuilt(path, text string) bool {
	below, ok := source.RelativeTo(of(e.s).leftOut.projectOf(e.s.Journal().Root(), path), path)
	if ok && e.rules.place(below) != included {
		return true
	}
	if excluded, _ := e.rules.excluded(path, text); !excluded {
		return false
	}
	expr, _ := golang.Constraint(text)
	if tag, ok := expr.(*constraint.TagExpr); ok && tag.Tag == "ignore" && golang.PackageName(text) == "main" {
		return false
	}
	env, tags := e.rules.build(expr, filepath.Base(path), text)
	return env == "" || len(tags) > 0 || golang.ImportsC(path, text) && !e.rules.here.CgoEnabled
}

// folders looks at what the files of one folder make together.
func (e *compilerEdit) folders() {
	dirs := map[string]bool{}
	for _, one := range e.changes {
		if golang.PackageName(one.Before) == "main" || golang.PackageName(one.After) == "main" {
			dirs[filepath.Dir(cmp.Or(one.Path, one.From))] = true
		}
		if one.Path != "" && strings.HasSuffix(one.Path, "_test.go") && golang.TestMain(one.After) && !golang.TestMain(one.Before) {
			e.second(one.Path)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		before, after := e.built(dir)
		if base, line := golang.Mainless(after); base != "" {
			if had, _ := golang.Mainless(before); had == "" {
				e.add(filepath.Join(dir, base), line, "package main, which has no func main then")
			}
		}
	}
}

// second tells of the TestMain in another file of the folder.
func (e *compilerEdit) second(path string) {
	dir := filepath.Dir(path)
	for _, base := range golang.FilesIn(dir) {
		other := filepath.Join(dir, base)
		if other != path && strings.HasSuffix(base, "_test.go") && golang.TestMain(e.textAfter(other)) {
			e.add(path, 1, "TestMain, which "+base+" has, too")
		}
	}
}

// built are the texts of the sources of a folder that the build takes in, before and after the edit, by base name, without tests.
func (e *compilerEdit) built(dir string) (before, after map[string]string) {
	before, after = map[string]string{}, map[string]string{}
	enter := func(to map[string]string, path, text string) {
		base := filepath.Base(path)
		excluded, _ := e.rules.excluded(path, text)
		if filepath.Dir(path) == dir && e.rules.source(base) && !excluded && !strings.HasSuffix(base, "_test.go") && e.rules.place(base) == included {
			to[base] = text
		}
	}
	for _, base := range golang.FilesIn(dir) {
		path := filepath.Join(dir, base)
		if text, err := source.Read(path); err == nil {
			enter(before, path, text.Content())
			if _, edited := e.after[path]; !edited && !e.gone[path] {
				enter(after, path, text.Content())
			}
		}
	}
	for path, one := range e.after {
		enter(after, path, one.After)
	}
	return before, after
}

// textAfter is the text of a file behind the edit; "" when it has none.
func (e *compilerEdit) textAfter(path string) string {
	if one, edited := e.after[path]; edited {
		return one.After
	}
	if text, err := source.Read(path); err == nil && !e.gone[path] {
		return text.Content()
	}
	return ""
}
