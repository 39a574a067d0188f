package lang

import "regexp"

// include is a directive of the preprocessor of C, with the base name of the file that it names.
var include = regexp.MustCompile(`(?m)^\s*#\s*(?:include|import)\s*["<](?:[^">\n]*/)?([^">/\n]+)[">]`)

// Includes are the base names of the files that a source of C includes.
func Includes(text string) (out []string) {
	for _, m := range include.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// fileDirective is one of the preprocessor of C that names a file.
var fileDirective = regexp.MustCompile(`^\s*#\s*(include|include_next|import|embed)\b`)

// IsFileDirective reports whether a line of C names a file by a directive, which is no use of a symbol.
func IsFileDirective(line string) bool { return fileDirective.MatchString(line) }

// HasInclude reports whether a line, or one of several, includes a file.
func HasInclude(text string) bool { return include.MatchString(text) }
