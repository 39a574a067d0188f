package golang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// LinkerName is a place in assembly or in a go:linkname directive that names a Go declaration of another source.
type LinkerName struct {
	Line    int
	Package string // its path; "" for the package of the folder
	Name    string // members as "Type.Member"
	Defines bool   // it begins the code of the function
}

// LinkerNames returns the names in the go:linkname directives of a Go source, or in an assembly source
// ([AssemblyNames]).
func LinkerNames(path, text string) (out []LinkerName) {
	if filepath.Ext(path) == ".go" {
		Linknames(text, func(line int, remote string) {
			pkg, name := SplitLinkname(remote)
			out = append(out, LinkerName{Line: line, Package: pkg, Name: name})
		})
		return out
	}
	lines := strings.Split(text, "\n")
	AssemblyNames(text, func(line int, pkg, name string) {
		out = append(out, LinkerName{line, pkg, name, strings.HasPrefix(strings.TrimSpace(lines[line-1]), "TEXT")})
	})
	return out
}

// IsAssembly reports whether a file is assembly for the go command.
func IsAssembly(path string) bool { return filepath.Ext(path) == ".s" }

// BareLinkerNames returns the names of [LinkerNames] without the types whose members they are.
func BareLinkerNames(path, text string) map[string]bool {
	out := map[string]bool{}
	for _, n := range LinkerNames(path, text) {
		out[strings.Clone(Bare(n.Name))] = true // a copy, which does not keep the whole text in memory
	}
	return out
}

// Bare returns a name without the type whose member it is.
func Bare(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// DeclaredOn returns the package-level declaration of a name on a line, with its package; a member is "Type.Member".
// Both are "" when the line declares no such name.
func DeclaredOn(text string, line int, name string) (pkg, declared string) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if file == nil {
		return "", ""
	}
	eachDeclared(file, func(of string, id *ast.Ident) {
		if id.Name == name && files.Position(id.Pos()).Line == line {
			declared = strings.TrimPrefix(of+"."+name, ".")
		}
	}, func(ast.Expr) {})
	return file.Name.Name, declared
}
