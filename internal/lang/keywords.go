package lang

import (
	"go/token"
	"strings"
	"unicode"
)

// The reserved words of C23, C++23, Rust 2024, ECMAScript 2025 with TypeScript, and Python 3.13.
const (
	cWords = `auto break case char const continue default do double else enum extern float for goto if inline int long register
		restrict return short signed sizeof static struct switch typedef union unsigned void volatile while`
	// What C++ has besides.
	cppWords = `alignas alignof bool catch class co_await co_return co_yield concept const_cast consteval constexpr constinit
		decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept nullptr operator private protected
		public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid typename using
		virtual wchar_t`
	rustWords = `as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop match mod move mut
		pub ref return self Self static struct super trait true type unsafe use where while _`
	scriptWords = `break case catch class const continue debugger default delete do else enum export extends false finally for function
		if import in instanceof new null return super switch this throw true try typeof var void while with`
	// What TypeScript has besides.
	typedWords  = `any bigint boolean never number object string symbol undefined unknown`
	pythonWords = `False None True and as assert async await break class continue def del elif else except finally for from global if
		import in is lambda nonlocal not or pass raise return try while with yield`
)

// set returns the words of texts.
func set(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for word := range strings.FieldsSeq(text) {
			out[word] = true
		}
	}
	return out
}

func goKeywords() map[string]bool {
	out := map[string]bool{}
	for t := token.BREAK; t <= token.VAR; t++ {
		out[t.String()] = true
	}
	return out
}

// Which keywords stand for a symbol ([Language.Stands]).

// always is for C and Rust: their keywords do not include operators and macros, which have other ways to stand for a
// symbol.
func always(string) bool { return true }

func cppStands(word string) bool {
	switch word {
	case "auto", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "for", "new", "operator":
		return false
	}
	return true
}

func scriptStands(word string) bool { return word == "this" || word == "super" }

// scriptSilent are the lines of TypeScript and JavaScript that others cannot notice ([Language.Silent]).
var scriptSilent = []string{"//", "/*", "*", "import "}

// IsIdentifier reports whether a word may name something: it does not begin with a digit.
func IsIdentifier(word string) bool {
	return word != "" && !unicode.IsDigit([]rune(word)[0])
}
