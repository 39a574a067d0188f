package trial

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	gotoken "go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// hiddenInGo returns the errors of all packages of the trial's module, "file:line" each. The go command does not
// compile what imports a broken package, so its list lacks the errors there; the checker is the one of go vet.
func hiddenInGo(dir string) (places []string) {
	c := &goChecker{dir: dir, fset: gotoken.NewFileSet(), done: map[string]*types.Package{}}
	c.std = importer.ForCompiler(c.fset, "source", nil)
	for _, path := range []string{"base", "use", "old"} {
		_, _ = c.Import("example.com/trial/" + path)
	}
	return c.places
}

// goChecker is an importer that goes on behind errors.
type goChecker struct {
	dir    string
	fset   *gotoken.FileSet
	std    types.Importer
	done   map[string]*types.Package
	places []string
}

func (c *goChecker) Import(path string) (*types.Package, error) {
	rel, own := strings.CutPrefix(path, "example.com/trial/")
	if !own {
		return c.std.Import(path)
	}
	if p := c.done[path]; p != nil {
		return p, nil
	}
	names, _ := filepath.Glob(filepath.Join(c.dir, rel, "*.go"))
	var files []*ast.File
	for _, name := range names {
		if f, _ := parser.ParseFile(c.fset, name, nil, parser.AllErrors); f != nil {
			files = append(files, f)
		}
	}
	conf := types.Config{Importer: c, Error: func(err error) {
		if e, ok := err.(types.Error); ok {
			at := c.fset.Position(e.Pos)
			name, _ := filepath.Rel(c.dir, at.Filename)
			c.places = append(c.places, fmt.Sprintf("%s:%d", name, at.Line))
		}
	}}
	p, _ := conf.Check(path, c.fset, files, nil)
	c.done[path] = p
	return p, nil
}
