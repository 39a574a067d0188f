package golang

import (
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"lspi/internal/source"
)

// Vendored reports whether a folder lies in a copy of modules that the go command has made (go help mod vendor): in
// vendor with its modules.txt. A go.mod there, as the go command left it up to 1.16, is read by nobody.
func Vendored(files source.Files, dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "vendor" && files.Has(dir, "modules.txt") {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// VendoredFrom returns the source that a file is the copy of, where the go command copied it from a folder that a
// replace directive names (Go Modules Reference, Vendoring: vendor/modules.txt has "# MODULE VERSION => FOLDER"); ""
// for any other file.
func VendoredFrom(path string) string {
	const folder = "/vendor/"
	i := strings.LastIndex(filepath.ToSlash(path), folder)
	if i < 0 {
		return ""
	}
	above, below := path[:i], filepath.ToSlash(path[i+len(folder):])
	text, err := source.ReadBytes(filepath.Join(above, "vendor", "modules.txt"))
	if err != nil {
		return ""
	}
	from, longest := "", 0
	for line := range strings.Lines(string(text)) {
		head, dir, replaced := strings.Cut(strings.TrimSpace(line), " => ")
		words := strings.Fields(head) // #, the module, its version
		if !replaced || len(words) < 2 || words[0] != "#" || !modfile.IsDirectoryPath(dir) {
			continue
		}
		module := words[1]
		if rest, within := strings.CutPrefix(below, module+"/"); within && len(module) > longest {
			from, longest = filepath.Join(source.Absolute(above, dir), filepath.FromSlash(rest)), len(module)
		}
	}
	return from
}

// ModuleOf returns the folder of the module that a file belongs to: that of the nearest go.mod which is not vendored,
// up to limit; "" when there is none.
func ModuleOf(files source.Files, path, limit string) string {
	module := source.Nearest(files, "go.mod", path, limit)
	for module != "" && Vendored(files, module) {
		if module == limit {
			return ""
		}
		module = source.Nearest(files, "go.mod", module, limit)
	}
	return module
}
