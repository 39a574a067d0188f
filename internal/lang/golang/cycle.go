package golang

import (
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ImportsOf returns the paths that a source imports, sorted, each once; for a broken source as far as the parser
// reads.
func ImportsOf(file, text string) []string {
	all := importPaths(parsed(token.NewFileSet(), file, text, parser.ImportsOnly))
	slices.Sort(all)
	return slices.Compact(all)
}

// ImportsItself reports whether the package of a source imports itself by way of other packages of its module, which
// the go command refuses. gopls then loses imports, and says so up to a second later, so lspi follows the imports
// itself. read returns the text of a source, "" where there is none. In the other packages, tests and what the build
// leaves out are skipped.
func ImportsItself(in build.Context, file string, read func(path string) string) bool {
	dir := filepath.Dir(file)
	root, module := ModuleAbove(dir)
	if module == "" {
		return false
	}
	text := read(file)
	// Tests in a package of their own may import a package that imports the one beside them.
	if strings.HasSuffix(file, "_test.go") && strings.HasSuffix(PackageName(text), "_test") {
		return false
	}
	// A file that no build takes in, such as a program with //go:build ignore, may import the package beside it.
	if !slices.ContainsFunc(Ports(in), func(in build.Context) bool { return Matches(in, filepath.Base(file), text) }) {
		return false
	}
	// folders are those of the module among the imported packages.
	folders := func(imports []string) (out []string) {
		for _, p := range imports {
			if below, ok := strings.CutPrefix(p, module); ok && (below == "" || below[0] == '/') {
				out = append(out, filepath.Join(root, filepath.FromSlash(path.Clean("/"+below))))
			}
		}
		return out
	}
	seen := map[string]bool{}
	for waiting := folders(ImportsOf(file, text)); len(waiting) > 0; {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if next == dir {
			return true
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		for _, base := range FilesIn(next) {
			name := filepath.Join(next, base)
			if strings.HasSuffix(base, "_test.go") {
				continue
			}
			if text := read(name); Matches(in, base, text) {
				waiting = append(waiting, folders(ImportsOf(name, text))...)
			}
		}
	}
	return false
}

// ModuleAbove returns the nearest folder with a go.mod, and the path of its module; both "" when there is none.
func ModuleAbove(dir string) (root, module string) {
	for {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil {
			return dir, ModulePath(text)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ""
		}
		dir = up
	}
}
