package move

import (
	"context"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"lspi/internal/lang/golang"
	"lspi/internal/source"
	"lspi/tools/move/splice"
)

// goRule: a file belongs to the package of its folder, whatever its name; a folder is named by the path of its package.
// gopls has no request for the move of either (0.23.0), and its rename of a package clause renames the package as well,
// and knows the files of one build alone.
var goRule = rule{
	languages: []string{"go"},
	check:     checkGo,
	imports:   goImports,
	inFolder:  goEmbeds,
	module:    func(m *moving, token string) bool { return inPackage(token, goPackage(m.from)) },
}

// goPackage is the import path of a folder; "" outside of modules.
func goPackage(dir string) string {
	root, module := golang.ModuleAbove(dir)
	rel, ok := source.RelativeTo(root, dir)
	if !ok || module == "" {
		return ""
	}
	return path.Join(module, filepath.ToSlash(rel))
}

// inPackage reports whether an import path is that of a package or of one below it.
func inPackage(name, of string) bool {
	return of != "" && (name == of || strings.HasPrefix(name, of+"/"))
}

func checkGo(m *moving) error {
	if !m.folder {
		return m.checkGoFile()
	}
	before, _ := golang.ModuleAbove(filepath.Dir(m.from))
	after, _ := golang.ModuleAbove(filepath.Dir(m.to))
	switch {
	case slices.ContainsFunc(m.files, func(f string) bool { return filepath.Base(f) == "go.mod" }):
		return m.refuse("holds_module", byHand, "%s holds a go.mod: go.work files and replace "+
			"directives name the folder of a module", m.c.Show(m.from))
	case before == "" || before != after:
		return m.refuse("other_module", "Move it within its module.", "%s and %s are not in one module; what imports the "+
			"packages would need another requirement", m.c.Show(m.from), m.c.Show(m.to))
	}
	if rel, _ := source.RelativeTo(after, m.to); module.CheckImportPath("x/"+filepath.ToSlash(rel)) != nil {
		return m.refuse("no_import_path", "Give a path of letters, digits and -._~.", "no import can name the folder %s",
			m.c.Show(m.to))
	}
	if name := neverBuilt(after, m.to); name != "" {
		return m.refuse("never_built", "Give a path without such a folder.",
			"no build looks into %s: its path has the folder %s", m.c.Show(m.to), name)
	}
	return nil
}

// neverBuilt is the first folder on the way from a module to a folder into which no build looks; "" for none.
func neverBuilt(root, dir string) string {
	rel, _ := source.RelativeTo(root, dir)
	for _, name := range strings.Split(filepath.ToSlash(rel), "/") {
		if name == "testdata" || name == "vendor" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") && name != "." {
			return name
		}
	}
	return ""
}

// checkGoFile refuses the move of a file to another package, and a name by which other builds take it in.
func (m *moving) checkGoFile() error {
	was, now := filepath.Base(m.from), filepath.Base(m.to)
	if filepath.Dir(m.from) != filepath.Dir(m.to) {
		return m.refuse("other_package", "Move the folder of the package, or the declarations one by one.",
			"%s would be in another package, where what it declares has another name and what it uses is not there",
			m.c.Show(m.to))
	}
	text, err := m.c.Workspace.Text(m.from)
	if err != nil {
		return err
	}
	test := func(name string) bool { return strings.HasSuffix(name, "_test.go") }
	same := test(was) == test(now)
	for _, in := range golang.Ports(golang.Build(func(string) string { return "" })) {
		same = same && golang.Matches(in, was, text.Content()) == golang.Matches(in, now, text.Content())
	}
	if !same {
		return m.refuse("other_build", "Give a name with the same ending.",
			"the go command takes %s into other builds than %s: a name that ends with _test, a system or a processor says in "+
				"which builds a file is", now, was)
	}
	return nil
}

// goImports is [rule].imports.
func goImports(_ context.Context, m *moving, text *source.Text) (changes []splice.Change, left []splice.Place) {
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, text.Path, text.Content(), parser.ImportsOnly)
	if file == nil {
		return nil, nil
	}
	old, now := goPackage(m.from), m.goPackageAfter(m.from)
	by := m.goPackageAfter(filepath.Dir(text.Path))
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		target := name
		if inPackage(name, old) {
			target = now + strings.TrimPrefix(name, old)
			start := set.Position(spec.Path.Pos()).Offset
			changes = append(changes, splice.Replace(start+1, start+1+len(name), target))
		}
		if (target != name || m.moves(text.Path)) && !mayImport(by, target) {
			left = append(left, at(text, set.Position(spec.Path.Pos()).Offset, "import of "+target+", which is internal"))
		}
	}
	return changes, left
}

// goEmbeds are the changes of directives that embed a file by its name from its folder.
func goEmbeds(_ context.Context, m *moving, text *source.Text) (changes []splice.Change, left []splice.Place) {
	was, now := filepath.Base(m.from), filepath.Base(m.to)
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, text.Path, text.Content(), parser.ParseComments)
	if file == nil || filepath.Dir(text.Path) != filepath.Dir(m.from) || strings.ContainsAny(now, "*?[\\\"` ") {
		return nil, nil
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if !strings.HasPrefix(c.Text, "//go:embed ") {
				continue
			}
			start := set.Position(c.Pos()).Offset
			for _, g := range embedded.FindAllStringSubmatchIndex(c.Text, -1) {
				if c.Text[g[2]:g[3]] == was {
					changes = append(changes, splice.Replace(start+g[2], start+g[3], now))
				}
			}
		}
	}
	return changes, nil
}

// embedded matches the name of a file in such a directive.
var embedded = source.LazyRegexp("[ \t][\"`]?(?:all:)?([^ \t\"`]+)")

// goPackageAfter is the import path that a folder has after the move.
func (m *moving) goPackageAfter(dir string) string {
	root, module := golang.ModuleAbove(filepath.Dir(m.from))
	after := m.after(dir)
	if after == dir {
		return goPackage(dir)
	}
	rel, _ := source.RelativeTo(root, after)
	return path.Join(module, filepath.ToSlash(rel))
}

// mayImport reports whether the go command lets a package import another one (internal directories).
func mayImport(by, name string) bool {
	parts := strings.Split(name, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "internal" {
			return inPackage(by, strings.Join(parts[:i], "/"))
		}
	}
	return true
}
