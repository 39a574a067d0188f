package lang

import (
	"path/filepath"
	"slices"
	"strings"
)

// Language is what is known of one language. The zero value of a field says that the language is like C there, or
// that it is not known: what the field decides is then left to the server.
type Language struct {
	ID         string   // LSP's identifier (LSP 3.18, TextDocumentItem), or the one that its servers use
	Extensions []string // of its sources, in lower case, without the first dot
	FileNames  []string // of its sources that are known by their whole names

	Comment   string  // begins a comment that ends with the line; [noComment] where there is none
	Strings   Strings // how strings on one line are written
	Macros    bool    // name!(…) calls a macro
	Signs     string  // characters of names beside letters, digits and _: the - of CSS
	Separator string  // between the parts of a qualified name; a dot in most

	// Name reports whether a word can name something that is declared; nil where that is not known.
	Name func(word string) bool
	// Keywords cannot be names. Words that are keywords only in some places are not among them.
	Keywords map[string]bool
	// Stands reports whether a keyword at a place of an answer means the symbol there as its name would (see
	// UsedAsName); nil when none does.
	Stands func(keyword string) bool
	// Assigned: a name behind a dot is declared only by an assignment.
	Assigned bool
	// Silent are the beginnings of lines, outside of declarations, that other files cannot notice: comments, and
	// imports that give others no name. nil means C's comments.
	Silent []string
	// scan returns the scanner of a text; nil where the language is known by its signs alone.
	scan func(text string) scanner
	// unsure reports whether brackets of a piece of code cannot be told; nil where they always can.
	unsure func(text string) bool
	// statements are keywords that no brackets hold; nil in a language where what a statement has in brackets may hold
	// others.
	statements map[string]bool

	// ByText is the rule by which a running program finds a declaration by its name; nil where every name may be found.
	ByText ByText
	// NamedAfter returns the words that have to change with the name of a declaration, though they are no uses; line is
	// that of the declaration. nil where there are none.
	NamedAfter func(name, line string) []string
	// WritesNames returns the package by which a text reads or writes values with the names of their fields as keys, where
	// the line that declares a field does not give it another key; "" for none. Such a text has one of NameWriters.
	WritesNames func(text, name, line string) string
	NameWriters []string
	// ReadsNames returns where a text takes members of values by names or numbers that only the running program knows,
	// and that may mean a method or, with method false, a field of a name. Such a text has one of MemberReaders.
	ReadsNames    func(text, name string, method bool) []int
	MemberReaders []string
	// Module returns the name by which others refer to what a source declares; nil where that is the name of the file.
	Module func(text string) string

	// FunctionValue reports whether a declaration gives its name a function as its value; rest is the text behind the
	// name. nil where names with functions are declared in no other way.
	FunctionValue func(rest string) bool
	// Exports is the rule by which a declaration is for other files too; nil where none is known.
	Exports Exports
	// Given returns the ranges of the names by which assignments of a source give values to other files; nil where a
	// language has none.
	Given func(text string) [][2]int

	// Tabs: one step of indentation is a tab, whatever else a file has.
	Tabs bool
	// Examples: the code between fences in documentation (///, //!) is compiled and run as tests.
	Examples bool
	// Quoted: strings are the names of declarations: variable "region" (Terraform), setClass("Person") (R).
	Quoted bool

	// Optional: files of the language stand beside a project's code: data, markup, prose, configuration, the glue of
	// shells and build tools (the types data, markup and prose of GitHub's Linguist, and programming languages that
	// other projects contain in passing). Answers about them are welcome, and where their server is missing the
	// workspace still works.
	Optional bool
	// NoSymbols: files of the language declare nothing that a search for symbols would miss.
	NoSymbols bool
}

// noComment is Comment of a language without line comments: no text holds it.
const noComment = "\x00"

// likeC is the language of files that the table does not know.
var likeC = Language{}

var (
	languagesByID = map[string]*Language{}
	byExtension   = map[string]*Language{}
	byFileName    = map[string]*Language{}
)

func init() {
	for i := range languages {
		l := &languages[i]
		languagesByID[l.ID] = l
		for _, extension := range l.Extensions {
			byExtension[extension] = l
		}
		for _, name := range l.FileNames {
			byFileName[name] = l
		}
	}
}

// ByID returns the language of an LSP identifier; for an unknown one a language like C without an ID. The caller must
// not change it.
func ByID(id string) *Language {
	if l := languagesByID[id]; l != nil {
		return l
	}
	return &likeC
}

// Of returns the language of a file by its name, as [ByID] does. Of two extensions that fit, the longer one counts.
func Of(path string) *Language {
	base := filepath.Base(path)
	if l := byFileName[base]; l != nil {
		return l
	}
	rest := strings.ToLower(base)
	for {
		_, after, found := strings.Cut(rest, ".")
		if !found {
			return &likeC
		}
		if l := byExtension[after]; l != nil {
			return l
		}
		rest = after
	}
}

// All returns the languages of the table. The caller must not change them.
func All() []Language { return languages }

// IsC reports whether the preprocessor of C reads the language.
func (l *Language) IsC() bool {
	return slices.Contains([]string{"c", "cpp", "objective-c", "objective-cpp", "cuda-cpp"}, l.ID)
}

// IsScript reports whether it is TypeScript or JavaScript, in any of their forms.
func (l *Language) IsScript() bool {
	return strings.HasPrefix(l.ID, "typescript") || strings.HasPrefix(l.ID, "javascript")
}

// lineComment returns what begins a comment that ends with the line.
func (l *Language) lineComment() string {
	if l.Comment == "" {
		return "//"
	}
	return l.Comment
}

// blocks reports whether comments of several lines are written /* */.
func (l *Language) blocks() bool { return l.Comment == "" }

// IsSilent reports whether other files cannot notice a line outside of declarations. line has no blanks around it.
func (l *Language) IsSilent(line string) bool {
	begins := l.Silent
	if begins == nil {
		begins = []string{"//", "/*", "*"}
	}
	return slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// Reserved reports whether a word is a keyword of a language (LSP identifier), so that no server knows a definition
// of it; false for unknown languages.
func Reserved(languageID, word string) bool { return ByID(languageID).Keywords[word] }

// HasKeywords reports whether the keywords of a language are known.
func HasKeywords(languageID string) bool { return ByID(languageID).Keywords != nil }

// UsedAsName reports whether a keyword of a language (LSP identifier) at a place of an answer stands for the symbol
// as its name would (self, super), or for no symbol (double): whatever else uses the symbol then holds this word or
// its name. Other keywords, such as operator and default, stand for symbols that may be used without either.
func UsedAsName(languageID, word string) bool {
	stands := ByID(languageID).Stands
	return stands != nil && stands(word)
}

// Join writes a qualified name as the language does.
func (l *Language) Join(parts []string) string {
	if l.Separator == "" {
		return strings.Join(parts, ".")
	}
	return strings.Join(parts, l.Separator)
}
