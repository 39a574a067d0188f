package typescript

import (
	"path/filepath"
	"regexp"

	"lspi/source"
)

// emitted is how the name of a file ends that a compiler of TypeScript writes.
var emitted = regexp.MustCompile(`\.(d\.[cm]?ts|[cm]?jsx?)$`)

// scriptSource is how the name of a source ends that is compiled.
var scriptSource = regexp.MustCompile(`\.([cm]?tsx?|[cm]?jsx?)$`)

// madeNames are names that a compiler makes: helpers (and what these call their own: tslib of TypeScript 5), temporary variables,
// imported modules.
var madeNames = regexp.MustCompile(`^(__\w*|_[a-z]\d*|\w+_\d+|exports|module|require|Object|k2?|[mov]|ar|desc|mod|result|ownKeys|enumerable|value)$`)

// outFolder are the settings that say where output goes.
var outFolder = regexp.MustCompile(`"(?:outDir|declarationDir)"\s*:\s*"([^"]+)"`)

var declarations = regexp.MustCompile(`\.d\.[cm]?ts$`)

// IsDeclaration reports whether a file only declares what another one has.
func IsDeclaration(path string) bool { return declarations.MatchString(path) }

// EmittedEnding is how the name of a file ends that a compiler may have written; "" of another one.
func EmittedEnding(path string) string { return emitted.FindString(path) }

// SourceEnding is how the name of a source ends; "" of another file.
func SourceEnding(path string) string { return scriptSource.FindString(path) }

// IsHelperName reports whether a compiler may have made up a name.
func IsHelperName(name string) bool { return madeNames.MatchString(name) }

// OutputFolders are the folders below that of a project file, other than itself, into which its settings have output written.
func OutputFolders(folder string, config []byte) (out []string) {
	for _, m := range outFolder.FindAllSubmatch(config, -1) {
		if dir := filepath.Join(folder, filepath.FromSlash(string(m[1]))); dir != folder {
			if _, inside := source.RelativeTo(folder, dir); inside {
				out = append(out, dir)
			}
		}
	}
	return out
}
