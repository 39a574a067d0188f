package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// In a language without declared types, which member a name means is decided when the program runs. A server that does
// not know the type before the dot finds such a use neither as a reference nor as a caller. So the sources are searched
// for the name, the server is asked about each place, and a warning names those of which the server knows no more than
// lspi does.

// The bounds of the search for uses of a member by its name alone.
const (
	dynamicLimit    = 4 * time.Second // at least, for one search
	dynamicShare    = 12              // of the call's time one search has this part, where that is more
	maxDynamicAsked = 20              // places at which the server is asked what the member belongs to
	maxDynamicFiles = 20              // that are named with their counts
)

// withinSearch bounds one search by a share of the call's time, so that whoever gives calls more time,
// as on a slow machine, has more places asked about.
func withinSearch(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := dynamicLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(limit, time.Until(deadline)/dynamicShare)
	}
	return context.WithTimeout(ctx, limit)
}

// openUse is a place that holds a name as a member and is not in the answer.
type openUse struct {
	path     string
	At       contract.Position
	receiver *contract.Position // the word before the name; nil when there is none
	text     bool               // the member belongs to a string
	Keyed    bool               // the name is given as a string
	doubtful bool               // it may stand in a comment or a string; only what the server knows counts
}

// DynamicUses warns of uses of the member at a place by its name alone, where the server does not know
// what the name belongs to: it finds such uses neither as references nor as callers, and does not
// rename them. found are the uses that it knows. At a server whose row has no rules for this
// ([spec.Dynamic]) it warns of the texts of macros alone.
func DynamicUses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, found []lsp.Place) {
	macroTextUses(ctx, c, s, at, found)
	rules := s.Spec().Dynamic
	if rules == nil || at.Name == "" || !s.Offers(lsp.MethodDefinition) {
		return
	}
	// What a module declares has a search of its own, with a time of its own.
	openNames(ctx, c, s, at, found)
	ctx, cancel := withinSearch(ctx)
	defer cancel()
	// The text search comes first, because it is cheap and mostly finds nothing that the answer does not have.
	open, unread := openUses(ctx, c, s, rules, at, found)
	if len(open) == 0 && unread.Path == "" || !isMember(ctx, c, s, rules, at) {
		return
	}
	// A file that could not be searched is told even where every place that was found is known.
	unknown, unasked := untyped(ctx, c, s, rules, open)
	if len(unknown) == 0 && unread.Path == "" {
		return
	}
	var paths []string
	for _, u := range unknown {
		paths = append(paths, u.path)
	}
	c.Warn(contract.WarnDynamicUses, dynamicFacts(c, at.Name, paths), dynamicMessage(c, s, at.Name, unknown, unasked,
		unread))
}

// DynamicCallers is [DynamicUses] for each item whose callers were asked for. What the server knows of
// an item are its references and not its callers: a function that is passed as a value is known, and is
// no call.
func DynamicCallers(ctx context.Context, c *answer.Call, s *lsp.Snapshot, asked []lsp.HierarchyItem) {
	if s.Spec().Dynamic == nil && s.Hooks().UsesByAlias == nil && s.Hooks().MacroTexts == nil ||
		!s.Offers(lsp.MethodReferences) {
		return
	}
	for _, item := range asked {
		at := symbol.Located{Path: item.Place.Path, At: item.Place.Range.Start, Name: symbol.LastComponent(item.Name)}
		places, err := s.References(ctx, at.Path, at.At, true)
		if err != nil {
			c.Warn(contract.WarnPartFailed, contract.Facts{"part": "names", "server_id": s.ID()}, fmt.Sprintf(
				"lspi could not look for callers of %s by its name alone: %s", at.Name, answer.AsError(err).Message))
			continue
		}
		DynamicUses(ctx, c, s, at, places)
		callersByAlias(ctx, c, s, at.Name, places)
	}
}

// callersByAlias warns of uses by the other name of an import: a server that does not list these has no callers by it.
func callersByAlias(ctx context.Context, c *answer.Call, s *lsp.Snapshot, name string, references []lsp.Place) {
	// Three outcomes: there are none; nobody knows; there are some, and then whether these are all makes no
	// difference to the warning.
	uses, all := lsp.UsesByAlias(ctx, s, references)
	uses = slices.DeleteFunc(uses, func(u lsp.Place) bool { return u.Err != nil || u.Gone })
	if len(uses) == 0 && all {
		return
	}
	if len(uses) == 0 {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "aliases", "server_id": s.ID()},
			"lspi could not look for all callers that use other names given by imports")
		return
	}
	first := uses[0]
	c.Warn(contract.WarnUnresolved, contract.Facts{"name": name, "file_path": c.Show(first.Path),
		"line": first.Range.Start.Line}, fmt.Sprintf(
		"%s lists no callers of %s that use another name given by an import; %s by such names, the first at %s:%d",
		s.ID(), name,
		map[bool]string{true: "there is 1 use", false: fmt.Sprintf("there are %d uses", len(uses))}[len(uses) == 1],
		c.Show(first.Path), first.Range.Start.Line))
	c.Instead("find_references", "Find the uses by every name.")
}

// dynamicMessage returns the words of the warning: the places that may be uses, how many of them nobody
// asked the server about, and the file that was not searched. unknown may be empty when there is such a
// file.
func dynamicMessage(c *answer.Call, s *lsp.Snapshot, name string, unknown []openUse, unasked int,
	unread Unsearched) string {
	lacking := ""
	switch {
	case unread.Why != nil:
		lacking = fmt.Sprintf("lspi could not search %s for uses of .%s that %s does not resolve: %s",
			c.Show(unread.Path), name, s.ID(), answer.AsError(unread.Why).Message)
	case unread.Path != "":
		lacking = fmt.Sprintf(
			"lspi could not search all files in time for uses of .%s that %s does not resolve; it did not search %s",
			name, s.ID(), c.Show(unread.Path))
	}
	if len(unknown) == 0 {
		return lacking
	}
	first := unknown[0]
	message := fmt.Sprintf(
		"%d places with .%s, the first at %s:%d, are not in this answer but may be uses: %s does not know the type before the dot",
		len(unknown), name, c.Show(first.path), first.At.Line, s.ID())
	if len(unknown) == 1 {
		message = fmt.Sprintf(
			"the .%[3]s at %[1]s:%[2]d is not in this answer but may be a use: %[4]s does not know the type before the dot",
			c.Show(first.path), first.At.Line, name, s.ID())
	}
	if unasked > 0 {
		message += fmt.Sprintf("; lspi did not ask the server about %d of them", unasked)
	}
	if lacking != "" {
		message += "; " + lacking
	}
	return message
}

// dynamicFacts returns the facts of a warning about uses of a name that the server does not follow: the
// files of the places, each with how many it has. Beyond a bound the places of further files are
// counted together.
func dynamicFacts(c *answer.Call, name string, paths []string) contract.Facts {
	counts := map[string]int{}
	var files []string
	for _, path := range paths {
		shown := c.Show(path)
		if counts[shown] == 0 {
			// This one name stands for all files beyond the bound, so that the facts do not grow with the answer.
			if files = append(files, shown); len(files) > maxDynamicFiles {
				shown = "…"
			}
		}
		counts[shown]++
	}
	return contract.Facts{"name": name, "total": len(paths), "files": files[:min(len(files), MaxShown)],
		"counts": counts}
}

// warnOfNames warns of the places that name what was asked about, with the reason of the first one, and
// says why there may be more. It does nothing where nothing is open and nothing is missing.
func warnOfNames(c *answer.Call, s *lsp.Snapshot, name string, found openNamesFound) {
	lacking := found.lacking(c, s, name)
	if len(found.open) == 0 {
		if lacking != "" {
			c.Warn(contract.WarnPartFailed, contract.Facts{"part": "names", "server_id": s.ID()}, lacking)
		}
		return
	}
	var paths []string
	for _, u := range found.open {
		paths = append(paths, u.path)
	}
	first := found.open[0]
	why := map[naming]string{
		byText: "a string names it", byGetter: "a string names it", byType: "a string names it as a type",
		byMember: "the module defines it only at run time, or is not found",
		byImport: "the server does not find what is imported there", byWord: "a parameter of this name asks for it",
		byKey: "the server does not follow names used as keys",
	}[first.how]
	message := fmt.Sprintf("%s at %s:%d is not in this answer but may be a use: %s", name, c.Show(first.path),
		first.at.Line, why)
	if len(paths) > 1 {
		message = fmt.Sprintf("%d places with %s are not in this answer but may be uses, the first at %s:%d: %s",
			len(paths), name, c.Show(first.path), first.at.Line, why)
	}
	if lacking != "" {
		message += "; " + lacking
	}
	c.Warn(contract.WarnDynamicUses, dynamicFacts(c, name, paths), message)
}

// lacking says why there may be more uses of a name than those that are open; "" when there can be
// none.
func (f openNamesFound) lacking(c *answer.Call, s *lsp.Snapshot, name string) string {
	var out []string
	switch {
	case f.failed > 0:
		out = append(out, fmt.Sprintf("%s did not tell about %s with %s that may be a use: %s", s.ID(),
			answer.Counted(f.failed, "place"), name, answer.AsError(f.why).Message))
	case f.why != nil:
		out = append(out,
			fmt.Sprintf("%s did not tell what declares %s, so lspi could not look for all uses by its name: %s",
				s.ID(), name, answer.AsError(f.why).Message))
	}
	if f.unasked > 0 {
		out = append(out, fmt.Sprintf("lspi did not ask %s about %s with %s that may be a use", s.ID(),
			answer.Counted(f.unasked, "place"), name))
	}
	if f.unread.Path != "" {
		out = append(out, fmt.Sprintf("lspi could not search %s for uses of %s: %s", c.Show(f.unread.Path), name,
			answer.AsError(f.unread.Why).Message))
	}
	return strings.Join(out, "; ")
}

// isMember reports whether what stands at a place is declared as a member of something. It is true
// where nobody can tell: a warning too many only makes an answer partial.
func isMember(ctx context.Context, c *answer.Call, s *lsp.Snapshot, rules *spec.Dynamic, at symbol.Located) bool {
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	if err != nil {
		return true // nobody can tell
	}
	// No definition: the asked place may be the declaration itself.
	if len(places) == 0 {
		places = []lsp.Place{{Path: at.Path, Range: contract.Range{Start: at.At, End: at.At}}}
	}
	for _, p := range places {
		if p.Err != nil || p.Gone {
			continue
		}
		if strings.HasSuffix(p.Line[:min(symbol.ByteOffset(p.Line, p.Range.Start.Character), len(p.Line))], ".") {
			return true // self.name = …
		}
		// A symbol may be a member by its own kind, or by that of the symbol around it: a function in a class.
		if symbols, _, err := s.DocumentSymbols(ctx, p.Path); err == nil {
			path := symbol.NameAt(symbols, p.Range.Start)
			if n := len(path); n > 0 && (isMemberKind(path[n-1].Kind) || n > 1 && isTypeKind(path[n-2].Kind)) {
				return true
			}
		}
	}
	// The last sign is what the hover calls it, in the words of the server's row.
	said, err := s.Hover(ctx, at.Path, at.At)
	return err != nil || said != nil && slices.ContainsFunc(rules.Members, func(sign string) bool {
		return strings.Contains(said.Text, sign)
	})
}

// isMemberKind reports whether symbols of a kind are members of something.
func isMemberKind(kind lsp.SymbolKind) bool {
	return kind == "method" || kind == "property" || kind == "field" || kind == "enum_member"
}

// untyped returns the uses of which the server does not know what they belong to. Those beyond the
// bound of questions are among them, and counted in unasked. A doubtful place that nobody asked about
// is dropped: only what the server says there could make it a use, and openUses has sorted these last.
func untyped(ctx context.Context, c *answer.Call, s *lsp.Snapshot, rules *spec.Dynamic, open []openUse) (out []openUse,
	unasked int) {
	type said struct{ asked, unknown bool }
	told := make([]said, min(len(open), maxDynamicAsked))
	answer.Parallel(len(told), AskedAtOnce, func(i int) {
		if ctx.Err() == nil {
			told[i] = said{true, unknownAt(ctx, s, rules, open[i])}
		}
	})
	for i, u := range open {
		switch {
		case i < len(told) && told[i].asked:
			if told[i].unknown {
				out = append(out, u)
			}
		case !u.doubtful:
			out, unasked = append(out, u), unasked+1
		}
	}
	return out, unasked
}

// unknownAt reports whether the server does not know what a member belongs to. The questions go from
// the certain to the vague: a definition, then the hover about the place, then the type of what stands
// before the name.
func unknownAt(ctx context.Context, s *lsp.Snapshot, rules *spec.Dynamic, u openUse) bool {
	if places, err := s.Locate(ctx, lsp.MethodDefinition, u.path, u.At); err == nil && len(places) > 0 {
		return false // it is another one, or the answer would have it
	}
	// A hover shows that the place is code after all.
	if u.doubtful {
		said, err := s.Hover(ctx, u.path, u.At)
		return err == nil && said != nil && !u.text
	}
	// The members of a text are those of a type of the language. Without a word before the dot (the result of a
	// call), or with the name in quotes, there is nothing to ask about: not known.
	if u.text || u.receiver == nil || u.Keyed {
		return !u.text
	}
	said, err := s.Hover(ctx, u.path, *u.receiver)
	if err != nil || said == nil {
		return true
	}
	// The type stands in the code at the head of the hover; the text below it is documentation. A hover without
	// such code tells no type.
	code, _, ok := CutBlock(strings.TrimSpace(said.Text))
	return !ok || slices.ContainsFunc(rules.Untyped, func(word string) bool {
		return source.MayHoldWord([]byte(code), []byte(word))
	})
}

// openMember warns where a member has no definition that the server tells, and the file has no error:
// what it belongs to is not known, or gets members only when the program runs. It is for an empty
// answer about a member, in a file whose errors do not explain it ([Unresolved]).
func openMember(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located) {
	rules := s.Spec().Dynamic
	text, err := s.Documents().Text(at.Path)
	if rules == nil || err != nil {
		return
	}
	line, columns := text.Line(at.At.Line), columnsOf(text, at.At.Line)
	from, _, ok := source.WordAround(line, symbol.ByteOffset(line, at.At.Character))
	if !ok {
		return
	}
	// A name in quotes or in what may be a comment says too little for a warning.
	u, ok := memberAt(line, from, at.Name, lang.Code(at.Path, line), rules)
	if !ok || u.Keyed || u.doubtful {
		return
	}
	facts := contract.Facts{"name": at.Name, "file_path": c.Show(at.Path), "line": at.At.Line}
	if u.receiver != nil {
		// memberAt gives an offset in the line; requests need a position.
		receiver := columns.position(u.receiver.Character)
		u.receiver = &receiver
		if p, function := servedBy(ctx, s, rules, at.Path, receiver); function != "" {
			facts["file_path"], facts["line"] = c.Show(p.Path), p.Range.Start.Line
			c.Warn(contract.WarnUnresolved, facts,
				fmt.Sprintf("%s gives no definition of %s: %s at %s:%d defines it only at run time",
					s.ID(), at.Name, function, c.Show(p.Path), p.Range.Start.Line))
			return
		}
	}
	// Names such as __init__ belong to the language: every type may have them without a declaration.
	own := strings.HasPrefix(at.Name, "__") && strings.HasSuffix(at.Name, "__") // of the language
	if u.path, u.At = at.Path, at.At; !own && (len(rules.Serving) > 0 || unknownAt(ctx, s, rules, u)) {
		c.Warn(contract.WarnUnresolved, facts,
			fmt.Sprintf("%s gives no definition of %s: no type that it knows before the dot declares it", s.ID(),
				at.Name))
	}
}

// servedBy returns the function by which the module or class that stands at a place has members that
// nobody declares (__getattr__); "" when there is none. The place has the path and the range of the
// function's name, and no line.
func servedBy(ctx context.Context, s *lsp.Snapshot, rules *spec.Dynamic, path string,
	at contract.Position) (place lsp.Place, function string) {
	for _, method := range []string{lsp.MethodDefinition, lsp.MethodTypeDefinition} {
		if !s.Offers(method) || len(rules.Serving) == 0 {
			continue
		}
		// A module is found by its definition, the class of a value by its type.
		owners, _ := s.Locate(ctx, method, path, at)
		for _, p := range owners {
			symbols, _, err := s.DocumentSymbols(ctx, p.Path)
			if p.Err != nil || p.Gone || err != nil {
				continue
			}
			members := symbols // of a module, to whose beginning the server leads
			if p.Range.Start != (contract.Position{Line: 1, Character: 1}) {
				members = nil
				if owner := symbol.NameAt(symbols, p.Range.Start); len(owner) > 0 &&
					isTypeKind(owner[len(owner)-1].Kind) {
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
