package packages

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

var (
	// scriptFrom matches an export of what another file declares: all of it, or names.
	scriptFrom = source.LazyRegexp(`(?m)^\s*export\s+(?:type\s+)?(?:(\*)|\{([^}]*)\})\s*from\s*["']([^"']+)["']`)
	// rustUse matches what is passed on; rustLeaf the names in it, or the module before a star.
	rustUse  = source.LazyRegexp(`(?m)^[ \t]*pub\s+use\s+([^;]*;)`)
	rustLeaf = source.LazyRegexp(`(?:(\w+)\s*::\s*\*|(\w+)(?:\s+as\s+(\w+))?)\s*[,};]`)
	// pythonFrom matches an import of names in a package, with or without brackets.
	pythonFrom = source.LazyRegexp(`(?m)^[ \t]*from\s+(\.[\w.]*|[\w.]+)\s+import\s+(?:\(([^)]*)\)|([^\n(]+))`)
	// headerIncluded matches an include.
	headerIncluded = source.LazyRegexp(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]`)
	oneName        = source.LazyRegexp(`(?:type\s+)?([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?`)
)

// scriptPasses: export … from.
func scriptPasses(_, text string) (out []Passed) {
	for _, m := range scriptFrom.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			out = append(out, Passed{At: m[6], All: true})
			continue
		}
		out = append(out, namesIn(text, m[4], m[5])...)
	}
	return out
}

// rustPasses: pub use.
func rustPasses(_, text string) (out []Passed) {
	for _, use := range rustUse.FindAllStringSubmatchIndex(text, -1) {
		for _, m := range rustLeaf.FindAllStringSubmatchIndex(text[use[2]:use[3]], -1) {
			if m[2] >= 0 {
				out = append(out, Passed{At: use[2] + m[2], All: true})
				continue
			}
			p := Passed{At: use[2] + m[4], Name: text[use[2]+m[4] : use[2]+m[5]]}
			if m[6] >= 0 {
				p.Name = text[use[2]+m[6] : use[2]+m[7]]
			}
			if p.Name != "_" && text[p.At:use[2]+m[5]] != "self" {
				out = append(out, p)
			}
		}
	}
	return out
}

// pythonAll matches the names that a module says it offers.
var pythonAll = source.LazyRegexp(`(?m)^__all__[ \t]*(?::[^=\n]*)?\+?=[ \t]*[\[(]([^\])]*)[\])]`)

// pythonPasses: what a package imports from its own modules, without what begins with an underscore, what it imports
// and has in __all__, and all of what it imports with a star.
func pythonPasses(path, text string) (out []Passed) {
	own := filepath.Base(filepath.Dir(path))
	var listed string
	for _, m := range pythonAll.FindAllStringSubmatch(text, -1) {
		listed += m[1] + ","
	}
	offers := func(name string) bool {
		return strings.Contains(listed, `"`+name+`"`) || strings.Contains(listed, "'"+name+"'")
	}
	for _, m := range pythonFrom.FindAllStringSubmatchIndex(text, -1) {
		from, to := max(m[4], m[6]), max(m[5], m[7])
		all := strings.TrimSpace(text[from:to]) == "*"
		if !atTop(text, m[0]) {
			continue
		}
		if all {
			out = append(out, Passed{At: m[3] - 1, All: true})
			continue
		}
		inside := text[m[2]] == '.' || slices.Contains(strings.Split(text[m[2]:m[3]], "."), own)
		for _, p := range namesIn(text, from, to) {
			if inside && !strings.HasPrefix(p.Name, "_") || offers(p.Name) {
				out = append(out, p)
			}
		}
	}
	return out
}

// conditional matches the head of a block that runs when a module of Python is loaded.
var conditional = source.LazyRegexp(`^(?:try|except|else|finally|if|elif|with)\b`)

// atTop reports whether a line of Python runs when its module is loaded: it has no indentation, or is in a block
// of try or if.
func atTop(text string, at int) bool {
	if text[at] != ' ' && text[at] != '\t' {
		return true
	}
	lines := strings.Split(text[:at], "\n")
	for n := len(lines) - 1; n >= 0; n-- {
		if line := lines[n]; line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '#' {
			return conditional.MatchString(line)
		}
	}
	return false
}

// headerPasses: the parts of a header that nobody includes by themselves: bits/stl_vector.h, __vector/vector.h.
func headerPasses(_, text string) (out []Passed) {
	for _, m := range headerIncluded.FindAllStringSubmatchIndex(text, -1) {
		if name := text[m[2]:m[3]]; strings.HasPrefix(name, "bits/") || strings.HasPrefix(name, "__") {
			out = append(out, Passed{At: m[2], All: true})
		}
	}
	return out
}

// comment matches one to the end of a line.
var comment = source.LazyRegexp(`(?:#|//)[^\n]*`)

// namesIn are the names of a list with commas, each with the one that it gets.
func namesIn(text string, from, to int) (out []Passed) {
	text = comment.ReplaceAllStringFunc(text[:to], func(c string) string { return strings.Repeat(" ", len(c)) })
	for at := from; at < to; {
		end := strings.IndexByte(text[at:to], ',')
		if end < 0 {
			end = to - at
		}
		item := text[at : at+end]
		if m := oneName.FindStringSubmatchIndex(item); m != nil {
			p := Passed{At: at + m[2], Name: item[m[2]:m[3]]}
			if m[4] >= 0 {
				p.Name = item[m[4]:m[5]]
			}
			out = append(out, p)
		}
		at += end + 1
	}
	return out
}
