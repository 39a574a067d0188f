package clangd

import (
	"context"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// clangd lists a constructor where code calls it, by its name or not, and none of the calls that a template makes for
// its arguments (std::make_shared<Foo>), or that the compiler adds for members and bases; of a destructor it lists none
// at all (22.1.8).

// byMaking looks for the names of a class by which code makes or ends an object, in lines without a place of the
// answer, where the declaration is a constructor or destructor.
func (q *implicit) byMaking(ctx context.Context) {
	asked, err := q.s.Documents().Text(q.Asked.Path)
	if err != nil {
		return
	}
	at, err := asked.Offset(q.Asked.Range.Start)
	if err != nil || !mayConstruct(asked.Content(), at, q.Name) || !q.declare(ctx) || q.own == nil ||
		q.own.Kind != "constructor" && !strings.Contains(q.own.Name, "~") {
		return
	}
	from, err := q.text.Offset(q.own.NameAt.Start)
	if err != nil {
		return
	}
	content, class := q.text.Content(), strings.TrimPrefix(q.Name, "~")
	makes := makes(content[from:min(len(content), from+lang.MaxScanned)])
	q.look(ctx, q.Holding([]string{class}), []string{class}, func(text *source.Text, from, to int, _ bool) bool {
		return makes(text.Content(), from, to) && !q.Listed(text.Path, text.PositionAt(from).Line)
	})
}

// mayConstruct reports whether a name at an offset may be that of a constructor or a destructor: it has arguments, no
// value before it, and no type but what may stand in front of a constructor.
func mayConstruct(content string, at int, name string) bool {
	_, to, _ := source.WordAround(content, at)
	before, behind := strings.TrimRight(content[:at], " \t"), strings.TrimLeft(content[max(at, to):], " \t")
	start, end, _ := source.WordAround(before, len(before))
	word := before[start:end]
	return strings.HasPrefix(name, "~") || strings.HasSuffix(before, "~") || !lang.BehindDot(before) &&
		(strings.HasPrefix(behind, "(") || strings.HasPrefix(behind, "{")) &&
		(word == "" || slices.Contains([]string{"explicit", "constexpr", "consteval", "inline", "new", "return"}, word) ||
			strings.HasSuffix(before, "]"))
}

// makes tells of the text from the name of a constructor or destructor on whether code makes or ends an object by it at
// the name of the class. A constructor that needs arguments is not called for members and bases by itself.
func makes(declaration string) func(content string, from, to int) bool {
	destructor := strings.HasPrefix(declaration, "~")
	name, parameters, _ := strings.Cut(declaration, "(")
	name = strings.TrimSpace(strings.TrimPrefix(name, "~"))
	if open := strings.IndexByte(declaration, '('); open >= 0 {
		parameters = strings.TrimSuffix(declaration[open+1:lang.BlockEnd(declaration, open)], ")")
	}
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
	open := lang.BlockStart(before, len(before))
	if open < 0 || before[open] != '{' {
		return false
	}
	head := before[strings.LastIndexAny(before[:open], ";{}")+1 : open]
	return typeHead.MatchString(head) && !strings.Contains(head, ")")
}

var typeHead = source.LazyRegexp(`\b(?:class|struct|union)\b`)
