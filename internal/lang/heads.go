package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// head is how a kind of languages declares a type and names what it extends or implements.
type head struct {
	begins *source.Regexp // the words behind which the declaration goes on
	words  []string       // behind which bases are named; none where they stand right behind begins
	colon  bool           // bases are named behind a colon, too
	within string         // the brackets in which a base may stand: ( for class A extends Mixin(Base)
}

var (
	headOfRust   = head{begins: source.LazyRegexp(`\bimpl\b`)}
	headOfPython = head{begins: source.LazyRegexp(`\bclass\s+\w+\s*(?:\[[^\]]*\]\s*)?\(`), within: "("}
	headOfC      = head{begins: source.LazyRegexp(`\b(?:class|struct)\b`), colon: true}
	headOfObjC   = head{begins: source.LazyRegexp(`@(?:interface|protocol)\b`), within: "<"} // @interface Ring : Base <Shape>
	headOfScript = head{begins: source.LazyRegexp(`\b(?:class|interface)\b`),
		words: []string{"extends", "implements"}, within: "("}
	headOfOther = head{
		begins: source.LazyRegexp(
			`\b(?:(?:class|struct|interface|trait|enum|record|protocol|extension|mixin)\s+\b|object\s+)`),
		words: []string{"extends", "implements", "with"}, colon: true,
	}
	headOfRuby = source.LazyRegexp(`\bclass\b[^;{}\n]*$`)
)

// InHead reports whether a text of a language (LSP identifier) ends in the head of the declaration of a type, where
// what it extends or implements is named: not in parameters, in their bounds, nor in the arguments of a generic type.
func InHead(language, before string) bool {
	if language == "objective-cpp" {
		return InHead("cpp", before) || InHead("objective-c", before)
	}
	before = before[max(0, len(before)-MaxScanned):]
	h, cut := headOfOther, ";{}"
	switch language {
	case "ruby", "crystal":
		return headOfRuby.MatchString(before)
	case "python":
		h, cut = headOfPython, ""
	case "rust":
		h = headOfRust
	case "c", "cpp", "cuda-cpp":
		h = headOfC
	case "objective-c":
		h = headOfObjC
	case "typescript", "typescriptreact", "javascript", "javascriptreact", "vue", "svelte", "astro":
		h = headOfScript
	}
	if cut != "" {
		before = before[strings.LastIndexAny(before, cut)+1:]
	}
	return slices.ContainsFunc(h.begins.FindAllStringIndex(before, -1), func(at []int) bool {
		return h.bases(before[at[1]:])
	})
}

// bases reports whether what stands behind the beginning of a declaration ends among the bases.
func (h head) bases(behind string) bool {
	var open []byte // the brackets that are open
	named := false  // an argument is given by its name: class Ring(metaclass=Meta)
	among := len(h.words) == 0 && !h.colon
	for i := 0; i < len(behind); i++ { // it skips words
		switch b := behind[i]; {
		case b == '<' || b == '(' || b == '[':
			open = append(open, b)
		case b == '>' && i > 0 && (behind[i-1] == '-' || behind[i-1] == '='): // -> and => close nothing
		case b == '>' || b == ')' || b == ']':
			if len(open) == 0 {
				return false // a parameter, or it has ended
			}
			open = open[:len(open)-1]
		case len(open) > 0:
		case b == ':':
			qualifies := strings.HasPrefix(behind[i+1:], ":") || i > 0 && behind[i-1] == ':'
			among = among || h.colon && !qualifies
		case b == '=' || b == ',':
			named = b == '='
		case wordByte(b):
			word := behind[i:wordEnd(behind, i)]
			i += len(word) - 1
			if word == "where" {
				return false
			}
			among = among || slices.Contains(h.words, word)
		}
	}
	return among && !named && strings.Trim(string(open), h.within) == ""
}
