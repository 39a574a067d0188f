package resolve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// lineDrift is how many lines up or down a line may have moved for symbol_name to be found again: the
// caller, or somebody else, has edited the file since the caller read it.
const lineDrift = 10

// Target is how arguments address a symbol (section 4 of docs/contract.md): by file, line and
// character; by file, line and name; by file and name; or by a name alone. Tools embed it.
type Target struct {
	FilePath   string `json:"file_path"`
	Line       int    `json:"line" min:"1"`
	Character  int    `json:"character" min:"1"`
	SymbolName string `json:"symbol_name"`
	SymbolKind string `json:"symbol_kind"`
	answer.ServerArgument
}

// GivenFile is the argument file_path; "" for none.
func (t Target) GivenFile() string { return t.FilePath }

// At runs f at the place that t means, with the server that answers method there. f may run again, as
// in package ask.
func At(ctx context.Context, c *answer.Call, t Target, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.FilePath == "" {
		found, err := lookup(ctx, c, t)
		if err != nil {
			return err
		}
		return atFound(ctx, c, found, method, f)
	}
	path, err := c.Path(t.FilePath)
	if err != nil {
		return err
	}
	began := c.Checkpoint()
	var elsewhere *symbol.Located // the symbol is declared in another file, which may have another server
	err = ask.File(ctx, c, path, method, func(ctx context.Context, s *lsp.Snapshot) error {
		elsewhere = nil
		found, err := Find(ctx, c, s, path, t)
		if err != nil {
			return err
		}
		if found.Path != path || found.Aside {
			elsewhere = &found
			return nil
		}
		// A place nearby is good enough to read, and is told; tools that change files refuse it ([AtExactly]).
		if found.Adjusted != nil {
			c.AddWarning(*found.Adjusted)
		}
		// Before the answer of the tool: one about another symbol would look right. The server works on both meanwhile.
		if s.Hooks().SymbolInfo.Method != "" {
			defer s.Ahead(ctx, method, path, found.At)()
		}
		if err := checkSeen(ctx, c, s, found); err != nil {
			return err
		}
		return f(ctx, s, found)
	})
	if err != nil {
		ask.OfferOthers(c, path, err)
	}
	if err == nil && elsewhere != nil && elsewhere.Aside {
		c.Restore(began) // the answer is about another file than what was said
		*elsewhere, err = byName(ctx, c, method, *elsewhere, t)
	}
	if err != nil || elsewhere == nil {
		return err
	}
	return atFound(ctx, c, *elsewhere, method, f)
}

// atFound runs f at a place that was found without the server that answers for its file, as a search by
// name does.
func atFound(ctx context.Context, c *answer.Call, found symbol.Located, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	return ask.File(ctx, c, found.Path, method, func(ctx context.Context, s *lsp.Snapshot) error {
		c.AnsweredByMany() // the answer is that of s, and not of the server that found the name
		if found.Adjusted != nil {
			c.AddWarning(*found.Adjusted)
		}
		return atSeen(ctx, c, s, found, f)
	})
}

// AtOthers runs f at a place that [At] has found, at another server than the one that was asked and
// does not offer method.
func AtOthers(ctx context.Context, c *answer.Call, asked *spec.Spec, found symbol.Located, method string,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	return ask.FileAtOthers(ctx, c, asked, found.Path, method, func(ctx context.Context, s *lsp.Snapshot) error {
		return atSeen(ctx, c, s, found, f)
	})
}

// atSeen runs f unless the server sees another symbol at the place.
func atSeen(ctx context.Context, c *answer.Call, s *lsp.Snapshot, found symbol.Located,
	f func(context.Context, *lsp.Snapshot, symbol.Located) error) error {
	if err := checkSeen(ctx, c, s, found); err != nil {
		return err
	}
	return f(ctx, s, found)
}

// Check refuses a target that addresses nothing, before a server is started for it.
func (t Target) Check() error {
	switch {
	case t.FilePath == "" && t.SymbolName == "":
		return answer.Missing("symbol_name or file_path")
	case t.FilePath == "" && (t.Line > 0 || t.Character > 0):
		return answer.Missing("file_path")
	case t.SymbolName == "" && t.Line == 0:
		return answer.Missing("symbol_name, or line and character")
	// A line alone may hold several symbols.
	case t.SymbolName == "" && t.Character == 0:
		return answer.Missing("character or symbol_name")
	case t.SymbolName != "" && len(symbol.Components(t.SymbolName)) == 0:
		return answer.Invalid("symbol_name", "contains no name: %q", t.SymbolName)
	case t.SymbolKind != "" && !slices.Contains(lsp.SymbolKinds(), lsp.SymbolKind(t.SymbolKind)):
		return KindError("symbol_kind", t.SymbolKind)
	}
	return nil
}

// KindError is the error for a kind of symbol that does not exist; it lists those that do.
func KindError(argument, kind string) error {
	var names []string
	for _, k := range lsp.SymbolKinds() {
		names = append(names, string(k))
	}
	return answer.Invalid(argument, "must be one of %s, not %q", strings.Join(names, ", "), kind)
}

// Find turns a target with a file into a position. It asks the server only where the text does not
// decide. Located.Adjusted is set when the place is not exactly the one that the target says; whether
// that is a warning or an error is the caller's to decide.
func Find(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, t Target) (symbol.Located, error) {
	text, err := s.Documents().Text(path)
	if err != nil {
		return symbol.Located{}, err
	}
	if !text.Valid {
		c.Warn(contract.WarnEncoding, contract.Facts{"file_path": c.Show(path)},
			c.Show(path)+" is not UTF-8; each invalid byte counts as one character")
	}
	switch {
	case t.Line > 0 && t.Character > 0:
		// No request: the position decides, and the text tells whether a name stands there.
		found, err := exactPlace(c, text, path, t)
		if err == nil && found.Aside {
			return besides(ctx, c, s, text, found, t)
		}
		return found, err
	case t.Line > 0:
		// The text first: a word that stands once on the line needs no request. Then the declarations on the line,
		// which also finds names that a macro made and the text does not have; then the definitions of each
		// occurrence.
		found, err := onLine(c, text, path, t)
		line := t.Line
		if err == nil && found.Aside {
			return besides(ctx, c, s, text, found, t)
		}
		if err == nil {
			line = found.At.Line
		}
		if err == nil && len(source.Occurrences(text.Line(line), found.Name)) == 1 &&
			len(symbol.Components(t.SymbolName)) == 1 {
			return found, nil
		}
		// A declaration before any use: whoever names a line and a name mostly read them in an outline.
		if declared, ok := declaredOn(ctx, c, s, text, path, line, t); ok {
			declared.Adjusted = found.Adjusted
			return declared, nil
		}
		if err != nil {
			return found, err
		}
		return onSameLine(ctx, c, s, text, found, t)
	default:
		return declared(ctx, c, s, text, path, t)
	}
}

// besides is where a name that a target has in a comment or a string means a symbol: there, if the server knows one, as
// of a link in documentation, or in the file. Else it stays Aside.
func besides(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, at symbol.Located, t Target) (
	symbol.Located, error) {
	places, err := s.Locate(ctx, lsp.MethodDefinition, at.Path, at.At)
	switch {
	case err != nil && lsp.FatalAnswer(err):
		return at, err
	case !s.Status().Ready, // what it does not know yet it may know there
		slices.ContainsFunc(places, func(p lsp.Place) bool { return p.Err == nil && !p.Guess }):
		at.Aside = false
		return at, nil
	}
	t.Line, t.Character = 0, 0
	found, err := declared(ctx, c, s, text, at.Path, t)
	if err != nil && answer.AsError(err).Kind == contract.KindSymbolNotFound {
		return at, nil
	}
	found.Adjusted = cmp.Or(found.Adjusted, usedInstead(c, at, found))
	return found, err
}

// byName is what a name means in the workspace that stands in a comment or a string of a file without it. Where nothing
// has the name it is at, if it has uses there, as a value of a type of strings has (TypeScript).
func byName(ctx context.Context, c *answer.Call, method string, at symbol.Located, t Target) (symbol.Located, error) {
	t.FilePath, t.Line, t.Character = "", 0, 0
	before := c.Checkpoint()
	found, err := lookup(ctx, c, t)
	if err != nil && answer.AsError(err).Kind == contract.KindSymbolNotFound {
		notFound := err
		err = ask.File(ctx, c, at.Path, method, func(ctx context.Context, s *lsp.Snapshot) error {
			if places, err := s.References(ctx, at.Path, at.At, true); err != nil || len(places) == 0 {
				return notFound
			}
			c.Restore(before) // what was said of the search is not about the answer
			return nil
		})
		return at, err
	}
	found.Adjusted = cmp.Or(found.Adjusted, usedInstead(c, at, found))
	return found, err
}

// usedInstead says that a name stood in a comment or a string, and which one was taken.
func usedInstead(c *answer.Call, at, found symbol.Located) *contract.Warning {
	return &contract.Warning{Kind: contract.WarnLineAdjusted,
		Facts: contract.Facts{"line": found.At.Line, "file_path": c.Show(found.Path)},
		Message: fmt.Sprintf("%s is on line %d in a comment or a string; lspi used %s:%d", at.Name, at.At.Line,
			c.Show(found.Path), found.At.Line)}
}

// InText turns a target with a file and a line into a position by the text alone.
func InText(c *answer.Call, text *source.Text, path string, t Target) (symbol.Located, error) {
	if t.Character > 0 {
		return exactPlace(c, text, path, t)
	}
	return onLine(c, text, path, t)
}

// exactPlace takes a position as it is. Only from white space, where no symbol can be, it moves to the
// nearest identifier of the same line.
func exactPlace(c *answer.Call, text *source.Text, path string, t Target) (symbol.Located, error) {
	at := contract.Position{Line: t.Line, Character: t.Character}
	offset, err := text.Offset(at)
	if err != nil {
		return symbol.Located{}, err
	}
	line, start := text.Line(t.Line), text.LineStart(t.Line)
	i := offset - start
	// A name that is not the word at the position is believed more than the position: a character is easily
	// miscounted, and the name says what is meant.
	if from, to, ok := source.WordAround(line, i); ok {
		name := line[from:to]
		if t.SymbolName != "" && symbol.LastComponent(t.SymbolName) != name {
			return onLine(c, text, path, t)
		}
		return symbol.Located{Path: path, At: at, Name: name,
			Aside: t.SymbolName != "" && lang.Aside(path, text.Content(), name)[start+from]}, nil
	}
	if t.SymbolName != "" {
		return onLine(c, text, path, t)
	}
	if r, _ := utf8.DecodeRuneInString(line[i:]); i < len(line) && !unicode.IsSpace(r) {
		return symbol.Located{Path: path, At: at}, nil // an operator may well have a definition
	}
	from, to, ok := nearestWord(line, i)
	if !ok {
		return symbol.Located{}, contract.Errorf(contract.KindNotAnIdentifier,
			contract.Facts{"file_path": path, "line": t.Line, "character": t.Character},
			"there is no identifier on line %d of %s", t.Line, path)
	}
	moved := text.PositionAt(start + from)
	return symbol.Located{Path: path, At: moved, Name: line[from:to],
		Adjusted: &contract.Warning{Kind: contract.WarnPositionAdjusted,
			Facts: contract.Facts{"line": moved.Line, "character": moved.Character},
			Message: fmt.Sprintf("there is no identifier at character %d; lspi used %q at character %d", t.Character,
				line[from:to], moved.Character)}}, nil
}

// nearestWord returns the identifier of a line that begins or ends closest to offset i.
func nearestWord(line string, i int) (from, to int, ok bool) {
	best := len(line) + 1
	for at := 0; at < len(line); {
		start, end, found := source.WordAround(line, at)
		if !found || start < at {
			_, size := utf8.DecodeRuneInString(line[at:])
			at += size
			continue
		}
		// Numbers are words to the scanner and no symbols.
		if d := min(abs(start-i), abs(end-i)); d < best && !source.IsNumber(line[start:end]) {
			from, to, ok, best = start, end, true, d
		}
		at = end
	}
	return from, to, ok
}

func abs(n int) int { return max(n, -n) }

// onLine finds the last component of symbol_name on a line, or on the nearest one within [lineDrift];
// of two lines at the same distance the one above. Comments and strings do not count, unless the asked
// line has the word only there. The error names the closest word that stands near.
func onLine(c *answer.Call, text *source.Text, path string, t Target) (symbol.Located, error) {
	// A line behind the end of the file may still mean its last lines, when lines were deleted since.
	if t.Line > text.Lines() {
		_, err := text.Offset(contract.Position{Line: t.Line, Character: 1})
		if t.Line > text.Lines()+lineDrift {
			return symbol.Located{}, err
		}
	}
	parts := symbol.Components(t.SymbolName)
	word := parts[len(parts)-1]
	aside := lang.Aside(path, text.Content(), word)
	// From the line itself outwards, so that the nearest one is taken.
	for d := 0; d <= lineDrift; d++ {
		for _, n := range slices.Compact([]int{t.Line - d, t.Line + d}) {
			line := text.Line(n)
			found := slices.DeleteFunc(lang.InCode(path, line, source.Occurrences(line, word)), func(i int) bool {
				return aside[text.LineStart(n)+i]
			})
			if len(found) == 0 {
				continue
			}
			at := text.PositionAt(text.LineStart(n) + qualified(line, found, parts, t.Character))
			out := symbol.Located{Path: path, At: at, Name: word}
			if d > 0 {
				out.Adjusted = &contract.Warning{Kind: contract.WarnLineAdjusted, Facts: contract.Facts{"line": n},
					Message: fmt.Sprintf("%s is not on line %d; lspi used line %d", word, t.Line, n)}
			}
			return out, nil
		}
	}
	// On the asked line alone: elsewhere a word in a comment is no sign that the line has moved there.
	if found := source.Occurrences(text.Line(t.Line), word); len(found) > 0 {
		offset := text.LineStart(t.Line) + qualified(text.Line(t.Line), found, parts, t.Character)
		return symbol.Located{Path: path, At: text.PositionAt(offset), Name: word, Aside: aside[offset]}, nil
	}
	facts := contract.Facts{"symbol_name": t.SymbolName, "file_path": path, "line": t.Line}
	if near, line := nearbyWord(text, path, t.Line, word); near != "" {
		facts["closest"], facts["closest_line"] = []string{near}, line
	}
	return symbol.Located{}, contract.Errorf(contract.KindSymbolNotFound, facts,
		"%s is not within %d lines of line %d of %s", word, lineDrift, t.Line, path)
}

// declaredOn returns the symbol of a name that is declared on a line. It serves lines that hold the
// word several times, or not at all because a macro made the name.
func declaredOn(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, path string, line int,
	t Target) (symbol.Located, bool) {
	if !s.Offers(lsp.MethodDocumentSymbol) || t.Character > 0 {
		return symbol.Located{}, false
	}
	symbols, _, err := s.DocumentSymbols(ctx, path)
	if err != nil {
		return symbol.Located{}, false
	}
	want := symbol.Components(t.SymbolName)
	var found []contract.Position
	for _, n := range symbol.Flatten(symbols, nil, nil) {
		if at := NameIn(text, n.Sym, want); symbol.EndsWith(n.Parts, want) && at.Line == line {
			found = append(found, at)
		}
	}
	// Several declarations of the name on one line: the definitions of the occurrences decide.
	if len(found) != 1 {
		return symbol.Located{}, false
	}
	return symbol.Located{Path: path, At: found[0], Name: want[len(want)-1]}, true
}

// qualified picks among several occurrences on a line the one behind its qualifier, else the one
// closest to the given character, else the first.
func qualified(line string, found []int, parts []string, character int) int {
	for _, at := range found {
		if isBehind(line[:at], parts) {
			return at
		}
	}
	best := found[0]
	if character > 0 {
		for _, at := range found {
			if abs(utf8.RuneCountInString(line[:at])+1-character) < abs(utf8.RuneCountInString(line[:best])+
				1-character) {
				best = at
			}
		}
	}
	return best
}

// nearbyWord returns the word of the code around a line that is most like another one, with the nearest
// line that has it; "" when none is like it.
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

// wordsInCode returns the words of a line that stand neither in a comment nor in a string.
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

// declared finds the declaration of a name in a file, else its first use there, else the member that a
// type of the file inherits.
func declared(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, path string,
	t Target) (symbol.Located, error) {
	want := symbol.Components(t.SymbolName)
	var all []symbol.Named
	if s.Offers(lsp.MethodDocumentSymbol) {
		symbols, seen, err := s.DocumentSymbols(ctx, path)
		if err != nil {
			return symbol.Located{}, err
		}
		text, all = seen, symbol.Flatten(symbols, nil, nil)
	}
	// text is now the one that the symbols are of: their positions must be read in the same text.
	matches := matching(all, t.SymbolName, t.SymbolKind)
	// A declaration and its definition are one symbol, and only the server knows which belong together.
	if len(matches) > 1 {
		matches = defined(ctx, c, s, text, path, matches, want)
	}
	switch len(matches) {
	case 1:
		return symbol.Located{Path: path, At: NameIn(text, matches[0].Sym, want), Name: want[len(want)-1],
			Sym: &matches[0]}, nil
	case 0:
		used, notFound := firstUse(ctx, c, s, text, path, t, all)
		if notFound == nil || answer.AsError(notFound).Kind != contract.KindSymbolNotFound {
			return used, notFound
		}
		if found, ok, err := inheritedIn(ctx, c, s, text, path, t, all); ok || err != nil {
			return found, err
		}
		return used, notFound
	}
	return symbol.Located{}, Ambiguous(c, s, text, path, t.SymbolName, matches)
}

// Ambiguous is the error for a name that several declarations of a file have, with a candidate for each.
func Ambiguous(c *answer.Call, s *lsp.Snapshot, text *source.Text, path, name string, matches []symbol.Named) error {
	want := symbol.Components(name)
	var out []answer.Candidate
	for _, m := range matches {
		at := NameIn(text, m.Sym, want)
		shown := symbol.JoinParts(s.Spec().LanguageID(symbol.Base(path)), m.Parts)
		if IsImpl(m.Sym) {
			shown = OneLine(m.Sym.Name)
		}
		out = append(out, answer.Candidate{SymbolName: shown, Kind: m.Sym.Kind, FilePath: c.Show(path), Line: at.Line,
			Character: at.Character})
	}
	return AmbiguousAmong(name, out)
}

// AmbiguousAmong is the error for a name of several symbols. It carries the candidates, so that the host can
// repeat the call with the position of one. A name is never resolved by a guess: an answer about the
// wrong symbol looks right.
func AmbiguousAmong(name string, all []answer.Candidate) error {
	return contract.Errorf(contract.KindAmbiguousSymbol,
		contract.Facts{"symbol_name": name, "candidates": all[:min(len(all), 20)], "total": len(all)},
		"%s matches %d symbols: %s", name, len(all), describe(all))
}

// describe names a few candidates in the message, for hosts whose model sees no facts.
func describe(all []answer.Candidate) string {
	var out []string
	for _, k := range all[:min(len(all), 5)] {
		out = append(out, fmt.Sprintf("%s (%s, %s:%d)", k.SymbolName, k.Kind, k.FilePath, k.Line))
	}
	if len(all) > 5 {
		out = append(out, "…")
	}
	return strings.Join(out, "; ")
}

// maxUses bounds the uses of a name that are tried for one that means a symbol and not a word in a
// comment. Each is a request.
const maxUses = 12

// jsDoc matches a line with a tag that declares a type, or gives it a name, in a comment of JavaScript.
var jsDoc = source.LazyRegexp(`^\s*/?\*.*@(?:typedef|callback|template|import|enum|property|prop)\b`)

// firstUse returns the first place in a file where a name is used as a symbol, for names that the file
// does not declare. With symbol_kind there is no such search, since a use does not tell its kind; the
// error then says which kinds the file has under this name.
func firstUse(ctx context.Context, c *answer.Call, s *lsp.Snapshot, text *source.Text, path string, t Target,
	all []symbol.Named) (symbol.Located, error) {
	want := symbol.Components(t.SymbolName)
	word := want[len(want)-1]
	tried := 0
	if t.SymbolKind != "" {
		if others := matching(all, t.SymbolName, ""); len(others) > 0 {
			return symbol.Located{}, otherKind(t, path, others)
		}
	}
	for n := 1; n <= text.Lines() && tried < maxUses && t.SymbolKind == ""; n++ {
		line := text.Line(n)
		places := source.Occurrences(line, word)
		if !jsDoc.MatchString(line) || !strings.HasPrefix(lang.Of(path).ID, "javascript") {
			places = lang.InCode(path, line, places)
		}
		for _, i := range places {
			at := text.PositionAt(text.LineStart(n) + i)
			if tried++; isTarget(ctx, c, s, path, at, isBehind(line[:i], want), want) {
				return symbol.Located{Path: path, At: at, Name: word}, nil
			}
		}
	}
	// Out of time: "there is no such symbol" would not be known.
	if err := ctx.Err(); err != nil {
		return symbol.Located{}, context.Cause(ctx)
	}
	var known []string
	for _, n := range all {
		known = append(known, strings.Join(n.Parts, "."), symbol.LastComponent(n.Sym.Name))
	}
	facts := contract.Facts{"symbol_name": t.SymbolName, "file_path": path}
	if near := contract.Closest(t.SymbolName, known); near != "" {
		facts["closest"] = []string{near}
	}
	if tried > 0 {
		facts["occurrences"] = tried
		return symbol.Located{}, contract.Errorf(contract.KindSymbolNotFound, facts,
			"%s resolves no %s in %s, though the word occurs there",
			s.ID(), t.SymbolName, path)
	}
	return symbol.Located{}, contract.Errorf(contract.KindSymbolNotFound, facts, "there is no %s in %s", t.SymbolName,
		path)
}

// otherKind is the error for a name that exists in the file with other kinds than the one asked for.
func otherKind(t Target, path string, found []symbol.Named) error {
	var kinds []string
	for _, n := range found {
		if k := string(n.Sym.Kind); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return contract.Errorf(contract.KindSymbolNotFound,
		contract.Facts{"symbol_name": t.SymbolName, "file_path": path, "kinds": kinds},
		"%s in %s is a %s, not a %s", t.SymbolName, path, strings.Join(kinds, " and a "), t.SymbolKind)
}

// isTarget reports whether a symbol stands at a position, and for a qualified name whether it is the
// one that is meant. behind says that the text has the qualifier before it.
func isTarget(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, at contract.Position, behind bool,
	want []string) bool {
	if !s.Offers(lsp.MethodDefinition) {
		return behind || len(want) == 1
	}
	o := occurrence{at: at}
	if err := definitionAt(ctx, c, s, path, &o, want[len(want)-1]); err != nil || !o.known {
		return false
	}
	return behind || len(want) == 1 || o.is(want)
}
