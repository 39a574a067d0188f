package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// A tool about one symbol may be asked about several at once: each is a question of its own, and the answer has the
// answers one behind the other. One that fails costs itself alone.

// severalIn is the argument that names several symbols; tools about one symbol embed it.
type severalIn struct {
	Symbols []string `json:"symbols"`
}

func (in severalIn) several() []string { return in.Symbols }

// symbolResult is one of several answers: the fields of an answer about one symbol, or the error.
type symbolResult struct {
	Asked string      `json:"asked"` // the symbol, as it was named
	Error *symbolFail `json:"error,omitempty"`

	body any // nil with an error
}

// symbolFail is why one of several symbols has no answer.
type symbolFail struct {
	Kind    contract.Kind `json:"kind"`
	Message string        `json:"message"`
}

// severalOut is the answer about several symbols. In JSON the fields of an answer about one are there,
// and empty, because hosts count on them.
type severalOut struct {
	empty   any // an answer about nothing
	results []symbolResult
	from    int // of a cut answer: the first result that is not there as a whole
	whole   []string
}

const (
	maxSeveral   = 20
	severalAtOne = 4 // asked at the same time
)

// place matches a symbol that is named by its place, as answers write it: path:line:column, or
// path:line with marks, kind and name, as lines of a search and of hierarchies have it. So a model can
// give back what it was shown.
var place = source.LazyRegexp(`^(.+?):(\d+)(?:-\d+)?(?::(\d+))?(?: (?:generated |@[\d,]+ |seen |\+\d+ )*(.+))?$`)

// named adds the arguments about one of several symbols. The error is that of a text which names none,
// and of a line alone, which may hold several.
func named(one map[string]json.RawMessage, symbol string) (err error) {
	if strings.TrimSpace(symbol) == "" {
		return fmt.Errorf("names no symbol: %q", symbol)
	}
	m := place.FindStringSubmatch(symbol)
	if m == nil {
		one["symbol_name"], err = json.Marshal(symbol)
		return err
	}
	name, _, _ := strings.Cut(m[4], " | ") // the source line of a type
	name, _, _ = strings.Cut(name, ": ")   // a signature
	// Lines of a search have the kind before the name.
	if kind, rest, found := strings.Cut(name, " "); found && slices.Contains(lsp.SymbolKinds(), lsp.SymbolKind(kind)) {
		name = rest
	}
	given := map[string]any{"file_path": m[1]}
	given["line"], _ = strconv.Atoi(m[2])
	switch character, err := strconv.Atoi(m[3]); {
	case err == nil:
		given["character"] = character
	case name == "":
		return fmt.Errorf("has a line without a column or a name: give %s:COLUMN, or \"%s NAME\"", symbol, symbol)
	default:
		given["symbol_name"] = name
	}
	for key, value := range given {
		one[key], _ = json.Marshal(value)
	}
	return nil
}

// argumentsOfEach returns the arguments of the single questions that several symbols are.
func argumentsOfEach(raw json.RawMessage, symbols []string) (out []json.RawMessage, err error) {
	given, err := answer.Object(raw)
	if err != nil {
		return nil, err
	}
	if len(symbols) > maxSeveral {
		return nil, answer.Invalid("symbols",
			"may name at most %d symbols, not %d; ask for the others in a second call", maxSeveral, len(symbols))
	}
	for _, name := range []string{"symbol_name", "line", "character", "offset"} {
		if value, ok := given[name]; ok && string(value) != "null" && string(value) != "0" {
			return nil, answer.Invalid(name, "is about one symbol, and symbols names several; give one of the two")
		}
	}
	for i, symbol := range symbols {
		one := maps.Clone(given)
		delete(one, "symbols")
		if err := named(one, symbol); err != nil {
			return nil, answer.Invalid(fmt.Sprintf("symbols[%d]", i), "%v", err)
		}
		text, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// askSeveral asks run about each symbol. A symbol without an answer costs itself; the error is that all
// failed.
func askSeveral(ctx context.Context, c *answer.Call, raw json.RawMessage, symbols []string, empty any,
	run func(context.Context, *answer.Call, json.RawMessage) (any, error)) (any, error) {
	each, err := argumentsOfEach(raw, symbols)
	if err != nil {
		return nil, err
	}
	out := &severalOut{empty: empty, results: make([]symbolResult, len(each)), whole: symbols}
	calls, errs := make([]*answer.Call, len(each)), make([]error, len(each))
	answer.Parallel(len(each), severalAtOne, func(i int) {
		n := c.Nested(c.Tool, answer.Request{Tool: c.Request.Tool, Arguments: each[i], Host: c.Request.Host,
			Progress: c.Request.Progress})
		n.ClaimComplete()
		calls[i], out.results[i].Asked = n, symbols[i]
		out.results[i].body, errs[i] = run(ctx, n, each[i])
	})
	if err := answer.ErrorOfAll(errs); err != nil {
		return nil, noneAnswered(c, calls, symbols, errs)
	}
	// The envelope names a server only when all answers are of the same one.
	servers := map[string]bool{}
	for i, n := range calls {
		if errs[i] == nil {
			servers[n.ServerID()] = true
			answer.Adopt(c, n)
			answer.AdoptWindows(c, n, symbols[i])
			continue
		}
		e := answer.Relative(c, answer.AsError(errs[i]))
		out.results[i].Error, out.results[i].body = &symbolFail{e.Kind, e.Message}, nil
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": symbols[i], "error": e.Kind},
			fmt.Sprintf("there is no answer about %s (%s)", symbols[i], e.Kind))
		for _, step := range n.StepsFor(e)[:min(len(n.StepsFor(e)), maxStepsOfOne)] {
			c.Step(step)
		}
	}
	if len(servers) == 1 {
		c.AnsweredBy(slices.Collect(maps.Keys(servers))[0])
	}
	return out, nil
}

// noneAnswered is the error of several symbols of which none has an answer: that of the first, with the
// errors of all and a step for each of the first few. What ends the call itself is the same for all,
// and is told once.
func noneAnswered(c *answer.Call, calls []*answer.Call, symbols []string, errs []error) error {
	first := answer.AsError(errs[0])
	if len(symbols) == 1 || ask.Final(errs[0]) {
		return errs[0]
	}
	facts := contract.Facts{}
	maps.Copy(facts, first.Facts)
	var results []symbolResult
	var told []string
	for i, err := range errs {
		e := answer.Relative(c, answer.AsError(err))
		results = append(results, symbolResult{Asked: symbols[i], Error: &symbolFail{e.Kind, e.Message}})
		told = append(told, symbols[i]+": "+e.Message)
		for _, step := range calls[i].StepsFor(e)[:1] { // there is at least one
			if i < maxSeveralSteps {
				c.Step(step)
			}
		}
	}
	facts["results"] = results
	return contract.Errorf(first.Kind, facts, "none of the %d symbols has an answer: %s", len(symbols),
		strings.Join(told, "; "))
}

// maxSeveralSteps bounds the symbols whose failure has a step of its own.
const maxSeveralSteps = 5

// maxStepsOfOne bounds the steps about one symbol that failed.
const maxStepsOfOne = 2

// MarshalJSON puts the fields of an answer behind the symbol that it is about.
func (o *severalOut) MarshalJSON() ([]byte, error) {
	results := []json.RawMessage{}
	for _, r := range o.results {
		raw, err := contract.Marshal(r)
		if err == nil && r.body != nil {
			raw, err = merged(raw, r.body)
		}
		if err != nil {
			return nil, err
		}
		results = append(results, raw)
	}
	raw, err := contract.Marshal(map[string]any{"results": results})
	if err != nil {
		return nil, err
	}
	return merged(raw, o.empty)
}

// merged returns an object with the members of another one behind its own.
func merged(object json.RawMessage, other any) (json.RawMessage, error) {
	more, err := contract.Marshal(other)
	if err != nil || len(more) <= len("{}") {
		return object, err
	}
	return slices.Concat(object[:len(object)-1], json.RawMessage(","), more[1:]), nil
}

func (o *severalOut) Summary() string {
	var parts []string
	for _, r := range o.results {
		parts = append(parts, r.headlineOf())
	}
	return strings.Join(parts, " ")
}

// headlineOf says of one answer what it is.
func (r symbolResult) headlineOf() string {
	switch body := r.body.(type) {
	case interface{ Headline() string }:
		return r.Asked + " — " + body.Headline()
	case interface{ Summary() string }:
		return r.Asked + " — " + body.Summary()
	}
	if r.Error != nil {
		return r.Asked + " — " + r.Error.Message + "."
	}
	return r.Asked
}

// Headline is not the summary, because the lines below have it.
func (o *severalOut) Headline() string { return answer.Counted(len(o.results), "symbol") + "." }

func (o *severalOut) Tell(s *answer.Sheet) {
	for _, r := range o.results {
		s.Line(0, "%s", r.headlineOf())
		if body, ok := r.body.(interface{ Tell(*answer.Sheet) }); ok {
			body.Tell(s)
		}
	}
}

// sized is what an answer about one symbol can do about its size.
type sized interface {
	Size() int
	Cut(n int) any
}

// Size counts the items of all answers; an answer without items, and an error, count as one.
func (o *severalOut) Size() (n int) {
	for _, r := range o.results {
		n += r.sizeOf()
	}
	return n
}

// sizeOf counts the items of one answer; 1 for one without items, so that each symbol has a place in a
// cut answer.
func (r symbolResult) sizeOf() int {
	if body, ok := r.body.(sized); ok {
		return max(1, body.Size())
	}
	return 1
}

// Cut keeps the first answers whole, and of the next one what there is room for.
func (o *severalOut) Cut(n int) any {
	less := &severalOut{empty: o.empty, whole: o.whole}
	for _, r := range o.results {
		if size := r.sizeOf(); size > n {
			if body, ok := r.body.(sized); ok && n > 0 {
				r.body = body.Cut(n)
				less.results = append(less.results, r)
			}
			return less
		}
		n -= r.sizeOf()
		less.results, less.from = append(less.results, r), less.from+1
	}
	return less
}

// Steps ask for the symbols whose answers are not there as a whole.
func (o *severalOut) Steps(c *answer.Call, n int) []contract.NextStep {
	less := o.Cut(n).(*severalOut)
	// Not even the first symbol fits, so asking for the rest would not help.
	if less.from == 0 {
		return []contract.NextStep{c.WithRoom("Ask again with more room.", 4*c.Limit())}
	}
	return []contract.NextStep{c.Repeat(answer.ContinueHere, map[string]any{"symbols": o.whole[less.from:]})}
}

// ShedSnippets asks every answer, also behind one that had snippets.
func (o *severalOut) ShedSnippets() bool {
	had := false
	for _, r := range o.results {
		if body, ok := r.body.(interface{ ShedSnippets() bool }); ok && body.ShedSnippets() {
			had = true
		}
	}
	return had
}
