package packages

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// Form is how a language names packages and imports them.
type Form struct {
	languages []string // LSP's identifiers
	// sure and may match names that are of this language alone, and that may be.
	sure, may *source.Regexp
	separator string // between the parts of a name
	// imports is a regular expression for an import of a package, whose quoted name stands at %s. The end of its first
	// group is in the name.
	imports string
	// folder: all sources of the folder are the package; else the file is.
	folder bool
	// find returns the first file of a package by the rule of the language; "" where there is none. known are names of
	// packages that there are.
	find func(l *place, name string) (path string, known []string)
	// passes returns what a file passes on from others.
	passes func(path, text string) []Passed
}

// Passed is what a file passes on: a name, or all names of a file.
type Passed struct {
	At  int // offset of the name, or of the name of the file
	All bool
	// Name is the one under which it is passed on; "" for All.
	Name string
}

var forms = []*Form{
	{languages: []string{"go"}, sure: source.LazyRegexp(`^(?:[\w-]+\.)+[a-z]{2,}/[\w./~-]+$`),
		may: source.LazyRegexp(`^[a-z0-9]+(?:/[a-z0-9]+)*$`), separator: "/", imports: `(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"((?:.*/)?)%s"`,
		folder: true, find: goPackage},
	{languages: []string{"rust"}, sure: source.LazyRegexp(`^\w+(?:::\w+)+$`), may: source.LazyRegexp(`^[a-z]\w*$`), separator: "::",
		imports: `()\b%s\s*::`, find: rustModule, passes: rustPasses},
	{languages: []string{"python"}, sure: source.LazyRegexp(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$`), may: source.LazyRegexp(`^[A-Za-z_]\w*$`),
		separator: ".", imports: `(?m)^\s*(?:from|import)\s+()%s\b(?:\s+import\b|\s*$|\s*,|\s+as\b)`, find: pythonModule, passes: pythonPasses},
	{languages: []string{"typescript", "typescriptreact", "javascript", "javascriptreact"},
		sure: source.LazyRegexp(`^(?:@[\w.-]+/[\w.-]+(?:/[\w./-]+)?|node:[\w/]+)$`), may: source.LazyRegexp(`^[a-z][\w.-]*(?:/[\w./-]+)?$`),
		separator: "/", imports: `(?:\bfrom|\bimport|\brequire\s*\()\s*["']()%s["']`, find: nodeModule, passes: scriptPasses},
	{languages: []string{"cpp", "c", "objective-c", "objective-cpp", "cuda-cpp"}, sure: source.LazyRegexp(`^(?:<[^<>]+>|[\w./+-]+\.(?:h|hh|hpp|hxx))$`),
		may: source.LazyRegexp(`^[a-z_]+$`), separator: "/", imports: `(?m)^\s*#\s*(?:include|import)\s*[<"]()%s[>"]`, find: header, passes: headerPasses},
}

// MayName reports whether a name has the form of a package of any language. That of a source is no package, but for the
// header that an include names.
func MayName(name string) bool {
	if l := lang.Of(name); l.ID != "" && !l.IsC() || strings.Contains(name, "..") {
		return false
	}
	return slices.ContainsFunc(forms, func(f *Form) bool { return f.sure.MatchString(name) || f.may.MatchString(name) })
}

// IsSure reports whether a name can be nothing but a package: no path of a file has its form.
func IsSure(name string) bool {
	return strings.HasPrefix(name, "<") || strings.Contains(name, "::") || strings.HasPrefix(name, "node:")
}

// Of returns the languages that a name may be a package of: those whose form it has alone, else all of which it may be.
func Of(name string) []*Form {
	var sure, may []*Form
	for _, f := range forms {
		if f.sure.MatchString(name) {
			sure = append(sure, f)
		}
		if f.may.MatchString(name) {
			may = append(may, f)
		}
	}
	if len(sure) > 0 {
		return sure
	}
	return may
}

// Serves reports whether a file is a source of the form's language.
func (f *Form) Serves(path string) bool { return slices.Contains(f.languages, lang.Of(path).ID) }

// bare is a name without the signs around it.
func (f *Form) bare(name string) string { return strings.Trim(name, "<>") }

// Word is a word that every import of a package has.
func (f *Form) Word(name string) string {
	words := strings.FieldsFunc(f.bare(name), func(r rune) bool { return !source.IsWord(r) })
	if len(words) == 0 {
		return ""
	}
	if f.separator == "::" { // use serde::{de, ser}
		return words[0]
	}
	return words[len(words)-1]
}

// Site returns the offset in a text of the last part of a package's name in an import of it; -1 where there is none.
func (f *Form) Site(path, text, name string) int {
	bare := f.bare(name)
	if !source.HasWord(text, f.Word(name)) {
		return -1
	}
	parts := strings.Split(bare, f.separator)
	quoted := regexp.QuoteMeta(bare)
	if f.separator == "::" {
		quoted = strings.Join(parts, `\s*::\s*`)
	}
	imports, err := regexp.Compile(strings.Replace(f.imports, "%s", quoted, 1))
	if err != nil {
		return -1
	}
	for _, m := range imports.FindAllStringSubmatchIndex(text, -1) {
		if m[3] != m[2] {
			continue // another path that ends so
		}
		at := m[3] + strings.LastIndex(text[m[3]:m[1]], parts[len(parts)-1])
		line := text[strings.LastIndexByte(text[:m[3]], '\n')+1 : m[3]]
		if !strings.Contains(line, lang.CommentSign(path)) {
			return at
		}
	}
	return -1
}

// sources are the files of a folder that are of the package, or the file alone.
func (f *Form) sources(path string, entries []string) []string {
	if !f.folder {
		return []string{path}
	}
	var out []string
	for _, name := range entries {
		if f.Serves(name) && !strings.HasSuffix(name, "_test.go") {
			out = append(out, filepath.Join(filepath.Dir(path), name))
		}
	}
	word := filepath.Base(filepath.Dir(path))
	slices.SortStableFunc(out, func(a, b string) int { return rank(a, word) - rank(b, word) })
	return out
}

// rank is lower for a file that has a word in its name: what a package is about it mostly has in the file of its own
// name, and <vector> in stl_vector.h.
func rank(path, word string) int {
	switch stem, _, _ := strings.Cut(filepath.Base(path), "."); {
	case stem == word:
		return 0
	case strings.Contains(stem, word):
		return 1
	}
	return 2
}
