package tools

import (
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/source"
)

// question is what a search for symbols asks: what is sent to each server, what of its answer counts, in which order.
type question struct {
	match string
	text  string
	want  []string // the components of text; nil for a regular expression
	re    *regexp.Regexp
	// Words that every match holds: the longest one, and the longest one that is certain to be in the bare name.
	word, tail string
}

func (q *question) compile() error {
	var err error
	if q.re, err = regexp.Compile(q.text); err != nil {
		return invalid("query", "is no regular expression of RE2: %v", err)
	}
	parsed, err := syntax.Parse(q.text, syntax.Perl)
	if err != nil {
		return invalid("query", "is no regular expression of RE2: %v", err)
	}
	items := sequence(parsed, nil)
	q.word, q.tail = longestWord(items), tailWord(items)
	return nil
}

// ask sends the question to one server.
func (q question) ask(ctx context.Context, c *Call, s *lsp.Server, r router.Route) ([]hit, error) {
	rule := r.Spec.Symbols
	switch {
	case q.match == "exact":
		return c.searchOne(ctx, s, r, form(rule.Ending, q.want[len(q.want)-1]))
	case q.match == "fuzzy" && (len(q.want) == 1 || strings.Contains(q.text, " ")):
		return c.searchOne(ctx, s, r, q.text)
	case q.match == "fuzzy": // few servers match scopes
		return c.searchOne(ctx, s, r, q.want[len(q.want)-1])
	}
	sure := q.tail
	if rule.Qualified {
		sure = q.word
	}
	switch {
	case sure != "" && rule.Containing != "":
		return c.searchOne(ctx, s, r, form(rule.Containing, sure))
	case rule.Everything && c.listable(r.Spec):
		hits, err := c.searchOne(ctx, s, r, "")
		if err != nil || q.word == "" || !s.Limited(lsp.MethodWorkspaceSymbol, len(hits)) {
			return hits, err
		}
		more, err := c.searchOne(ctx, s, r, q.word)
		return append(hits, more...), err
	}
	message := fmt.Sprintf("%s does not support regular expressions: it was asked for %q, and what it does not list for that is missing", s.ID(), q.word)
	if q.word == "" {
		message = s.ID() + " does not list all symbols: give the expression a word that every match holds, such as Load in ^Load"
	}
	c.warn(contract.WarnServerMatching, contract.Facts{"server_id": s.ID(), "query": q.word}, message)
	return c.searchOne(ctx, s, r, q.word)
}

// maxListedFiles is the largest project whose symbols are all asked for.
const maxListedFiles = 3000

// listable reports whether a list of every symbol would be of a bearable size.
func (c *Call) listable(spec *lsp.Spec) bool {
	n := 0
	for ext, files := range c.env.Pool.Journal(c.env.Settings.Workspace).CountByExt() {
		if ext != "" && spec.Serves("x"+ext) {
			n += files
		}
	}
	return n <= maxListedFiles
}

// keep leaves what matches. A fuzzy match is the server's own.
func (q question) keep(ctx context.Context, c *Call, hits []hit) []hit {
	switch q.match {
	case "exact":
		return c.exactHits(ctx, hits, q.want)
	case "regex":
		hits = q.scoped(ctx, c, hits)
		return slices.DeleteFunc(hits, func(h hit) bool { return !slices.ContainsFunc(h.names(), q.re.MatchString) })
	}
	return hits
}

// mayMean reports whether a name, bare or qualified, may be in the answer. A fuzzy match is taken for one that has the
// letters in their order.
func (q question) mayMean(name string) bool {
	switch q.match {
	case "exact":
		return name == q.want[len(q.want)-1]
	case "regex":
		return q.re.MatchString(name)
	}
	lower := strings.ToLower(lastComponent(name))
	for _, r := range strings.ToLower(q.want[len(q.want)-1]) {
		_, rest, found := strings.Cut(lower, string(r))
		if !found {
			return false
		}
		lower = rest
	}
	return true
}

// mayDeclare reports whether an identifier of a file that no server read may be what the answer lacks; nil when every file
// may hold such. An expression is held against the bare name, where it is sure that the name decides.
func (q question) mayDeclare() func(word string) bool {
	if q.match != "regex" {
		return q.mayMean
	}
	switch {
	case q.tail != "":
		return func(word string) bool { return containsFold(word, q.tail) }
	case q.word != "":
		return func(word string) bool { return containsFold(word, q.word) } // of the scope, if not of the name
	}
	return nil
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// scoped completes the names at servers that leave out scopes, as far as that is bearable.
func (q question) scoped(ctx context.Context, c *Call, hits []hit) []hit {
	missing := func(h hit) bool { return h.route.Spec.Symbols.ScopesMissing }
	hits = c.shaped(ctx, hits, missing)
	for _, h := range hits {
		if missing(h) && h.known == nil {
			c.warn(contract.WarnServerMatching, contract.Facts{"server_id": h.route.Spec.ID, "query": q.text},
				h.route.Spec.ID+" leaves scopes out of names; the expression was matched without some of them")
			break
		}
	}
	return hits
}

// order sorts hits: those of dependencies last; a fuzzy match by how well the name matches, everything else by place.
func (q question) order(c *Call, hits []hit) {
	type rated struct {
		hit
		outside bool
		rank    int
		index   int
	}
	all := make([]rated, len(hits))
	for i, h := range hits {
		all[i] = rated{h, !c.inside(h), q.rank(h), i}
	}
	slices.SortFunc(all, func(a, b rated) int {
		switch {
		case a.outside != b.outside:
			return trueLast(a.outside, b.outside)
		case a.rank != b.rank:
			return a.rank - b.rank
		case a.rank == rankServer:
			return a.index - b.index
		}
		if n := comparePlaces(a.sym.Place, b.sym.Place, ""); n != 0 {
			return n
		}
		return strings.Compare(a.sym.Name, b.sym.Name)
	})
	for i := range all {
		hits[i] = all[i].hit
	}
}

// How well a name matches a fuzzy query, best first.
const (
	rankExact = iota
	rankFold
	rankPrefix
	rankContains
	rankServer // in a way that only the server knows
)

func (q question) rank(h hit) int {
	if q.match != "fuzzy" || h.means(q.want) {
		return rankExact
	}
	word, name := strings.ToLower(q.want[len(q.want)-1]), strings.ToLower(lastComponent(h.sym.Name))
	switch {
	case name == word:
		return rankFold
	case strings.HasPrefix(name, word):
		return rankPrefix
	case strings.Contains(name, word):
		return rankContains
	}
	return rankServer
}

// sequence lists what a regular expression matches one after the other.
func sequence(re *syntax.Regexp, out []*syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			out = sequence(sub, out)
		}
		return out
	case syntax.OpPlus: // once for certain, and more of the same before it
		return sequence(re.Sub[0], append(out, &syntax.Regexp{Op: syntax.OpStar, Sub: re.Sub}))
	}
	return append(out, re)
}

// longestWord is the longest word that every match holds; "" when there is none.
func longestWord(items []*syntax.Regexp) string {
	best := ""
	for _, item := range items {
		best = longer(best, wordsOf(item)...)
	}
	return best
}

// tailWord is the longest word that every match holds behind its last separator: only a name that must end with the
// expression is sure to have it in its last part.
func tailWord(items []*syntax.Regexp) string {
	if n := len(items); n == 0 || items[n-1].Op != syntax.OpEndText && items[n-1].Op != syntax.OpEndLine {
		return ""
	}
	best := ""
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

// wordsOf are the words in a literal, in lower case when case does not count; none in anything else.
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
