package lang

import (
	"slices"

	"lspi/internal/source"
)

// include is a directive of the preprocessor of C, with the file as it names it, and its base name.
var include = source.LazyRegexp(`(?m)^\x{FEFF}?\s*#\s*(?:include|import)\s*["<]((?:[^">\n]*/)?([^">/\n]+))[">]`)

// maybeInclude is a line that may include a file; plainInclude is one that names it. A digraph or trigraph may
// stand for #.
var (
	maybeInclude = source.LazyRegexp(`(?m)^\x{FEFF}?\s*(?:(?:#|%:|\?\?=)(?:[^\S\n]|/\*.*?\*/|\\\r?\n)*(?:include|import|embed|__include_macros|\\)|@\s*import\b|(?:export\s+)?(?:import|module)\b[^\S\n]*[<"\w:;]).*$`)
	plainInclude = source.LazyRegexp(`^\x{FEFF}?\s*#[^\S\n]*(?:include|import)[^\S\n]*["<][^">\n]+[">]`)
)

// IncludesByMacro reports whether a source of C may include a file that [Includes] does not return: by a macro, as a
// module, or in an unusual spelling.
func IncludesByMacro(text string) bool {
	for _, line := range maybeInclude.FindAllString(text, -1) {
		if !plainInclude.MatchString(line) {
			return true
		}
	}
	return false
}

// Includes returns the base names of the files that a source of C includes.
func Includes(text string) (out []string) {
	for _, m := range include.FindAllStringSubmatch(text, -1) {
		out = append(out, m[2])
	}
	return out
}

// AlwaysIncludes are those of [Includes] that no condition may leave out.
func AlwaysIncludes(text string) (out []string) {
	// Directives are none of the words that a condition has.
	conditional := Conditional(includeDirective.ReplaceAllString(text, "$1 $2"), []string{"include", "import"})
	for _, m := range include.FindAllStringSubmatchIndex(text, -1) {
		if !slices.ContainsFunc(conditional, func(at int) bool { return m[0] <= at && at < m[1] }) {
			out = append(out, text[m[4]:m[5]])
		}
	}
	return out
}

var includeDirective = source.LazyRegexp(`(?m)^([ \t]*)#([ \t]*(?:include|import)\b)`)

// IncludedFiles returns the files that a source of C includes, as it names them.
func IncludedFiles(text string) []string {
	return matched(include, text)
}

// fileDirective matches a directive of the C preprocessor that names a file.
var fileDirective = source.LazyRegexp(`^\x{FEFF}?\s*#\s*(include|include_next|import|embed)\b`)

// IsFileDirective reports whether a line of C names a file by a directive, which is no use of a symbol.
func IsFileDirective(line string) bool { return fileDirective.MatchString(line) }

// HasInclude reports whether a line, or one of several, includes a file.
func HasInclude(text string) bool { return include.MatchString(text) }
