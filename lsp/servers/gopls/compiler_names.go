package gopls

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
)

// names tells of what assembly and go:linkname name among the declarations that the edit changes; false when ctx
// ended first.
func (e *compilerEdit) names(ctx context.Context) bool {
	d := e.declared()
	// The usual edit changes bodies only, and reads no file here.
	if maps.Equal(d.before, d.after) {
		return true
	}
	// Assembly is looked for in the whole tree: it may name declarations of any package.
	for file := range e.server.Journal().Files() {
		if ext := filepath.Ext(file); ext != ".s" && ext != ".h" {
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		if below, ok := source.RelativeTo(e.projectOf(file), file); !ok || e.rules.place(below) != included {
			continue
		}
		text, err := source.Read(file)
		local := e.importPath(filepath.Dir(file))
		// Headers of assembly count in folders of the edited packages, and only with the middle dot by which
		// assembly names Go symbols; others are C.
		if err != nil || filepath.Ext(file) == ".h" &&
			(d.packages[local] == "" || !strings.Contains(text.Content(), "·")) {
			continue
		}
		golang.AssemblyNames(text.Content(), func(line int, pkg, name string) {
			// A name without a package means that of the folder; when its files move, the name has to be in the
			// package that they move to.
			behind := pkg
			if pkg == "" || pkg == d.packages[local] {
				pkg, behind = local, cmp.Or(d.moved[local], local)
			}
			if d.differs(pkg, behind, name) {
				e.add(file, line, name+", which assembly names")
			}
		})
	}
	// The sources with a directive are known already (sourceTree.look), so that no other file is read.
	for _, file := range slices.Sorted(maps.Keys(e.linked)) {
		if golang.IsAssembly(file) {
			continue
		}
		golang.Linknames(e.textAfter(file), func(line int, remote string) {
			if pkg, name := golang.SplitLinkname(remote); d.differs(pkg, pkg, name) {
				e.add(file, line, name+", which //go:linkname names")
			}
		})
	}
	return true
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
		in := e.rules.declared.of(text)
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
