package lang

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// LibraryTemplate is what a template does with values and types that it gets as arguments, by its text alone.
type LibraryTemplate struct {
	Names    []string // its own; of a member that is defined outside of its class, that of the class, too
	Uses     []string // members, and operators ("operator<"), of such values and types
	Calls    []string // functions that get such values and that their types find ([basic.lookup.argdep])
	Mentions []string // other templates to which it may hand them
}

// LibraryTemplates returns the templates of a header of C++. Types of arguments are told by the parameters of the
// template and by what it declares with these; what a macro writes is not seen.
func LibraryTemplates(text string) (out []LibraryTemplate) {
	if !strings.Contains(text, "template") {
		return nil
	}
	code := withoutDirectives(Of("x.hpp").codeOnly(text))
	last := 0
	for _, word := range found(templateWord, code, "template") {
		r, ok := templateAt(code, word[1])
		if !ok || word[0] < last || code[r[0]] != '<' {
			continue
		}
		last = r[1]
		if one := libraryTemplateOf(signs(code[r[0]:r[1]])); len(one.Names) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// withoutDirectives blanks the lines of the preprocessor.
func withoutDirectives(code string) string {
	out, directive := []byte(code), false
	for from := 0; from < len(code); {
		to := len(code)
		if n := strings.IndexByte(code[from:], '\n'); n >= 0 {
			to = from + n
		}
		line := strings.TrimSuffix(code[from:to], "\r")
		if directive = directive || strings.HasPrefix(strings.TrimLeft(line, " \t"), "#"); directive {
			for i := from; i < to; i++ {
				out[i] = ' '
			}
		}
		directive = directive && strings.HasSuffix(line, "\\")
		from = to + 1
	}
	return string(out)
}

// longSigns are the signs of code of more than one character; >> may close two lists of arguments, and is two.
var longSigns = []string{"...", "::", "->", "==", "!=", "<=", ">=", "+=", "-=", "<<", "++", "--", "&&", "||"}

// signs returns the words and signs of code.
func signs(code string) (out []string) {
	for i := 0; i < len(code); {
		to := wordEnd(code, i)
		switch {
		case to > i:
		case code[i] <= ' ':
			i++
			continue
		default:
			to = i + 1
			for _, sign := range longSigns {
				if sign[0] == code[i] && strings.HasPrefix(code[i:], sign) {
					to = i + len(sign)
					break
				}
			}
		}
		out, i = append(out, code[i:to]), to
	}
	return out
}

// blanked returns code with blanks for what an expression matches.
func blanked(re *source.Regexp, code string) string {
	return re.ReplaceAllStringFunc(code, func(match string) string { return strings.Repeat(" ", len(match)) })
}

// templateTokens are the tokens of one template, with what is known of its words.
type templateTokens struct {
	all   []string
	pair  []int           // of a bracket: the other one; the ends where there is none
	types map[string]bool // its parameters, and types made of these
	// declared are the places that declare a name, in order, and whether with such a type.
	declared map[string][]declaredValue
}

// declaredValue is one declaration of a name in a template.
type declaredValue struct {
	at     int
	handed bool
}

// at is the token at a place; "" outside.
func (t *templateTokens) at(i int) string {
	if i < 0 || i >= len(t.all) {
		return ""
	}
	return t.all[i]
}

func isWordToken(token string) bool {
	return token != "" && wordByte(token[0]) && (token[0] < '0' || token[0] > '9')
}

// libraryTemplateOf reads one template, from the angle bracket of its head on.
func libraryTemplateOf(all []string) (out LibraryTemplate) {
	t := &templateTokens{all: all, pair: pairs(all), types: map[string]bool{"auto": true},
		declared: map[string][]declaredValue{}}
	body := t.parameters(0)
	for i := body; i < len(all); i++ {
		if all[i] == "template" && t.at(i+1) == "<" {
			i = t.parameters(i+1) - 1
		}
	}
	for i := range all {
		t.alias(i)
	}
	for i := range all {
		t.declare(i)
	}
	out.Names = t.names(body)
	for i := range all {
		t.use(i, &out)
	}
	for _, list := range []*[]string{&out.Uses, &out.Calls, &out.Mentions} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	out.Mentions = slices.DeleteFunc(out.Mentions, func(word string) bool { return slices.Contains(out.Names, word) })
	return out
}

// pairs finds for each bracket the other one.
func pairs(all []string) []int {
	out := make([]int, len(all))
	var open []int
	for i, token := range all {
		switch token {
		case "(", "[", "{":
			open = append(open, i)
			out[i] = len(all) - 1
		case ")", "]", "}":
			if n := len(open) - 1; n >= 0 {
				out[i], out[open[n]], open = open[n], i, open[:n]
			}
		}
	}
	return out
}

// parameters takes the names of parameters behind the bracket at i, and returns what stands behind them.
func (t *templateTokens) parameters(i int) int {
	depth, named := 0, true // until a default value
	for ; i < len(t.all); i++ {
		switch token := t.all[i]; {
		case token == "<":
			depth++
		case token == "(" || token == "{":
			i = t.pair[i]
		case token == ">":
			if depth--; depth == 0 {
				return i + 1
			}
		case depth > 1:
		case token == "," || token == "=":
			named = token == ","
		case named && isWordToken(token) && token != "typename" && token != "class" &&
			slices.Contains([]string{",", ">", "="}, t.at(i+1)):
			t.types[token] = true
		}
	}
	return i
}

// alias takes the name that a typedef or a using at i gives to a type of the arguments.
func (t *templateTokens) alias(i int) {
	end := i
	for end < len(t.all) && t.all[end] != ";" {
		end++
	}
	switch {
	case t.all[i] == "typedef" && isWordToken(t.at(end-1)) && t.isOfArgument(t.all[i+1:end-1]):
		t.types[t.at(end-1)] = true
	case t.all[i] == "using" && t.at(i+2) == "=" && t.isOfArgument(t.all[i+3:end]):
		t.types[t.at(i+1)] = true
	}
}

// isOfArgument reports whether a type is one of the arguments, a member of one, or one that another template makes of
// it.
func (t *templateTokens) isOfArgument(of []string) bool {
	for len(of) > 0 && (of[0] == "typename" || of[0] == "const") {
		of = of[1:]
	}
	if len(of) == 0 {
		return false
	}
	last := slices.Index(of, "<")
	made := last > 0 && len(of) > 2 && of[len(of)-2] == "::" && slices.ContainsFunc(of[last:], t.isType)
	return t.isType(of[0]) || made
}

func (t *templateTokens) isType(token string) bool { return t.types[token] }

// anyHanded reports whether one of some tokens is a value or type of the arguments, and not the declaration of one.
func (t *templateTokens) anyHanded(from, to int) bool {
	for i := from; i < to; i++ {
		if t.types[t.all[i]] && !isWordToken(t.at(i+1)) || t.isHandedAt(i) && !t.declares(i) {
			return true
		}
	}
	return false
}

// declares reports whether the token at i is the name in a declaration.
func (t *templateTokens) declares(i int) bool {
	return slices.ContainsFunc(t.declared[t.all[i]], func(d declaredValue) bool { return d.at == i })
}

// declare takes the name that the token at i may be, behind the type of an argument or behind another one.
func (t *templateTokens) declare(i int) {
	if !isWordToken(t.all[i]) || !slices.Contains(behindName, t.at(i+1)) {
		return
	}
	from := i - 1
	for slices.Contains([]string{"const", "&", "&&", "*", "..."}, t.at(from)) {
		from--
	}
	first := from
	for t.at(first-1) == "::" && isWordToken(t.at(first-2)) {
		first -= 2
	}
	switch {
	case t.types[t.at(first)]:
		t.declared[t.all[i]] = append(t.declared[t.all[i]], declaredValue{i, true})
	case t.at(from) == ">" || isWordToken(t.at(from)) && !slices.Contains(noType, t.at(from)):
		t.declared[t.all[i]] = append(t.declared[t.all[i]], declaredValue{i, false})
	}
}

// behindName are tokens that may follow the name in a declaration, noType words that stand before no name.
var (
	behindName = []string{",", ")", ";", "=", "{", ":", "["}
	noType     = []string{"return", "new", "delete", "throw", "else", "case", "typename", "class", "struct", "operator"}
)

// isHandedAt reports whether the token at i is a value of an argument's type, by the declaration before it.
func (t *templateTokens) isHandedAt(i int) bool {
	all := t.declared[t.at(i)]
	last := slices.IndexFunc(all, func(d declaredValue) bool { return d.at > i })
	switch {
	case len(all) == 0 || t.types[t.at(i)]: // a typedef looks like a declaration
		return false
	case last < 0:
		return all[len(all)-1].handed
	}
	return all[max(0, last-1)].handed
}

// names are those of the template whose declaration begins at i.
func (t *templateTokens) names(i int) []string {
	depth, word, scope := 0, "", []string(nil) // the types before the name of a member that is defined outside
	for ; i < len(t.all); i++ {
		switch token := t.all[i]; {
		case token == "template" && t.at(i+1) == "<":
			i = t.skipAngles(i+1) - 1
		case token == "<":
			depth++
		case token == ">":
			depth--
		case token == "[":
			i = t.pair[i]
		case depth > 0:
		case token == "class" || token == "struct" || token == "union":
			return t.typeName(i + 1)
		case token == "using" || token == "concept":
			return []string{t.at(i + 1)}
		case token == "operator":
			return []string{t.operator(i + 1)}
		case token == "(":
			if before := t.at(i - 1); !isWordToken(before) || slices.Contains(noFunction, before) ||
				before == strings.ToUpper(before) {
				i = t.pair[i]
				continue
			}
			return append(scope, t.at(i-1))
		case token == "=" || token == "{" || token == ";":
			return []string{t.at(i - 1)}
		case token == "::":
			scope = []string{word}
		default:
			if word = token; t.at(i-1) != "::" {
				scope = nil
			}
		}
	}
	return nil
}

// noFunction are words before a parenthesis that name no function.
var noFunction = []string{"decltype", "noexcept", "explicit", "requires", "alignas", "__attribute__", "__typeof__", "if",
	"sizeof"}

// skipAngles is what stands behind the list of arguments at i.
func (t *templateTokens) skipAngles(i int) int {
	for depth := 0; i < len(t.all); i++ {
		switch t.all[i] {
		case "<":
			depth++
		case "(", "{":
			i = t.pair[i]
		case ">":
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// typeName is the name of the type behind its keyword; a macro or an attribute may stand in front.
func (t *templateTokens) typeName(i int) []string {
	name := ""
	for ; i < len(t.all); i++ {
		switch token := t.all[i]; {
		case token == "(" || token == "[":
			i = t.pair[i]
		case token == "::":
		case !isWordToken(token) || token == "final":
			return []string{name}
		default:
			name = token
		}
	}
	return []string{name}
}

// operator is the name of the operator whose signs begin at i.
func (t *templateTokens) operator(i int) string {
	name := "operator" + t.at(i)
	if t.at(i) == "(" || t.at(i) == "[" || t.at(i) == ">" && t.at(i+1) == ">" {
		name += t.at(i + 1)
	}
	return name
}

// binary are operators between two values.
var binary = []string{"<", ">", "==", "!=", "<=", ">=", "<<", "+", "-", "/", "%", "+=", "-=", "|", "^"}

// use takes down what the token at i uses.
func (t *templateTokens) use(i int, out *LibraryTemplate) {
	word, before := t.all[i], t.at(i-1)
	if !isWordToken(word) {
		return
	}
	if before == "template" {
		before, i = t.at(i-2), i-1
	}
	switch {
	case before == "." || before == "->":
		if t.handsOver(i - 2) {
			out.Uses = append(out.Uses, word)
		}
	case before == "::" && t.types[t.at(i-2)]:
		out.Uses = append(out.Uses, word)
	case t.isHandedAt(i):
		t.operators(i, out)
	case t.types[word]:
	default:
		if t.at(i+1) == "(" && before != "::" && before != "new" && !Reserved("cpp", word) && t.getsValue(i+1) {
			out.Calls = append(out.Calls, word)
		}
		if t.at(i+1) == "<" && t.givesWhole(i+1, t.skipAngles(i+1), func(at int) bool { return t.types[t.all[at]] }) ||
			t.at(i+1) == "(" && (before == "::" || word[0] == '_') && t.givesWhole(i+1, t.pair[i+1]+1, t.isHandedAt) {
			out.Mentions = append(out.Mentions, word)
		}
	}
}

// beside are tokens that may stand beside a value or a type which is the whole of an argument.
var beside = []string{"const", "typename", "&", "&&", "*", "...", "std", "::", "forward", "move", "<", ">", "(", ")"}

// givesWhole reports whether one of the arguments between two brackets is a value or type as it was handed over.
func (t *templateTokens) givesWhole(from, to int, is func(at int) bool) bool {
	depth, whole, other := 0, false, false
	for i := from; i < to; i++ {
		switch token := t.all[i]; {
		case i == from || i == to-1 || token == "," && depth == 0:
			if whole && !other {
				return true
			}
			whole, other = false, false
		case is(i):
			whole = true
		case t.types[token] || slices.Contains(beside, token):
			switch token {
			case "<", "(":
				depth++
			case ">", ")":
				depth--
			}
		default:
			other = true
		}
	}
	return false
}

// getsValue reports whether a value of the arguments stands in the parentheses at i.
func (t *templateTokens) getsValue(i int) bool {
	for end := t.pair[i]; i < end; i++ {
		if t.isHandedAt(i) && !t.declares(i) {
			return true
		}
	}
	return false
}

// handsOver reports whether the value that ends at i is of the type of an argument.
func (t *templateTokens) handsOver(i int) bool {
	if t.at(i) != ")" && t.at(i) != "]" {
		return t.isHandedAt(i)
	}
	from := t.pair[i]
	return t.anyHanded(from, i) && t.at(from+1) != "this" ||
		t.at(from-1) == ">" && slices.ContainsFunc(t.all[max(0, from-6):from], t.isType)
}

// operators takes down those on the value at i.
func (t *templateTokens) operators(i int, out *LibraryTemplate) {
	before, behind := t.at(i-1), t.at(i+1)
	if before == "*" && !isWordToken(t.at(i-2)) && t.at(i-2) != ")" {
		out.Uses = append(out.Uses, "operator*")
		before = t.at(i - 2)
	}
	for _, sign := range []string{before, behind} {
		if sign == "++" || sign == "--" {
			out.Uses = append(out.Uses, "operator"+sign)
		}
		if slices.Contains(binary, sign) {
			out.Uses = append(out.Uses, "operator"+sign)
		}
	}
	switch behind {
	case "(":
		if before == ":" || before == "," && t.at(i-2) == ")" { // the initializer of a member
			return
		}
		out.Uses = append(out.Uses, "operator()")
	case "[":
		out.Uses = append(out.Uses, "operator[]")
	case "->":
		out.Uses = append(out.Uses, "operator->")
	}
	if t.at(i+1) == ">" && t.at(i+2) == ">" || t.at(i-1) == ">" && t.at(i-2) == ">" {
		out.Uses = append(out.Uses, "operator>>")
	}
}
