package lsp

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"lspi/lang/golang"
)

// goBuild are the rules of the go command (go help packages, go help buildconstraint; go 1.26), for the build that gopls
// loads first: that of its environment.
type goBuild struct {
	here build.Context
	none build.Context // of no system at all: what it leaves out depends on the build

	flagged   bool // the tags are those of the settings
	moreFlags bool // GOFLAGS has others than tags
}

// goEnvLimit bounds go env, which takes 10 ms; a go line in go.mod may make it look for another toolchain.
const goEnvLimit = 3 * time.Second

func (g *goBuild) prepare(ctx context.Context, spec *Spec, root string) {
	g.here = build.Default
	section, _ := spec.Settings[spec.Build.Settings].(map[string]any)
	env := maps.Clone(spec.Env)
	if given, ok := section["env"].(map[string]any); ok {
		if env == nil {
			env = map[string]string{}
		}
		for name, value := range given {
			if text, ok := value.(string); ok {
				env[name] = text
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, goEnvLimit)
	defer cancel()
	configured := *spec
	configured.Env = env
	cmd := configured.Run(ctx, root, "go", "env", "-json", "GOOS", "GOARCH", "GOFLAGS", "CGO_ENABLED", "GOVERSION")
	cmd.WaitDelay = time.Second
	if out, err := cmd.Output(); err == nil {
		var told struct{ GOOS, GOARCH, GOFLAGS, CGO_ENABLED, GOVERSION string }
		if json.Unmarshal(out, &told) == nil {
			g.here.GOOS, g.here.GOARCH, g.here.CgoEnabled = told.GOOS, told.GOARCH, told.CGO_ENABLED == "1"
			given := strings.Fields(told.GOFLAGS)
			g.here.BuildTags = buildTags(given)
			g.moreFlags = slices.ContainsFunc(given, func(f string) bool { return !strings.HasPrefix(strings.TrimLeft(f, "-"), "tags") })
			if tags := releaseTags(told.GOVERSION); tags != nil {
				g.here.ReleaseTags = tags
			}
		}
	}
	if flags, ok := section["buildFlags"].([]any); ok {
		var given []string
		for _, f := range flags {
			text, _ := f.(string)
			given = append(given, text)
		}
		if tags := buildTags(given); tags != nil { // flags on the command line win over GOFLAGS
			g.here.BuildTags, g.flagged = tags, true
		}
	}
	g.none = build.Context{Compiler: g.here.Compiler, ReleaseTags: g.here.ReleaseTags}
}

// buildTags are the tags that flags ask for, the last -tags winning; nil when none does.
func buildTags(flags []string) []string {
	var tags []string
	for i, flag := range flags {
		name, value, has := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if name != "tags" {
			continue
		}
		if !has && i+1 < len(flags) {
			value = flags[i+1]
		}
		tags = strings.FieldsFunc(strings.Trim(value, `'"`), func(r rune) bool { return r == ',' || r == ' ' })
	}
	return tags
}

// releaseTags are go1.1 to go1.N of "go1.N.M"; nil for a version of another form.
func releaseTags(version string) []string {
	rest, ok := strings.CutPrefix(version, "go1.")
	digits := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsDigit(r) })
	if digits >= 0 {
		rest = rest[:digits]
	}
	n, err := strconv.Atoi(rest)
	if !ok || err != nil {
		return nil
	}
	var tags []string
	for i := range n {
		tags = append(tags, "go1."+strconv.Itoa(i+1))
	}
	return tags
}

func (g *goBuild) source(base string) bool { return strings.HasSuffix(base, ".go") }

func (g *goBuild) mark() string { return "go.mod" }

func (g *goBuild) name(mark string) string { return modfile.ModulePath([]byte(mark)) }

// topLevel begins the line of a declaration that is certainly no member of a type: only who imports its package can name
// it. A method may be called on a value that came by way of another package.
var topLevel = regexp.MustCompile(`^(func|type|var|const|package) (\pL|_)`)

// importSpec is a line that names a package.
var importSpec = regexp.MustCompile(`^\s*(import\s+)?([\pL_.][\pL\d_]*\s+)?"[^"]*"`)

func (g *goBuild) private(name string, declared Place) bool {
	return !token.IsExported(name) && !strings.HasPrefix(declared.Line, "package ") && !importSpec.MatchString(declared.Line)
}

func (g *goBuild) declares(line string, at int) bool {
	return topLevel.MatchString(line) && at == strings.IndexByte(line, ' ')+1
}

func (g *goBuild) mayUse(m *Mentions, scope string, declared Place, projects []string) bool {
	if m.Imports[scope] {
		return true
	}
	if topLevel.MatchString(declared.Line) {
		return false
	}
	for _, imports := range []map[string]bool{m.Imports, m.Beside} {
		for path := range imports {
			if slices.ContainsFunc(projects, func(name string) bool { return name != "" && (path == name || strings.HasPrefix(path, name+"/")) }) {
				return true
			}
		}
	}
	return false
}

func (g *goBuild) beside(dir string) map[string]bool {
	out := map[string]bool{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		if !g.source(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		file, _ := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.ImportsOnly)
		if file == nil {
			continue
		}
		for _, i := range file.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				out[path] = true
			}
		}
	}
	return out
}

// atVersion is the version in the name of a folder of the module cache.
var atVersion = regexp.MustCompile(`@[^/]*`)

// mayUseOutside goes by the folder of the standard library or of the module cache, which ends with the import path.
func (g *goBuild) mayUseOutside(m *Mentions, dir string, declared Place) bool {
	if !topLevel.MatchString(declared.Line) {
		return true
	}
	dir = atVersion.ReplaceAllString(filepath.ToSlash(dir), "")
	for path := range m.Imports {
		if strings.HasSuffix(dir, "/"+path) || strings.ToLower(path) != path { // the module cache writes capitals in its own way
			return true
		}
	}
	return false
}

// structType is how gopls shows a type of fields (0.23.0).
var structType = regexp.MustCompile(`(?m)^type \w+(\[.*\])? struct\b`)

func (g *goBuild) concrete(hover string) bool { return structType.MatchString(hover) }

// place: folders and files that begin with a dot or underscore, testdata and vendor are no part of any build; a folder
// whose path is no import path is left out with all that it holds, and gopls says nothing (0.23.0).
func (g *goBuild) place(rel string) exclusion {
	rel = filepath.ToSlash(rel)
	for part := range strings.SplitSeq(rel, "/") {
		if part[0] == '.' || part[0] == '_' || part == "testdata" || part == "vendor" {
			return byDesign
		}
	}
	dir, _, inFolder := cutLast(rel, "/")
	if inFolder && module.CheckImportPath(dir) != nil {
		return byPath
	}
	return included
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

func (g *goBuild) excluded(path, text string) (excluded, varies bool) {
	base := filepath.Base(path)
	constrained := strings.Contains(text, "//go:build ") || strings.Contains(text, "// +build ") || strings.Contains(text, "//+build ")
	cgo := strings.Contains(text, `"C"`) && importsC(path, text)
	if !constrained && !cgo && !strings.Contains(base, "_") {
		return false, false
	}
	if !constrained {
		text = "package x\n" // only the name decides, and its imports need not be read
	}
	excluded = !goMatches(g.here, base, text) || cgo && !g.here.CgoEnabled
	return excluded, constrained || cgo || !goMatches(g.none, base, text)
}

func goMatches(in build.Context, base, text string) bool {
	in.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	ok, err := in.MatchFile("", base)
	return ok || err != nil // what cannot be read is no matter of the build
}

func importsC(path, text string) bool {
	file, _ := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
	if file == nil {
		return false
	}
	for _, i := range file.Imports {
		if i.Path.Value == `"C"` {
			return true
		}
	}
	return false
}

func (g *goBuild) parses(path, text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	return err == nil
}

func (g *goBuild) mentions(path, text string) *Mentions {
	m := &Mentions{Words: map[string]bool{}, Declared: map[string]bool{}, Methods: map[string]bool{}, Abstract: map[string]bool{},
		Embedded: map[string]bool{}, Imports: map[string]bool{}}
	files := token.NewFileSet()
	var scan scanner.Scanner
	scan.Init(files.AddFile(path, files.Base(), len(text)), []byte(text), func(token.Position, string) {}, 0)
	for _, tok, word := scan.Scan(); tok != token.EOF; _, tok, word = scan.Scan() {
		if tok == token.IDENT {
			m.Words[word] = true
		}
	}
	file, _ := parser.ParseFile(files, path, text, parser.SkipObjectResolution) // what it reads of a broken file is enough
	if file == nil {
		return m
	}
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil {
			m.Imports[path] = true
		}
		for _, word := range strings.FieldsFunc(i.Path.Value, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			m.Words[word] = true
		}
	}
	d := declared{m, file.Name.Name}
	for _, decl := range file.Decls {
		d.declaration(decl)
	}
	return m
}

// declared collects what a package declares.
type declared struct {
	*Mentions
	pkg string
}

// add enters a name of the package, or the member of a type, with its qualified forms.
func (d declared) add(of, name string) {
	d.Declared[name] = true
	if of != "" {
		name = of + "." + name
		d.Declared[name] = true
	}
	d.Declared[d.pkg+"."+name] = true
}

func (d declared) declaration(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		of := ""
		if decl.Recv != nil && len(decl.Recv.List) > 0 {
			of = golang.Receiver(decl.Recv.List[0].Type)
			d.Methods[decl.Name.Name] = true
		}
		d.add(of, decl.Name.Name)
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.add("", spec.Name.Name)
				d.members(spec.Name.Name, spec.Type)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					d.add("", name.Name)
				}
			}
		}
	}
}

// members are fields, methods of interfaces, and what is embedded.
func (d declared) members(of string, in ast.Expr) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			d.fields(of, n.Fields, false)
		case *ast.InterfaceType:
			d.fields(of, n.Methods, true)
		}
		return true
	})
}

func (d declared) fields(of string, list *ast.FieldList, methods bool) {
	for _, f := range list.List {
		for _, name := range f.Names {
			d.add(of, name.Name)
			if methods {
				d.Methods[name.Name], d.Abstract[name.Name] = true, true
			}
		}
		if len(f.Names) == 0 {
			ast.Inspect(f.Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					d.Embedded[id.Name] = true
				}
				return true
			})
		}
	}
}
