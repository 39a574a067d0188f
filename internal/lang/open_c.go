package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// openC marks as open what an index of C and C++ leaves out: what stands under a condition, the texts of macros, and
// what [unindexedC] finds, with the strings of attributes that name another symbol (alias("f")). In the strings of
// inline assembly each word may name what the linker joins.
func (m *marked) openC() {
	m.open(Conditional(m.text, nil))
	for _, macro := range Macros(m.text) {
		end := macro.At + len(macro.Name)
		m.openRange(end, directiveEnd(m.text, end))
	}
	code := m.codeOf()
	for _, r := range unindexedC(code) {
		m.openRange(r[0], r[1])
	}
	if strings.Contains(code, "attribute") || strings.Contains(code, "[[") {
		for _, at := range namedByAttribute.FindAllStringSubmatchIndex(m.text, -1) {
			if use := m.uses[at[0]]; use == CodeUse || use == OpenUse {
				m.fill(at[2], at[3], OpenUse)
			}
		}
	}
	for _, at := range found(assembly, code, "asm") {
		m.assembly(at[1]-1, BlockEnd(code, at[1]-1))
	}
}

// codeOf returns the text with blanks for what is no code.
func (m *marked) codeOf() string {
	out := []byte(m.text)
	for i, use := range m.uses {
		if use != CodeUse && use != OpenUse && out[i] != '\n' {
			out[i] = ' '
		}
	}
	return string(out)
}

// namedByAttribute matches the attributes whose string is the name of a function or a variable.
var namedByAttribute = source.LazyRegexp(`\b(?:__)?(?:alias|ifunc|weakref)(?:__)?\s*\(\s*"(\w+)"\s*\)`)

var assembly = source.LazyRegexp(`\b(?:asm|__asm|__asm__)\b(?:\s+(?:volatile|__volatile__|inline|goto))*\s*\(`)

// assembly marks the words in strings of inline assembly, except its directives (.size) and registers (%rax).
func (m *marked) assembly(from, to int) {
	for i := from; i < to; i++ {
		if m.uses[i] == TextUse && wordByte(m.text[i]) {
			end := min(wordEnd(m.text, i), to)
			if before := m.text[i-1]; before != '.' && before != '%' && before != '\\' {
				m.fill(i, end, AloneUse)
			}
			i = end
		}
	}
}

var (
	templateWord = source.LazyRegexp(`\btemplate\b`)
	// templateLambda matches a lambda with parameters of a template.
	templateLambda = source.LazyRegexp(`\[[^\[\];]*\]\s*<\s*(?:class|typename|template|auto|[\w:]+\s+(?:\.\.\.)?\w)`)
	// autoParameter matches the parameters of a function or lambda that is a template because of one of type auto.
	autoParameter = source.LazyRegexp(`\([^(){};]*\bauto\b[^(){};]*\)`)
	// specialization matches the head of a full specialization, up to the arguments of the template that it names.
	specialization = source.LazyRegexp(`\btemplate\s*<\s*>[^;{}()<]*`)
	friend         = source.LazyRegexp(`\bfriend\b[^;{}]*`)
	// symbolPragma matches a directive whose words may be symbols.
	symbolPragma = source.LazyRegexp(
		`(?m)^[ \t]*#[ \t]*pragma[ \t]+(?:weak|redefine_extname|omp|acc|init|fini|startup|exit|alloc_text)\b[^\n]*`)
	attribute = source.LazyRegexp(`\b__attribute(?:__)?\s*\(|\[\[`)
)

// unindexedC returns the pieces of a source's code in which clang leaves names unresolved, or does not tell them
// (clangd 22.1.8): templates with their heads, signatures and initializers, explicit instantiations, the heads of
// specializations, declarations of friends, pragmas, and the arguments of attributes (cleanup(f)).
func unindexedC(code string) (out [][2]int) {
	out = templateRanges(code)
	for _, at := range slices.Concat(found(friend, code, "friend"), found(symbolPragma, code, "pragma"),
		found(specialization, code, "template")) {
		out = append(out, [2]int{at[0], at[1]})
	}
	for _, at := range found(attribute, code, "__attribute", "[[") {
		out = append(out, attributeArguments(code, at[1]-1)...)
	}
	return out
}

// Templates returns the pieces of a source of C++ that are templates, as offsets.
func Templates(path, text string) [][2]int {
	if !Of(path).IsC() {
		return nil
	}
	return templateRanges(Of(path).codeOnly(text))
}

func templateRanges(code string) (out [][2]int) {
	for _, at := range found(templateWord, code, "template") {
		if r, ok := templateAt(code, at[1]); ok {
			out = append(out, r)
		}
	}
	for _, at := range found(templateLambda, code, "]<", "] <") {
		from := at[0] + strings.IndexByte(code[at[0]:], '<')
		out = append(out, [2]int{from, endOfTemplate(code, anglesEnd(code, from), true)})
	}
	for _, at := range found(autoParameter, code, "auto") {
		before := strings.TrimRight(code[:at[0]], " \t")
		switch before[wordBegin(before):] {
		case "for", "if", "while", "switch", "catch", "decltype":
		default:
			out = append(out, [2]int{at[0], endOfTemplate(code, at[1], strings.HasSuffix(before, "]"))})
		}
	}
	return out
}

// found are the matches of an expression in code that holds one of the texts without which there are none.
func found(re *source.Regexp, code string, any ...string) [][]int {
	if !slices.ContainsFunc(any, func(text string) bool { return strings.Contains(code, text) }) {
		return nil
	}
	return re.FindAllStringIndex(code, -1)
}

// templateAt returns the declaration of a template, or the explicit instantiation, whose word template ends at i. A
// full specialization (template <>) is as any declaration.
func templateAt(code string, i int) (r [2]int, ok bool) {
	i += len(code[i:]) - len(strings.TrimLeft(code[i:], " \t\r\n"))
	if i == len(code) {
		return r, false
	}
	if code[i] != '<' {
		if end := strings.IndexAny(code[i:], ";{}"); end > 0 && code[i+end] == ';' {
			return [2]int{i, i + end}, true // template struct Vec<int>; and not t.template get<0>()
		}
		return r, false
	}
	end := anglesEnd(code, i)
	if strings.TrimSpace(code[i+1:max(i+1, end-1)]) == "" {
		return r, false
	}
	return [2]int{i, endOfTemplate(code, end, false)}, true
}

// endOfTemplate returns where the declaration behind i ends: at its semicolon, or with its body. The blocks of a
// requires expression and the braces of a constructor's initializers are no bodies. A lambda ends with its first block,
// or before the parenthesis of a call; in others both branches of an #if may have closed the parameters.
func endOfTemplate(code string, i int, lambda bool) int {
	for ; i < len(code); i++ {
		switch c := code[i]; {
		case c == '(' || c == '[':
			i = BlockEnd(code, i) - 1
		case c == ')' && lambda, c == ']', c == '}', c == ';':
			return i
		case c == '{':
			end := BlockEnd(code, i)
			next := strings.TrimLeft(code[end:], " \t\r\n")
			if !isRequirement(code[:i]) && (lambda || !strings.HasPrefix(next, ",")) && !strings.HasPrefix(next, "{") &&
				!strings.HasPrefix(next, "&&") && !strings.HasPrefix(next, "||") {
				return end
			}
			i = end - 1
		}
	}
	return len(code)
}

// isRequirement reports whether the block that begins behind a piece of code is that of a requires expression.
func isRequirement(before string) bool {
	before = strings.TrimRight(before, " \t\r\n")
	if strings.HasSuffix(before, ")") {
		before = strings.TrimRight(before[:max(0, BlockStart(before, len(before)-1))], " \t\r\n")
	}
	return before[wordBegin(before):] == "requires"
}

// attributeArguments returns the arguments of the attributes in the list that opens at i.
func attributeArguments(code string, i int) (out [][2]int) {
	for _, call := range attributeCall.FindAllStringIndex(code[i:BlockEnd(code, i)], -1) {
		open := i + call[1] - 1
		out = append(out, [2]int{open, BlockEnd(code, open)})
	}
	return out
}

var attributeCall = source.LazyRegexp(`\w\s*\(`)
