package lang

import (
	"go/token"
	"strings"
	"unicode"
)

// Reserved reports whether a word is a keyword of a language (LSP identifier), so that no server can know a definition of
// it. Words that are keywords only in some places are not: they may be names. False for languages that are not known here.
func Reserved(languageID, word string) bool {
	if languageID == "go" {
		return token.IsKeyword(word)
	}
	return reserved[languageID][word]
}

// UsedAsName reports whether a keyword of a language (LSP identifier) at a place of an answer stands for the symbol there as its name
// would (`self`, `super`), or for none (`double`), so that whatever else uses the symbol holds this word or its name. Other keywords
// stand for symbols that may be used without either: `operator`, `default`.
func UsedAsName(languageID, word string) bool {
	switch languageID {
	case "c", "rust":
		return true // operators and macros, which have other ways, are no keywords
	case "cpp", "cuda-cpp":
		switch word {
		case "auto", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "for", "new", "operator":
			return false
		}
		return true
	case "javascript", "javascriptreact", "typescript", "typescriptreact":
		return word == "this" || word == "super"
	}
	return false
}

// HasKeywords reports whether the keywords of a language are known.
func HasKeywords(languageID string) bool { return languageID == "go" || reserved[languageID] != nil }

var reserved = func() map[string]map[string]bool {
	// The reserved words of C23, C++23, Rust 2024, ECMAScript 2025 with TypeScript, and Python 3.13.
	c := `auto break case char const continue default do double else enum extern float for goto if inline int long register
		restrict return short signed sizeof static struct switch typedef union unsigned void volatile while`
	cpp := c + ` alignas alignof bool catch class co_await co_return co_yield concept const_cast consteval constexpr constinit
		decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept nullptr operator private protected
		public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename using
		virtual wchar_t`
	script := `break case catch class const continue debugger default delete do else enum export extends false finally for function
		if import in instanceof new null return super switch this throw true try typeof var void while with`
	typed := script + ` any bigint boolean never number object string symbol undefined unknown`
	out := map[string]map[string]bool{}
	for ids, words := range map[string]string{
		"c":            c,
		"cpp cuda-cpp": cpp,
		"rust": `as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move mut
			pub ref return self Self static struct super trait true type unsafe use where while _`,
		"javascript javascriptreact": script,
		"typescript typescriptreact": typed,
		"python": `False None True and as assert async await break class continue def del elif else except finally for from global if
			import in is lambda nonlocal not or pass raise return try while with yield`,
	} {
		set := map[string]bool{}
		for word := range strings.FieldsSeq(words) {
			set[word] = true
		}
		for id := range strings.FieldsSeq(ids) {
			out[id] = set
		}
	}
	return out
}()

// IsIdentifier reports whether a word may name something: it begins with no digit.
func IsIdentifier(word string) bool {
	return word != "" && !unicode.IsDigit([]rune(word)[0])
}
