package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// defined is how a macro is defined; aliased are the ways in which a declaration gives a type another name: with
// using, or at the end of a typedef, also that of a function or of an array.
var (
	defined     = source.LazyRegexp(`^\s*#\s*define\s+(\w+)`)
	beginsAlias = source.LazyRegexp(`\b(?:using|typedef)\b`)
	aliased     = source.LazyRegexp(`\busing\s+(\w+)\s*=|\btypedef\b[^;]*?(?:\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\)\s*|\b(\w+)\s*(?:\[[^;]*\]\s*)?);`)
)

// maxAlias bounds the lines of one declaration that are looked at together.
const maxAlias = 200

// OtherNames returns names by which the C sources that include a file may use what has one of names: macros with one
// of names in their bodies, and type aliases whose declarations hold one.
func OtherNames(path string, names []string) (out []string) {
	text, err := source.Read(path)
	if err != nil || !slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(text.Content(), name)
	}) {
		return nil
	}
	macro, at := "", 0
	alias := declaration{names: names}
	for n := 1; n <= text.Lines(); n++ {
		line := text.Line(n)
		if strings.Contains(line, "#") {
			if m := defined.FindStringSubmatchIndex(line); m != nil {
				macro, at = line[m[2]:m[3]], m[3]
			}
		}
		if macro != "" && source.MayHoldAny(line[at:], names) {
			out = append(out, macro)
		}
		if at = 0; !strings.HasSuffix(strings.TrimRight(line, " \t"), `\`) {
			macro = ""
		}
		out = append(out, alias.add(line)...)
	}
	return out
}

// declaration collects the lines of a declaration that may give a type another name.
type declaration struct {
	names []string
	text  strings.Builder
	lines int // so far; 0 when no declaration is open
	depth int // of braces
}

// add takes the next line. It returns the aliases for what has one of the names, from declarations that end on it.
func (d *declaration) add(line string) (out []string) {
	if d.lines == 0 && !strings.Contains(line, "using") && !strings.Contains(line, "typedef") {
		return nil
	}
	line, _, _ = strings.Cut(line, "//")
	if d.lines == 0 {
		begin := beginsAlias.FindStringIndex(line)
		if begin == nil {
			return nil
		}
		line = line[begin[0]:] // what encloses it is no part of it
	}
	d.text.WriteString(line + "\n")
	d.lines++
	d.depth += strings.Count(line, "{") - strings.Count(line, "}")
	if d.lines < maxAlias && (d.depth > 0 || !strings.Contains(line, ";")) {
		return nil
	}
	text := d.text.String()
	d.text.Reset()
	d.lines, d.depth = 0, 0
	if !source.MayHoldAny(text, d.names) {
		return nil
	}
	for _, part := range statements(text) {
		if m := aliased.FindStringSubmatch(part); m != nil && source.MayHoldAny(part, d.names) {
			out = append(out, m[1]+m[2]+m[3])
		}
	}
	return out
}

// statements returns the parts of a text that end with a semicolon outside of braces, without what is in braces.
func statements(text string) (out []string) {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth = max(depth-1, 0)
		case depth == 0:
			b.WriteRune(r)
			if r == ';' {
				out = append(out, b.String())
				b.Reset()
			}
		}
	}
	return out
}
