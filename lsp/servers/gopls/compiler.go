package gopls

import (
	"cmp"
	"context"
	"go/build/constraint"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/lsp"
)

// onlyCompiler is [lsp.EditHooks].OnlyCompiler: build constraints, directives, functions without a body, C code,
// what assembly and go:linkname name, package main without main.
func (a *Process) onlyCompiler(ctx context.Context, changes []lsp.SourceChange) []lsp.CompilerLine {
	l := a.tree
	// What is no Go source on either side, or does not change, cannot matter; a file that only moves stays, because
	// its folder decides about its package.
	changes = slices.DeleteFunc(slices.Clone(changes), func(one lsp.SourceChange) bool {
		return !isSource(one.From) && !isSource(one.Path) || one.From == one.Path && one.Before == one.After
	})
	if len(changes) == 0 {
		return nil
	}
	// Given back when the time is over, so that the edit is not called checked.
	unknown := []lsp.CompilerLine{{Path: cmp.Or(changes[0].Path, changes[0].From), Line: 1,
		What: "what assembly and directives name, which could not be looked up in time", By: golang.BuildCommands}}
	release, ok := l.current(ctx)
	if !ok {
		return unknown
	}
	defer release()
	e := &compilerEdit{sourceTree: l, changes: changes, after: map[string]lsp.SourceChange{},
		gone: map[string]bool{}}
	// First all that goes, then all that comes: a file may take the name of one that the same edit moves away.
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
	// After the single files, since add keeps one line for each file, and the reason in the file itself is the more
	// precise one.
	e.folders()
	e.names()
	return e.out
}

// compilerEdit is an edit of Go sources. The lock of the source tree is held as long as it is used.
type compilerEdit struct {
	*sourceTree
	changes []lsp.SourceChange
	after   map[string]lsp.SourceChange // by path behind the edit
	gone    map[string]bool             // files that are not there behind the edit
	out     []lsp.CompilerLine
}

// One line for each file: the first reason is enough to say that only the compiler can tell.
func (e *compilerEdit) add(path string, line int, what string) {
	if !slices.ContainsFunc(e.out, func(have lsp.CompilerLine) bool { return have.Path == path }) {
		e.out = append(e.out, lsp.CompilerLine{Path: path, Line: line, What: what, By: golang.BuildCommands})
	}
}

// source compares the two texts of one file.
func (e *compilerEdit) source(one lsp.SourceChange) {
	switch {
	case one.Path == "":
	// A new file has no text before; what matters is whether gopls will load it at all.
	case one.From == "":
		if e.notLoaded(one.Path, one.After) {
			e.add(one.Path, 1, "")
			return
		}
	default:
		was, oldLine := golang.Constraint(one.Before)
		is, line := golang.Constraint(one.After)
		// The expressions are compared, not the lines: // +build and //go:build may say the same.
		if was == nil && is == nil || was != nil && is != nil && was.String() == is.String() {
			break
		}
		text := one.After
		// The constraint is gone: the line of the text before shows it, since the new text has none.
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

// notLoaded reports whether no diagnostics come for a new file. gopls loads a file that some system's build has,
// without tags, and a program that only the tag ignore keeps out (0.23.0). Without this a new file with errors in
// it would be called clean, because the server reports nothing about it.
func (e *compilerEdit) notLoaded(path, text string) bool {
	below, ok := source.RelativeTo(e.projectOf(path), path)
	if ok && e.rules.place(below) != included {
		return true
	}
	// In the build that gopls has loaded: it is checked like any other file.
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
	// Only folders with a package main that the edit touches: in others nothing about main can change.
	dirs := map[string]bool{}
	for _, one := range e.changes {
		if golang.PackageName(one.Before) == "main" || golang.PackageName(one.After) == "main" {
			dirs[filepath.Dir(cmp.Or(one.Path, one.From))] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		before, after := e.built(dir, textNow), e.built(dir, e.textAfter)
		// Told only when it had a main before: a package that never had one was broken already, and not by this edit.
		if base, line := golang.Mainless(after); base != "" {
			if had, _ := golang.Mainless(before); had == "" {
				e.add(filepath.Join(dir, base), line, "package main, which has no func main then")
			}
		}
	}
}

// built are the texts of the sources of a folder that the build takes in, by base name, without tests.
func (e *compilerEdit) built(dir string, text func(path string) string) map[string]string {
	out := map[string]string{}
	enter := func(path string) {
		base, text := filepath.Base(path), text(path)
		excluded, _ := e.rules.excluded(path, text)
		if text != "" && filepath.Dir(path) == dir && isSource(base) && !excluded &&
			!strings.HasSuffix(base, "_test.go") && e.rules.place(base) == included {
			out[base] = text
		}
	}
	for _, base := range golang.FilesIn(dir) {
		enter(filepath.Join(dir, base))
	}
	for path := range e.after { // new ones are not in the folder yet
		enter(path)
	}
	return out
}

// textAfter is the text of a file behind the edit; "" when it has none.
func (e *compilerEdit) textAfter(path string) string {
	switch one, edited := e.after[path]; {
	case edited:
		return one.After
	case e.gone[path]:
		return ""
	}
	return textNow(path)
}

// textNow is the text of a file on disk; "" when it has none.
func textNow(path string) string {
	text, err := source.Read(path)
	if err != nil {
		return ""
	}
	return text.Content()
}
