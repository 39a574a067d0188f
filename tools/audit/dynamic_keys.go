package audit

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// A member of some classes is used by its name as a text or as the name of an argument: t["name"] and t.get("name")
// of a TypedDict, Color["RED"] of an enum, p._replace(x=1) of a named tuple. pyright 1.1.414 follows none of these.

// keyScan looks for uses of one member as a key.
type keyScan struct {
	*nameRequests
	names   *spec.Names
	untyped []string
	name    string
	owner   string // the class that declares it

	keyedClass
}

// keyUse is a place that gives a name as a key.
type keyUse struct {
	at    contract.Position
	owner *contract.Position // the last word of what the key is of; nil when a hover about it decides nothing
	typed bool               // the server tells by the key's definition which class it is of
}

// keyedClass is a class whose members are also keys (a TypedDict, an enum, a named tuple).
type keyedClass struct {
	member lsp.Place // the declaration of the member that was asked about
	class  lsp.Place // the name of the class
	module string    // the name of its module
}

// of prepares the scan for the class whose name stands at class and that declares member. It returns
// false when none of its bases says that its members are keys, so that there is nothing to look for.
func (n *keyScan) of(class, member lsp.Place) bool {
	keyed := false
	n.bases(class, func(_ lsp.Place, name string) bool {
		keyed = keyed || slices.Contains(n.names.Keyed, name)
		return keyed
	}, 0)
	if !keyed {
		return false
	}
	// A module in a file such as __init__.py has the name of its folder.
	module := filepath.Base(class.Path)
	if module = strings.TrimSuffix(module, filepath.Ext(module)); strings.HasPrefix(module, "__") {
		module = filepath.Base(filepath.Dir(class.Path))
	}
	n.keyedClass = keyedClass{member: member, class: class, module: module}
	return true
}

// The bounds of the way from a class to the bases of its bases, and of the lines that name these.
const (
	maxBases     = 6
	maxBaseLines = 100
)

// bases goes over the bases of a class, and over the bases of these as far as they are in the project. For each
// word between the parentheses behind the name of the class it calls visit twice at most: with the word and no
// place, then with the word and where the server leads from it. The words count as they stand, so that a base which
// the server does not find (an import that is missing) is judged by its name. bases ends and reports true when
// visit does; depth is 0 for a caller from outside, and bounds the way where classes name each other in a circle.
func (n *keyScan) bases(class lsp.Place, visit func(at lsp.Place, name string) bool, depth int) bool {
	text, err := n.s.Documents().Text(class.Path)
	if err != nil || depth > maxBases {
		return false
	}
	line, number := text.Line(class.Range.Start.Line), class.Range.Start.Line
	// No parenthesis behind the name: the class has no bases.
	_, behind, ok := strings.Cut(line, text.WordAt(class.Range.Start)+"(")
	if !ok {
		return false
	}
	from := len(line) - len(behind)
	// The bases may go over several lines, up to the first closing parenthesis.
	for ; number <= min(text.Lines(), class.Range.Start.Line+maxBaseLines); number, from = number+1, 0 {
		line = text.Line(number)
		end := len(line)
		if closing := strings.IndexByte(line[from:], ')'); closing >= 0 {
			end = from + closing
		}
		for i := from; i < end; i++ {
			start, to, ok := source.WordAround(line, i)
			// No word begins here.
			if !ok || start < i {
				continue
			}
			name, at := line[start:to], text.PositionAt(text.LineStart(number)+start)
			if i = to; visit(lsp.Place{}, name) {
				return true
			}
			for _, p := range n.locate(lsp.MethodDefinition, class.Path, at) {
				if _, in := source.RelativeTo(n.s.Root(), p.Path); in &&
					(visit(p, name) || n.bases(p, visit, depth+1)) {
					return true
				}
			}
		}
		// The closing parenthesis stands in this line.
		if end < len(line) {
			return false
		}
	}
	return false
}

// places returns the places in a text that give the name as a key. sign begins a comment. Receivers
// become positions here, because a hover is asked for with them.
func (n *keyScan) places(text *source.Text, path, sign string) (out []keyUse) {
	quoted := false               // a text of several lines
	var copied *contract.Position // what is before a call of several lines that takes members as arguments
	for number := 1; number <= text.Lines(); number++ {
		line := text.Line(number)
		// An odd number of triple quotes begins or ends a text of several lines. A line that lies in one, or begins
		// one, holds no code that counts.
		was := quoted
		if (strings.Count(line, `"""`)+strings.Count(line, `'''`))%2 == 1 {
			quoted = !quoted
		}
		trimmed := strings.TrimSpace(line)
		if was || quoted || strings.HasPrefix(trimmed, sign) {
			continue
		}
		columns := columnsOf(text, number)
		// The call of several lines ends here.
		if strings.HasPrefix(trimmed, ")") {
			copied = nil
		}
		if found := source.Occurrences(line, n.name); len(found) > 0 {
			code := lang.Code(path, line)
			for _, i := range found {
				u, ok := n.byKey(line, i, code)
				// An argument in a call of several lines, whose receiver stands in the line where the call began.
				if !ok && copied != nil && code[i] && isArgument(line, i, n.name) {
					u, ok = keyUse{owner: &contract.Position{Line: copied.Line, Character: copied.Character}}, true
				} else if ok && u.owner != nil {
					at := columns.position(u.owner.Character)
					u.owner = &at
				}
				if ok {
					u.at = columns.position(i)
					out = append(out, u)
				}
			}
		}
		// A line that ends with the opening parenthesis of such a call: its arguments are in the lines below.
		if owner, ok := strings.CutSuffix(strings.TrimRight(line, " \t"), "."+n.names.Copies+"("); ok {
			if copied, _ = receiverAt(owner); copied != nil {
				at := columns.position(copied.Character)
				copied = &at
			}
		}
	}
	return out
}

// isArgument reports whether a name at i of a line is the name of an argument: name=1.
func isArgument(line string, i int, name string) bool {
	after := strings.TrimLeft(line[i+len(name):], " \t")
	return strings.HasPrefix(after, "=") && !strings.HasPrefix(after, "==")
}

// byKey tells how a line gives the name at i as a key; the owner's Character is an offset in the line, and typed is
// set where the server tells which class a key is of. code tells for each byte of the line whether it is code. The
// forms, in this order: the name of an argument of a copying call; then, in quotes, an index, the argument of a
// function that takes keys, the key of a literal, and the left side of "in".
func (n *keyScan) byKey(line string, i int, code []bool) (u keyUse, ok bool) {
	end := i + len(n.name)
	if code[i] && isArgument(line, i, n.name) {
		// The copying call has to be open still at the name: more parentheses are opened than closed.
		open := strings.LastIndex(line[:i], "."+n.names.Copies+"(")
		if open < 0 || strings.Count(line[open:i], "(") <= strings.Count(line[open:i], ")") {
			return u, false
		}
		// No owner (the call is on the result of another one) leaves it to the file: see may.
		u.owner, _ = receiverAt(line[:open])
		return u, true
	}
	// From here on the name has to be the whole of a text: the same quote on both sides.
	if i == 0 || end >= len(line) || line[i-1] != line[end] || line[end] != '"' && line[end] != '\'' {
		return u, false
	}
	before, after := strings.TrimRight(line[:i-1], " \t"), strings.TrimLeft(line[end+1:], " \t")
	switch {
	case strings.HasSuffix(before, "[") && strings.HasPrefix(after, "]"):
		before = strings.TrimRight(before[:len(before)-1], " \t")
		if before == "" || strings.ContainsRune("=,([{:", rune(before[len(before)-1])) {
			return u, false // a list with a text in it
		}
	case strings.HasSuffix(before, "("):
		from, to, ok := source.WordAround(before, len(before)-1)
		if !ok || to != len(before)-1 || from == 0 || line[from-1] != '.' ||
			!slices.Contains(n.names.ByKey, before[from:to]) {
			return u, false
		}
		before = before[:from-1]
	// A literal {"name": 1} says nothing of its class; the server knows it, and leads from the key to the member.
	case strings.HasPrefix(after, ":"):
		return keyUse{typed: true}, true
	case strings.HasPrefix(after, "in "):
		// "name" in t: the word behind "in" is what has the key. Behind a dot or a parenthesis it is only the
		// beginning of that.
		from := len(line) - len(after) + len("in ")
		_, to, ok := source.WordAround(line, from)
		if !ok || !code[from] || strings.HasPrefix(line[to:], ".") || strings.HasPrefix(line[to:], "(") {
			return u, false
		}
		return keyUse{owner: &contract.Position{Character: from}}, true
	default:
		return u, false
	}
	// ok is true here for a text before the name, which has no such members.
	u.owner, ok = receiverAt(before)
	return u, !ok && (u.owner == nil || code[u.owner.Character])
}

// may reports whether a key in a file may be the member that was asked about. The server decides where it knows the
// class of the key: by the definition for a literal, by the hover about the owner for the rest. Where it does not
// know, any file that names the class or its module may have such a key.
func (n *keyScan) may(path string, u keyUse) bool {
	if u.typed {
		return slices.ContainsFunc(n.locate(lsp.MethodDefinition, path, u.at), func(p lsp.Place) bool {
			return p.Path == n.member.Path && p.Range.Start == n.member.Range.Start
		})
	}
	if u.owner != nil {
		if head := outsideBrackets(n.head(path, *u.owner)); head != "" {
			holds := func(word string) bool { return len(source.Occurrences(head, word)) > 0 }
			// The hover names this class, or another type and no word for an unknown one: the answer is known.
			// Another class still has the key when it is below this one.
			if holds(n.owner) || !slices.ContainsFunc(n.untyped, holds) {
				return holds(n.owner) || n.above(path, *u.owner)
			}
		}
	}
	text, err := n.s.Documents().Text(path)
	return err != nil || len(source.Occurrences(text.Content(), n.owner)) > 0 ||
		len(source.Occurrences(text.Content(), n.module)) > 0
}

// above reports whether the class of the value at a place has the scan's class among its bases, so that
// it inherits the member.
func (n *keyScan) above(path string, at contract.Position) bool {
	return slices.ContainsFunc(n.locate(lsp.MethodTypeDefinition, path, at), func(class lsp.Place) bool {
		if _, in := source.RelativeTo(n.s.Root(), class.Path); !in {
			return false
		}
		return n.bases(class, func(at lsp.Place, _ string) bool {
			return at.Path == n.class.Path && at.Range.Start == n.class.Range.Start
		}, 0)
	})
}

// outsideBrackets returns the head of a hover without what stands in brackets: dict[str, T] is no T.
// type[T] stays, because a class is used by its own name there (Color["RED"]).
func outsideBrackets(code string) string {
	var out strings.Builder
	depth := 0
	for _, r := range strings.ReplaceAll(code, "type[", "type ") {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth = max(depth-1, 0)
		case depth == 0:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// receiverAt returns the last word of owner, which is what stands in a line before a member. at has the
// offset of the word's last letter as Character and no line; it is nil where no word ends there. text
// is true for the end of a string.
func receiverAt(owner string) (at *contract.Position, text bool) {
	last, size := utf8.DecodeLastRuneInString(owner)
	switch {
	case owner == "":
		return nil, false
	case last == '"' || last == '\'' || last == '`':
		return nil, true
	case !source.IsWord(last):
		return nil, false
	}
	return &contract.Position{Character: len(owner) - size}, false
}

// inQuotes reports whether the dotted words around i stand alone in quotes, as the path of something
// does.
func inQuotes(line string, i int) bool {
	part := func(b byte) bool {
		return b == '.' || b == ':' || b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
	}
	from, to := i, i
	for from > 0 && part(line[from-1]) {
		from--
	}
	for to < len(line) && part(line[to]) {
		to++
	}
	return from > 0 && to < len(line) && line[from-1] == line[to] && (line[to] == '"' || line[to] == '\'')
}
