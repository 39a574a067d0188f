package lang

import (
	"path/filepath"
	"strings"

	"lspi/internal/source"
)

// interpreted matches the first line of a script, with the program that runs it.
var interpreted = source.LazyRegexp(`^#!\s*\S*?(?:\benv\s+(?:-\S+\s+)*)?([\w-]+?)[\d.]*(?:\s|$)`)

// OfText returns the language of a file, as [Of] does; of one without an extension, that of the program that its first
// line names; of a notebook, that of its cells.
func OfText(path, text string) *Language {
	if filepath.Ext(path) == ".ipynb" {
		l, _ := notebookLanguage(text)
		return l
	}
	l := Of(path)
	if l.ID != "" || !strings.HasPrefix(text, "#!") || filepath.Ext(path) != "" {
		return l
	}
	first, _, _ := strings.Cut(text[:min(len(text), MaxScanned)], "\n")
	m := interpreted.FindStringSubmatch(first)
	if m == nil {
		return l
	}
	return ByID(interpreters[m[1]])
}

// interpreters are the languages of programs that run scripts.
var interpreters = map[string]string{"python": "python", "pypy": "python", "uv": "python", "node": "javascript",
	"bun": "typescript", "deno": "typescript", "tsx": "typescript", "ruby": "ruby", "perl": "perl", "php": "php",
	"sh": "shellscript", "bash": "shellscript", "dash": "shellscript", "ksh": "shellscript", "zsh": "zsh",
	"rust-script": "rust", "lua": "lua"}

// imported matches the text between the beginning of a line and one of the names that it imports from a module.
var imported = source.LazyRegexp(`\bfrom\s+([\w.]+)\s+import\b[\s\w,(]*$`)

// Qualifier returns the word in front of the one at an offset that says what this one belongs to: it stands behind that
// one with a dot, a colon or a number sign between them (cart.total, cart:total, cart#total, require("./cart").total),
// or is imported from that (from shop.cart import total); "" where there is none.
func Qualifier(text string, at int) string {
	before := strings.TrimRight(text[max(at-2, 0):at], ".:#")
	if end := max(at-2, 0) + len(before); end < at {
		if text[end] == '.' { // a module or an element between quotes and brackets
			for end > 0 && strings.IndexByte("\\\"'`)]", text[end-1]) >= 0 {
				end--
			}
		}
		return lastWord(text[:end])
	}
	line := text[max(at-MaxScanned, 0):at]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if !strings.Contains(line, "import") {
		return ""
	}
	if m := imported.FindStringSubmatch(line); m != nil {
		return lastWord(m[1])
	}
	return ""
}

// lastWord returns the word with which a text ends.
func lastWord(text string) string {
	from := len(text)
	for from > 0 && wordByte(text[from-1]) {
		from--
	}
	return text[from:]
}

// quoted marks the strings in a piece of code that a string interpolates.
func (m *marked) quoted(from, to int) {
	for i := from; i < to; i++ {
		if m.text[i] != '"' && m.text[i] != '\'' {
			continue
		}
		n := strings.IndexByte(m.text[i+1:to], m.text[i])
		if n < 0 {
			return
		}
		use := TextUse
		if IsName(m.text[i+1 : i+1+n]) {
			use = AloneUse
		}
		m.fill(i, i+n+2, use)
		i += n + 1
	}
}

// field matches what a format of Python takes from the values that it is given ("Format String Syntax" and
// "printf-style String Formatting" of its library).
var field = source.LazyRegexp(`\{([\pL_][\pL\d_.]*)[^{}]*\}|%\(([\pL_][\pL\d_.]*)\)`)

// fields marks the names that a string would take as a format.
func (m *marked) fields(from, to int) {
	for _, at := range field.FindAllStringSubmatchIndex(m.text[from:to], -1) {
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 && m.uses[from+at[i]]&^proseUse == TextUse {
				m.fill(from+at[i], from+at[i+1], AloneUse)
			}
		}
	}
}

// doctests marks the code of the examples in a docstring of Python, which doctest runs.
func (m *marked) doctests(l *Language, from, to int) {
	for i := from; i < to; {
		end := lineEnd(m.text, i)
		if line := strings.TrimLeft(m.text[i:min(end, to)], " \t"); strings.HasPrefix(line, ">>> ") ||
			strings.HasPrefix(line, "... ") {
			m.example(l, min(end, to)-len(line)+len(">>> "), min(end, to))
		}
		i = end + 1
	}
}

// fenced marks the code of the examples in the documentation of Rust, which cargo compiles as tests (The rustdoc book,
// "Documentation tests").
func (m *marked) fenced(l *Language) {
	open := false
	for i := 0; i < len(m.text); {
		end := lineEnd(m.text, i)
		line := strings.TrimLeft(m.text[i:end], " \t")
		switch from := end - len(line) + len("///"); {
		case !strings.HasPrefix(line, "///") && !strings.HasPrefix(line, "//!"):
			open = false
		case strings.HasPrefix(strings.TrimSpace(line[len("///"):]), "```"):
			open = !open
		case open:
			m.example(l, from, end)
		}
		i = end + 1
	}
}

// example marks a line of code in documentation: its words may be the name, as strings that are the name alone.
func (m *marked) example(l *Language, from, to int) {
	line := marked{text: m.text[from:to], uses: make([]Use, to-from)}
	line.source(l, 0, to-from)
	for i, use := range line.uses {
		if use == CodeUse {
			m.uses[from+i] = AloneUse
		}
	}
}

// FencedRust returns the ranges of a Markdown document between fences that rustdoc takes for code of Rust: those
// without a language, or with one of its own words (The rustdoc book, "Attributes").
func FencedRust(text string) (out [][2]int) {
	open, rust := -1, false
	for i := 0; i < len(text); {
		end := lineEnd(text, i)
		if line := strings.TrimSpace(text[i:end]); strings.HasPrefix(line, "```") {
			if open >= 0 && rust {
				out = append(out, [2]int{open, i})
			}
			if open >= 0 {
				open = -1
			} else {
				open, rust = min(end+1, len(text)), rustFence.MatchString(line)
			}
		}
		i = end + 1
	}
	return out
}

var rustFence = source.LazyRegexp(`^` + "```" + `+\s*(?:(?:rust|should_panic|no_run|compile_fail|ignore|edition\d+)\b[\w, ]*)?$`)
