// Package typescript reads sources of TypeScript and JavaScript, and the files by which their tools know a project.
package typescript

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/internal/lang"
	"lspi/internal/source"
)

var (
	importName = source.LazyRegexp(`(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\(|\breference\s+path\s*=)\s*["'\x60]([^"'\x60\n]+)["'\x60]`)
	moduleSign = source.LazyRegexp(`(?m)^\s*(import|export)\b|\bexports\b|\brequire\s*\(`)
)

// IsModule reports whether a text of JavaScript or TypeScript is a module, so that others have its names by imports
// alone.
func IsModule(text string) bool { return moduleSign.MatchString(text) }

// How a hover of tsserver begins about what lives in a function, and about what a file has by its name alone (6.0.2).
var (
	locals = []string{"(parameter) ", "(local var) ", "(local function) ", "(local class) ", "(type parameter) "}
	named  = []string{"const ", "let ", "var ", "function ", "class ", "abstract class ", "interface ", "type ",
		"enum ", "const enum ", "using "}
)

// Keeps reports whether only its own source can use what a hover describes by a name: a local variable of a
// function, or a declaration that a module does not export. A member counts as known wherever its type is.
func Keeps(text, hover, name string) bool {
	_, code, _ := strings.Cut(strings.TrimSpace(hover), "\n")
	begins := func(all []string) bool {
		return slices.ContainsFunc(all, func(b string) bool { return strings.HasPrefix(code, b) })
	}
	switch {
	case begins(locals):
		return true
	case !begins(named), !IsModule(text), globals.MatchString(text):
		return false
	}
	word := `(?:^|[^\w$])` + regexp.QuoteMeta(name) + `(?:[^\w$]|$)` // \b would take a $ for a bound
	return !regexp.MustCompile(`\bexport\b.*` + word + `|\bexport\s*(type\s*)?\{[^}]*` + word +
		`|\bexport\s+(const|let|var)\s*[{\[][^=]*` + word).MatchString(text)
}

// globals matches how a module declares names for others without exporting each by its name.
var globals = source.LazyRegexp(`\bdeclare\s+(global|module)\b|\bexport\s*=|\bexport\s+default\s*[{(\[]|\bexports\b|\bexport\s+as\s+namespace\b`)

// declarers are the words that stand in front of a name that is declared.
var declarers = map[string]bool{"class": true, "interface": true, "enum": true, "function": true, "namespace": true,
	"module": true, "type": true, "const": true, "let": true, "var": true, "get": true, "set": true, "static": true,
	"readonly": true, "public": true, "private": true, "protected": true, "async": true, "abstract": true,
	"declare":  true,
	"accessor": true, "override": true}

// Source is what [Read] finds in a source.
type Source struct {
	Mentions *lang.Mentions
	Module   bool     // else it sees what others declare without an import
	Imports  []string // the names that it imports by
}

// Read finds the words of a source, also those in comments and strings: without a parser one cannot tell a comment
// from a regular expression. A name counts as a declared member where its surroundings look like a declaration,
// which calls and assignments may do as well.
func Read(text string) *Source {
	words, declared := map[string]bool{}, map[string]bool{}
	before, sign := "", '\n' // the word and the sign before
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !source.IsWord(r) {
			if r == '\n' || !unicode.IsSpace(r) {
				before, sign = "", r
			}
			i += size
			continue
		}
		from := i
		for i < len(text) && source.IsWord(r) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		word := text[from:i]
		words[word] = true
		if declarers[before] || before == "" && strings.ContainsRune("\n{},;*", sign) && memberEnds(text[i:]) {
			declared[word] = true
		}
		before, sign = word, ' '
	}
	out := &Source{Mentions: &lang.Mentions{Words: words, Declared: declared, Embedded: words},
		Module: moduleSign.MatchString(text)}
	for _, m := range importName.FindAllStringSubmatch(text, -1) {
		out.Imports = append(out.Imports, m[1])
	}
	return out
}

// memberEnds reports whether what follows a word can follow the name of a member in its declaration.
func memberEnds(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 8)], " \t\r")
	return rest == "" || strings.ContainsRune("(:=?!<,;}\n", rune(rest[0]))
}

// ImportedFiles are the base names, without extensions, of the files that a source may import.
func ImportedFiles(text string) (out []string) {
	for _, m := range importName.FindAllStringSubmatch(text, -1) {
		name := m[1][strings.LastIndexByte(m[1], '/')+1:]
		name, _, _ = strings.Cut(name, ".")
		if name == "" { // "." and ".." are index files
			name = "index"
		}
		out = append(out, name)
	}
	return out
}

// IsGlobal reports whether a source declares names that others see without an import.
func IsGlobal(_, text string) bool {
	return !IsModule(text) || globals.MatchString(text)
}
