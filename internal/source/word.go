package source

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/contract"
)

// IsWord reports whether c can be part of an identifier in a language of the catalogue. RuneError, which utf8 returns
// before the first and behind the last character, cannot.
func IsWord(c rune) bool { return c == '$' || IsLetter(c) }

// IsLetter reports whether c can be part of an identifier in every language; $ can in some only.
func IsLetter(c rune) bool {
	return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

// IsNumber reports whether a word begins like a number.
func IsNumber(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

// MayHoldWord reports whether a text may hold a word that is not part of a longer one. It may return true where
// [HasWord] returns false: it lets $, which in some languages is part of words, bound the word, and it does not look
// into UTF-16. Reading a file in vain costs time; missing one costs an answer.
func MayHoldWord(text, word []byte) bool {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return true
	}
	for from := 0; ; {
		i := bytes.Index(text[from:], word)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[end:])
		if !IsLetter(before) && !IsLetter(after) {
			return true
		}
		from = at + 1
	}
}

// MayHoldAny is [MayHoldWord] for one of several words.
func MayHoldAny(text string, words []string) bool {
	raw := []byte(text)
	return slices.ContainsFunc(words, func(word string) bool { return MayHoldWord(raw, []byte(word)) })
}

// HasWord reports whether s holds word as a whole word.
func HasWord(s, word string) bool {
	for range eachOccurrence(s, word) {
		return true
	}
	return false
}

// Occurrences returns the byte offsets at which word is a whole word in s; none for an empty word.
func Occurrences(s, word string) []int {
	var out []int
	for at := range eachOccurrence(s, word) {
		out = append(out, at)
	}
	return out
}

func eachOccurrence(s, word string) func(func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; word != ""; {
			i := strings.Index(s[from:], word)
			if i < 0 {
				return
			}
			at, end := from+i, from+i+len(word)
			before, _ := utf8.DecodeLastRuneInString(s[:at])
			after, _ := utf8.DecodeRuneInString(s[end:])
			if !IsWord(before) && !IsWord(after) && !yield(at) {
				return
			}
			from = end
		}
	}
}

// WordAround returns the byte offsets of the word in s that holds or touches the offset at; ok is false when there is
// none.
func WordAround(s string, at int) (start, end int, ok bool) { return NameAround(s, at, "") }

// NameAround is [WordAround] for a language in whose names the characters of signs may occur too.
func NameAround(s string, at int, signs string) (start, end int, ok bool) {
	inside := func(c rune) bool { return IsWord(c) || signs != "" && strings.ContainsRune(signs, c) }
	start, end = at, at
	for start > 0 {
		c, size := utf8.DecodeLastRuneInString(s[:start])
		if !inside(c) {
			break
		}
		start -= size
	}
	for end < len(s) {
		c, size := utf8.DecodeRuneInString(s[end:])
		if !inside(c) {
			break
		}
		end += size
	}
	return start, end, end > start
}

// WordAt returns the word that holds or touches a position; "" when there is none.
func (t *Text) WordAt(p contract.Position) string {
	at, err := t.Offset(p)
	if err != nil {
		return ""
	}
	start, end, _ := WordAround(t.content, at)
	return t.content[start:end]
}

// CutsWord reports whether an end of a range lies within a word, or is no position of the text.
func (t *Text) CutsWord(r contract.Range) bool {
	from, err := t.Offset(r.Start)
	if err != nil {
		return true
	}
	to, err := t.Offset(r.End)
	if err != nil {
		return true
	}
	return t.insideWord(from) || t.insideWord(to)
}

// insideWord reports whether an offset is within a word. A $ does not belong to one here: it begins variables in some
// languages, and their servers differ in whether it belongs to the name. Nor is a number one, which may have a suffix
// behind it that is a name.
func (t *Text) insideWord(at int) bool {
	letter := func(c rune) bool { return c != utf8.RuneError && (unicode.IsLetter(c) || c == '_') }
	if after, _ := utf8.DecodeRuneInString(t.content[at:]); !letter(after) && !unicode.IsDigit(after) {
		return false
	}
	begins := false // the word before it, with a letter
	for at > 0 {
		c, size := utf8.DecodeLastRuneInString(t.content[:at])
		if !letter(c) && !unicode.IsDigit(c) {
			break
		}
		begins, at = letter(c), at-size
	}
	return begins
}

// WordsOn returns the positions at which the words of a line, 1-based, begin.
func (t *Text) WordsOn(line int) (out []contract.Position) {
	inside := false
	column := 1
	for _, r := range t.Line(line) {
		if IsWord(r) && !inside {
			out = append(out, contract.Position{Line: line, Character: column})
		}
		inside = IsWord(r)
		column++
	}
	return out
}
