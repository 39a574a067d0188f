package lang

import (
	"strings"
	"unicode"
)

// IsName reports whether a word consists of letters, digits and _, and does not begin with a digit: a name in nearly
// every language, keywords apart.
func IsName(word string) bool { return isNameWith(word, "") }

// IsWord reports whether a name is one word of [EachWord].
func IsWord(name string) bool { return isNameWith(name, "$") }

// isNameWith is [IsName] with further characters, which may be anywhere in the name.
func isNameWith(word, signs string) bool {
	for i, r := range word {
		later := unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)
		if !unicode.IsLetter(r) && r != '_' && !strings.ContainsRune(signs, r) && (i == 0 || !later) {
			return false
		}
	}
	return word != ""
}

// What a declaration can be called ([Language.Name]).

// cName: compilers take $ as well (GCC and Clang by default). A header may be of C, so that keywords of C++ alone
// count as names.
func cName(word string) bool { return isNameWith(word, "$") && !languagesByID["c"].Keywords[word] }

// rustName: lifetimes and raw names count; which words are keywords goes by the edition, and rust-analyzer knows it.
func rustName(word string) bool {
	return isNameWith(strings.TrimPrefix(strings.TrimPrefix(word, "r#"), "'"), "")
}

// scriptName: private members begin with #, and members may have the names of keywords.
func scriptName(word string) bool { return isNameWith(strings.TrimPrefix(word, "#"), "$") }

func pythonName(word string) bool {
	return isNameWith(word, "") && !languagesByID["python"].Keywords[word]
}
