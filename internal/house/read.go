package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// listed has the members of an entry of `go list -json` that the measures use.
type listed struct {
	Dir, ImportPath, Export            string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Deps                               []string
	Standard, DepOnly                  bool
}

// Read measures the module whose root is dir, for the platform that the go command builds for. It runs `go list`, which
// compiles what the packages import.
func Read(ctx context.Context, dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	packages, err := list(ctx, dir)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range packages {
		exports[p.ImportPath] = p.Export
	}
	linked := linkedBy(packages, program)
	tree := &Tree{}
	for _, p := range packages {
		if p.DepOnly || p.Standard {
			continue
		}
		tree.TestLines += lines(p.Dir, p.TestGoFiles) + lines(p.Dir, p.XTestGoFiles)
		if len(p.GoFiles) == 0 {
			continue
		}
		below, err := filepath.Rel(dir, p.Dir)
		if err != nil {
			return nil, err
		}
		measured, err := measure(p, exports)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", below, err)
		}
		measured.Dir, measured.Linked = filepath.ToSlash(below), linked[p.ImportPath]
		tree.Packages = append(tree.Packages, *measured)
	}
	return tree, nil
}

// program is the folder of the program that users run.
const program = "cmd/lspi"

// linkedBy returns the import paths of the program in a folder of the module and of all packages that it contains.
func linkedBy(packages []listed, folder string) map[string]bool {
	linked := map[string]bool{}
	for _, p := range packages {
		if !p.DepOnly && strings.HasSuffix(p.ImportPath, "/"+folder) {
			linked[p.ImportPath] = true
			for _, path := range p.Deps {
				linked[path] = true
			}
		}
	}
	return linked
}

func list(ctx context.Context, dir string) ([]listed, error) {
	list := exec.CommandContext(ctx, "go", "list", "-e", "-export", "-deps",
		"-json=Dir,ImportPath,Export,GoFiles,TestGoFiles,XTestGoFiles,Deps,Standard,DepOnly", "./...")
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

func lines(dir string, names []string) int {
	n := 0
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		n += bytes.Count(raw, []byte("\n"))
	}
	return n
}

// maxColumns is the most that a line of code or comment should have, in characters; a tab is one.
const maxColumns = 120

// tooLong returns the lines beyond maxColumns of the Go files in dir, as file:line. Lines that hold a string are left
// out: a text that is broken in two is not found by those who search for it.
func tooLong(dir string, names []string) (found []string) {
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		texts := linesOfStrings(raw)
		for i, line := range strings.Split(string(raw), "\n") {
			if utf8.RuneCountInString(line) > maxColumns && !texts[i+1] {
				found = append(found, fmt.Sprintf("%s:%d", name, i+1))
			}
		}
	}
	return found
}

// linesOfStrings has the lines of a Go source, the first being 1, on which a string literal or a part of one stands.
func linesOfStrings(source []byte) map[int]bool {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	found := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.STRING {
			first := file.Line(pos)
			for i := range strings.Count(text, "\n") + 1 {
				found[first+i] = true
			}
		}
	}
}

// byCase finds the names of one scope that differ by case alone, each as "See/see", or "T.See/T.see" for methods of T,
// sorted. A scope is the package, or the methods of one type: a field and the method that returns it may share their
// letters, as Effective Go has it.
func byCase(files []*ast.File) []string {
	spelled := map[string][]string{}
	add := func(scope string, ident *ast.Ident) {
		folded := scope + strings.ToLower(ident.Name)
		if name := scope + ident.Name; ident.Name != "_" && !slices.Contains(spelled[folded], name) {
			spelled[folded] = append(spelled[folded], name)
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				add(receiver(decl), decl.Name)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						add("", spec.Name)
					case *ast.ValueSpec:
						for _, ident := range spec.Names {
							add("", ident)
						}
					}
				}
			}
		}
	}
	var pairs []string
	for _, names := range spelled {
		if len(names) > 1 {
			slices.Sort(names)
			pairs = append(pairs, strings.Join(names, "/"))
		}
	}
	slices.Sort(pairs)
	return pairs
}

// measure reads and type-checks one package; types are needed to tell which file a name leads to.
func measure(p listed, exports map[string]string) (*Package, error) {
	fset := token.NewFileSet()
	m := &Package{Files: p.GoFiles, Methods: map[string]int{}, Fields: map[string]int{}, Lines: lines(p.Dir, p.GoFiles)}
	m.TooLong = tooLong(p.Dir, slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles))
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		m.count(fset, f)
	}
	slices.Sort(m.Functions)
	m.ByCase = byCase(files)
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	checked, err := conf.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return nil, err
	}
	m.Ring = largestRing(references(fset, checked, info))
	return m, nil
}

// count adds the comments, functions, methods and fields of one file.
func (m *Package) count(fset *token.FileSet, f *ast.File) {
	for _, group := range f.Comments {
		m.Comments += commentLines(fset, f, group)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			m.function(fset, n)
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				m.Fields[n.Name.Name] = s.Fields.NumFields()
			}
		}
		return true
	})
}

func (m *Package) function(fset *token.FileSet, f *ast.FuncDecl) {
	length := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1
	if len(m.Functions) == 0 || length > slices.Max(m.Functions) {
		m.Longest = f.Name.Name
	}
	m.Functions = append(m.Functions, length)
	if f.Recv == nil {
		return
	}
	m.Methods[strings.TrimSuffix(receiver(f), ".")]++
}

// receiver returns the name of the type that f is a method of, with a dot; "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*"), "[")
	return name + "."
}

// commentLines counts the lines of group; its first line does not count when code stands before the comment.
func commentLines(fset *token.FileSet, f *ast.File, group *ast.CommentGroup) int {
	first, last := fset.Position(group.Pos()).Line, fset.Position(group.End()).Line
	n := last - first + 1
	file := fset.File(f.Pos())
	start := fset.Position(file.LineStart(first)).Offset
	raw, err := os.ReadFile(file.Name())
	if err == nil && len(bytes.TrimSpace(raw[start:fset.Position(group.Pos()).Offset])) > 0 {
		n--
	}
	return n
}

// hooks is the name of the files that list what one server does in its own way (lsp.Hooks). Such a file is a table: it
// leads to all others, but nobody needs it to understand one of them, so what it refers to makes no ring.
const hooks = "hooks.go"

// references returns, for each file, the files of the same package that declare what it uses.
func references(fset *token.FileSet, pkg *types.Package, info *types.Info) map[string][]string {
	found := map[string][]string{}
	for use, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := filepath.Base(fset.Position(use.Pos()).Filename),
			filepath.Base(fset.Position(object.Pos()).Filename)
		if from != to && from != hooks && !slices.Contains(found[from], to) {
			found[from] = append(found[from], to)
		}
	}
	return found
}

// largestRing finds the largest strongly connected set of files, sorted (Tarjan's algorithm).
func largestRing(edges map[string][]string) []string {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack, largest []string
	var visit func(string)
	visit = func(file string) {
		index[file] = len(index) + 1
		low[file] = index[file]
		stack, on[file] = append(stack, file), true
		for _, next := range edges[file] {
			switch {
			case index[next] == 0:
				visit(next)
				low[file] = min(low[file], low[next])
			case on[next]:
				low[file] = min(low[file], index[next])
			}
		}
		if low[file] != index[file] {
			return
		}
		at := slices.Index(stack, file)
		ring := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, member := range ring {
			on[member] = false
		}
		if len(ring) > 1 && len(ring) > len(largest) {
			largest = ring
		}
	}
	for file := range edges {
		if index[file] == 0 {
			visit(file)
		}
	}
	slices.Sort(largest)
	return largest
}
