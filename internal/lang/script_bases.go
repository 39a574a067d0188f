package lang

import (
	"slices"
	"strings"
)

// ScriptBase is a name in a source of TypeScript or JavaScript by which a member may be known to others: what its class
// extends or implements, or what gives its object a type.
type ScriptBase struct {
	At      int  // where the name begins; of a.b.Name that is Name
	Called  bool // it is called, and what it returns is the base
	Literal bool // it is the type of an object, or the function that takes it
}

// ScriptBases returns the bases of the class, the interface or the object in which the name at an offset stands right
// inside of the braces.
func ScriptBases(text string, at int) (out []ScriptBase) {
	h := scriptHead{scan: scriptScan{text: text}}
	open := h.read(at)
	for n := len(open) - 1; n >= 0; n-- {
		h.at = open[n]
		if class := h.class(); class >= 0 && h.word(h.at) == "{" {
			if n < len(open)-1 {
				return nil
			}
			return h.classBases(class)
		}
		if h.word(h.at) == "(" {
			return h.callee()
		}
		if found, outer := h.literal(); !outer {
			return append(found, h.typed()...)
		}
	}
	return nil
}

// ScriptHeadBases returns the bases of the class or the interface whose name stands at an offset.
func ScriptHeadBases(text string, at int) []ScriptBase {
	h := scriptHead{scan: scriptScan{text: text}}
	h.read(at)
	if n := len(h.tokens); n == 0 || h.word(n-1) != "class" && h.word(n-1) != "interface" {
		return nil
	}
	class, depth := len(h.tokens)-1, 0
	for i := at; i < len(text); {
		end, closed := h.scan.token(i)
		t := scriptToken{i, end}
		i = end
		switch word := text[t.from:t.to]; {
		case !closed:
			return nil
		case t.isBlank(text):
			continue
		case word == "{" && depth == 0:
			h.at = len(h.tokens)
			return h.classBases(class)
		case strings.Contains("([{", word):
			depth++
		case strings.Contains(")]}", word):
			depth--
		}
		h.tokens = append(h.tokens, t)
	}
	return nil
}

// scriptToken is a stretch of a text.
type scriptToken struct{ from, to int }

// isBlank reports whether a token is one of blanks, or a comment.
func (t scriptToken) isBlank(text string) bool {
	return strings.IndexByte(" \t\r\n", text[t.from]) >= 0 || strings.HasPrefix(text[t.from:], "//") ||
		strings.HasPrefix(text[t.from:], "/*")
}

// scriptHead is what stands before a bracket.
type scriptHead struct {
	scan   scriptScan
	tokens []scriptToken
	at     int // the bracket
}

// read goes on to an offset, and returns the brackets that are open there, as numbers of tokens.
func (h *scriptHead) read(at int) (open []int) {
	text := h.scan.text
	for i := 0; i < at; {
		end, closed := h.scan.token(i)
		if !closed {
			return nil
		}
		if t := (scriptToken{i, end}); !t.isBlank(text) {
			switch {
			case end != i+1:
			case strings.IndexByte("([{", text[i]) >= 0:
				open = append(open, len(h.tokens))
			case strings.IndexByte(")]}", text[i]) >= 0:
				open = open[:max(0, len(open)-1)]
			}
			h.tokens = append(h.tokens, t)
		}
		i = end
	}
	return open
}

// word is the text of a token; "" before the first.
func (h *scriptHead) word(n int) string {
	if n < 0 || n >= len(h.tokens) {
		return ""
	}
	return h.scan.text[h.tokens[n].from:h.tokens[n].to]
}

// class is the token of the word that begins the head of a class or an interface before the bracket; -1 where there is
// none.
func (h *scriptHead) class() int {
	var open []string // what closes, from the outermost
	for n := h.at - 1; n >= 0; n-- {
		word, inside := h.word(n), len(open) > 0
		arrow := word == ">" && h.word(n-1) == "="
		switch {
		case inside && scriptPairs[open[len(open)-1]] == word:
			open = open[:len(open)-1]
		case word == ")" || word == "]" || word == "}" && inside || word == ">" && !arrow &&
			(!inside || open[len(open)-1] == ">"):
			open = append(open, word)
		case inside:
		case word == "class" || word == "interface":
			if h.word(n-1) == "." {
				return -1
			}
			return n
		case arrow || strings.Contains(";{}(", word):
			return -1
		}
	}
	return -1
}

// scriptPairs are the brackets that open for those that close.
var scriptPairs = map[string]string{")": "(", "]": "[", "}": "{", ">": "<"}

// classBases are the bases that a head names which begins at a token.
func (h *scriptHead) classBases(from int) (out []ScriptBase) {
	depth, last, called := 0, -1, false
	take := func() {
		if last >= 0 {
			out = append(out, ScriptBase{At: h.tokens[last].from, Called: called})
		}
		last, called = -1, false
	}
	named := false
	for n := from + 1; n < h.at; n++ {
		word := h.word(n)
		switch {
		case strings.Contains("([{<", word):
			called = called || named && depth == 0 && word == "(" && last >= 0
			depth++
		case word == ">" && h.word(n-1) == "=": // a function type
		case strings.Contains(")]}>", word):
			depth--
		case depth > 0:
		case word == "extends" || word == "implements":
			take()
			named = true
		case word == ",":
			take()
		case named && !called && (wordByte(word[0]) || word[0] == '$'):
			last = n
		}
	}
	take()
	return out
}

// callee is the function to whose arguments the bracket belongs.
func (h *scriptHead) callee() []ScriptBase {
	n, depth := h.at-1, 0
	for ; n >= 0 && (depth > 0 || h.word(n) == ">"); n-- { // arguments for type parameters
		switch h.word(n) {
		case ">":
			depth++
		case "<":
			depth--
		}
	}
	word, before := h.word(n), h.word(n-1)
	if word == "" || !wordByte(word[0]) && word[0] != '$' || before == "function" ||
		slices.Contains(scriptBefore, word) || slices.Contains(scriptBlocks, word) {
		return nil
	}
	return []ScriptBase{{At: h.tokens[n].from, Called: before != "new", Literal: true}}
}

// scriptBlocks are keywords with parentheses that are no call.
var scriptBlocks = []string{"if", "for", "while", "switch", "catch", "with", "function"}

// literal tells what gives the object or the array that the bracket begins its type; outer where that is what is around
// it.
func (h *scriptHead) literal() (out []ScriptBase, outer bool) {
	switch h.word(h.at - 1) {
	case "(", "[", ",", ":":
		return nil, true
	case "=":
	default:
		return nil, false
	}
	last, depth := -1, 0
	for n := h.at - 2; n >= 0; n-- {
		word := h.word(n)
		switch {
		case strings.Contains(">)]}", word):
			depth++
		case strings.Contains("<([{", word) && depth > 0:
			depth--
		case depth > 0:
		case word == ":":
			if last < 0 {
				return nil, false
			}
			return []ScriptBase{{At: h.tokens[last].from, Literal: true}}, false
		case wordByte(word[0]) || word[0] == '$':
			if last < 0 {
				last = n
			}
		case word != "." && word != "|" && word != "&":
			return nil, false
		}
	}
	return nil, false
}

// typed is the type that stands behind the object or the array: { … } as Name.
func (h *scriptHead) typed() []ScriptBase {
	from := h.tokens[h.at].from
	s := scriptScan{text: h.scan.text}
	depth, words, last := 0, 0, -1
	for i := from; i < len(s.text); {
		end, closed := s.token(i)
		if !closed {
			return nil
		}
		t := scriptToken{i, end}
		word := s.text[i:end]
		i = end
		switch {
		case t.isBlank(s.text):
		case strings.Contains("([{", word):
			depth++
		case depth > 0 && strings.Contains(")]}", word):
			depth--
		case depth > 0:
		case words == 0 && word != "as" && word != "satisfies":
			return nil
		case words > 0 && word != "." && !wordByte(word[0]):
			if last < 0 {
				return nil
			}
			return []ScriptBase{{At: last, Literal: true}}
		default:
			if words++; word != "." && words > 1 {
				last = t.from
			}
		}
	}
	return nil
}
