package lsp

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp/golang"
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

// OnlyCompiler is what an edit changes that the server does not judge, the first line of each file: build constraints, directives,
// functions without a body, C code, what assembly and go:linkname name, package main without main. Nil at a server of which nothing like
// that is known.
func OnlyCompiler(ctx context.Context, s *Server, changes []SourceChange) []CompilerLine {
	rules, ok := s.leftOut.rules.(*goBuild)
	if !ok {
		return nil
	}
	changes = slices.DeleteFunc(slices.Clone(changes), func(one SourceChange) bool {
		return !rules.source(one.From) && !rules.source(one.Path) || one.From == one.Path && one.Before == one.After
	})
	if len(changes) == 0 {
		return nil
	}
	l := s.leftOut
	unknown := []CompilerLine{{cmp.Or(changes[0].Path, changes[0].From), 1, "what assembly and directives name, which could not be looked up in time"}}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return unknown
	}
	if !l.refresh(ctx, s) {
		return unknown
	}
	e := &compilerEdit{s: s, rules: rules, changes: changes, after: map[string]SourceChange{}, gone: map[string]bool{}}
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
	s       *Server
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
		was, oldLine := constraintOf(one.Before)
		is, line := constraintOf(one.After)
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

// unbuilt reports whether no diagnostics come for a new file. gopls loads a file that some system's build has, without tags (0.23.0).
func (e *compilerEdit) unbuilt(path, text string) bool {
	below, ok := source.RelativeTo(e.s.leftOut.projectOf(e.s.journal.Root(), path), path)
	if ok && e.rules.place(below) != included {
		return true
	}
	if excluded, _ := e.rules.excluded(path, text); !excluded {
		return false
	}
	expr, _ := constraintOf(text)
	env, tags := e.rules.build(expr, filepath.Base(path), text)
	return env == "" || len(tags) > 0 || importsC(path, text) && !e.rules.here.CgoEnabled
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
	for _, base := range goFilesIn(dir) {
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
	for _, base := range goFilesIn(dir) {
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

func goFilesIn(dir string) (out []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".go") && entry.Type().IsRegular() {
			out = append(out, entry.Name())
		}
	}
	return out
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

// names tells of what assembly and go:linkname name among the declarations that the edit changes; false when ctx ended first.
func (e *compilerEdit) names(ctx context.Context) bool {
	d := e.declared()
	if maps.Equal(d.before, d.after) {
		return true
	}
	for file := range e.s.journal.Files() {
		if ext := filepath.Ext(file); ext != ".s" && ext != ".h" {
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		if below, ok := source.RelativeTo(e.s.leftOut.projectOf(e.s.journal.Root(), file), file); !ok || e.rules.place(below) != included {
			continue
		}
		text, err := source.Read(file)
		local := e.importPath(filepath.Dir(file))
		if err != nil || filepath.Ext(file) == ".h" && (d.packages[local] == "" || !strings.Contains(text.Content(), "·")) {
			continue
		}
		golang.AssemblyNames(text.Content(), func(line int, pkg, name string) {
			behind := pkg
			if pkg == "" || pkg == d.packages[local] {
				pkg, behind = local, cmp.Or(d.moved[local], local)
			}
			if d.differs(pkg, behind, name) {
				e.add(file, line, name+", which assembly names")
			}
		})
	}
	for _, file := range slices.Sorted(maps.Keys(e.s.leftOut.linked)) {
		golang.Linknames(e.textAfter(file), func(line int, remote string) {
			if pkg, name := golang.SplitLinkname(remote); d.differs(pkg, pkg, name) {
				e.add(file, line, name+", which //go:linkname names")
			}
		})
	}
	return true
}

// declaredBoth are the declarations of the edited files, by the path of their package, a dot and their name: what moves between files of
// a package stays the same.
type declaredBoth struct {
	before, after map[string]string
	packages      map[string]string // path → name
	moved         map[string]string // path → path, of packages whose files move
}

func (e *compilerEdit) declared() declaredBoth {
	d := declaredBoth{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
	enter := func(to map[string]string, file, text string) (pkg string) {
		if file == "" {
			return ""
		}
		in := golang.DeclarationsOf(text)
		pkg = e.importPath(filepath.Dir(file))
		d.packages[pkg] = in.Package
		for name, declared := range in.Text {
			to[pkg+"."+name] += declared
			if in.Package == "main" { // the linker calls it so
				to["main."+name] += declared
			}
		}
		return pkg
	}
	for _, one := range e.changes {
		from, to := enter(d.before, one.From, one.Before), enter(d.after, one.Path, one.After)
		if from != to && from != "" && to != "" {
			d.moved[from] = to
		}
	}
	return d
}

// differs reports whether a name of one package before the edit is something else in the other one behind it.
func (d *declaredBoth) differs(before, after, name string) bool {
	was, had := d.before[before+"."+name]
	is, has := d.after[after+"."+name]
	return had != has || was != is
}

// importPath is that of a folder, as far as the go.mod above it tells; else the folder itself.
func (e *compilerEdit) importPath(dir string) string {
	l := e.s.leftOut
	project := l.projectOf(e.s.journal.Root(), filepath.Join(dir, "x.go"))
	below, ok := source.RelativeTo(project, dir)
	if name := l.projects[project]; ok && name != "" {
		return path.Join(name, filepath.ToSlash(below))
	}
	return dir
}
