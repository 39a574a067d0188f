package lang

import (
	"path/filepath"
	"slices"
	"strings"
)

// Language is what is known of one language. The zero value of a field says that the language is like C there, or
// that nobody has told: what a field decides is then left to the server.
type Language struct {
	ID         string   // LSP's identifier (LSP 3.18, TextDocumentItem), or the one that its servers use
	Extensions []string // of its sources, in lower case, without the first dot
	FileNames  []string // of its sources that are known by their whole names

	Comment   string  // begins a comment that ends with the line; [noComment] where there is none
	Strings   Strings // how it writes strings on one line
	Triple    bool    // strings in three quotes go over lines
	Macros    bool    // name!(…) calls a macro
	Signs     string  // that its names hold besides letters, digits and _: the - of CSS
	Separator string  // between the parts of a qualified name; a dot in most

	// Name reports whether a word can name something that is declared; nil where that is not known.
	Name func(word string) bool
	// Keywords cannot be names. Words that are keywords only in some places are not among them.
	Keywords map[string]bool
	// Stands reports whether a keyword at a place of an answer stands for the symbol there as its name would; nil:
	// none does.
	Stands func(keyword string) bool
	// Assigned: behind a dot it declares a name only by assigning to it.
	Assigned bool
	// Silent is how lines begin outside of declarations that other files cannot notice: comments, and imports that
	// give others no name. Without it these are C's comments.
	Silent []string
	// Unclosed is the offset in a source at which a bracket, a string or a comment begins that is never closed; -1
	// when all are closed.
	Unclosed func(text string) int
	// Unpaired is the offset in a piece of code of a bracket that has no pair there; -1 when each has one. nil
	// where that is not known.
	Unpaired func(text string) int
	// Block is the last line of the declaration that begins in a line of a source, both from 0; false where that is
	// not known.
	Block func(lines []string, line int) (last int, ok bool)
	// Alias is the offset of the other name that an import gives to the name that ends at an offset of a source; -1
	// where none does.
	Alias func(text string, end int) int

	// Exports is the rule by which a declaration is for other files, too; nil where none is known.
	Exports Exports

	// Tabs: one step of indentation is a tab, whatever else a file has.
	Tabs bool
	// Examples: the code between fences in documentation (///, //!) is compiled and run as tests.
	Examples bool

	// Optional: it stands beside a project's code (data, markup, prose, configuration, the glue of shells and build
	// tools: the types data, markup and prose of GitHub's Linguist, and the programming languages that other
	// projects contain by the way). Answers about it are welcome, and where its server is missing the workspace
	// still works.
	Optional bool
	// NoSymbols: its files declare nothing that a search for symbols would miss.
	NoSymbols bool
}

// noComment is the sign of a line comment in a language that has none: no text holds it.
const noComment = "\x00"

// like C is what nobody told otherwise.
var likeC = Language{}

var (
	byID        = map[string]*Language{}
	byExtension = map[string]*Language{}
	byFileName  = map[string]*Language{}
)

func init() {
	for i := range languages {
		l := &languages[i]
		byID[l.ID] = l
		for _, extension := range l.Extensions {
			byExtension[extension] = l
		}
		for _, name := range l.FileNames {
			byFileName[name] = l
		}
	}
}

// ByID is the language of an LSP identifier; of one that is not known it is one like C without a name. It must not
// be changed.
func ByID(id string) *Language {
	if l := byID[id]; l != nil {
		return l
	}
	return &likeC
}

// Of is the language of a file by its name, as [ByID] has it. Of two extensions that fit, the longer one counts.
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

// All are the languages of the table. They must not be changed.
func All() []Language { return languages }

// comment begins a comment that ends with the line.
func (l *Language) comment() string {
	if l.Comment == "" {
		return "//"
	}
	return l.Comment
}

// blocks reports whether comments of several lines are written /* */.
func (l *Language) blocks() bool { return l.Comment == "" }

// IsSilent reports whether other files cannot notice a line outside of declarations. blanks around it are cut.
func (l *Language) IsSilent(line string) bool {
	begins := l.Silent
	if begins == nil {
		begins = []string{"//", "/*", "*"}
	}
	return slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(line, begin) })
}

// Reserved reports whether a word is a keyword of a language (LSP identifier), so that no server can know a
// definition of it. False for languages that are not known here.
func Reserved(languageID, word string) bool { return ByID(languageID).Keywords[word] }

// HasKeywords reports whether the keywords of a language are known.
func HasKeywords(languageID string) bool { return ByID(languageID).Keywords != nil }

// UsedAsName reports whether a keyword of a language (LSP identifier) at a place of an answer stands for the symbol
// there as its name would (`self`, `super`), or for none (`double`), so that whatever else uses the symbol holds
// this word or its name. Other keywords stand for symbols that may be used without either: `operator`, `default`.
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
