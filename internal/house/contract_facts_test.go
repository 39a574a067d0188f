package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
)

// factSite is one place in the source that makes a warning or an error.
type factSite struct {
	kind     string // the name of the constant, such as WarnIndexing
	at       token.Position
	always   []string // facts that every warning or error made here has
	maybe    []string // facts that it may have
	resolved bool     // false when the facts come from elsewhere, such as a parameter
}

// docs/contract.md names the facts of each kind of warning and error. Code that makes one gives no fact that the page
// does not name, and gives every fact that it names without a question mark.
func TestFactsOfEveryKind(t *testing.T) {
	declared := map[string]string{}
	constants := contractConstants(t)
	for _, w := range contract.WarningKinds() {
		declared[constants["WarningKind "+string(w.Kind)]] = w.Facts
	}
	for _, k := range contract.ErrorKinds() {
		declared[constants["Kind "+string(k.Kind)]] = k.Facts
	}
	set, packages := parsedPackages(t)
	sites := factSites(set, packages)
	if len(sites) < 200 {
		t.Fatalf("only %d places were found that make a warning or an error", len(sites))
	}
	for _, s := range sites {
		facts, known := declared[s.kind]
		if !known {
			t.Errorf("%v: %s has no row", s.at, s.kind)
			continue
		}
		for _, name := range slices.Concat(s.always, s.maybe) {
			if !names(facts, name) {
				t.Errorf("%v: the row of %s does not name the fact %s", s.at, s.kind, name)
			}
		}
		for _, name := range required(facts) {
			if s.resolved && !slices.Contains(s.always, name) {
				t.Errorf("%v: the row of %s names the fact %s without a question mark, which is not given here", s.at,
					s.kind, name)
			}
		}
	}
	given := factsGiven(packages)
	for kind, facts := range declared {
		for _, fact := range strings.Split(facts, ",") {
			if name := bare(fact); name != "" && !given[name] {
				t.Errorf("the row of %s names the fact %s, which no code gives", kind, name)
			}
		}
	}
}

// names reports whether a row's facts, separated by commas, include name.
func names(facts, name string) bool {
	return slices.ContainsFunc(strings.Split(facts, ","), func(f string) bool { return bare(f) == name })
}

// required returns the facts of a row that have no question mark.
func required(facts string) (out []string) {
	for _, f := range strings.Split(facts, ",") {
		if f = strings.TrimSpace(f); f != "" && !strings.HasSuffix(f, "?") {
			out = append(out, bare(f))
		}
	}
	return out
}

// bare returns the name of a fact without the marks of its form: files[] is files, line? is line.
func bare(fact string) string { return strings.TrimRight(strings.TrimSpace(fact), "[]{}?") }

// contractConstants returns the names of the constants of package contract by "type value".
func contractConstants(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, file := range []string{"contract/warnings.go", "contract/errors.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		testkit.Must(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, _ := spec.Type.(*ast.Ident)
			value, isText := spec.Values[0].(*ast.BasicLit)
			if kind != nil && isText {
				text, _ := strconv.Unquote(value.Value)
				out[kind.Name+" "+text] = spec.Names[0].Name
			}
			return true
		})
	}
	return out
}

// parsedPackages parses the files of each package, without tests; its map is keyed by folder.
func parsedPackages(t *testing.T) (*token.FileSet, map[string][]*ast.File) {
	t.Helper()
	set, packages := token.NewFileSet(), map[string][]*ast.File{}
	eachFile(t, func(dir, path string, _ []string) {
		f, err := parser.ParseFile(set, path, nil, 0)
		testkit.Must(t, err)
		packages[dir] = append(packages[dir], f)
	})
	return set, packages
}

// factSites finds the places that make warnings and errors: a call whose arguments are a kind and its facts, or a
// literal with the fields Kind and Facts.
func factSites(set *token.FileSet, packages map[string][]*ast.File) (out []factSite) {
	for _, files := range packages {
		functions := map[string]*ast.FuncDecl{}
		for _, f := range files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					functions[fn.Name.Name] = fn
				}
			}
		}
		for _, f := range files {
			for _, d := range f.Decls {
				out = append(out, factReader{set, functions, d}.sites()...)
			}
		}
	}
	return out
}

// factsGiven returns the names of all facts that any code gives: the keys of literals of contract.Facts, and every key
// that is assigned to.
func factsGiven(packages map[string][]*ast.File) map[string]bool {
	out := map[string]bool{}
	key := func(e ast.Expr) {
		if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
			name, _ := strconv.Unquote(text.Value)
			out[name] = true
		}
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if of, ok := n.Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Facts" {
				if of, ok := n.Type.(*ast.Ident); !ok || of.Name != "Facts" {
					return true
				}
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					key(kv.Key)
				}
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if at, ok := left.(*ast.IndexExpr); ok {
					key(at.Index)
				}
			}
		}
		return true
	}
	for _, files := range packages {
		for _, f := range files {
			ast.Inspect(f, visit)
		}
	}
	return out
}

// factReader reads the facts that one declaration of a package gives.
type factReader struct {
	set       *token.FileSet
	functions map[string]*ast.FuncDecl
	in        ast.Node
}

func (r factReader) sites() (out []factSite) {
	ast.Inspect(r.in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			for i := 0; i+1 < len(n.Args); i++ {
				if kind := kindOf(n.Args[i]); kind != "" {
					s := r.site(kind, n.Pos(), n.Args[i+1])
					if called(n) == "WarnHolders" {
						s.always, s.maybe = append(s.always, "total", "files"), append(s.maybe, "line")
					}
					out = append(out, s)
					break
				}
			}
		case *ast.CompositeLit:
			fields := map[string]ast.Expr{}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					if key, ok := kv.Key.(*ast.Ident); ok {
						fields[key.Name] = kv.Value
					}
				}
			}
			if kind := kindOf(fields["Kind"]); kind != "" && fields["Message"] != nil {
				out = append(out, r.site(kind, n.Pos(), fields["Facts"]))
			}
		}
		return true
	})
	return out
}

// kindOf returns the name of the constant when e is a kind of warning or error, else "".
func kindOf(e ast.Expr) string {
	name := ""
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "contract" {
			name = e.Sel.Name
		}
	case *ast.Ident:
		name = e.Name // inside package contract
	}
	for _, prefix := range []string{"Warn", "Kind"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && rest != "ing" && rest != "ingKind" &&
			rest != "Info" {
			return name
		}
	}
	return ""
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func (r factReader) site(kind string, at token.Pos, facts ast.Expr) factSite {
	s := factSite{kind: kind, at: r.set.Position(at)}
	s.always, s.maybe, s.resolved = r.facts(facts)
	return s
}

// facts returns the keys that an expression of type Facts has: always, or maybe where they are assigned later. known is
// false unless e is a literal, a variable that the declaration fills, or a call of a function of the package.
func (r factReader) facts(e ast.Expr) (always, maybe []string, known bool) {
	switch e := e.(type) {
	case nil:
		return nil, nil, true
	case *ast.CompositeLit:
		for _, el := range e.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				if text, ok := kv.Key.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(text.Value)
					always = append(always, name)
				}
			}
		}
		return always, nil, true
	case *ast.Ident:
		if e.Name == "nil" {
			return nil, nil, true
		}
		return r.variable(e.Name)
	case *ast.CallExpr:
		fn := r.functions[called(e)]
		if fn == nil {
			return nil, nil, false
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
				inner := factReader{r.set, nil, fn}
				always, maybe, known = inner.facts(ret.Results[0])
			}
			return true
		})
		return always, maybe, known
	}
	return nil, nil, false
}

// variable returns the facts that the declaration assigns to a variable.
func (r factReader) variable(name string) (always, maybe []string, known bool) {
	ast.Inspect(r.in, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range assign.Lhs {
			switch left := left.(type) {
			case *ast.Ident:
				if left.Name == name && len(assign.Lhs) == len(assign.Rhs) {
					first, later, ok := r.facts(assign.Rhs[i])
					if _, again := assign.Rhs[i].(*ast.Ident); again {
						continue
					}
					always, maybe, known = append(always, first...), append(maybe, later...), known || ok
				}
			case *ast.IndexExpr:
				of, isName := left.X.(*ast.Ident)
				key, isText := left.Index.(*ast.BasicLit)
				if isName && isText && of.Name == name {
					text, _ := strconv.Unquote(key.Value)
					maybe = append(maybe, text)
				}
			}
		}
		return true
	})
	return always, maybe, known
}
