package hooks

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// searchedWord returns the one word that an event of a tool has searched for; "" when it is no such search, or not
// certainly one. What is not understood is no search: a wrong word would tell of something that nobody asked about.
func searchedWord(e *Event) string {
	if e.Pattern != "" {
		return identifierIn(e.Pattern)
	}
	words, ok := commandWords(e.Command)
	if !ok {
		return ""
	}
	switch {
	case len(words) > 1 && words[0] == "git" && words[1] == "grep":
		return wordOfSearch(words[2:], gitGrepOptions)
	case len(words) > 0 && words[0] == "grep":
		return wordOfSearch(words[1:], grepOptions)
	case len(words) > 0 && words[0] == "rg":
		return wordOfSearch(words[1:], rgOptions)
	}
	return ""
}

// identifier matches a word of at least three characters; shorter ones are too common to mean one symbol.
var identifier = source.LazyRegexp(`^(?:\\b|\\<)?([\pL_][\pL\pN_]{2,})(?:\\b|\\>)?$`)

// identifierIn returns the word that a pattern is, with or without marks of its ends; "" for any other pattern.
func identifierIn(pattern string) string {
	if m := identifier.FindStringSubmatch(pattern); m != nil {
		return m[1]
	}
	return ""
}

// searchOptions are the options of a program for searching that do not change what its pattern means.
type searchOptions struct {
	letters string   // without a value
	valued  string   // letters with a value, which may be the next word
	long    []string // without a value, or with one behind =
	longs   []string // with a value, which may be the next word
}

var (
	grepOptions = searchOptions{letters: "rRnHhlcowEFsIP", valued: "ABCm",
		long: []string{"color", "colour", "include", "exclude", "exclude-dir", "line-number", "recursive", "word-regexp",
			"fixed-strings", "extended-regexp", "count", "files-with-matches", "no-messages", "context", "max-count"}}
	gitGrepOptions = searchOptions{letters: "nHhlcowEFIWp", valued: "ABCm",
		long: []string{"line-number", "word-regexp", "fixed-strings", "extended-regexp", "count", "name-only",
			"untracked", "no-color", "color", "files-with-matches", "show-function", "function-context"}}
	rgOptions = searchOptions{letters: "nNHIlcowFPS", valued: "ABCmtTg",
		long: []string{"line-number", "no-line-number", "word-regexp", "fixed-strings", "count", "files-with-matches",
			"no-heading", "heading", "color", "hidden", "no-messages", "with-filename", "smart-case", "no-ignore"},
		longs: []string{"type", "type-not", "glob", "context", "after-context", "before-context", "max-count"}}
)

// wordOfSearch returns the word that a program with these arguments looks for.
func wordOfSearch(args []string, o searchOptions) string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "-e" && i+1 < len(args) && !slices.Contains(args[i+2:], "-e"):
			return identifierIn(args[i+1])
		case arg == "--" && i+1 < len(args):
			return identifierIn(args[i+1])
		case strings.HasPrefix(arg, "--"):
			name, _, given := strings.Cut(arg[2:], "=")
			valued := slices.Contains(o.longs, name)
			if !valued && !slices.Contains(o.long, name) {
				return ""
			}
			if valued && !given {
				i++
			}
		case strings.HasPrefix(arg, "-"):
			next, ok := o.short(arg[1:])
			if !ok {
				return ""
			}
			if next {
				i++
			}
		default:
			return identifierIn(arg)
		}
	}
	return ""
}

// short reports whether all letters of an option are known, and whether the next word is the value of the last one.
func (o *searchOptions) short(letters string) (next, ok bool) {
	for i, letter := range letters {
		switch {
		case strings.ContainsRune(o.letters, letter):
		case strings.ContainsRune(o.valued, letter):
			return i+len(string(letter)) == len(letters), true // the rest is the value
		default:
			return false, false
		}
	}
	return false, letters != ""
}

// shellMeaning are characters that mean something to a shell outside of quotes, but the pipe.
const shellMeaning = "$`;&<>(){}*?[]~!#\n\\"

// commandWords returns the words of a command line with one program, whose output may go to head or tail; false for
// anything else.
func commandWords(command string) (words []string, ok bool) {
	var word strings.Builder
	began := false
	end := func() {
		if began {
			words = append(words, word.String())
		}
		word.Reset()
		began = false
	}
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\'' || c == '"':
			n := strings.IndexByte(command[i+1:], c)
			if n < 0 {
				return nil, false
			}
			quoted := command[i+1 : i+1+n]
			if c == '"' && strings.ContainsAny(quoted, "$`") || c == '"' && strings.Contains(quoted, `\"`) {
				return nil, false
			}
			word.WriteString(quoted)
			began, i = true, i+1+n
		case c == ' ' || c == '\t':
			end()
		case c == '|':
			end()
			return words, shortens(command[i+1:])
		case strings.IndexByte(shellMeaning, c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			began = true
		}
	}
	end()
	return words, true
}

// shortens reports whether the rest of a command line only cuts what it reads.
func shortens(rest string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return (first == "head" || first == "tail") && !strings.ContainsAny(rest, "|"+shellMeaning)
}
