package pyright

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
)

// imported matches an import of names, and one of a module, of a Python source (The Python Language Reference, The
// import statement).
var (
	importFrom   = source.LazyRegexp(`(?m)^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)`)
	importModule = source.LazyRegexp(`(?m)^[ \t]*import[ \t]+([^\n#]+)`)
)

// foreign is [lsp.CoverageHooks].Foreign: the module, or the value before the dot, is imported by a name whose first
// part is no folder and no source of the tree.
func (a *Process) foreign(_ context.Context, text *source.Text, offset int, _ lsp.Place) bool {
	module := moduleOf(text.Content(), lang.ImportedName(text.Content(), offset))
	return module != "" && !strings.HasPrefix(module, ".") && !a.inTree(strings.Split(module, ".")[0])
}

// moduleOf is the module from which a source imports a name, or that it imports by it; "" where it does neither.
func moduleOf(content, name string) string {
	if name == "" {
		return ""
	}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for _, m := range importFrom.FindAllStringSubmatch(content, -1) {
		if word.MatchString(m[2]) {
			return m[1]
		}
	}
	for _, m := range importModule.FindAllStringSubmatch(content, -1) {
		for _, one := range strings.Split(m[1], ",") {
			fields := strings.Fields(one)
			if len(fields) == 3 && fields[2] == name || len(fields) == 1 && strings.Split(fields[0], ".")[0] == name {
				return fields[0]
			}
		}
	}
	return ""
}

// projectFiles may give a package another name than that of its folder (package_dir of setuptools).
var projectFiles = []string{"pyproject.toml", "setup.py", "setup.cfg"}

// inTree reports whether a folder or a source of the tree has a name, or a project file names it.
func (a *Process) inTree(name string) bool {
	for path := range a.Server.Journal().Files() {
		if slices.Contains(projectFiles, filepath.Base(path)) {
			if text, err := source.Read(path); err != nil || source.HasWord(text.Content(), name) {
				return true
			}
		}
		below, _ := source.RelativeTo(a.Server.Journal().Root(), path)
		parts := strings.Split(filepath.ToSlash(below), "/")
		last := len(parts) - 1
		parts[last], _, _ = strings.Cut(parts[last], ".")
		for _, part := range parts {
			if part == name {
				return true
			}
		}
	}
	return false
}
