package tools

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

// inCode keeps the occurrences on a line that do not stand in a comment, as far as the line alone tells: behind the sign
// of a line comment, or on a line of a block comment as people write them. A name in a comment is no symbol, and a server
// answers nothing or an error for it.
func inCode(path, line string, found []int) []int {
	sign := commentSigns[strings.ToLower(filepath.Ext(path))]
	if sign == "" {
		sign = "//"
		if t := strings.TrimSpace(line); strings.HasPrefix(t, "/*") && !strings.Contains(t, "*/") || strings.HasPrefix(t, "* ") || t == "*" {
			return nil
		}
	}
	end := commentStart(line, sign)
	return slices.DeleteFunc(slices.Clone(found), func(at int) bool { return at >= end })
}

// commentStart is where a line comment begins on a line, outside of quotes; the length of the line when there is none.
func commentStart(line, sign string) int {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case quote != 0 && b == '\\' && quote != '`':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '`' || b == '\'' && strings.Count(line[i+1:], "'") > 0 && i+4 > i+1+strings.IndexByte(line[i+1:], '\''):
			quote = b
		case strings.HasPrefix(line[i:], sign):
			return i
		}
	}
	return len(line)
}
