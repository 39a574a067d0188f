package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/adapter"
	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// The bounds of the search for uses of a member by its name alone.
const (
	dynamicLimit    = 4 * time.Second
	maxDynamicAsked = 20 // places at which the server is asked what the member belongs to
	maxDynamicFiles = 20 // that are named with their counts
)

// openUse is a place that holds the name of a member as a member, and that is not in the answer.
type openUse struct {
	path     string
	at       contract.Position
	receiver *contract.Position // of the word before the name; nil when there is none
	text     bool               // what it belongs to is a text
	keyed    bool               // the name is given as a text
	doubtful bool               // it may stand in a comment or a text; only what the server knows counts
}

// dynamicUses warns of uses of the member at a place by its name alone, where the server does not know what the name belongs
// to: such uses it finds neither as references nor as callers, and does not rename. found are those that it knows.
func (c *Call) dynamicUses(ctx context.Context, s *lsp.Server, at spot, found []lsp.Place) {
	rules := s.Spec().Dynamic
	if rules == nil || at.name == "" || !s.Offers(lsp.MethodDefinition) {
		return
	}
	c.openNames(ctx, s, at, found)
	ctx, cancel := context.WithTimeout(ctx, dynamicLimit)
	defer cancel()
	open, unread := c.openUses(ctx, s, rules, at, found)
	if len(open) == 0 && unread.path == "" || !c.isMember(ctx, s, rules, at) {
		return
	}
	unknown, unasked := c.untyped(ctx, s, rules, open)
	if len(unknown) == 0 && unread.path == "" {
		return
	}
	var paths []string
	for _, u := range unknown {
		paths = append(paths, u.path)
	}
	c.warn(contract.WarnDynamicUses, dynamicFacts(c, at.name, paths), c.dynamicMessage(s, at.name, unknown, unasked, unread))
}

// dynamicCallers is dynamicUses for each of the items whose callers were asked for.
func (c *Call) dynamicCallers(ctx context.Context, s *lsp.Server, asked []lsp.HierarchyItem) {
	if s.Spec().Dynamic == nil && s.Spec().Alias == nil || !s.Offers(lsp.MethodReferences) {
		return
	}
	for _, item := range asked {
		at := spot{path: item.Place.Path, at: item.Place.Range.Start, name: lastComponent(item.Name)}
		if places, err := s.References(ctx, at.path, at.at, true); err == nil {
			c.dynamicUses(ctx, s, at, places)
			c.callersByAlias(ctx, s, at.name, places)
		}
	}
}

// callersByAlias warns of uses by the other name of an import: a server that does not list these has no callers by it.
func (c *Call) callersByAlias(ctx context.Context, s *lsp.Server, name string, references []lsp.Place) {
	uses, all := adapter.UsesByAlias(ctx, s, references)
	uses = slices.DeleteFunc(uses, func(u lsp.Place) bool { return u.Err != nil || u.Gone })
	if len(uses) == 0 && all {
		return
	}
	if len(uses) == 0 {
		c.warn(contract.WarnPartFailed, contract.Facts{"part": "aliases", "server_id": s.ID()}, "not all callers by other names that imports give could be looked for")
		return
	}
	first := uses[0]
	c.warn(contract.WarnUnresolved, contract.Facts{"name": name, "file_path": c.show(first.Path), "line": first.Range.Start.Line}, fmt.Sprintf(
		"%s has no callers of %s by the other name that an import gives it; %s by such names, the first at %s:%d",
		s.ID(), name, map[bool]string{true: "there is 1 use", false: fmt.Sprintf("there are %d uses", len(uses))}[len(uses) == 1], c.show(first.Path), first.Range.Start.Line))
	c.instead("find_references", "Find the uses by every name.")
}

func (c *Call) dynamicMessage(s *lsp.Server, name string, unknown []openUse, unasked int, unread unsearched) string {
	lacking := ""
	switch {
	case unread.why != nil:
		lacking = fmt.Sprintf("%s was not searched for uses of .%s that %s does not resolve: %s", c.show(unread.path), name, s.ID(), asError(unread.why).Message)
	case unread.path != "":
		lacking = fmt.Sprintf("not all files could be searched in time for uses of .%s that %s does not resolve; %s was not", name, s.ID(), c.show(unread.path))
	}
	if len(unknown) == 0 {
		return lacking
	}
	first := unknown[0]
	message := fmt.Sprintf("%d places with .%s, the first at %s:%d, are not in this answer and may use it: %s does not know the type before the dot",
		len(unknown), name, c.show(first.path), first.at.Line, s.ID())
	if len(unknown) == 1 {
		message = fmt.Sprintf("the .%[3]s at %[1]s:%[2]d is not in this answer and may be a use of it: %[4]s does not know the type before the dot",
			c.show(first.path), first.at.Line, name, s.ID())
	}
	if unasked > 0 {
		message += fmt.Sprintf("; the server was not asked about %d of them", unasked)
	}
	if lacking != "" {
		message += "; " + lacking
	}
	return message
}

// dynamicFacts are the facts of a warning about uses of a name that the server does not follow: the files of the places, each with how
// many it has. From a bound on, those of further files are counted together.
func dynamicFacts(c *Call, name string, paths []string) contract.Facts {
	counts := map[string]int{}
	var files []string
	for _, path := range paths {
		shown := c.show(path)
		if counts[shown] == 0 {
			if files = append(files, shown); len(files) > maxDynamicFiles {
				shown = "…"
			}
		}
		counts[shown]++
	}
	return contract.Facts{"name": name, "total": len(paths), "files": files[:min(len(files), maxLeftOutShown)], "counts": counts}
}

// warnOfNames says which places name what was asked about, and what they are.
func (c *Call) warnOfNames(s *lsp.Server, name string, open []namedUse, unasked int) {
	if len(open) == 0 && unasked == 0 {
		return
	}
	if len(open) == 0 {
		c.warn(contract.WarnPartFailed, contract.Facts{"part": "names", "server_id": s.ID()}, fmt.Sprintf(
			"%s was not asked about %d places that hold %s; they may use it", s.ID(), unasked, name))
		return
	}
	var paths []string
	for _, u := range open {
		paths = append(paths, u.path)
	}
	why := map[naming]string{
		byText: "it is named in a text", byGetter: "it is named in a text", byMember: "the module has it only when the program runs, or is not found",
		byImport: "the server does not find what is imported there", byWord: "a parameter of this name asks for it", byKey: "the server does not follow names that are keys",
	}[open[0].how]
	message := fmt.Sprintf("%s at %s:%d is not in this answer and may be a use of it: %s", name, c.show(open[0].path), open[0].at.Line, why)
	if len(open) > 1 {
		message = fmt.Sprintf("%d places with %s are not in this answer and may use it, the first at %s:%d: %s",
			len(open), name, c.show(open[0].path), open[0].at.Line, why)
	}
	c.warn(contract.WarnDynamicUses, dynamicFacts(c, name, paths), message)
}

// isMember reports whether what stands at a place is declared as a member of something.
func (c *Call) isMember(ctx context.Context, s *lsp.Server, rules *lsp.Dynamic, at spot) bool {
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.path, at.at)
	if err != nil {
		return true // nobody can tell
	}
	if len(places) == 0 {
		places = []lsp.Place{{Path: at.path, Range: contract.Range{Start: at.at, End: at.at}}}
	}
	for _, p := range places {
		if p.Err != nil || p.Gone {
			continue
		}
		if strings.HasSuffix(p.Line[:min(byteOffset(p.Line, p.Range.Start.Character), len(p.Line))], ".") {
			return true // self.name = …
		}
		if symbols, _, err := s.DocumentSymbols(ctx, p.Path); err == nil {
			path := nameAt(symbols, p.Range.Start)
			if n := len(path); n > 0 && (isMemberKind(path[n-1].Kind) || n > 1 && isTypeKind(path[n-2].Kind)) {
				return true
			}
		}
	}
	said, err := s.Hover(ctx, at.path, at.at)
	return err != nil || said != nil && slices.ContainsFunc(rules.Members, func(sign string) bool { return strings.Contains(said.Text, sign) })
}

func isMemberKind(kind lsp.SymbolKind) bool {
	return kind == "method" || kind == "property" || kind == "field" || kind == "enum_member"
}

func isTypeKind(kind lsp.SymbolKind) bool {
	return kind == "class" || kind == "interface" || kind == "struct" || kind == "enum" || kind == "object"
}

// untyped are the uses of which the server does not know what they belong to. Those beyond the bounds of asking are among
// them, and counted.
func (c *Call) untyped(ctx context.Context, s *lsp.Server, rules *lsp.Dynamic, open []openUse) (out []openUse, unasked int) {
	asked := 0
	for _, u := range open {
		if asked++; asked > maxDynamicAsked || ctx.Err() != nil {
			if !u.doubtful {
				out, unasked = append(out, u), unasked+1
			}
			continue
		}
		if unknownAt(ctx, s, rules, u) {
			out = append(out, u)
		}
	}
	return out, unasked
}

// unknownAt reports whether the server does not know what a member belongs to.
func unknownAt(ctx context.Context, s *lsp.Server, rules *lsp.Dynamic, u openUse) bool {
	if places, err := s.Locate(ctx, lsp.MethodDefinition, u.path, u.at); err == nil && len(places) > 0 {
		return false // it is another one, or the answer would have it
	}
	if u.doubtful {
		said, err := s.Hover(ctx, u.path, u.at)
		return err == nil && said != nil && !u.text
	}
	if u.text || u.receiver == nil || u.keyed {
		return !u.text
	}
	said, err := s.Hover(ctx, u.path, *u.receiver)
	if err != nil || said == nil {
		return true
	}
	code, _, ok := cutBlock(strings.TrimSpace(said.Text))
	return !ok || slices.ContainsFunc(rules.Untyped, func(word string) bool { return source.MayHoldWord([]byte(code), []byte(word)) })
}

// openMember warns where a member has no definition that the server tells of, and no error: what it belongs to is not known, or has members
// that are found only when the program runs.
func openMember(ctx context.Context, c *Call, s *lsp.Server, at spot) {
	rules := s.Spec().Dynamic
	text, err := s.Text(at.path)
	if rules == nil || err != nil {
		return
	}
	line, columns := text.Line(at.at.Line), columnsOf(text, at.at.Line)
	from, _, ok := source.WordAround(line, byteOffset(line, at.at.Character))
	if !ok {
		return
	}
	u, ok := memberAt(line, from, at.name, lang.Code(at.path, line), rules)
	if !ok || u.keyed || u.doubtful {
		return
	}
	facts := contract.Facts{"name": at.name, "file_path": c.show(at.path), "line": at.at.Line}
	if u.receiver != nil {
		receiver := columns.position(u.receiver.Character)
		u.receiver = &receiver
		if p, function := servedBy(ctx, s, rules, at.path, receiver); function != "" {
			facts["file_path"], facts["line"] = c.show(p.Path), p.Range.Start.Line
			c.warn(contract.WarnUnresolved, facts, fmt.Sprintf("%s gives no definition of %s: what that is, %s at %s:%d says only when the program runs",
				s.ID(), at.name, function, c.show(p.Path), p.Range.Start.Line))
			return
		}
	}
	own := strings.HasPrefix(at.name, "__") && strings.HasSuffix(at.name, "__") // of the language
	if u.path, u.at = at.path, at.at; !own && (len(rules.Serving) > 0 || unknownAt(ctx, s, rules, u)) {
		c.warn(contract.WarnUnresolved, facts, fmt.Sprintf("%s gives no definition of %s: no type that it knows before the dot declares it", s.ID(), at.name))
	}
}

// servedBy is the function by which the module or class that stands at a place has members that nobody declares; "" when there is none.
func servedBy(ctx context.Context, s *lsp.Server, rules *lsp.Dynamic, path string, at contract.Position) (place lsp.Place, function string) {
	for _, method := range []string{lsp.MethodDefinition, lsp.MethodTypeDefinition} {
		if !s.Offers(method) || len(rules.Serving) == 0 {
			continue
		}
		owners, _ := s.Locate(ctx, method, path, at)
		for _, p := range owners {
			symbols, _, err := s.DocumentSymbols(ctx, p.Path)
			if p.Err != nil || p.Gone || err != nil {
				continue
			}
			members := symbols // of a module, to whose beginning the server leads
			if p.Range.Start != (contract.Position{Line: 1, Character: 1}) {
				members = nil
				if owner := nameAt(symbols, p.Range.Start); len(owner) > 0 && isTypeKind(owner[len(owner)-1].Kind) {
					members = owner[len(owner)-1].Children
				}
			}
			for _, m := range members {
				if slices.Contains(rules.Serving, m.Name) {
					return lsp.Place{Path: p.Path, Range: m.NameAt}, m.Name
				}
			}
		}
	}
	return lsp.Place{}, ""
}
