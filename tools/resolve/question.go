package resolve

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/symbol"
)

// Question is what a search for symbols asks: what is sent to each server, which of its answers count,
// and their order. Match is exact, fuzzy or regex, as in the arguments of search_workspace_symbols.
type Question struct {
	Match string
	Text  string
	Want  []string // the components of text; nil for a regular expression
	re    *regexp.Regexp
	// Words that every match holds: the longest one, and the longest one that is certain to be in the bare name.
	word, Tail string
	words      []string // of a fuzzy query of several words, in lower case; nil for one word
	spaced     bool     // the words stand apart, so that they are no name as it is written
}

// SplitWords finds the words of a fuzzy query: those between spaces, and the parts of a name in snake
// or camel case.
func (q *Question) SplitWords() {
	fields := strings.Fields(q.Text)
	q.spaced = len(fields) > 1 && !slices.Contains(fields, "operator")
	if !q.spaced && len(q.Want) > 1 {
		return // a qualified name
	}
	words := NameWords(q.Text)
	// A name in one form (writeBuffer) is split only when nothing but its humps or underscores
	// separates the words.
	if len(words) > 1 && (q.spaced || strings.Join(words, "") == strings.ToLower(strings.ReplaceAll(q.Text, "_", ""))) {
		slices.Sort(words)
		q.words = slices.Compact(words)
	}
}

// NameWords returns the words of a name in lower case: what spaces and other signs separate, and the
// parts of snake and camel case.
func NameWords(text string) []string {
	var parted strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '_' || !source.IsWord(r):
			r = ' '
		// A hump, or the end of an abbreviation (HTTPServer).
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) &&
			unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1])):
			parted.WriteByte(' ')
		}
		parted.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(parted.String())
}

// holdsWords reports whether the qualified name of a hit holds all words, and one of them in its last
// component: otherwise every member of a class would match the name of the class.
func (q Question) holdsWords(h symbol.SymbolHit) bool {
	whole, last := foldedName(strings.Join(h.Path(), " ")), foldedName(symbol.LastComponent(h.Sym.Name))
	return slices.ContainsFunc(q.words, func(w string) bool { return strings.Contains(last, w) }) &&
		!slices.ContainsFunc(q.words, func(w string) bool { return !strings.Contains(whole, w) })
}

// foldedName returns a name without case and underscores.
func foldedName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// askWords asks a server for symbols that hold all words. Servers match several words each in its own
// way, and most look at the bare name alone; so each word is asked for, and the names are compared with
// all words here.
func (q Question) askWords(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route) ([]symbol.SymbolHit,
	error) {
	rule := r.Spec.Symbols
	queries := q.words
	// One that matches scopes is asked for all words at once, which its limit of results cuts least.
	if rule.Qualified && rule.Containing != "" {
		var all []string
		for _, word := range q.words {
			all = append(all, form(rule.Containing, word))
		}
		queries = []string{strings.Join(all, " ")}
	}
	var out []symbol.SymbolHit
	for _, query := range queries {
		if len(queries) > 1 {
			query = form(rule.Containing, query)
		}
		hits, err := ask.SearchOne(ctx, c, s, r, query)
		if err != nil {
			return nil, err
		}
		out = append(out, hits...)
	}
	return out, nil
}

// maxOutlined bounds the files whose outlines complete a search, maxWordings the further questions of one.
const (
	maxOutlined = 256
	maxWordings = 9
)

// askAll sends a query. Where the server gives no more than a part, it is asked for all names that hold the words, in
// each of their usual spellings, or the outlines of the files that hold them have the rest. Then only names that match
// in a weaker way may be missing, which an answer leaves out beside these.
func (q Question) askAll(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, query string) (
	[]symbol.SymbolHit, error) {
	hits, limited, err := ask.SearchPart(ctx, c, s, r, query)
	if err != nil || !limited {
		return hits, err
	}
	words := q.words
	if words == nil {
		words = []string{strings.ToLower(q.Want[len(q.Want)-1])}
	}
	more, all, err := q.spelled(ctx, c, s, r, words)
	if err != nil {
		return nil, err
	}
	if !all {
		files, few := q.holding(ctx, s, words)
		if all = few; few {
			more, all = q.outlined(ctx, s, r, files)
		}
	}
	strong := func(h symbol.SymbolHit) bool { return q.rank(h) < rankServer }
	at := map[string]bool{}
	key := func(h symbol.SymbolHit) string { return fmt.Sprint(h.Sym.Place.Path, ask.NameAt(c, h)) }
	for _, h := range hits {
		at[key(h)] = true
	}
	hits = append(hits, slices.DeleteFunc(more, func(h symbol.SymbolHit) bool { return !strong(h) || at[key(h)] })...)
	if !all || q.Match == "fuzzy" && !slices.ContainsFunc(hits, strong) {
		ask.WarnSearchLimit(c, s, len(hits))
	}
	return hits, nil
}

// spelled are the symbols that a server finds by all usual spellings of words; all is false where it gives no more than
// a part of them, or does not look for words within names.
func (q Question) spelled(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route, words []string) (
	hits []symbol.SymbolHit, all bool, err error) {
	if r.Spec.Symbols.Containing == "" || !r.Spec.Symbols.Qualified && len(words) > 1 {
		return nil, false, nil
	}
	queries := []string{""}
	for _, word := range words {
		var more []string
		for _, spelled := range spellings(word) {
			for _, before := range queries {
				more = append(more, strings.TrimSpace(before+" "+form(r.Spec.Symbols.Containing, spelled)))
			}
		}
		queries = more
	}
	if len(queries) > maxWordings {
		return nil, false, nil
	}
	for _, query := range queries {
		more, limited, err := ask.SearchPart(ctx, c, s, r, query)
		if err != nil || limited {
			return nil, false, err
		}
		hits = append(hits, more...)
	}
	return hits, true, nil
}

// spellings are the ways in which a word, in small letters, is usually spelled within names: buffer, Buffer, BUFFER.
func spellings(word string) (out []string) {
	_, first := utf8.DecodeRuneInString(word)
	for _, one := range []string{word, strings.ToUpper(word[:first]) + word[first:], strings.ToUpper(word)} {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// holding are the files that a server has read and that hold all words, in any case; all is false where
// there are more than can be looked at.
func (q Question) holding(ctx context.Context, s *lsp.Snapshot, words []string) (files []string, all bool) {
	left := map[string]bool{}
	if of := s.Hooks().OutsideBuild; of != nil {
		if left, all = of(ctx); !all {
			return nil, false
		}
	}
	for _, path := range s.Journal().Choose(s.ID(), func(path string) bool {
		return s.Spec().Serves(filepath.Base(path))
	}) {
		text, err := s.Documents().Load(path)
		if left[path] || err != nil || s.Folders().Skips(s.Root(), path) {
			continue
		}
		content := strings.ToLower(text.Content())
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(content, w) }) {
			continue
		}
		if files = append(files, path); len(files) > maxOutlined || ctx.Err() != nil {
			return nil, false
		}
	}
	return files, true
}

// outlined are the symbols of files, as a search finds them; all is false where the server does not tell those of one.
func (q Question) outlined(ctx context.Context, s *lsp.Snapshot, r router.Route, files []string) (
	out []symbol.SymbolHit, all bool) {
	for _, path := range files {
		symbols, _, err := s.Unverified().DocumentSymbols(ctx, path)
		if err != nil {
			return nil, false
		}
		for _, n := range symbol.Flatten(symbols, nil, nil) {
			if n.Local && !r.Spec.Symbols.Locals {
				continue
			}
			text, err := s.Documents().Load(path)
			if err != nil {
				return nil, false
			}
			out = append(out, symbol.SymbolHit{Route: r, Known: n.Parts, Detail: n.Sym.Detail, Local: n.Local,
				Sym: lsp.WorkspaceSymbol{Name: n.Parts[len(n.Parts)-1], Kind: n.Sym.Kind,
					Place: lsp.Place{Path: path, Range: n.Sym.NameAt, Full: n.Sym.NameAt,
						Line: text.Line(n.Sym.NameAt.Start.Line)}}})
		}
	}
	return out, true
}

// Compile reads Text as a regular expression (RE2), and finds the words that every match holds. Servers
// know no expressions, so they are asked for such a word, and the expression is applied to what they
// give.
func (q *Question) Compile() error {
	var err error
	if q.re, err = regexp.Compile(q.Text); err != nil {
		return answer.Invalid("query", "is not an RE2 regular expression: %v", err)
	}
	parsed, err := syntax.Parse(q.Text, syntax.Perl)
	if err != nil {
		return answer.Invalid("query", "is not an RE2 regular expression: %v", err)
	}
	// Servers know no expressions: they are asked for a word that every match holds, and the expression is held
	// against what they give.
	items := Sequence(parsed, nil)
	q.word, q.Tail = LongestWord(items), TailWord(items)
	return nil
}

// Ask sends the question to one server, in the form that finds the most there. Where no form finds all,
// a warning says what may be missing.
func (q Question) Ask(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route) ([]symbol.SymbolHit,
	error) {
	rule := r.Spec.Symbols
	switch {
	case ask.Unindexed(s, r):
		return q.askOutlines(ctx, c, s, r), nil
	case q.Match == "exact":
		return q.askAll(ctx, c, s, r, form(rule.Ending, q.Want[len(q.Want)-1]))
	case q.spaced:
		return q.askWords(ctx, c, s, r)
	case q.Match == "fuzzy" && q.words != nil:
		hits, err := q.askAll(ctx, c, s, r, q.Text)
		// Servers look for the letters in their order, so that writeBuffer finds write_buffer as well, but not the
		// other way round.
		enough := rankContains
		if strings.Contains(q.Text, "_") {
			enough = rankFold
		}
		if err != nil || slices.ContainsFunc(hits, func(h symbol.SymbolHit) bool { return q.rank(h) <= enough }) {
			return hits, err
		}
		more, err := q.askWords(ctx, c, s, r)
		more = slices.DeleteFunc(more, func(h symbol.SymbolHit) bool { return !q.holdsWords(h) })
		return append(hits, more...), err
	case q.Match == "fuzzy" && (len(q.Want) == 1 || strings.Contains(q.Text, " ")):
		return q.askAll(ctx, c, s, r, q.Text)
	case q.Match == "fuzzy": // few servers match scopes
		return ask.SearchOne(ctx, c, s, r, q.Want[len(q.Want)-1])
	}
	// Most servers match the bare name only, so that only a word of the bare name brings all matches.
	sure := q.Tail
	if rule.Qualified {
		sure = q.word
	}
	switch {
	case sure != "" && rule.Containing != "":
		return ask.SearchOne(ctx, c, s, r, form(rule.Containing, sure))
	case rule.Everything && listable(c, r.Spec):
		// The list of everything is enough unless the server cuts it; then the word brings those that it may have
		// left out.
		hits, err := ask.SearchOne(ctx, c, s, r, "")
		if err != nil || q.word == "" || !s.Limited(lsp.MethodWorkspaceSymbol, len(hits)) {
			return hits, err
		}
		more, err := ask.SearchOne(ctx, c, s, r, q.word)
		return append(hits, more...), err
	}
	// Neither way finds all: the server is asked for the best word there is, and the answer says what that may miss.
	message := fmt.Sprintf(
		"%s does not support regular expressions; lspi asked it for %q, and matches that it does not list for that are missing here", s.ID(), q.word)
	if q.word == "" {
		message = s.ID() +
			" does not list all symbols: give the expression a word that every match holds, such as Load in ^Load"
	}
	c.Warn(contract.WarnServerMatching, contract.Facts{"server_id": s.ID(), "query": q.word}, message)
	return ask.SearchOne(ctx, c, s, r, q.word)
}

// askOutlines are the symbols of the files that hold the words of a question, at a server that lists those of projects
// alone.
func (q Question) askOutlines(ctx context.Context, c *answer.Call, s *lsp.Snapshot, r router.Route) []symbol.SymbolHit {
	words := q.words
	switch {
	case words != nil:
	case q.Match == "regex":
		words = []string{strings.ToLower(q.word)}
	default:
		words = []string{strings.ToLower(q.Want[len(q.Want)-1])}
	}
	files, few := q.holding(ctx, s, words)
	hits, all := q.outlined(ctx, s, r, files)
	if !few || !all {
		ask.WarnSearchLimit(c, s, len(hits))
	}
	return hits
}

// maxListedFiles is how many files a project may have for all of its symbols to be listed.
const maxListedFiles = 3000

// listable reports whether a list of every symbol of a server would have a bearable size.
func listable(c *answer.Call, spec *spec.Spec) bool {
	n := 0
	for ext, files := range c.Workspace.Pool.Journal(c.Workspace.Root).CountByExt() {
		if ext != "" && spec.Serves("x"+ext) {
			n += files
		}
	}
	return n <= maxListedFiles
}

// Keep returns the hits that match. A fuzzy match of one word is left to the server, whose own order is
// part of the answer.
func (q Question) Keep(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit) []symbol.SymbolHit {
	switch q.Match {
	case "exact":
		return ExactHits(ctx, c, hits, q.Want)
	case "regex":
		hits = q.scoped(ctx, c, hits)
		// Bare or qualified: either form of the name may be meant.
		return slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool {
			return !slices.ContainsFunc(h.Names(), q.re.MatchString)
		})
	}
	if q.spaced {
		hits = q.scoped(ctx, c, hits)
		return slices.DeleteFunc(hits, func(h symbol.SymbolHit) bool { return !q.holdsWords(h) })
	}
	return hits
}

// MayMean reports whether a name, bare or qualified, may be in the answer. A fuzzy match is taken to
// need the letters of the query in their order.
func (q Question) MayMean(name string) bool {
	switch q.Match {
	case "exact":
		return name == q.Want[len(q.Want)-1]
	case "regex":
		return q.re.MatchString(name)
	}
	if q.spaced { // the other words may be in the scope
		return slices.ContainsFunc(q.words, func(w string) bool { return strings.Contains(foldedName(name), w) })
	}
	// The letters must come in their order; what stands between them does not matter.
	lower := strings.ToLower(symbol.LastComponent(name))
	for _, r := range strings.ToLower(q.Want[len(q.Want)-1]) {
		_, rest, found := strings.Cut(lower, string(r))
		if !found {
			return false
		}
		lower = rest
	}
	return true
}

// MayDeclare returns whether an identifier in a file that no server read may be what the answer lacks;
// nil when any file may hold such. An expression is compared with the bare name only where it is
// certain that the bare name decides.
func (q Question) MayDeclare() func(word string) bool {
	if q.Match != "regex" {
		return q.MayMean
	}
	switch {
	case q.Tail != "":
		return func(word string) bool { return containsFold(word, q.Tail) }
	case q.word != "":
		return func(word string) bool { return containsFold(word, q.word) } // of the scope, if not of the name
	}
	return nil
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// scoped completes the names of servers that leave out scopes, up to the bound of [ask.Shaped].
func (q Question) scoped(ctx context.Context, c *answer.Call, hits []symbol.SymbolHit) []symbol.SymbolHit {
	missing := func(h symbol.SymbolHit) bool { return h.Route.Spec.Symbols.ScopesMissing }
	hits = ask.Shaped(ctx, c, hits, missing)
	for _, h := range hits {
		// One warning for all: the first hit without a scope shows that the server leaves them out.
		if missing(h) && h.Known == nil {
			c.Warn(contract.WarnServerMatching, contract.Facts{"server_id": h.Route.Spec.ID, "query": q.Text},
				h.Route.Spec.ID+" leaves scopes out of names; lspi matched the query without some of them")
			break
		}
	}
	return hits
}

// Order sorts hits: those of the workspace before those of dependencies, what files declare before what
// functions do, then a fuzzy match by how well the name matches, and everything else by place. Where a
// name matches well, hits that match in a way only the server can explain are left out.
func (q Question) Order(c *answer.Call, hits []symbol.SymbolHit) []symbol.SymbolHit {
	type rated struct {
		symbol.SymbolHit
		outside bool
		rank    int
		index   int
	}
	// Ranks are computed once for each hit, and not for each comparison. index keeps the server's own order where
	// only the server knows why a name matches.
	all := make([]rated, len(hits))
	for i, h := range hits {
		all[i] = rated{h, !Inside(c, h), q.rank(h), i}
	}
	slices.SortFunc(all, func(a, b rated) int {
		switch {
		case a.outside != b.outside:
			return answer.TrueLast(a.outside, b.outside)
		case a.Local != b.Local:
			return answer.TrueLast(a.Local, b.Local)
		case a.rank != b.rank:
			return a.rank - b.rank
		case a.rank == rankServer:
			return a.index - b.index
		// What a type or a function is called is looked for more often than a variable or a parameter.
		case q.Match == "fuzzy" && a.Sym.Kind.IsValue() != b.Sym.Kind.IsValue():
			return answer.TrueLast(a.Sym.Kind.IsValue(), b.Sym.Kind.IsValue())
		}
		if n := answer.ComparePlaces(a.Sym.Place, b.Sym.Place, ""); n != 0 {
			return n
		}
		return strings.Compare(a.Sym.Name, b.Sym.Name)
	})
	good := slices.ContainsFunc(all, func(r rated) bool { return r.rank < rankServer })
	hits = hits[:0]
	for _, r := range all {
		if !good || r.rank < rankServer {
			hits = append(hits, r.SymbolHit)
		}
	}
	return hits
}

// MayBeLocal reports whether a function may declare the hit, which would then have to stand behind what
// is declared outside of functions. Only hits with the very name of the query matter, since looking
// costs the symbols of their files.
func (q Question) MayBeLocal(h symbol.SymbolHit) bool {
	return h.Route.Spec.Symbols.Locals && len(q.Want) > 0 && (h.Sym.Kind.IsValue() || h.Sym.Kind == "function") &&
		strings.EqualFold(symbol.LastComponent(h.Sym.Name), q.Want[len(q.Want)-1])
}

// How well a name matches a fuzzy query, best first.
const (
	rankExact = iota
	rankFold
	rankPrefix
	rankWord // begins a word of the name
	rankContains
	rankServer // in a way that only the server knows
)

// rank returns how well the bare name of a hit matches the last component of the query.
func (q Question) rank(h symbol.SymbolHit) int {
	if q.Match != "fuzzy" || h.Means(q.Want) {
		return rankExact
	}
	if q.words != nil {
		return q.rankWords(h)
	}
	word, name := strings.ToLower(q.Want[len(q.Want)-1]), strings.ToLower(symbol.LastComponent(h.Sym.Name))
	switch {
	case name == word:
		return rankFold
	case strings.HasPrefix(name, word):
		return rankPrefix
	case slices.ContainsFunc(NameWords(symbol.LastComponent(h.Sym.Name)), func(w string) bool {
		return strings.HasPrefix(w, word)
	}):
		return rankWord
	case strings.Contains(name, word):
		return rankContains
	}
	return rankServer
}

// rankWords is rank for a query of several words.
func (q Question) rankWords(h symbol.SymbolHit) int {
	joined, name := foldedName(strings.Join(strings.Fields(q.Text), "")), foldedName(symbol.LastComponent(h.Sym.Name))
	switch {
	case name == joined:
		return rankFold
	case strings.HasPrefix(name, joined):
		return rankPrefix
	case !slices.ContainsFunc(q.words, func(w string) bool { return !strings.Contains(name, w) }):
		return rankWord
	case q.holdsWords(h):
		return rankContains
	}
	return rankServer
}

// Sequence appends to out what a regular expression matches one after the other.
func Sequence(re *syntax.Regexp, out []*syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			out = Sequence(sub, out)
		}
		return out
	// Alternatives and optional parts stay whole: no word in them is in every match.
	case syntax.OpPlus: // once for certain, and more of the same before it
		return Sequence(re.Sub[0], append(out, &syntax.Regexp{Op: syntax.OpStar, Sub: re.Sub}))
	}
	return append(out, re)
}

// LongestWord returns the longest word that every match holds; "" when there is none.
func LongestWord(items []*syntax.Regexp) string {
	best := ""
	for _, item := range items {
		best = longer(best, wordsOf(item)...)
	}
	return best
}

// TailWord returns the longest word that every match holds behind its last separator, so that the bare
// name has it. Only an expression that has to end with the name ($) is sure of that; "" for any other.
func TailWord(items []*syntax.Regexp) string {
	if n := len(items); n == 0 || items[n-1].Op != syntax.OpEndText && items[n-1].Op != syntax.OpEndLine {
		return ""
	}
	best := ""
	// From the end: as long as everything is part of one identifier it belongs to the last part of the name.
	for _, item := range slices.Backward(items) {
		if onlyWords(item) {
			best = longer(best, wordsOf(item)...)
			continue
		}
		if words := wordsOf(item); len(words) > 0 && source.IsWord(item.Rune[len(item.Rune)-1]) {
			best = longer(best, words[len(words)-1])
		}
		return best
	}
	return best
}

// wordsOf returns the words of a literal, in lower case when the expression ignores case; none of
// anything else.
func wordsOf(literal *syntax.Regexp) []string {
	if literal.Op != syntax.OpLiteral {
		return nil
	}
	text := string(literal.Rune)
	if literal.Flags&syntax.FoldCase != 0 {
		text = strings.ToLower(text)
	}
	return strings.FieldsFunc(text, func(r rune) bool { return !source.IsWord(r) })
}

// longer returns the longest of the words; of equals the first.
func longer(best string, words ...string) string {
	for _, w := range words {
		if len(w) > len(best) {
			best = w
		}
	}
	return best
}

// onlyWords reports whether all that an expression matches is part of one identifier.
func onlyWords(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		return !slices.ContainsFunc(re.Rune, func(r rune) bool { return !source.IsWord(r) })
	case syntax.OpCharClass:
		// The signs that stand between the parts of a name in any language: a class that matches one may lead out
		// of the last part.
		for _, r := range ".:/#( *" {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= r && r <= re.Rune[i+1] {
					return false
				}
			}
		}
		return true
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !onlyWords(sub) })
}
