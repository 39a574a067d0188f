package explore

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/resolve"
	"lspi/tools/symbol"
	"lspi/tools/tests"
)

// The bounds of a question: words of it that are looked for, declarations that it leads to, and further ones that are
// named.
const (
	maxQuestionWords = 8
	maxChosen        = 5
	maxOthers        = 8
)

// question is what the text of a question asks for: names that stand in it as code has them, and words that names may
// hold, as stems.
type question struct {
	names []string
	words []string
	texts map[string]string // the words as they stand in the question, by their stems
	exact []string          // words with a capital that no sentence begins with: they may be names as they stand
}

// stopWords are the words of a question that say nothing of what it is about.
var stopWords = strings.Fields(`a about after all an and any are as at be because been before being between both but by
	can came come comes could did do does doing done during each else every find for from get gets give given goes had happen happens
	has have how i if in into is it its itself let long make makes many may me might more most much must my no not of off
	on once one only or other our out over own reach reaches same see she should show so some such tell than that the
	their them then there these they this through to too under until up upon us use used uses using very via was way we
	went were what when where whether which while who whom whose why will with within without work works would you your
	code function functions method methods class classes called calls call project`)

// readQuestion takes a question apart.
func readQuestion(text string) (q question) {
	fields := strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("?!,;\"'`()[]{}<>=→", r)
	})
	for i, field := range fields {
		field = strings.Trim(field, ".:-*&/")
		if isCodeName(field) {
			if !slices.Contains(q.names, field) && len(q.names) < maxExplored {
				q.names = append(q.names, field)
			}
			continue
		}
		q.add(field)
		if i > 0 && field != strings.ToLower(field) {
			q.exact = append(q.exact, field)
		}
	}
	return q
}

// isCodeName reports whether a word is written as only code writes names: qualified, with underscores or with humps.
func isCodeName(word string) bool {
	inner := strings.Trim(word, "_")
	if inner == "" || strings.ContainsAny(word, "/\\-") {
		return false
	}
	if strings.ContainsAny(inner, "._") || strings.Contains(inner, "::") {
		return slices.ContainsFunc(symbol.Components(word), func(part string) bool { return len(part) > 1 }) // not "e.g."
	}
	letters := []rune(inner)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(letters[i-1]) {
			return true
		}
	}
	return false
}

// add adds the words of a text as stems, unless they are stop words.
func (q *question) add(text string) {
	for _, word := range resolve.NameWords(text) {
		stem := stemOf(word)
		if len([]rune(word)) < 2 || slices.Contains(stopWords, word) || slices.Contains(q.words, stem) ||
			len(q.words) == maxQuestionWords {
			continue
		}
		q.words = append(q.words, stem)
		if q.texts == nil {
			q.texts = map[string]string{}
		}
		q.texts[stem] = word
		if plain := irregular[word]; plain != "" {
			q.texts[stem] = plain // which servers are asked for
		}
	}
}

// written returns words as they stand in the question.
func (q question) written(stems []string) (out []string) {
	for _, stem := range stems {
		out = append(out, q.texts[stem])
	}
	return out
}

// sought returns what servers are asked for to find the forms of a word: its stem, unless that is so short that it
// stands in many other words.
func (q question) sought(stem string) string {
	if len(stem) < 4 {
		return strings.TrimSuffix(q.texts[stem], "s")
	}
	return stem
}

// irregular are forms of verbs that names often hold, of which no ending can be cut.
var irregular = map[string]string{"began": "begin", "begun": "begin", "bound": "bind", "broke": "break",
	"broken": "break", "built": "build", "caught": "catch", "chose": "choose", "chosen": "choose", "drawn": "draw",
	"drew": "draw", "found": "find", "held": "hold", "hidden": "hide", "hid": "hide", "kept": "keep", "knew": "know",
	"known": "know", "left": "leave", "lost": "lose", "meant": "mean", "ran": "run", "sent": "send", "sought": "seek",
	"spun": "spin", "stood": "stand", "stuck": "stick", "taken": "take", "threw": "throw", "thrown": "throw",
	"took": "take", "understood": "understand", "woken": "wake", "wrote": "write", "written": "write"}

// stemOf cuts the ending of an English word, so that the forms of one word have one beginning: requests, requested and
// requesting begin with request.
func stemOf(word string) string {
	if plain := irregular[word]; plain != "" {
		word = plain
	}
	for _, ending := range []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "ors", "ed", "er", "or", "es", "s",
		"e", "y"} {
		rest, cut := strings.CutSuffix(word, ending)
		if !cut || len(rest) < 3 {
			continue
		}
		// stopping, planned: the consonant was doubled.
		if n := len(rest); n > 3 && rest[n-1] == rest[n-2] && !strings.ContainsRune("aeiouls", rune(rest[n-1])) {
			rest = rest[:n-1]
		}
		return rest
	}
	return word
}

// wordsTold is what the answer says of the words of a question.
type wordsTold struct {
	without []string // words that no name of a declaration holds
	total   int      // declarations that hold some
	others  []string // the best ones that were not chosen
}

// choice is a declaration that may be meant, with the words of the question that its name holds.
type choice struct {
	hit   symbol.SymbolHit
	words []string // in the bare name
	score float64
}

// choose adds the declarations whose names hold the words of a question best.
func (x *Page) choose(ctx context.Context, q question) error {
	hits, lacks, err := x.search(ctx, q)
	if err != nil {
		return err
	}
	all := x.withoutTests(ctx, q, rank(ctx, x.c, q, hits))
	x.words = &wordsTold{total: len(all)}
	chosen := cover(all, q.words, maxChosen)
	for _, ch := range chosen {
		at := ask.NameAt(x.c, ch.hit)
		x.take(&end{asked: strings.Join(q.written(ch.words), " "), chosen: true, at: symbol.Located{Path: ch.hit.Sym.Place.Path, At: at,
			Name: symbol.LastComponent(ch.hit.Sym.Name)}})
	}
	for _, word := range q.words {
		if !slices.ContainsFunc(all, func(ch choice) bool { return slices.Contains(ch.words, word) }) {
			x.words.without = append(x.words.without, q.texts[word])
		}
	}
	// What a search lacks is of no use beside declarations for all words.
	for _, w := range lacks {
		id, _ := w.Facts["server_id"].(string)
		if len(x.words.without) > 0 || slices.ContainsFunc(chosen, func(ch choice) bool {
			return ch.hit.Route.Spec.ID == id
		}) {
			x.c.AddWarning(w)
		}
	}
	for _, ch := range all {
		if len(x.words.others) < maxOthers && !slices.ContainsFunc(chosen, func(have choice) bool {
			return have.hit.Sym.Place == ch.hit.Sym.Place
		}) {
			x.words.others = append(x.words.others, x.tools.Listed(x.c, ch.hit))
		}
	}
	if len(x.ends) == 0 {
		return contract.Errorf(contract.KindSymbolNotFound, contract.Facts{"symbol_name": strings.Join(q.words, " ")},
			"no declaration of this workspace has a name with one of the words %s", strings.Join(q.words, ", "))
	}
	return nil
}

// maxShaped bounds the candidates whose scopes are looked up.
const maxShaped = 12

// withoutTests leaves out of the first candidates those in tests beside the code, which are modules of Rust.
func (x *Page) withoutTests(ctx context.Context, q question, all []choice) []choice {
	if slices.Contains(q.words, "test") {
		return all
	}
	var hits []symbol.SymbolHit
	for _, ch := range all[:min(len(all), maxShaped)] {
		hits = append(hits, ch.hit)
	}
	own := []choice{}
	cheap := func(h symbol.SymbolHit) bool { return h.Route.Spec.Freshness.QueryClosed }
	for i, h := range ask.Shaped(ctx, x.c, hits, cheap) {
		if scope := h.Parts(); len(scope) < 2 || scope[0] != "tests" && scope[0] != "test" {
			all[i].hit.Local = h.Local
			own = append(own, all[i])
		}
	}
	return append(own, all[len(hits):]...)
}

// search returns the symbols of the workspace whose names may hold a word of the question, and what the search lacks.
// Servers cut their lists, and give those first that match best: so two words that follow each other are asked for as
// one name, too. That a list of candidates was cut is not told, since the answer does not claim to have all of them.
func (x *Page) search(ctx context.Context, q question) (hits []symbol.SymbolHit, lacks []contract.Warning,
	err error) {
	var texts []string
	for i, word := range q.words {
		texts = append(texts, q.sought(word))
		if i > 0 {
			texts = append(texts, q.texts[q.words[i-1]]+word)
		}
	}
	all := resolve.Question{Match: "fuzzy", Text: strings.Join(q.words, " "), Want: q.words}
	all.SplitWords()
	w, err := ask.Survey(ctx, x.c, lsp.MethodWorkspaceSymbol)
	if err != nil {
		return nil, nil, err
	}
	n := x.c.Nested(x.c.Tool, x.c.Request)
	n.ClaimComplete()
	hits, err = resolve.SearchMatching(ctx, n, w, all, func(ctx context.Context, s *lsp.Snapshot, r router.Route) (
		out []symbol.SymbolHit, err error) {
		for _, text := range texts {
			asked := resolve.Question{Match: "fuzzy", Text: text, Want: []string{text}}
			found, err := asked.Ask(ctx, n, s, r)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return out, nil
	})
	if err != nil {
		answer.Adopt(x.c, n)
		return nil, nil, err
	}
	lacks = slices.DeleteFunc(n.Warnings(), func(w contract.Warning) bool { return w.Kind == contract.WarnServerLimit })
	hits = slices.DeleteFunc(resolve.WithoutTwins(resolve.Unique(hits)), func(h symbol.SymbolHit) bool {
		return h.Sym.Place.Err != nil || !resolve.Inside(x.c, h) || isScopeOnly(h.Sym.Kind)
	})
	own := slices.DeleteFunc(slices.Clone(hits), func(h symbol.SymbolHit) bool {
		return tests.IsFile(x.c.Show(h.Sym.Place.Path))
	})
	if len(own) > 0 && !slices.Contains(q.words, "test") {
		hits = own
	}
	return hits, lacks, nil
}

// isScopeOnly reports whether symbols of a kind hold others and have no code of their own.
func isScopeOnly(kind lsp.SymbolKind) bool {
	return kind == "file" || kind == "module" || kind == "package" || kind == "namespace"
}

// heldBy returns the words of a question that a name holds, in any form, or as the beginning of a longer word; of is
// the number of the name's words.
func heldBy(words []string, name string) (out []string, of int) {
	parts := resolve.NameWords(name)
	for _, word := range words {
		if slices.ContainsFunc(parts, func(part string) bool {
			return part == word || stemOf(part) == word || len(word) >= 5 && strings.HasPrefix(part, word)
		}) {
			out = append(out, word)
		}
	}
	return out, len(parts)
}

// maxCounted bounds the names whose files are counted.
const maxCounted = 60

// rank orders symbols by how many words of the question their names hold, rare words first, by how much of the name
// these are, by how many words of the question stand in the names around them, by being code of the project and not of
// its tests, and by how many files use the name.
func rank(ctx context.Context, c *answer.Call, q question, hits []symbol.SymbolHit) (all []choice) {
	for _, h := range hits {
		name := symbol.LastComponent(h.Sym.Name)
		words, parts := heldBy(q.words, name)
		if len(words) == 0 {
			continue
		}
		ch := choice{hit: h, words: words, score: 2 * float64(len(words)) / float64(parts)}
		if slices.Contains(q.exact, name) {
			ch.score += 2
		}
		switch {
		case isConstructor(h): // its type stands for it
			ch.score--
		case symbol.IsCode(h.Sym.Kind), symbol.IsTypeKind(h.Sym.Kind):
			ch.score++
		case symbol.IsMemberKind(h.Sym.Kind), h.Sym.Kind == "variable", h.Sym.Kind == "constant":
			ch.score--
		}
		if answer.IsGenerated(c, h.Sym.Place.Path, h.Sym.Place.Generated) {
			ch.score--
		}
		all = append(all, ch)
	}
	weights := rarity(q.words, all)
	around := wordsAround(c, q, all)
	for i := range all {
		for _, w := range all[i].words {
			all[i].score += 3 * weights[w]
		}
		scope, _ := heldBy(q.words, strings.Join(all[i].hit.Path(), " "))
		near := 0.0
		for _, w := range scope {
			if !slices.Contains(all[i].words, w) {
				near += weights[w] // twice what stands around it in the folder
			}
		}
		for w := range around[filepath.Dir(all[i].hit.Sym.Place.Path)] {
			if !slices.Contains(all[i].words, w) {
				near += weights[w]
			}
		}
		all[i].score += 0.8 * near
	}
	order := func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.score, a.score), answer.ComparePlaces(a.hit.Sym.Place, b.hit.Sym.Place, ""))
	}
	slices.SortStableFunc(all, order)
	for i := range all[:min(len(all), maxCounted)] {
		all[i].score += 0.3 * math.Log2(1+float64(filesHolding(ctx, c, all[i].hit)))
	}
	slices.SortStableFunc(all, order)
	return all
}

// isConstructor reports whether a symbol is the constructor of a type.
func isConstructor(h symbol.SymbolHit) bool {
	parts := h.Parts()
	n := len(parts)
	return h.Sym.Kind == "constructor" || n > 1 && parts[n-1] == parts[n-2]
}

// rarity returns the weight of each word, from 1 for one that a single name holds down to ½ for one that all hold.
func rarity(words []string, all []choice) map[string]float64 {
	out := map[string]float64{}
	for _, w := range words {
		n := 0
		for _, ch := range all {
			if slices.Contains(ch.words, w) {
				n++
			}
		}
		out[w] = 1 - math.Log(float64(max(n, 1)))/(2*math.Log(float64(max(len(all), 2))))
	}
	return out
}

// wordsAround returns the words of a question that the names in each folder hold, with those of its path.
func wordsAround(c *answer.Call, q question, all []choice) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, ch := range all {
		dir := filepath.Dir(ch.hit.Sym.Place.Path)
		if out[dir] == nil {
			out[dir] = map[string]bool{}
			inPath, _ := heldBy(q.words, c.Show(dir))
			for _, w := range inPath {
				out[dir][w] = true
			}
		}
		scope, _ := heldBy(q.words, strings.Join(ch.hit.Path(), " "))
		for _, w := range append(scope, ch.words...) {
			out[dir][w] = true
		}
	}
	return out
}

// filesHolding returns how many files hold the bare name of a symbol, by the index of words; a name of several symbols
// counts for each of them.
func filesHolding(ctx context.Context, c *answer.Call, h symbol.SymbolHit) int {
	held, _, err := c.Workspace.Words(h.Sym.Place.Path).Holding(ctx, symbol.LastComponent(h.Sym.Name))
	if err != nil {
		return 0
	}
	return len(held)
}

// cover chooses at most n of the ranked declarations: the best one for each word of the question that the ones before
// it do not hold, then the best of the others; of each name one, and none that a
// function declares.
func cover(all []choice, words []string, n int) (out []choice) {
	taken := map[string]bool{}
	take := func(ch choice) {
		name := symbol.LastComponent(ch.hit.Sym.Name)
		if !taken[name] && !ch.hit.Local && len(out) < n {
			taken[name], out = true, append(out, ch)
		}
	}
	covered := map[string]bool{}
	for _, ch := range all {
		if slices.ContainsFunc(ch.words, func(w string) bool { return !covered[w] }) && len(covered) < len(words) {
			take(ch)
			for _, w := range ch.words {
				covered[w] = true
			}
		}
	}
	for _, ch := range all {
		// A weak match beside good ones is no part of what was asked.
		if len(out) > 0 && ch.score >= all[0].score*0.7 {
			take(ch)
		}
	}
	return out
}
