package tools

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"lspi/source"
)

// components splits a name into its parts, whatever the language writes between them: "(*Client).Call", "Client.Call",
// "ns::Widget::draw", "Widget/draw", "Widget::operator bool", "draw(int)", "impl Foo for Bar" (which is Bar); arguments
// and generic arguments are left out.
func components(name string) []string {
	name, operator := cutOperator(strings.TrimSpace(name))
	name = withoutGenerics(name)
	if target, ok := implTarget(name); ok {
		name = target
	}
	name = withoutArguments(name)
	name = plain.Replace(name)
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == 0 || r == '.' || r == '/' || r == '#' || r == ' ' })
	if operator != "" {
		parts = append(parts, operator)
	}
	return parts
}

// plain leaves words and what separates them.
var plain = strings.NewReplacer("::", "\x00", "(", "", ")", "", "*", "", "&", "")

// cutOperator splits off a C++ operator at the end of a name, which may hold any of the characters that separate or
// enclose elsewhere: "operator<", "operator()", "operator bool", "operator/".
func cutOperator(name string) (scope, operator string) {
	const word = "operator"
	for from := 0; ; {
		i := strings.Index(name[from:], word)
		if i < 0 {
			return name, ""
		}
		i += from
		from = i + len(word)
		before, _ := utf8.DecodeLastRuneInString(name[:i])
		if i > 0 && source.IsWord(before) {
			continue
		}
		rest := name[from:]
		sign := strings.TrimSpace(rest)
		next, _ := utf8.DecodeRuneInString(sign)
		switch {
		case sign == "", strings.ContainsRune(".:#", next), next == '/' && sign != "/" && sign != "/=":
			continue // a plain name
		case source.IsWord(next) && rest == sign:
			continue // the beginning of a longer word
		case source.IsWord(next):
			return name[:i], word + " " + strings.Join(strings.Fields(sign), " ")
		}
		return name[:i], word + strings.ReplaceAll(sign, " ", "")
	}
}

// implTarget is the type that a Rust impl block without its generics belongs to: of "impl Foo for dyn Bar" it is Bar.
func implTarget(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "impl ")
	if !ok {
		return "", false
	}
	if _, target, ok := strings.Cut(rest+" ", " for "); ok {
		rest = target
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return "", true // a slice or a tuple
	}
	return words[len(words)-1], true
}

// withoutArguments drops parameter lists ("draw(int, String)"); parentheses at the head of a part are a receiver.
func withoutArguments(name string) string {
	var b strings.Builder
	depth, head := 0, true
	for _, r := range name {
		switch {
		case depth > 0 && r == '(':
			depth++
		case depth > 0 && r == ')':
			depth--
		case depth > 0:
		case r == '(' && !head:
			depth = 1
		default:
			b.WriteRune(r)
		}
		head = depth == 0 && strings.ContainsRune(".:/#( ", r)
	}
	return b.String()
}

// withoutGenerics drops what stands in matching angle or square brackets: Foo<T>, Map[K, V].
func withoutGenerics(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '<', '[':
			depth++
		case '>', ']':
			depth = max(depth-1, 0)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// nameless reports whether a symbol's name is a description that no code can use: "(anonymous namespace)", "<function>",
// "describe(\"suite\") callback". What is inside is then named without it.
func nameless(name string) bool {
	if strings.HasPrefix(name, "<") || strings.HasPrefix(name, "(anonymous") {
		return true
	}
	scope, _ := cutOperator(name)
	scope = withoutGenerics(scope)
	if _, ok := implTarget(scope); ok {
		return false
	}
	return strings.ContainsAny(scope, "\"'`") || strings.Contains(strings.TrimSpace(withoutArguments(scope)), " ")
}

// lastComponent is the bare name.
func lastComponent(name string) string {
	parts := components(name)
	if len(parts) == 0 {
		return name
	}
	return parts[len(parts)-1]
}

// endsWith reports whether the whole components of want are the last of have.
func endsWith(have, want []string) bool {
	if len(want) == 0 || len(want) > len(have) {
		return false
	}
	for i := range want {
		if have[len(have)-len(want)+i] != want[i] {
			return false
		}
	}
	return true
}

// separators are what languages write between the parts of a name; a dot in all others. By LSP language identifier.
var separators = map[string]string{
	"c": "::", "cpp": "::", "cuda-cpp": "::", "objective-c": "::", "objective-cpp": "::", "rust": "::", "php": "::",
}

// joinParts writes a qualified name of a language as it can be given back in symbol_name.
func joinParts(languageID string, parts []string) string {
	separator := separators[languageID]
	if separator == "" {
		separator = "."
	}
	return strings.Join(parts, separator)
}

func base(path string) string { return filepath.Base(path) }
