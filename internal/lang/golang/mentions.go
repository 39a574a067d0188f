package golang

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// topLevel matches the first line of a declaration that is not a member of a type. Only a source that imports its
// package can name it, while a method may be called on a value that came by way of another package.
var topLevel = source.LazyRegexp(`^(func|type|var|const|package) (\pL|_)`)

// importSpec matches a line that names a package.
var importSpec = source.LazyRegexp(`^\s*(import\s+)?([\pL_.][\pL\d_]*\s+)?"[^"]*"`)

// IsTopLevel reports whether a line begins a declaration that certainly is not a member of a type.
func IsTopLevel(line string) bool { return topLevel.MatchString(line) }

// IsImport reports whether a line names a package.
func IsImport(line string) bool { return importSpec.MatchString(line) }

// ImportsIn returns the imports of all sources in a folder.
func ImportsIn(dir string) map[string]bool {
	out := map[string]bool{}
	for _, base := range FilesIn(dir) {
		file, _ := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, base), nil, parser.ImportsOnly)
		for _, path := range importPaths(file) {
			out[path] = true
		}
	}
	return out
}

// Parses reports whether a source has no syntax error.
func Parses(path, text string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	return err == nil
}

// MentionsOf returns the names in a source; of a broken one as far as the parser reads it.
func MentionsOf(path, text string) *lang.Mentions {
	m := &lang.Mentions{Words: map[string]bool{}, Declared: map[string]bool{},
		Embedded: map[string]bool{}, Imports: map[string]bool{}}
	eachIdentifier(text, func(name string) { m.Words[name] = true })
	file := parsed(token.NewFileSet(), path, text, 0)
	if file == nil {
		return m
	}
	for _, path := range importPaths(file) {
		m.Imports[path] = true
		for _, word := range strings.FieldsFunc(path, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			m.Words[word] = true
		}
	}
	eachDeclared(file, func(of string, id *ast.Ident) {
		name := id.Name
		m.Declared[name] = true
		if of != "" {
			name = of + "." + name
			m.Declared[name] = true
		}
		m.Declared[file.Name.Name+"."+name] = true
	}, func(embedded ast.Expr) {
		ast.Inspect(embedded, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				m.Embedded[id.Name] = true
			}
			return true
		})
	})
	return m
}

// eachIdentifier visits the identifiers of a source.
func eachIdentifier(text string, visit func(name string)) {
	files := token.NewFileSet()
	var scan scanner.Scanner
	scan.Init(files.AddFile("", files.Base(), len(text)), []byte(text), func(token.Position, string) {}, 0)
	for _, tok, word := scan.Scan(); tok != token.EOF; _, tok, word = scan.Scan() {
		if tok == token.IDENT {
			visit(word)
		}
	}
}
