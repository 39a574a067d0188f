package lang

import (
	"strings"

	"lspi/internal/source"
)

var (
	pythonAs     = source.LazyRegexp(`^[ \t]+as[ \t]+(\w+)`)
	pythonImport = source.LazyRegexp(`^[ \t]*(from|import)[ \t]`)
	// pythonImported matches a line of an import whose names are in parentheses.
	pythonImported = source.LazyRegexp(`^[ \t]*(\w+([ \t]+as[ \t]+\w+)?[ \t]*,?[ \t]*)*\)?[ \t]*(#.*)?\r?$`)
)

// PythonAlias returns the offset of the alias that an import gives to the name which ends at the offset end; -1 where
// no import does. The as of with, except and case names a value, and does not count.
func PythonAlias(text string, end int) int {
	group := pythonAs.FindStringSubmatchIndex(text[end:])
	if group == nil {
		return -1
	}
	for line := end; ; {
		begin := strings.LastIndexByte(text[:line], '\n') + 1
		stop := strings.IndexByte(text[begin:], '\n')
		if stop < 0 {
			stop = len(text) - begin
		}
		switch this := text[begin : begin+stop]; {
		case pythonImport.MatchString(this):
			return end + group[2]
		case begin == 0 || !pythonImported.MatchString(this):
			return -1
		}
		line = begin - 1
	}
}

// rustUse matches the text from the beginning of a use declaration to a name in it.
var rustUse = source.LazyRegexp(`\buse\s[^;()=]*$`)

// RustAlias returns the offset of the name that a use declaration gives to what ends at the offset end; -1 where none
// does. The as of a cast names a type, and does not count.
func RustAlias(text string, end int) int {
	group := rustAs.FindStringSubmatchIndex(text[end:])
	if group == nil || !rustUse.MatchString(text[max(0, end-maxUse):end]) {
		return -1
	}
	return end + group[2]
}

// maxUse is how far before a name its use declaration is looked for, in bytes.
const maxUse = 4000

var rustAs = source.LazyRegexp(`^\s+as\s+(?:r#)?([\pL_][\pL\d_]+|[\pL])`)

var (
	pythonImportLine = source.LazyRegexp(`(?m)^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]+))`)
	pythonWord       = source.LazyRegexp(`\w+`)
)

// PythonImports returns the words in the import statements of a Python source.
func PythonImports(text string) (out []string) {
	for _, m := range pythonImportLine.FindAllStringSubmatch(text, -1) {
		out = append(out, pythonWord.FindAllString(strings.Join(m[1:], " "), -1)...)
	}
	return out
}

// PythonModuleOf returns the module from which a Python source imports a name, or that it imports by it; "" where it
// does neither (The Python Language Reference, The import statement).
func PythonModuleOf(text, name string) string {
	for _, m := range pythonImportLine.FindAllStringSubmatch(text, -1) {
		if name != "" && source.HasWord(m[2], name) {
			return m[1]
		}
		for one := range strings.SplitSeq(m[3], ",") {
			fields := strings.Fields(one)
			if len(fields) == 3 && fields[2] == name || len(fields) == 1 && strings.Split(fields[0], ".")[0] == name {
				return fields[0]
			}
		}
	}
	return ""
}

// PythonGlobal reports whether a file declares names for all other files (pyright's __builtins__.pyi).
func PythonGlobal(base, _ string) bool { return base == "__builtins__.pyi" }
