package typescript

import (
	"path/filepath"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// IsPath reports whether an import names a file by its path.
func IsPath(name string) bool { return name != "" && name[0] == '.' || filepath.IsAbs(name) }

// OfPackage reports whether an import names a package, or a file in it.
func OfPackage(name, pkg string) bool { return name == pkg || strings.HasPrefix(name, pkg+"/") }

// sourceEnds are the extensions that TypeScript tries behind the path of an import.
var sourceEnds = []string{"", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"}

// Candidates returns the paths of all files that an import by path may mean.
func Candidates(from, name string) (out []string) {
	base := filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
	bases := []string{base, filepath.Join(base, "index")}
	switch ext := filepath.Ext(base); ext {
	case ".js", ".jsx", ".mjs", ".cjs":
		bases = append(bases, strings.TrimSuffix(base, ext))
	}
	for _, b := range bases {
		for _, end := range sourceEnds {
			out = append(out, b+end)
		}
	}
	return out
}

// Import is a name that a source has by an import.
type Import struct {
	Module string // as it is written
	Name   string // what the module calls it; "default", or "*" for the module itself
	Local  string
	At     int    // the offset of Local
	Whole  [2]int // the range of the statement, without what ends it
}

var (
	importStatement = source.LazyRegexp(`(?m)^[ \t]*import[ \t]+(?:type\s+)?([\w$*{][^;"'()=]*?)\s*\bfrom\s*["']([^"'\n]+)["'](?:\s*\b(?:with|assert)\s*\{[^}]*\})?`)
	importItem      = source.LazyRegexp(`(?:(\*|[\w$]+)\s+as\s+)?([\w$]+)\s*$`)
)

// Imports are the names that a source imports by import and from.
func Imports(path, text string) (out []Import) {
	var code string
	for _, m := range importStatement.FindAllStringSubmatchIndex(text, -1) {
		if code == "" {
			code = lang.CodeOf(path, text)
		}
		if !strings.HasPrefix(strings.TrimLeft(code[m[0]:m[1]], " \t"), "import") {
			continue // in a comment, or in a text
		}
		listed := false
		for at := m[2]; at < m[3]; {
			end := m[3]
			if i := strings.IndexAny(text[at:end], ",{}"); i >= 0 {
				end = at + i
			}
			if g := importItem.FindStringSubmatchIndex(text[at:end]); g != nil {
				one := Import{Module: text[m[4]:m[5]], Local: text[at+g[4] : at+g[5]], At: at + g[4],
					Whole: [2]int{m[0], m[1]}}
				switch {
				case g[2] >= 0:
					one.Name = text[at+g[2] : at+g[3]]
				case listed:
					one.Name = one.Local
				default:
					one.Name = "default"
				}
				out = append(out, one)
			}
			listed = listed || end < m[3] && text[end] == '{'
			at = end + 1
		}
	}
	return out
}
