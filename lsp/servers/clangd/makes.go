package clangd

import (
	"slices"
	"strings"

	"lspi/internal/source"
)

// clangd lists a constructor where code calls it, by its name or not, and none of the calls that a template makes for
// its arguments (std::make_shared<Foo>), or that the compiler adds for members and bases; of a destructor it lists none
// at all (22.1.8).

// makes is [lsp.ImplicitHooks].Makes. A constructor that needs arguments is not called for members and bases by itself.
func makes(declaration string) func(content string, from, to int) bool {
	destructor := strings.HasPrefix(declaration, "~")
	name, rest, _ := strings.Cut(declaration, "(")
	name = strings.TrimSpace(strings.TrimPrefix(name, "~"))
	parameters := parametersOf(rest)
	first, _, _ := strings.Cut(parameters, ",")
	byItself := destructor || strings.Trim(parameters, " \t\r\n") == "" || source.HasWord(first, name) ||
		strings.Contains(parameters, "=") || strings.Contains(parameters, "...")
	return func(content string, from, to int) bool {
		before, behind := strings.TrimRight(content[:from], " \t\r\n"), strings.TrimLeft(content[to:], " \t\r\n")
		if strings.HasPrefix(behind, "<") { // arguments of a class template
			if end := strings.IndexAny(behind, ">;{"); end > 0 && behind[end] == '>' {
				behind = strings.TrimLeft(behind[end+1:], " \t\r\n")
			}
		}
		start, _, _ := source.WordAround(before, len(before))
		word := before[min(start, len(before)):]
		switch {
		case strings.HasPrefix(behind, "::"): // its constructors are inherited by using Foo::Foo
			return strings.HasPrefix(strings.TrimLeft(behind[2:], " "), name)
		case strings.HasPrefix(behind, "*"), strings.HasPrefix(behind, "&"), strings.HasSuffix(before, "~"),
			slices.Contains([]string{"class", "struct", "union", "friend", "enum", "namespace", "new"}, word):
			return false
		}
		if argued := templateBefore(before); argued != "" {
			return !onlyPoints.MatchString(argued)
		}
		if !byItself || strings.HasPrefix(behind, "(") {
			return false
		}
		return destructor || inBases(before) || inType(content[:from])
	}
}

// parametersOf is the text up to the parenthesis that closes.
func parametersOf(rest string) string {
	depth := 1
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return rest[:i]
			}
		}
	}
	return rest
}

// onlyPoints matches templates that make nothing of their argument.
var onlyPoints = source.LazyRegexp(`^(?:unique_ptr|shared_ptr|weak_ptr|\w+_cast|is_\w+|template|operator)$`)

// templateBefore is the name of the template of which what follows is an argument; "" where it is none.
func templateBefore(before string) string {
	depth := 0
	for i := len(before) - 1; i >= 0 && i > len(before)-maxArguments; i-- {
		switch before[i] {
		case '>':
			depth++
		case '<':
			if depth == 0 {
				from, to, _ := source.WordAround(before, i)
				return before[from:to]
			}
			depth--
		case ';', '{', '}', ')', '=':
			return ""
		}
	}
	return ""
}

// maxArguments bounds how far the beginning of the arguments of a template is looked for, in bytes.
const maxArguments = 200

// inBases reports whether what follows stands among the bases of a type.
func inBases(before string) bool {
	head := before[strings.LastIndexAny(before, ";{}")+1:]
	return baseClause.MatchString(head)
}

var baseClause = source.LazyRegexp(`\b(?:class|struct)\s+[\w:\s]*[\w>]\s*:\s*[^:;]`)

// inType reports whether a text ends in the body of a type, outside of its functions.
func inType(before string) bool {
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case '}':
			depth++
		case '{':
			if depth--; depth >= 0 {
				continue
			}
			head := before[:i]
			head = head[strings.LastIndexAny(head, ";{}")+1:]
			return typeHead.MatchString(head) && !strings.Contains(head, ")")
		}
	}
	return false
}

var typeHead = source.LazyRegexp(`\b(?:class|struct|union)\b`)
