package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// lineDrift is how far a line may have moved for symbol_name to be found again.
const lineDrift = 10

// Target is how a symbol is addressed; section 4 of the contract. Tools embed it.
type Target struct {
	FilePath   string `json:"file_path"`
	Line       int    `json:"line" min:"1"`
	Character  int    `json:"character" min:"1"`
	SymbolName string `json:"symbol_name"`
	SymbolKind string `json:"symbol_kind"`
}

// at runs f at the place that t means, with the server that answers method there. As in ask, f may run again.
func (c *Call) at(ctx context.Context, t Target, method string, f func(context.Context, *lsp.Server, spot) error) error {
	if err := t.check(); err != nil {
		return err
	}
	if t.FilePath == "" {
		found, err := c.lookup(ctx, t)
		if err != nil {
			return err
		}
		return c.ask(ctx, found.path, method, func(ctx context.Context, s *lsp.Server) error {
			if err := c.seen(ctx, s, found); err != nil {
				return err
			}
			return f(ctx, s, found)
		})
	}
	path, err := c.path(t.FilePath)
	if err != nil {
		return err
	}
	return c.ask(ctx, path, method, func(ctx context.Context, s *lsp.Server) error {
		found, err := c.find(ctx, s, path, t)
		if err != nil {
			return err
		}
		if found.adjusted != nil {
			c.addWarning(*found.adjusted)
		}
		if err := c.seen(ctx, s, found); err != nil {
			return err
		}
		return f(ctx, s, found)
	})
}

// check refuses what addresses nothing, before any server is started for it.
func (t Target) check() error {
	switch {
	case t.FilePath == "" && t.SymbolName == "":
		return missing("symbol_name or file_path")
	case t.FilePath == "" && (t.Line > 0 || t.Character > 0):
		return missing("file_path")
	case t.SymbolName == "" && t.Line == 0:
		return missing("symbol_name, or line and character")
	case t.SymbolName == "" && t.Character == 0:
		return missing("character or symbol_name")
	case t.SymbolName != "" && len(components(t.SymbolName)) == 0:
		return invalid("symbol_name", "holds no name: %q", t.SymbolName)
	case t.SymbolKind != "" && !slices.Contains(lsp.SymbolKinds(), lsp.SymbolKind(t.SymbolKind)):
		return kindError("symbol_kind", t.SymbolKind)
	}
	return nil
}

func kindError(argument, kind string) error {
	var names []string
	for _, k := range lsp.SymbolKinds() {
		names = append(names, string(k))
	}
	return invalid(argument, "must be one of %s, not %q", strings.Join(names, ", "), kind)
}

// find turns a target with a file into a position.
func (c *Call) find(ctx context.Context, s *lsp.Server, path string, t Target) (spot, error) {
	text, err := s.Text(path)
	if err != nil {
		return spot{}, err
	}
	if !text.Valid {
		c.warn(contract.WarnEncoding, contract.Facts{"file_path": c.show(path)},
			c.show(path)+" is not UTF-8; each invalid byte counts as one character")
	}
	switch {
	case t.Line > 0 && t.Character > 0:
		return c.exactly(text, path, t)
	case t.Line > 0:
		found, err := c.onLine(text, path, t)
		line := t.Line
		if err == nil {
			line = found.at.Line
		}
		if err == nil && len(source.Occurrences(text.Line(line), found.name)) == 1 && len(components(t.SymbolName)) == 1 {
			return found, nil
		}
		if declared, ok := c.declaredOn(ctx, s, text, path, line, t); ok {
			declared.adjusted = found.adjusted
			return declared, nil
		}
		if err != nil {
			return found, err
		}
		return c.onSameLine(ctx, s, text, found, t)
	default:
		return c.declared(ctx, s, text, path, t)
	}
}

// exactly takes a position as it is. Only from white space, where no symbol can be, it moves to the nearest identifier
// of the same line.
func (c *Call) exactly(text *source.Text, path string, t Target) (spot, error) {
	at := contract.Position{Line: t.Line, Character: t.Character}
	offset, err := text.Offset(at)
	if err != nil {
		return spot{}, err
	}
	line, start := text.Line(t.Line), text.LineStart(t.Line)
	i := offset - start
	if from, to, ok := source.WordAround(line, i); ok {
		name := line[from:to]
		if t.SymbolName != "" && lastComponent(t.SymbolName) != name {
			return c.onLine(text, path, t)
		}
		return spot{path: path, at: at, name: name}, nil
	}
	if t.SymbolName != "" {
		return c.onLine(text, path, t)
	}
	if r, _ := utf8.DecodeRuneInString(line[i:]); i < len(line) && !unicode.IsSpace(r) {
		return spot{path: path, at: at}, nil // an operator may well have a definition
	}
	from, to, ok := nearestWord(line, i)
	if !ok {
		return spot{}, contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": path, "line": t.Line, "character": t.Character},
			"there is no identifier on line %d of %s", t.Line, path)
	}
	moved := text.PositionAt(start + from)
	return spot{path: path, at: moved, name: line[from:to], adjusted: &contract.Warning{Kind: contract.WarnPositionAdjusted,
		Facts:   contract.Facts{"line": moved.Line, "character": moved.Character},
		Message: fmt.Sprintf("character %d is no identifier; %q at character %d was used", t.Character, line[from:to], moved.Character)}}, nil
}

// nearestWord is the identifier that begins or ends closest to i.
func nearestWord(line string, i int) (from, to int, ok bool) {
	best := len(line) + 1
	for at := 0; at < len(line); {
		start, end, found := source.WordAround(line, at)
		if !found || start < at {
			_, size := utf8.DecodeRuneInString(line[at:])
			at += size
			continue
		}
		if d := min(abs(start-i), abs(end-i)); d < best && !source.IsNumber(line[start:end]) {
			from, to, ok, best = start, end, true, d
		}
		at = end
	}
	return from, to, ok
}

func abs(n int) int { return max(n, -n) }

// onLine finds symbol_name on a line, or on the nearest one within lineDrift.
func (c *Call) onLine(text *source.Text, path string, t Target) (spot, error) {
	if t.Line > text.Lines() {
		_, err := text.Offset(contract.Position{Line: t.Line, Character: 1})
		if t.Line > text.Lines()+lineDrift {
			return spot{}, err
		}
	}
	parts := components(t.SymbolName)
	word := parts[len(parts)-1]
	for d := 0; d <= lineDrift; d++ {
		for _, n := range slices.Compact([]int{t.Line - d, t.Line + d}) {
			line := text.Line(n)
			found := lang.InCode(path, line, source.Occurrences(line, word))
			if len(found) == 0 {
				continue
			}
			at := text.PositionAt(text.LineStart(n) + qualified(line, found, parts, t.Character))
			out := spot{path: path, at: at, name: word}
			if d > 0 {
				out.adjusted = &contract.Warning{Kind: contract.WarnLineAdjusted, Facts: contract.Facts{"line": n},
					Message: fmt.Sprintf("%s is not on line %d; line %d was used", word, t.Line, n)}
			}
			return out, nil
		}
	}
	if found := source.Occurrences(text.Line(t.Line), word); len(found) > 0 { // what looks like a comment is all there is
		at := text.PositionAt(text.LineStart(t.Line) + qualified(text.Line(t.Line), found, parts, t.Character))
		return spot{path: path, at: at, name: word}, nil
	}
	facts := contract.Facts{"symbol_name": t.SymbolName, "file_path": path, "line": t.Line}
	if near, line := nearbyWord(text, path, t.Line, word); near != "" {
		facts["closest"], facts["closest_line"] = []string{near}, line
	}
	return spot{}, contract.Errorf(contract.KindSymbolNotFound, facts,
		"%s is not within %d lines of line %d of %s", word, lineDrift, t.Line, path)
}

// declaredOn is the symbol of a name that is declared on a line: where the line holds the word several times, or not at
// all because a macro made the name.
func (c *Call) declaredOn(ctx context.Context, s *lsp.Server, text *source.Text, path string, line int, t Target) (spot, bool) {
	if !s.Offers(lsp.MethodDocumentSymbol) || t.Character > 0 {
		return spot{}, false
	}
	symbols, _, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		return spot{}, false
	}
	want := components(t.SymbolName)
	var found []contract.Position
	for _, n := range flatten(symbols, nil, nil) {
		if at := nameIn(text, n.sym, want); endsWith(n.parts, want) && at.Line == line {
			found = append(found, at)
		}
	}
	if len(found) != 1 {
		return spot{}, false
	}
	return spot{path: path, at: found[0], name: want[len(want)-1]}, true
}

// qualified picks among several occurrences on a line the one behind its qualifier, else the one next to the given
// character, else the first.
func qualified(line string, found []int, parts []string, character int) int {
	for _, at := range found {
		if isBehind(line[:at], parts) {
			return at
		}
	}
	best := found[0]
	if character > 0 {
		for _, at := range found {
			if abs(utf8.RuneCountInString(line[:at])+1-character) < abs(utf8.RuneCountInString(line[:best])+1-character) {
				best = at
			}
		}
	}
	return best
}

// nearbyWord is the word of the code around a line that is most like another, from the nearest line that has it; "" when none
// is. What stands in comments and texts is not found by its name, so it is none.
func nearbyWord(text *source.Text, path string, line int, word string) (near string, at int) {
	var known []string
	first := map[string]int{} // the line of each
	for d := 0; d <= lineDrift; d++ {
		for _, n := range slices.Compact([]int{line - d, line + d}) {
			for _, word := range wordsInCode(path, text.Line(n)) {
				if first[word] == 0 {
					first[word] = n
					known = append(known, word)
				}
			}
		}
	}
	near = contract.Closest(word, known)
	return near, first[near]
}

// wordsInCode are the words of a line that stand neither in a comment nor in a text.
func wordsInCode(path, line string) (out []string) {
	var at []int
	for i := 0; i < len(line); {
		from, to, ok := source.WordAround(line, i)
		if ok && from >= i {
			at = append(at, from)
			i = to
			continue
		}
		_, size := utf8.DecodeRuneInString(line[i:])
		i += size
	}
	for _, i := range lang.InCode(path, line, at) {
		from, to, _ := source.WordAround(line, i)
		out = append(out, line[from:to])
	}
	return out
}

// declared finds the declaration of a name in a file, else its first use there.
func (c *Call) declared(ctx context.Context, s *lsp.Server, text *source.Text, path string, t Target) (spot, error) {
	want := components(t.SymbolName)
	var all []named
	if s.Offers(lsp.MethodDocumentSymbol) {
		symbols, seen, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			return spot{}, err
		}
		text, all = seen, flatten(symbols, nil, nil)
	}
	matches := matching(all, t.SymbolName, t.SymbolKind)
	if len(matches) > 1 {
		matches = c.defined(ctx, s, text, path, matches, want)
	}
	switch len(matches) {
	case 1:
		return spot{path: path, at: nameIn(text, matches[0].sym, want), name: want[len(want)-1], sym: &matches[0]}, nil
	case 0:
		return c.firstUse(ctx, s, text, path, t, all)
	}
	var out []candidate
	for _, m := range matches {
		at := nameIn(text, m.sym, want)
		name := joinParts(s.Spec().LanguageID(base(path)), m.parts)
		if isImpl(m.sym) {
			name = oneLine(m.sym.Name)
		}
		out = append(out, candidate{name, m.sym.Kind, c.show(path), at.Line, at.Character})
	}
	return spot{}, ambiguous(t.SymbolName, out)
}

func ambiguous(name string, all []candidate) error {
	return contract.Errorf(contract.KindAmbiguousSymbol,
		contract.Facts{"symbol_name": name, "candidates": all[:min(len(all), 20)], "total": len(all)},
		"%s may mean %d symbols: %s", name, len(all), describe(all))
}

func describe(all []candidate) string {
	var out []string
	for _, k := range all[:min(len(all), 5)] {
		out = append(out, fmt.Sprintf("%s (%s, %s:%d)", k.SymbolName, k.Kind, k.FilePath, k.Line))
	}
	if len(all) > 5 {
		out = append(out, "…")
	}
	return strings.Join(out, "; ")
}

// maxUses bounds how many uses of a name are tried for one that means a symbol and not a word in a comment.
const maxUses = 12

// firstUse is the first place in the file where the name is used as a symbol.
func (c *Call) firstUse(ctx context.Context, s *lsp.Server, text *source.Text, path string, t Target, all []named) (spot, error) {
	want := components(t.SymbolName)
	word := want[len(want)-1]
	tried := 0
	if t.SymbolKind != "" {
		if others := matching(all, t.SymbolName, ""); len(others) > 0 {
			return spot{}, otherKind(t, path, others)
		}
	}
	for n := 1; n <= text.Lines() && tried < maxUses && t.SymbolKind == ""; n++ {
		line := text.Line(n)
		for _, i := range lang.InCode(path, line, source.Occurrences(line, word)) {
			at := text.PositionAt(text.LineStart(n) + i)
			if tried++; c.isMeant(ctx, s, path, at, isBehind(line[:i], want), want) {
				return spot{path: path, at: at, name: word}, nil
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return spot{}, context.Cause(ctx)
	}
	var known []string
	for _, n := range all {
		known = append(known, strings.Join(n.parts, "."), lastComponent(n.sym.Name))
	}
	facts := contract.Facts{"symbol_name": t.SymbolName, "file_path": path}
	if near := contract.Closest(t.SymbolName, known); near != "" {
		facts["closest"] = []string{near}
	}
	if tried > 0 {
		facts["occurrences"] = tried
		return spot{}, contract.Errorf(contract.KindSymbolNotFound, facts, "%s resolves no %s in %s, though the word stands there",
			s.ID(), t.SymbolName, path)
	}
	return spot{}, contract.Errorf(contract.KindSymbolNotFound, facts, "there is no %s in %s", t.SymbolName, path)
}

// otherKind says what a name is that is not of the kind asked for.
func otherKind(t Target, path string, found []named) error {
	var kinds []string
	for _, n := range found {
		if k := string(n.sym.Kind); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return contract.Errorf(contract.KindSymbolNotFound,
		contract.Facts{"symbol_name": t.SymbolName, "file_path": path, "kinds": kinds},
		"%s in %s is a %s, not a %s", t.SymbolName, path, strings.Join(kinds, " and a "), t.SymbolKind)
}

// isMeant reports whether what stands at a position is a symbol, and of a qualified name the one that is meant. behind:
// the text has the qualifier before it.
func (c *Call) isMeant(ctx context.Context, s *lsp.Server, path string, at contract.Position, behind bool, want []string) bool {
	if !s.Offers(lsp.MethodDefinition) {
		return behind || len(want) == 1
	}
	o := occurrence{at: at}
	if err := c.resolve(ctx, s, path, &o, want[len(want)-1]); err != nil || !o.known {
		return false
	}
	return behind || len(want) == 1 || o.is(want)
}
