package gopls

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"lspi/internal/lang/golang"
)

// names tells of what assembly and go:linkname name among the declarations that the edit changes. The sources that
// hold such names are known already (sourceTree.look), so that no other file is read.
func (e *compilerEdit) names() {
	d := e.declared()
	// The usual edit changes bodies only, and reads no file here.
	if maps.Equal(d.before, d.after) {
		return
	}
	for _, file := range slices.Sorted(maps.Keys(e.linked)) {
		local, by := e.importPath(filepath.Dir(file)), "//go:linkname"
		for _, n := range golang.LinkerNames(file, e.textAfter(file)) {
			pkg, behind := n.Package, n.Package
			// A name in assembly without a package means that of the folder; when its files move, the name has to be
			// in the package that they move to.
			if golang.IsAssembly(file) {
				if by = "assembly"; pkg == "" || pkg == d.packages[local] {
					pkg, behind = local, cmp.Or(d.moved[local], local)
				}
			}
			if d.differs(pkg, behind, n.Name) {
				e.add(file, n.Line, n.Name+", which "+by+" names")
			}
		}
	}
}

// declaredBoth are the declarations of the edited files, by the path of their package, a dot and their name: what
// moves between files of a package stays the same.
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
			// Added and not set: a method set or an init may be spread over several files of the package.
			to[pkg+"."+name] += declared
			if in.Package == "main" { // the linker calls it so
				to["main."+name] += declared
			}
		}
		return pkg
	}
	for _, one := range e.changes {
		from, to := enter(d.before, one.From, one.Before), enter(d.after, one.Path, one.After)
		// A file that comes or goes has only one side, and moves nothing.
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
