package typescript

import "lspi/internal/source"

// emitted matches the extensions of files that the TypeScript compiler writes.
var emitted = source.LazyRegexp(`\.(d\.[cm]?ts|[cm]?jsx?)$`)

// scriptSource matches the extensions of files that it compiles.
var scriptSource = source.LazyRegexp(`\.([cm]?tsx?|[cm]?jsx?)$`)

// madeNames matches names that a compiler makes: helpers and the names in them (tslib of TypeScript 5), temporary
// variables, imported modules.
var madeNames = source.LazyRegexp(`^(__\w*|_[a-z]\d*|\w+_\d+|exports|module|require|Object|k2?|[mov]|ar|desc|mod|result|ownKeys|enumerable|value)$`)

var declarations = source.LazyRegexp(`\.d\.[cm]?ts$`)

// IsDeclaration reports whether a file only declares what another file defines.
func IsDeclaration(path string) bool { return declarations.MatchString(path) }

// EmittedEnding returns the extension of a file that the compiler may have written; "" for another file.
func EmittedEnding(path string) string { return emitted.FindString(path) }

// SourceEnding returns the extension of a source; "" for another file.
func SourceEnding(path string) string { return scriptSource.FindString(path) }

// IsHelperName reports whether a name is one that the compiler makes.
func IsHelperName(name string) bool { return madeNames.MatchString(name) }
