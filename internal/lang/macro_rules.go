package lang

import (
	"slices"
	"strings"
)

// RustMacroTexts returns the offsets at which the code of a Rust source holds one of names (nil: any word) in the
// text that a macro_rules! puts in place of its calls (The Rust Reference, "Macros By Example"). What its patterns
// match, and the names of its parameters, do not count.
func RustMacroTexts(text string, names []string) (found []int) {
	if !strings.Contains(text, "macro_rules") {
		return nil
	}
	depth := 0   // of brackets
	rules := -1  // the depth inside of the brackets around the rules; -1 outside of a macro
	seen := 0    // how much of the head of a macro: 1 behind macro_rules, 2 behind the !
	put := false // behind the => of a rule
	for i := 0; i < len(text); {
		rest := text[i:]
		if strings.HasPrefix(rest, "//") {
			i = lineEnd(text, i)
			continue
		}
		if strings.HasPrefix(rest, "/*") {
			i, _ = commentEnd(text, i, true)
			continue
		}
		end, _ := rustToken(text, i)
		switch {
		case wordByte(rest[0]):
			word := text[i:wordEnd(text, i)]
			switch {
			case rules < 0 && word == "macro_rules":
				seen = 1
			case rules >= 0 && put && depth > rules && (i == 0 || text[i-1] != '$') &&
				(names == nil || slices.Contains(names, word)) &&
				end == i+len(word): // otherwise it is the prefix of a literal
				found = append(found, i)
			}
		case rest[0] == '!' && seen == 1:
			seen = 2
		case strings.IndexByte("([{", rest[0]) >= 0:
			if depth++; seen == 2 {
				rules, seen, put = depth, 0, false
			}
		case strings.IndexByte(")]}", rest[0]) >= 0:
			depth = max(depth-1, 0)
			if depth < rules {
				rules = -1
			}
			put = put && depth > rules
		case depth == rules && strings.HasPrefix(rest, "=>"):
			put = true
		}
		i = end
	}
	return found
}
