package lang

import (
	"path/filepath"
	"slices"
	"strings"
)

// commentSigns are how a line comment begins, by extension; files of other extensions have "//".
var commentSigns = map[string]string{}

func init() {
	for sign, extensions := range map[string]string{
		"#":  "py pyi pyw rb sh bash zsh pl pm r jl yaml yml toml nim ex exs cmake tf",
		"--": "lua hs sql ada adb ads vhd vhdl elm",
		";":  "clj cljs cljc lisp el",
		"%":  "tex erl hrl",
	} {
		for _, e := range strings.Fields(extensions) {
			commentSigns["."+e] = sign
		}
	}
}

// CommentSign is how a line comment begins in a file.
func CommentSign(path string) string {
	if sign := commentSigns[strings.ToLower(filepath.Ext(path))]; sign != "" {
		return sign
	}
	return "//"
}

// Code tells which bytes of a line of a file are code: not those of comments and texts, but the names that stand in texts. What
// begins on another line it cannot tell.
func Code(path, line string) []bool { return quotesOf(path).scan(line, CommentSign(path)) }

// InCode keeps the occurrences on a line that stand neither in a comment nor in a text, as far as the line alone tells:
// behind the sign of a line comment, on a line of a block comment as people write them, or in quotes. A name there is no
// symbol, and a server answers nothing or an error for it.
func InCode(path, line string, found []int) []int {
	sign := CommentSign(path)
	if sign == "//" {
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "/*") && !strings.Contains(t, "*/") || strings.HasPrefix(t, "* ") || t == "*" {
			return nil
		}
	}
	if len(found) == 0 {
		return nil
	}
	code := Code(path, line)
	return slices.DeleteFunc(slices.Clone(found), func(at int) bool { return !code[at] })
}

// InBlock reports whether a line stands in a block comment, as people write those of several lines, and whether the next one
// does; open says what the line before it told.
func InBlock(path, line string, open bool) (inside, next bool) {
	if CommentSign(path) != "//" {
		return false, false
	}
	ends := strings.Contains(line, "*/")
	inside = open || !ends && strings.HasPrefix(strings.TrimSpace(line), "/*")
	return inside, inside && !ends
}
