package audit

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/symbol"
)

// OfOneProgram tells which of the uses of a type, or of its member, are of another type of the name: where two files
// define it and neither sees the other, they are of two programs, and the server (clangd 22.1.8) takes them for one.
func OfOneProgram(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	places []lsp.Place) (others func(lsp.Place) bool) {
	none := func(lsp.Place) bool { return false }
	includes := s.Hooks().Includes
	if includes == nil {
		return none
	}
	defining := typeDefinitions(c, at.Name, places)
	if len(defining) < 2 {
		return none
	}
	defines := func(path string) bool {
		return slices.ContainsFunc(defining, func(p lsp.Place) bool { return p.Path == path })
	}
	own := at.Path // a file that defines it uses its own
	if !defines(own) {
		if own = definitionFor(ctx, s, at, defining); own == "" {
			return none // [definedTwice] tells it
		}
	}
	sees, seesOther := seeing(c, s, places, own), map[string]bool{}
	// What sees neither may mean each of them, unless the definition is that of a header and the others are of sources.
	apart := includes.IsSource(own)
	for _, d := range defining {
		if d.Path != own {
			maps.Copy(seesOther, seeing(c, s, places, d.Path))
			apart = apart || !includes.IsSource(d.Path)
		}
	}
	if slices.ContainsFunc(places, func(p lsp.Place) bool {
		return !defines(p.Path) && sees[p.Path] == seesOther[p.Path] && (sees[p.Path] || apart)
	}) {
		warnDefinedTwice(c, s, at.Name, definitionsOf(at.Name, defining))
	}
	return func(p lsp.Place) bool {
		ofOther := defines(p.Path) || !sees[p.Path] && seesOther[p.Path]
		return p.Path != own && ofOther && !includesFile(c, p.Path, own) && !includesFile(c, own, p.Path)
	}
}

// definitionFor is the file with the definition that a place in another file means: the one that this includes, or,
// where it includes none and only declares the type, the one of a header; "" where that may be several. The server
// leads to what it includes, else to the definition that it has read last.
func definitionFor(ctx context.Context, s *lsp.Snapshot, at symbol.Located, defining []lsp.Place) string {
	var included, headers []string
	for _, d := range defining {
		may, err := s.Documents().MayInclude(ctx, []string{at.Path}, []string{d.Path})
		if err != nil {
			return ""
		}
		if len(may) > 0 {
			included = append(included, d.Path)
		}
		if !s.Hooks().Includes.IsSource(d.Path) {
			headers = append(headers, d.Path)
		}
	}
	switch {
	case len(included) == 1:
		return included[0]
	case len(included) > 1: // as far as lspi knows
		if found := leads(ctx, s.Recalling(), at.Path, at.At); len(found) > 0 && slices.Contains(included, found[0].Path) {
			return found[0].Path
		}
	case len(included) == 0 && len(headers) == 1:
		return headers[0]
	}
	return ""
}

// seeing are the files of places that may see what a file declares, going by the names in includes.
func seeing(c *answer.Call, s *lsp.Snapshot, places []lsp.Place, declares string) map[string]bool {
	var texts []*source.Text
	for path := range c.Workspace.Pool.Journal(declares).Files() {
		if !s.Spec().Serves(symbol.Base(path)) {
			continue
		}
		if text, err := c.Workspace.Text(path); err == nil {
			texts = append(texts, text)
		}
	}
	var files []string
	for _, p := range places {
		if !slices.Contains(files, p.Path) {
			files = append(files, p.Path)
		}
	}
	out := map[string]bool{}
	for _, one := range s.Hooks().Includes.MaySee(texts, files, []string{declares}) {
		out[one.Path] = true
	}
	return out
}

// typeDefinitions are those of places at which a file defines a type with fields of the name, or such a field.
func typeDefinitions(c *answer.Call, name string, places []lsp.Place) (out []lsp.Place) {
	may := slices.DeleteFunc(slices.Clone(places), func(p lsp.Place) bool { return !mayDefine(p) })
	if !slices.ContainsFunc(may, func(p lsp.Place) bool { return p.Path != may[0].Path }) {
		return nil
	}
	for _, p := range may {
		if p.Err != nil || slices.ContainsFunc(out, func(o lsp.Place) bool { return o.Path == p.Path }) {
			continue
		}
		text, from, ok := offsetAt(c, p.Path, p.Range.Start)
		if ok && slices.ContainsFunc(lang.Fields(p.Path, text.Content()), func(t lang.TypeFields) bool {
			return t.Type == name && t.At == from || slices.Contains(t.Fields, lang.NamedOffset{Name: name, At: from})
		}) {
			out = append(out, p)
		}
	}
	return out
}

// mayDefine reports whether the line of a place may declare a field or a type of the name there, so that its file has
// to be looked at.
func mayDefine(p lsp.Place) bool {
	from, to, ok := source.WordAround(p.Line, symbol.ByteOffset(p.Line, p.Range.Start.Character))
	if !ok {
		return false
	}
	before, behind := strings.TrimRight(p.Line[:from], " \t*&"), strings.TrimLeft(p.Line[to:], " \t")
	start, end, _ := source.WordAround(before, len(before))
	word := before[start:end]
	if word == "struct" || word == "class" || word == "union" || strings.HasSuffix(before, "}") {
		return !strings.HasPrefix(behind, "*") && (behind == "" || !source.IsWord(rune(behind[0])))
	}
	return (word != "" && word != "return" || strings.HasSuffix(before, ">") || strings.HasSuffix(before, ",") ||
		strings.HasSuffix(before, "(")) && behind != "" && strings.ContainsRune(";[=,:{)", rune(behind[0]))
}

// definitionsOf are definitions as a warning tells them.
func definitionsOf(name string, places []lsp.Place) (out []occurrence) {
	for _, p := range places[:min(len(places), answer.MaxShown)] {
		out = append(out, occurrence{path: p.Path, at: p.Range.Start, name: name, reason: reasonByLinker})
	}
	return out
}

// includesFile reports whether a file includes another one, by its base name.
func includesFile(c *answer.Call, path, other string) bool {
	if !lang.Of(path).IsC() {
		return false
	}
	text, err := c.Workspace.Text(path)
	return err != nil || slices.Contains(lang.Includes(text.Content()), symbol.Base(other))
}

// maxTypesOfName bounds the definitions of one name that are compared.
const maxTypesOfName = 20

// DefinitionsSeen returns the definitions of a type or a function that a file may mean, where the server leads to one
// that a source keeps for itself: where programs define something of one name, clangd (22.1.8) takes them for one
// symbol, and leads from a declaration to the definition that it has read last. A definition of a type in a header is
// then meant, and without one it may be each of those in sources.
func DefinitionsSeen(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	places []lsp.Place) ([]lsp.Place, error) {
	includes := s.Hooks().Includes
	if includes == nil || len(places) != 1 || places[0].Err != nil || places[0].Path == at.Path ||
		!includes.IsSource(places[0].Path) {
		return places, nil
	}
	name := spelled(places[0])
	if !definesType(c, places[0], name) {
		return functionsSeen(ctx, c, s, includes, at, places)
	}
	held, _, err := c.Workspace.Words(at.Path).Holding(ctx, name)
	if err != nil {
		return places, nil // another definition is a help; without the words there is the one
	}
	var headers, sources []lsp.Place
	compared := 0
	var own lsp.SymbolCheck
	for _, h := range held {
		text, err := c.Workspace.Text(h.Path)
		if err != nil || h.Use&(lang.CodeUse|lang.OpenUse) == 0 || !s.Spec().Serves(symbol.Base(h.Path)) {
			continue
		}
		for _, t := range lang.Fields(h.Path, text.Content()) {
			if t.Type != name || h.Path == places[0].Path || compared == maxTypesOfName {
				continue
			}
			if compared++; compared == 1 {
				own, err = s.Recalling().CheckSymbol(ctx, places[0].Path, places[0].Range.Start)
				if err != nil && lsp.FatalAnswer(err) {
					return nil, err
				} else if err != nil {
					return places, nil
				}
			}
			p := placeOf(text, t.At, t.At+len(name))
			is, err := s.Recalling().CheckSymbol(ctx, h.Path, p.Range.Start)
			switch {
			case err != nil && lsp.FatalAnswer(err):
				return nil, err
			case err != nil || !own.SameAs(is):
			case includes.IsSource(h.Path):
				sources = append(sources, p)
			default:
				headers = append(headers, p)
			}
		}
	}
	if len(headers) > 0 {
		return headers, nil
	}
	return append(places, sources...), nil
}

// functionsSeen adds to the definition of a function those in other sources: what has the same head there, and is among
// the uses of the function, which are one request to the index, while to ask about a source takes its build.
func functionsSeen(ctx context.Context, c *answer.Call, s *lsp.Snapshot, includes *lsp.IncludeHooks,
	at symbol.Located, places []lsp.Place) ([]lsp.Place, error) {
	text, from, ok := offsetAt(c, places[0].Path, places[0].Range.Start)
	if !ok || onceForAll.MatchString(places[0].Line) {
		return places, nil
	}
	name, head := spelled(places[0]), definedHead(text, from)
	held, _, err := c.Workspace.Words(at.Path).Holding(ctx, name)
	if err != nil || head == "" {
		return places, nil // as for a type
	}
	var others []lsp.Place
	for _, h := range held {
		if h.Use&lang.CodeUse == 0 || h.Path == places[0].Path || !includes.IsSource(h.Path) {
			continue
		}
		text, err := c.Workspace.Text(h.Path)
		if err != nil {
			continue
		}
		for _, from := range source.Occurrences(text.Content(), name) {
			if definedHead(text, from) != head {
				continue
			}
			if p := placeOf(text, from, from+len(name)); !onceForAll.MatchString(p.Line) {
				others = append(others, p)
			}
		}
	}
	if len(others) == 0 {
		return places, nil
	}
	uses, err := s.Unverified().References(ctx, at.Path, at.At, true)
	if err != nil && lsp.FatalAnswer(err) {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(o lsp.Place) bool {
		return !slices.ContainsFunc(uses, func(u lsp.Place) bool {
			return u.Path == o.Path && u.Range.Start == o.Range.Start
		})
	})
	return answer.SortPlaces(append(places, others...), at.Path), nil
}

// TellDefinitions warns of the definitions that [DefinitionsSeen] has found, where only one of them is shown.
func TellDefinitions(c *answer.Call, s *lsp.Snapshot, places []lsp.Place) {
	if len(places) > 1 {
		name := spelled(places[0])
		warnDefinedTwice(c, s, name, definitionsOf(name, places))
	}
}

// definedHead is what tells a function apart at whose name an offset is, where it is defined there: the scopes that are
// written with it, and the number of its parameters.
func definedHead(text *source.Text, from int) string {
	if !hasBodyAt(text, from) {
		return ""
	}
	content := text.Content()
	scopes := writtenScopes.FindString(content[max(0, from-lang.MaxScanned):from])
	_, to, _ := source.WordAround(content, from)
	open := to + strings.IndexByte(content[to:], '(')
	code := lang.CodeOf(text.Path, content[open:min(len(content), open+lang.MaxScanned)])
	return strings.Join(strings.Fields(scopes), "") + strconv.Itoa(len(lang.Arguments(code, 0)))
}

// writtenScopes matches the scopes before a name.
var writtenScopes = source.LazyRegexp(`(?:\w+\s*::\s*)*$`)

// definesType reports whether a file defines a type of a name at a place.
func definesType(c *answer.Call, p lsp.Place, name string) bool {
	text, from, ok := offsetAt(c, p.Path, p.Range.Start)
	return ok && slices.ContainsFunc(lang.Fields(p.Path, text.Content()), func(t lang.TypeFields) bool {
		return t.Type == name && t.At == from
	})
}
