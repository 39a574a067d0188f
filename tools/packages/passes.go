package packages

import (
	"strings"

	"lspi/internal/source"
)

var (
	// scriptFrom matches an export of what another file declares: all of it, or names.
	scriptFrom = source.LazyRegexp(`(?m)^\s*export\s+(?:type\s+)?(?:(\*)|\{([^}]*)\})\s*from\s*["']([^"']+)["']`)
	// rustUse matches an item that is passed on, without braces or with one pair of them.
	rustUse = source.LazyRegexp(`(?m)^\s*pub\s+use\s+([\w:\s]*?)(?:\{([^{}]*)\}|(\*)|(\w+)(?:\s+as\s+(\w+))?)\s*;`)
	// pythonFrom matches an import of names in a package, with or without brackets.
	pythonFrom = source.LazyRegexp(`(?m)^from\s+(\.[\w.]*)\s+import\s+(?:\(([^)]*)\)|([^\n(]+))`)
	// headerIncluded matches an include.
	headerIncluded = source.LazyRegexp(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]`)
	oneName        = source.LazyRegexp(`(?:type\s+)?([A-Za-z_$][\w$]*)(?:\s+as\s+([A-Za-z_$][\w$]*))?`)
)

// scriptPasses: export … from.
func scriptPasses(text string) (out []Passed) {
	for _, m := range scriptFrom.FindAllStringSubmatchIndex(text, -1) {
		if m[2] >= 0 {
			out = append(out, Passed{At: m[6] + 1, All: true})
			continue
		}
		out = append(out, namesIn(text, m[4], m[5])...)
	}
	return out
}

// rustPasses: pub use.
func rustPasses(text string) (out []Passed) {
	for _, m := range rustUse.FindAllStringSubmatchIndex(text, -1) {
		switch {
		case m[4] >= 0:
			out = append(out, namesIn(text, m[4], m[5])...)
		case m[6] >= 0: // the module before ::*
			path := strings.TrimRight(text[m[2]:m[3]], ": \n\t")
			at := m[2] + max(strings.LastIndex(path, ":")+1, 0)
			out = append(out, Passed{At: at, All: true})
		default:
			name := text[m[8]:m[9]]
			if m[10] >= 0 {
				name = text[m[10]:m[11]]
			}
			out = append(out, Passed{At: m[8], Name: name})
		}
	}
	return out
}

// pythonPasses: what a package imports from its own modules, without what begins with an underscore.
func pythonPasses(text string) (out []Passed) {
	for _, m := range pythonFrom.FindAllStringSubmatchIndex(text, -1) {
		from, to := max(m[4], m[6]), max(m[5], m[7])
		if strings.TrimSpace(text[from:to]) == "*" {
			out = append(out, Passed{At: m[3] - 1, All: true})
			continue
		}
		for _, p := range namesIn(text, from, to) {
			if !strings.HasPrefix(p.Name, "_") {
				out = append(out, p)
			}
		}
	}
	return out
}

// headerPasses: the parts of a header that nobody includes by themselves: bits/stl_vector.h, __vector/vector.h.
func headerPasses(text string) (out []Passed) {
	for _, m := range headerIncluded.FindAllStringSubmatchIndex(text, -1) {
		if name := text[m[2]:m[3]]; strings.HasPrefix(name, "bits/") || strings.HasPrefix(name, "__") {
			out = append(out, Passed{At: m[2], All: true})
		}
	}
	return out
}

// namesIn are the names of a list with commas, each with the one that it gets.
func namesIn(text string, from, to int) (out []Passed) {
	for at := from; at < to; {
		end := strings.IndexByte(text[at:to], ',')
		if end < 0 {
			end = to - at
		}
		item := text[at : at+end]
		if m := oneName.FindStringSubmatchIndex(item); m != nil && !strings.HasPrefix(strings.TrimSpace(item), "#") {
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
