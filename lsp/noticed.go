package lsp

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/lang"
	"lspi/source"
)

// Nobody uses what a trial adds, and yet it can break a file that holds its name: a second declaration is merged with the first
// or makes calls ambiguous, a macro replaces what it names, a statement takes a name away. Neither the references of what was there
// nor its shape tell of that. In C only files that include it can notice it, and an added include may bring any name.

// addition is what a trial adds outside of all other declarations.
type addition struct {
	s      *Server
	before map[string]int // declarations of the files as they are on disk, with how often; nil when they are not known
	names  map[string]bool
	brings []string // base names of the files of C that it newly includes
	holder string   // the file that holds one of the names
}

// addition takes down what the files of a trial declare, before the server is shown its texts.
func (s *Server) addition(ctx context.Context, before trial) *addition {
	a := &addition{s: s, before: map[string]int{}, names: map[string]bool{}}
	for path := range before {
		symbols, _, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			a.before = nil
			break
		}
		for _, name := range scoped(symbols, path+"\x00") {
			a.before[name]++
		}
	}
	return a
}

// noticed reports whether a file that is not looked at may notice what the trial adds. The server must have the texts of the
// trial; before are those on disk.
func (a *addition) noticed(ctx context.Context, texts, before trial, looked []string) bool {
	others := slices.DeleteFunc(a.s.served(texts, maxSearched), func(path string) bool { return slices.Contains(looked, path) })
	if len(others) == 0 {
		return false
	}
	if a.before == nil {
		return true
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if !a.add(ctx, path, before[path]) {
			return true
		}
	}
	if len(a.names) == 0 && len(a.brings) == 0 {
		return false
	}
	if !a.s.keepsSources() {
		return slices.ContainsFunc(others, func(path string) bool { return a.heldBy(path) })
	}
	graph := includeGraph{}
	for _, path := range slices.Concat(others, looked) {
		if text, err := a.s.load(path); err == nil {
			graph.add(text)
		}
	}
	for _, text := range before {
		graph.add(text)
	}
	for path, reached := range graph.includers(others, slices.Sorted(maps.Keys(texts)), a.s.neverIncluded) {
		if a.heldBy(path) || !graph.included(path) && slices.ContainsFunc(a.brings, func(name string) bool { return !reached[name] }) {
			return true // a header is compiled with those that include it
		}
	}
	return false
}

// add takes down what the trial adds to a file; false when the server does not tell what that declares.
func (a *addition) add(ctx context.Context, path string, before *source.Text) bool {
	symbols, text, err := a.s.DocumentSymbols(ctx, path)
	if err != nil {
		return false
	}
	seen := map[string]int{}
	for _, name := range scoped(symbols, path+"\x00") {
		if seen[name]++; seen[name] > a.before[name] {
			a.names[name[strings.LastIndexByte(name, 0)+1:]] = true
		}
	}
	if a.s.keepsSources() {
		a.brings = append(a.brings, brought(before, text)...)
	}
	if isModuleTS(a.s, before) != isModuleTS(a.s, text) {
		a.all(path, symbols)
	}
	_, lines := changedLines(before, text)
	for _, l := range lines {
		if !l.inserted && len(l.symbols(symbols)) == 0 {
			a.addLine(text, l.line)
		}
	}
	return true
}

// all takes down whatever a file declares, before the trial and in it.
func (a *addition) all(path string, symbols []Symbol) {
	for name := range a.before {
		if strings.HasPrefix(name, path+"\x00") {
			a.names[name[strings.LastIndexByte(name, 0)+1:]] = true
		}
	}
	for _, sym := range symbols {
		a.names[sym.Name] = true
	}
}

// moduleLine begins a statement that makes a file of TypeScript or JavaScript a module, whose declarations are its own; those of any
// other file are there for all files of the project.
var moduleLine = regexp.MustCompile(`(?m)^\s*(export\b|import\b\s*[^\s(.])`)

// isModuleTS reports whether a file is such a module.
func isModuleTS(s *Server, text *source.Text) bool {
	id := s.spec.LanguageID(baseName(text.Path))
	return (strings.HasPrefix(id, "typescript") || strings.HasPrefix(id, "javascript")) && moduleLine.MatchString(text.Content())
}

// heldBy reports whether a file holds a name that the trial adds.
func (a *addition) heldBy(path string) bool {
	text, err := a.s.load(path)
	if err != nil {
		return true
	}
	for name := range a.names {
		if source.HasWord(text.Content(), name) {
			a.holder = path
			return true
		}
	}
	return false
}

// scoped are the names of the declarations that are members of no type, each behind prefix and the names that it is in.
func scoped(symbols []Symbol, prefix string) (out []string) {
	for _, sym := range symbols {
		out = append(out, prefix+sym.Name)
		if isScope(sym.Kind) {
			out = append(out, scoped(sym.Children, prefix+sym.Name+"\x00")...)
		}
	}
	return out
}

// unnoticeable is how lines begin that other files cannot notice, by language; "" is for those that are not named. An import gives others
// no name that was not theirs; what an include brings is told apart.
var unnoticeable = map[string][]string{
	"":                {"//", "/*", "*"},
	"python":          {"#", "import ", "from "},
	"typescript":      {"//", "/*", "*", "import "},
	"typescriptreact": {"//", "/*", "*", "import "},
	"javascript":      {"//", "/*", "*", "import "},
	"javascriptreact": {"//", "/*", "*", "import "},
}

// addLine adds the names on a line that is no part of a declaration.
func (a *addition) addLine(text *source.Text, line int) {
	id := a.s.spec.LanguageID(baseName(text.Path))
	begins, ok := unnoticeable[id]
	if !ok {
		begins = unnoticeable[""]
	}
	code := strings.TrimSpace(text.Line(line))
	if a.s.keepsSources() && (code == "#pragma once" || lang.HasInclude(code)) {
		return
	}
	if slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(code, begin) }) {
		return
	}
	for _, at := range text.WordsOn(line) {
		if word := text.WordAt(at); isIdentifier(word) && !lang.Reserved(id, word) {
			a.names[word] = true
		}
	}
}

// keepsSources reports whether the server's language has files that no other file includes, and others that are compiled with those that
// include them.
func (s *Server) keepsSources() bool { return s.spec.Scopes != nil && len(s.spec.Scopes.Sources) > 0 }

// neverIncluded reports whether no other file is expected to include this one.
func (s *Server) neverIncluded(path string) bool {
	return s.keepsSources() && slices.Contains(s.spec.Scopes.Sources, strings.TrimPrefix(cmp.Or(filepath.Ext(path), "."), "."))
}

// bodiesShow reports whether the bodies in a file are compiled with the files that include it, so that an error in one shows there
// though nothing else of it changes: templates, constant expressions, macros.
func (s *Server) bodiesShow(path string) bool { return s.keepsSources() && !s.neverIncluded(path) }
