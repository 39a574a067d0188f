package golang

import (
	"path/filepath"

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
