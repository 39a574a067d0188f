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

// ScriptHeads is what a source of TypeScript or JavaScript is made of, as far as it can be read: it ends where
// something is never closed.
type ScriptHeads struct {
	scan   scriptScan
	tokens []scriptToken
	around []int // of each token, and of the end: the bracket that is open there; -1 where none is
	broken bool  // the rest cannot be read
}

// ReadScriptHeads reads a source once for the questions about all of its places.
func ReadScriptHeads(text string) *ScriptHeads {
	h := &ScriptHeads{scan: scriptScan{text: text}}
	open := -1
	for i := 0; i < len(text) && !h.broken; {
		end, closed := h.scan.token(i)
		if h.broken = !closed; h.broken {
			break
		}
		if t := (scriptToken{i, end}); !t.isBlank(text) {
			h.tokens, h.around = append(h.tokens, t), append(h.around, open)
			switch {
			case end != i+1:
			case strings.IndexByte("([{", text[i]) >= 0:
				open = len(h.tokens) - 1
			case strings.IndexByte(")]}", text[i]) >= 0 && open >= 0:
				open = h.around[open]
			}
		}
		i = end
	}
	h.around = append(h.around, open)
	return h
}

// first is the first token that begins at an offset or behind it; ok is false where the text cannot be read up to
// there.
func (h *ScriptHeads) first(at int) (n int, ok bool) {
	n, _ = slices.BinarySearchFunc(h.tokens, at, func(t scriptToken, at int) int { return t.from - at })
	return n, n < len(h.tokens) || !h.broken
}

// Bases returns the bases of the class, the interface or the object in which the name at an offset stands right inside
// of the braces.
func (h *ScriptHeads) Bases(at int) (out []ScriptBase) {
	n, ok := h.first(at)
	if !ok {
		return nil
	}
	inner := h.around[n]
	for open := inner; open >= 0; open = h.around[open] {
		head := scriptHead{h, open}
		if class := head.class(); class >= 0 && h.word(open) == "{" {
			if open != inner {
				return nil
			}
			return head.classBases(class)
		}
		if h.word(open) == "(" {
			return head.callee()
		}
		if found, outer := head.literal(); !outer {
			return append(found, head.typed()...)
		}
	}
	return nil
}

// HeadBases returns the bases of the class or the interface whose name stands at an offset.
func (h *ScriptHeads) HeadBases(at int) []ScriptBase {
	n, ok := h.first(at)
	if !ok || h.word(n-1) != "class" && h.word(n-1) != "interface" {
		return nil
	}
	depth := 0
	for open := n; open < len(h.tokens); open++ {
		switch word := h.word(open); {
		case word == "{" && depth == 0:
			return (&scriptHead{h, open}).classBases(n - 1)
		case strings.Contains("([{", word):
			depth++
		case strings.Contains(")]}", word):
			depth--
		}
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
	*ScriptHeads
	at int // the bracket
}

// word is the text of a token; "" before the first.
func (h *ScriptHeads) word(n int) string {
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
	depth, words, last := 0, 0, -1
	for n := h.at; n < len(h.tokens); n++ {
		switch word := h.word(n); {
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
			// as const gives it the type that it has; another one may follow.
			if words++; words > 1 && !slices.Contains([]string{".", "const", "as", "satisfies"}, word) {
				last = h.tokens[n].from
			}
		}
	}
	return nil
}
