package typescript

import (
	"os"
	"path/filepath"

	"lspi/internal/source"
)

// Settings by which an import that is not a path means a source of the project. They are read without a parser, since
// the file may have comments.
var (
	baseFolder  = source.LazyRegexp(`"baseUrl"\s*:`)
	otherPaths  = source.LazyRegexp(`"paths"\s*:\s*\{([^}]*)\}`)
	otherPrefix = source.LazyRegexp(`"([^"*]*)[^"]*"\s*:`)
)

// Aliases returns the prefixes of import names that a project file maps to paths; "" stands for any name.
func Aliases(text []byte) (out []string) {
	if baseFolder.Match(text) {
		return []string{""}
	}
	for _, paths := range otherPaths.FindAllSubmatch(text, -1) {
		for _, key := range otherPrefix.FindAllSubmatch(paths[1], -1) {
			out = append(out, string(key[1]))
		}
	}
	return out
}

var (
	referenceList = source.LazyRegexp(`"references"\s*:\s*\[([^\]]*)\]`)
	referencePath = source.LazyRegexp(`"path"\s*:\s*"([^"]+)"`)
)

// References returns the project files to which a project file refers and that may own the sources nearest to it. A
// referenced folder whose project file has the usual name owns its own sources, and is left out.
func References(config string) []string {
	text, err := source.ReadBytes(config)
	if err != nil {
		return nil
	}
	var out []string
	for _, list := range referenceList.FindAllSubmatch(text, -1) {
		for _, ref := range referencePath.FindAllSubmatch(list[1], -1) {
			path := filepath.Join(filepath.Dir(config), filepath.FromSlash(string(ref[1])))
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() &&
				filepath.Base(path) != filepath.Base(config) {
				out = append(out, path)
			}
		}
	}
	return out
}

// HasGlobalTypes reports whether a package.json or a tsconfig.json names packages that declare what every source sees.
func HasGlobalTypes(text []byte) bool { return globalTypes.Match(text) }

// IsJSX reports whether a file has elements of JSX.
func IsJSX(path string) bool { return withJSX.MatchString(path) }
