package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// A server tells the outgoing calls that it resolves, and says nothing of the others. So each answer is compared with
// the text of the function, and the server is asked about what is written there as a call and missing in the answer:
// in code that is not built, in macros, on what depends on a template's arguments, and on values without a type.

// The bounds of the questions about calls that an answer lacks.
const (
	calleesLimit    = 4 * time.Second
	maxCalleesAsked = 30 // places at which the server is asked what they call
)

// callees are the functions whose outgoing calls were asked for, with the calls that the server told.
type callees struct {
	c *answer.Call
	s *lsp.Snapshot

	mu    sync.Mutex
	asked []askedCallees // guarded by mu
}

// askedCallees is one function with the calls that the server told.
type askedCallees struct {
	item  lsp.HierarchyItem
	calls []lsp.Call
}

// lackedCall is a place that is written as a call and is not in the answer.
type lackedCall struct {
	text *source.Text
	at   contract.Position
	form lang.CallForm
}

func (l lackedCall) name() string { return l.text.WordAt(l.at) }

// CalleesOf returns how a server is asked for the outgoing calls of one item. expand may be called for
// several items at the same time. tell has to be called when all of them are done; it warns of the
// calls that are missing then.
func CalleesOf(c *answer.Call, s *lsp.Snapshot) (expand func(context.Context, lsp.HierarchyItem) ([]lsp.Call, error),
	tell func(context.Context)) {
	if s.Hooks().Conditions == nil && s.Spec().Dynamic == nil &&
		s.Hooks().SymbolInfo.Method == "" {
		return s.OutgoingCalls, func(context.Context) {}
	}
	k := &callees{c: c, s: s}
	return k.outgoing, k.tell
}

// outgoing asks for the calls of one item, and remembers the answer for tell.
func (k *callees) outgoing(ctx context.Context, item lsp.HierarchyItem) ([]lsp.Call, error) {
	calls, err := k.s.OutgoingCalls(ctx, item)
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.asked = append(k.asked, askedCallees{item, calls})
	}
	return calls, err
}

// tell compares the answers with the functions' texts and warns, once for each reason.
func (k *callees) tell(ctx context.Context) {
	slices.SortFunc(k.asked, func(a, b askedCallees) int { return answer.ComparePlaces(a.item.Place, b.item.Place, "") })
	var lacked []lackedCall
	var between []lsp.Place // conditions
	for _, a := range k.asked {
		more, conditional := k.lacking(ctx, a)
		lacked, between = append(lacked, more...), append(between, conditional...)
	}
	left, unknown := loaded.NotBuilt(ctx, k.s, between)
	k.warn(occurrencesAt(left, reasonNotBuilt), "does not build that code")
	k.warn(occurrencesAt(unknown, reasonNotAsked), "did not tell whether it builds that code")
	ctx, cancel := context.WithTimeout(ctx, calleesLimit)
	defer cancel()
	inMacros := slices.DeleteFunc(slices.Clone(lacked), func(l lackedCall) bool { return !l.form.Macro && !l.form.Args })
	k.warnLacked(ctx, inMacros, k.macroCalls, "does not look into macros")
	switch rules := k.s.Spec().Dynamic; {
	case rules != nil:
		k.warnLacked(ctx, lacked, func(ctx context.Context, l lackedCall) bool {
			return k.untyped(ctx, rules, l)
		}, "does not know the type of what is called")
	case k.s.Hooks().SymbolInfo.Method != "":
		inTemplates := slices.DeleteFunc(lacked, func(l lackedCall) bool { return !k.mayDepend(l) })
		k.warnLacked(ctx, inTemplates, k.dependent,
			"does not know what is called, which depends on a template's arguments")
	}
}

// lacking returns the places in a function that are written as calls and are not among those that the
// server told, and which of them stand between conditions of the preprocessor. A function whose text
// cannot be read, or that has no body here, has none.
func (k *callees) lacking(ctx context.Context, a askedCallees) (out []lackedCall,
	between []lsp.Place) {
	path := a.item.Place.Path
	text, err := k.s.Documents().Text(path)
	if a.item.Place.Err != nil || err != nil {
		return nil, between
	}
	from, err := text.Offset(a.item.Place.Range.Start)
	if err != nil {
		return nil, between
	}
	to := k.bodyEnd(ctx, a.item.Place, text, from)
	var told []lsp.Place
	for _, call := range a.calls {
		for _, r := range call.From {
			told = append(told, lsp.Place{Path: path, Range: r})
		}
	}
	covered := symbol.CoveredBy(told)
	for _, form := range lang.CallForms(path, text.Content(), from, to) {
		at := text.PositionAt(form.At)
		// The answer may have the call whose result is called, and it is the call of the result that it lacks.
		if form.At != from && (form.Result || !covered(path, at)) {
			out = append(out, lackedCall{text, at, form})
		}
	}
	if conditions := k.s.Hooks().Conditions; conditions != nil && len(out) > 0 {
		words := conditions.Conditional(text.Content(), nil)
		out = slices.DeleteFunc(out, func(l lackedCall) bool {
			_, found := slices.BinarySearch(words, l.form.At)
			if found {
				between = append(between, lsp.Place{Path: path, Range: contract.Range{Start: l.at, End: l.at}})
			}
			return found && !l.form.Args && !l.form.Macro
		})
	}
	return out, between
}

// bodyEnd returns where a function ends whose name begins at the offset from; from itself where it has
// no body, or nobody tells.
func (k *callees) bodyEnd(ctx context.Context, of lsp.Place, text *source.Text, from int) int {
	whole := of.Full
	// Some servers give the range of the name alone: pyright 1.1.414 always, clangd 22 for callees, which it has
	// from its index.
	if whole == of.Range {
		if !k.s.Spec().Freshness.QueryClosed && !k.s.Documents().IsOpen(of.Path) {
			return lang.BodyEnd(of.Path, text.Content(), from)
		}
		symbols, _, err := k.s.DocumentSymbols(ctx, of.Path)
		path := symbol.NameAt(symbols, of.Range.Start)
		if err != nil {
			return len(text.Content()) // too many calls make an answer partial, and too few make it wrong
		}
		if len(path) == 0 {
			return from
		}
		whole = path[len(path)-1].Range
	}
	to, err := text.Offset(whole.End)
	if err != nil {
		return from
	}
	return max(to, from)
}

// warnLacked asks about each place whether the answer lacks what is called there, and warns of those
// where it does, and of those beyond the bounds.
func (k *callees) warnLacked(ctx context.Context, lacked []lackedCall, lacks func(context.Context, lackedCall) bool,
	why string) {
	asked := min(len(lacked), maxCalleesAsked)
	missing := make([]bool, len(lacked))
	answer.Parallel(asked, 4, func(i int) { missing[i] = ctx.Err() != nil || lacks(ctx, lacked[i]) })
	var left []occurrence
	for i, l := range lacked {
		switch o := (occurrence{path: l.text.Path, at: l.at, reason: reasonNotListed}); {
		case i >= asked:
			o.reason = reasonNotAsked
			left = append(left, o)
		case missing[i]:
			left = append(left, o)
		}
	}
	if n := len(lacked) - asked; n > 0 {
		why += fmt.Sprintf("; lspi did not ask the server about %d of them", n)
	}
	k.warn(left, why)
}

// warn tells of calls that the answer lacks, if there are any. why says what the server does not do.
func (k *callees) warn(left []occurrence, why string) {
	if len(left) == 0 {
		return
	}
	name := ""
	if text, err := k.s.Documents().Text(left[0].path); err == nil {
		name = text.WordAt(left[0].at)
	}
	where := fmt.Sprintf("%s at %s:%d", name, k.c.Show(left[0].path), left[0].at.Line)
	message := fmt.Sprintf("the call of %s is not in this answer: %s %s", where, k.s.ID(), why)
	if len(left) > 1 {
		message = fmt.Sprintf("%d calls, the first that of %s, are not in this answer: %s %s", len(left), where, k.s.ID(), why)
	}
	k.c.Warn(contract.WarnUnexplained, factsOf(k.c, name, left), message)
}

// occurrencesAt are the occurrences at places, with the same reason.
func occurrencesAt(places []lsp.Place, why reason) (out []occurrence) {
	for _, p := range places {
		out = append(out, occurrence{path: p.Path, at: p.Range.Start, reason: why})
	}
	return out
}

// macroCalls reports whether a place in a macro's text or arguments calls a function. A macro of
// another project calls functions of this one only by the names in its arguments.
func (k *callees) macroCalls(ctx context.Context, l lackedCall) bool {
	places, err := k.s.Locate(ctx, lsp.MethodDefinition, l.text.Path, l.at)
	if err != nil || len(places) == 0 {
		return !l.form.Macro || err != nil
	}
	return slices.ContainsFunc(places, func(p lsp.Place) bool {
		if !l.form.Macro {
			before := p.Line[:min(symbol.ByteOffset(p.Line, p.Range.Start.Character), len(p.Line))]
			return p.Err != nil || strings.HasSuffix(strings.TrimRight(before, " "), "fn")
		}
		if _, own := source.RelativeTo(k.c.Workspace.Root, p.Path); !own {
			return false
		}
		text, err := k.s.Documents().Text(p.Path)
		return err != nil || lang.MacroCalls(p.Path, text.Within(p.Full))
	})
}

// mayDepend reports whether a place may depend on the arguments of a template. A file without the words
// template and auto has none such.
func (k *callees) mayDepend(l lackedCall) bool {
	text := l.text.Content()
	return source.HasWord(text, "template") || source.HasWord(text, "auto")
}

// dependent reports whether the server sees no symbol at a place.
func (k *callees) dependent(ctx context.Context, l lackedCall) bool {
	places, err := k.s.Locate(ctx, lsp.MethodDefinition, l.text.Path, l.at)
	return err != nil || !slices.ContainsFunc(places, func(p lsp.Place) bool { return !p.Guess })
}

// untyped reports whether the server does not know the type of what is called at a place.
func (k *callees) untyped(ctx context.Context, rules *spec.Dynamic, l lackedCall) bool {
	if l.form.Result {
		return slices.Contains(rules.Getters, l.name())
	}
	places, err := k.s.Locate(ctx, lsp.MethodDefinition, l.text.Path, l.at)
	member := lang.BehindDot(l.text.Content()[:l.form.At])
	switch {
	case err == nil && len(places) > 0 && member:
		return false
	case member:
		return loaded.ReceiverUntyped(ctx, k.s, rules, l.text, l.form.At)
	case err != nil || len(places) == 0:
		return true
	}
	said, err := k.s.Hover(ctx, l.text.Path, l.at)
	return err != nil || said != nil && saysUntyped(said.Text, rules)
}

// saysUntyped reports whether a hover about a value says that its type is not known. One about a
// function has the types of its parameters, which are no sign: "(parameter) f: (x: any) => void".
func saysUntyped(hover string, rules *spec.Dynamic) bool {
	code, _, _ := answer.CutBlock(strings.TrimSpace(hover))
	_, kind, _ := strings.Cut(cmp.Or(code, hover), ": ")
	return !strings.Contains(kind, "(") && slices.ContainsFunc(rules.Untyped, func(word string) bool {
		return source.MayHoldWord([]byte(kind), []byte(word))
	})
}
