package typescript

import (
	"path/filepath"
	"strings"
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
