package lang

import "strings"

// RustMacroTexts returns the offsets of the words in the text that a macro_rules! of a Rust source puts in place of its
// calls (The Rust Reference, "Macros By Example"). What its patterns match, and the names of its parameters, do not
// count.
func RustMacroTexts(text string) (found []int) {
	if !strings.Contains(text, "macro_rules") {
		return nil
	}
	depth := 0   // of brackets
	rules := -1  // the depth inside of the brackets around the rules; -1 outside of a macro
	seen := 0    // how much of the head of a macro: 1 behind macro_rules, 2 behind the !
	put := false // behind the => of a rule
	ByID("rust").each(text, func(i int, p piece) bool {
		switch word := text[i:p.end]; {
		case p.kind != codePiece:
		case rules < 0 && word == "macro_rules":
			seen = 1
		case wordByte(word[0]):
			if rules >= 0 && put && depth > rules && text[i-1] != '$' {
				found = append(found, i)
			}
		case word == "!" && seen == 1:
			seen = 2
		case strings.Contains("([{", word):
			if depth++; seen == 2 {
				rules, seen, put = depth, 0, false
			}
		case strings.Contains(")]}", word):
			depth = max(depth-1, 0)
			if depth < rules {
				rules = -1
			}
			put = put && depth > rules
		case depth == rules && strings.HasPrefix(text[i:], "=>"):
			put = true
		}
		return true
	})
	return found
}
