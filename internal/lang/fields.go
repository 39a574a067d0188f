package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"lspi/internal/source"
)

// TypeFields are the fields of a type, in their order, by which values without names set them.
type TypeFields struct {
	Type   string // its name; "" where it has none
	At     int    // where that stands
	Fields []NamedOffset
}

// NamedOffset is a name and where it stands.
type NamedOffset struct {
	Name string
	At   int
}

// Fields returns the types with fields that a source of Go, C or C++ declares; nil for other languages.
func Fields(path, text string) []TypeFields {
	switch l := Of(path); {
	case l.ID == "go":
		return fieldsOfGo(text)
	case l.IsC():
		return fieldsOfC(l.codeOnly(text))
	}
	return nil
}

func fieldsOfGo(text string) (out []TypeFields) {
	set := token.NewFileSet()
	file, _ := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		of, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		one := TypeFields{Type: spec.Name.Name, At: set.Position(spec.Name.Pos()).Offset}
		for _, f := range of.Fields.List {
			for _, name := range f.Names {
				one.Fields = append(one.Fields, NamedOffset{name.Name, set.Position(name.Pos()).Offset})
			}
			if len(f.Names) == 0 { // embedded: its name ends the type
				from, to := set.Position(f.Type.Pos()).Offset, set.Position(f.Type.End()).Offset
				start, end, _ := source.WordAround(text, to)
				one.Fields = append(one.Fields, NamedOffset{text[max(from, start):end], max(from, start)})
			}
		}
		out = append(out, one)
		return true
	})
	return out
}

var (
	// aggregateHead matches the head of a type with fields; the group is its name, behind those of what it is in.
	aggregateHead = source.LazyRegexp(`\b(?:struct|class|union)\b(?:\s+\w+\s*\([^()]*\))?\s*(?:[A-Za-z_]\w*\s*::\s*)*([A-Za-z_]\w*)?[^;(){}=]*\{`)
	accessLabel   = source.LazyRegexp(`\b(?:public|private|protected)\s*:`)
	// noFields begin a member that is no field.
	noFields = source.LazyRegexp(`^\s*(?:using|typedef|friend|static|template|enum\s+\w+\s*$)\b`)
	// pointerName matches the name of a pointer to a function.
	pointerName = source.LazyRegexp(`\(\s*[*&^]\s*(?:const\s+)?(\w+)`)
)

func fieldsOfC(code string) (out []TypeFields) {
	code = blanked(accessLabel, withoutDirectives(code))
	for _, m := range aggregateHead.FindAllStringSubmatchIndex(code, -1) {
		one := TypeFields{}
		if m[2] >= 0 {
			one.Type, one.At = code[m[2]:m[3]], m[2]
		}
		end := BlockEnd(code, m[1]-1)
		if one.Type == "" { // typedef struct { … } name;
			from := end + len(code[end:]) - len(strings.TrimLeft(code[end:], " \t\r\n"))
			if start, to, ok := source.WordAround(code, from); ok && start == from {
				one.Type, one.At = code[start:to], start
			}
		}
		one.Fields = membersIn(code, m[1], end-1)
		out = append(out, one)
	}
	return out
}

// membersIn are the fields that the members between two offsets declare.
func membersIn(code string, from, to int) (out []NamedOffset) {
	start := from
	for i := from; i < to; i++ {
		switch code[i] {
		case '(', '[':
			i = BlockEnd(code, i) - 1
		case '{':
			head := code[start:i]
			i = BlockEnd(code, i) - 1
			if strings.Contains(head, "(") { // the body of a function
				start = i + 1
			}
		case ';':
			out, start = append(out, fieldsOfMember(code, start, i)...), i+1
		}
	}
	return out
}

// fieldsOfMember are the fields of one member without its semicolon: int a, *b[2], (*run)(int), c : 3, d = 4, e{5}.
func fieldsOfMember(code string, from, to int) (out []NamedOffset) {
	if noFields.MatchString(code[from:to]) {
		return nil
	}
	for start, i := from, from; i <= to; i++ {
		if i < to && code[i] != ',' {
			switch code[i] {
			case '(', '[', '{':
				i = BlockEnd(code, i) - 1
			case '<':
				if end := anglesEnd(code[:to], i); end < to {
					i = end - 1
				}
			}
			continue
		}
		if name, ok := declarator(code, start, min(i, to)); ok {
			out = append(out, name)
		}
		start = i + 1
	}
	return out
}

// declarator is the name in a piece of a member.
func declarator(code string, from, to int) (out NamedOffset, ok bool) {
	text := code[from:to]
	if open := strings.IndexByte(text, '('); open >= 0 {
		m := pointerName.FindStringSubmatchIndex(text)
		if m == nil {
			return out, false // a function
		}
		return NamedOffset{text[m[2]:m[3]], from + m[2]}, true
	}
	end := len(text)
	for i := 0; i < len(text); i++ { // the type of a nested one stands before the name
		switch c := text[i]; {
		case c == '{' && aggregateHead.MatchString(text[:i+1]):
			i = BlockEnd(text, i) - 1
		case c == '=' || c == '{' || c == '[' || c == ':' && !strings.HasPrefix(text[i+1:], ":") && text[max(0, i-1)] != ':':
			end = min(end, i)
		}
	}
	text = strings.TrimRight(text[:end], " \t\r\n")
	start, stop, ok := source.WordAround(text, len(text))
	return NamedOffset{text[start:stop], from + start}, ok && stop > start
}

// MovedFields returns the fields of before that have another place among those of their type after an edit: the first
// of each type, which each value sets that sets one of the others by its place.
func MovedFields(before, after []TypeFields) (out []NamedOffset) {
	for i, was := range before {
		now := slices.IndexFunc(after, func(t TypeFields) bool { return t.Type == was.Type })
		if was.Type == "" || now < 0 ||
			slices.ContainsFunc(before[:i], func(t TypeFields) bool { return t.Type == was.Type }) {
			continue
		}
		for place, f := range was.Fields {
			at := slices.IndexFunc(after[now].Fields, func(o NamedOffset) bool { return o.Name == f.Name })
			if at >= 0 && at != place {
				out = append(out, f)
				break
			}
		}
	}
	return out
}
