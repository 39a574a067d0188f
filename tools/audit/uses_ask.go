package audit

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// judgement is what the server says of an occurrence.
type judgement uint8

const (
	undecided judgement = iota // nobody asked, or the server did not answer
	aUse                       // it leads to the symbol
	elsewhere                  // it is something else
	doubtful                   // the server leads nowhere, or to what the symbol overrides
)

// ask has the server say what each open occurrence is, and sorts them.
func (v *verdict) ask(ctx context.Context) {
	if len(v.open) == 0 {
		return
	}
	var own lsp.SymbolCheck
	if v.s.Hooks().SymbolInfo.Method != "" {
		d := v.declared[0]
		own, _ = v.asked.CheckSymbol(ctx, d.Path, d.Range.Start)
	}
	n := min(len(v.open), maxUsesAsked)
	if v.cpp.namespace && v.cpp.alone(ctx) {
		n = len(v.open) // the texts decide
	}
	judge := func(o *occurrence) judgement {
		switch {
		case v.declaresOther(o):
			return elsewhere
		// A server that has not read the file would load another build for it.
		case o.use == lang.CodeUse && o.reason == reasonNotBuilt && !v.answers(v.real(o.path)):
			return doubtful
		case own.Match == lsp.MatchNamed:
			return v.cpp.judgeBySymbol(ctx, o, own)
		}
		return v.judge(ctx, o)
	}
	v.dropOthers(ctx, judge)
	n = min(len(v.open), n)
	judged := make([]judgement, n)
	answer.Parallel(n, askedAtOnce, func(i int) {
		if ctx.Err() == nil {
			judged[i] = judge(&v.open[i])
		}
	})
	outside := v.outside(ctx, n, judged)
	for i, o := range v.open {
		switch {
		case i >= n || judged[i] == undecided:
			v.hurried = v.hurried || i < n
			if o.reason = reasonNotAsked; slices.Contains(outside, o.path) {
				o.reason = reasonNotLoaded
			}
			v.unexplained = append(v.unexplained, o)
		case judged[i] == aUse && o.specializes:
			v.cpp.specialized(ctx, o)
		case judged[i] == aUse && o.renamed && v.calls:
			// No call: it gives the name another one, by which the server lists calls.
		case judged[i] == aUse:
			if text, err := v.s.Documents().Text(o.path); err == nil {
				if from, err := text.Offset(o.at); err == nil {
					v.more = append(v.more, placeOf(text, from, from+len(o.name)))
				}
			}
		case judged[i] == doubtful:
			v.unexplained = append(v.unexplained, o)
		}
	}
}

// From so many open occurrences on one question about all uses of what some of them are costs less than one about each.
const (
	manyOpen  = 16
	maxOthers = 6 // such questions
)

// dropOthers takes out of many open occurrences those that the server lists, in one answer, among the uses of what is
// something else at one of them.
func (v *verdict) dropOthers(ctx context.Context, judge func(o *occurrence) judgement) {
	plain := func(o occurrence) bool {
		return o.use&(lang.CodeUse|lang.OpenUse) != 0 && o.reason != reasonInTemplate &&
			(o.use == lang.OpenUse || o.reason != reasonNotBuilt)
	}
	asked := map[occurrence]bool{}
	for range maxOthers {
		i := slices.IndexFunc(v.open, func(o occurrence) bool {
			return plain(o) && !asked[o] && v.ofOtherView(o.path) == nil
		})
		if len(v.open) < manyOpen || i < 0 || ctx.Err() != nil {
			return
		}
		o := v.open[i]
		asked[o] = true
		if again := o; judge(&again) != elsewhere {
			continue
		}
		uses, err := v.asked.References(ctx, o.path, o.at, false)
		for n := range uses {
			uses[n].Path = v.real(uses[n].Path)
		}
		if err != nil || slices.ContainsFunc(uses, v.ofFamily) {
			continue
		}
		others := map[string][]contract.Position{}
		for _, p := range uses {
			others[p.Path] = append(others[p.Path], p.Range.Start)
		}
		before := len(v.open)
		v.open = slices.DeleteFunc(v.open, func(o occurrence) bool {
			return plain(o) && slices.Contains(others[v.real(o.path)], o.at)
		})
		if before-len(v.open) < manyOpen/2 { // each is of something else
			return
		}
	}
}

// ofFamily reports whether a place is known to be of the symbol, or of what overrides it or is overridden by it.
func (v *verdict) ofFamily(p lsp.Place) bool {
	return v.covered(p.Path, p.Range.Start) || holdsPlace(v.declared, p) || holdsPlace(v.family, p)
}

// declaresOther reports whether an occurrence in code that is not built declares another function of Go than the
// symbol, or the method of another type. A method of an interface may be declared so in a type that implements it.
func (v *verdict) declaresOther(o *occurrence) bool {
	if o.reason != reasonNotBuilt || o.use != lang.CodeUse || v.language.ID != "go" || len(v.declared) == 0 {
		return false
	}
	of := func(path string, at contract.Position) (string, bool) {
		text, err := v.s.Documents().Text(path)
		if err != nil {
			return "", false
		}
		line := text.Line(at.Line)
		return lang.Receiver(line, min(symbol.ByteOffset(line, at.Character), len(line)))
	}
	own, declares := of(v.declared[0].Path, v.declared[0].Range.Start)
	other, declaresToo := of(o.path, o.at)
	return declares && declaresToo && (own != other || filepath.Dir(o.path) != filepath.Dir(v.declared[0].Path))
}

// outside are those files of the first n open occurrences in which the server gave no answer because it has not loaded
// them.
func (v *verdict) outside(ctx context.Context, n int, judged []judgement) (out []string) {
	var files []string
	for i := range n {
		if judged[i] == undecided && !slices.Contains(files, v.open[i].path) {
			files = append(files, v.open[i].path)
		}
	}
	if v.s.Hooks().OutsideProject == nil || len(files) == 0 {
		return nil
	}
	for _, u := range v.s.Hooks().OutsideProject(ctx, lsp.Because(lsp.NotOfProject, files, true)) {
		if u.Reason == lsp.NotOfProject {
			out = append(out, u.Path)
		}
	}
	return out
}

// judgeBySymbol asks a server that tells which symbol stands at a place.
func (v *cpp) judgeBySymbol(ctx context.Context, o *occurrence, own lsp.SymbolCheck) judgement {
	if v.namespace && o.use == lang.CodeUse && v.byName(ctx, o, own.Container()) == aUse {
		return aUse // without a request: there may be hundreds
	}
	seen, err := v.asked.CheckSymbol(ctx, o.path, o.at)
	switch {
	case err != nil:
		return undecided
	case seen.SameAs(own) && v.calls && seen.Declares(o.path, o.at):
		return elsewhere // no call
	case seen.SameAs(own):
		return aUse
	case own.SpecializedBy(seen) && seen.Declares(o.path, o.at):
		o.specializes = true
		return aUse
	case o.reason == reasonInTemplate && own.Overloads(seen) && seen.Elsewhere(o.path, o.at):
		return doubtful
	// What a file with errors seems to declare may be the use of a macro that the server does not know.
	// Only symbols of other names say nothing of this one (the namespace around it).
	// A member: clangd does not know of which type in a template.
	case seen.Match == lsp.MatchNone && own.Free() && v.behindDot(o):
		return elsewhere
	// C declares by itself what a file calls that does not compile alone: it is what the file before it declares.
	case seen.Match == lsp.MatchNamed && own.Free() && o.called && seen.Declares(o.path, o.at) &&
		v.s.Diagnostics().HasErrors(o.path) && !v.mayDeclare(*o):
	case seen.Match == lsp.MatchNamed && (seen.Elsewhere(o.path, o.at) || !v.s.Diagnostics().HasErrors(o.path) ||
		!v.inCall(o)):
		return elsewhere
	case seen.Match != lsp.MatchNamed && o.reason != reasonInTemplate && o.reason != reasonUnclosed:
		if is := v.byName(ctx, o, own.Container()); is != doubtful {
			return is
		}
	}
	if o.reason == "" {
		o.reason = reasonUnresolved
	}
	return doubtful
}

// specialized adds the uses of a specialization of a template to those of the template, whose name they are.
func (v *cpp) specialized(ctx context.Context, o occurrence) {
	uses, err := v.asked.References(ctx, o.path, o.at, !v.calls)
	if err != nil || v.calls && len(uses) > 0 {
		o.reason = reasonNotListed
		v.unexplained = append(v.unexplained, o)
		return
	}
	for _, p := range uses {
		if p.Err == nil && !v.covered(v.real(p.Path), p.Range.Start) {
			v.more = append(v.more, p)
		}
	}
}

// inCall reports whether an occurrence is an argument by itself of what may be a call of a macro.
func (v *cpp) inCall(o *occurrence) bool {
	text, err := v.s.Documents().Text(o.path)
	if err != nil {
		return true
	}
	offset, err := text.Offset(o.at)
	return err != nil || lang.CalledWith(text.Content(), offset, offset+len(o.name)) != ""
}

// behindDot reports whether a dot or an arrow stands before an occurrence.
func (v *cpp) behindDot(o *occurrence) bool {
	text, err := v.s.Documents().Text(o.path)
	if err != nil {
		return false
	}
	offset, err := text.Offset(o.at)
	return err == nil && lang.BehindDot(text.Content()[:offset])
}

// judge asks where a place leads.
func (v *verdict) judge(ctx context.Context, o *occurrence) judgement {
	if r := v.ofOtherView(o.path); r != nil {
		return v.judgeByOther(ctx, r, o)
	}
	return v.judgeVia(ctx, o, nil)
}

// judgeVia is judge for a place to which others led.
func (v *verdict) judgeVia(ctx context.Context, o *occurrence, via []symbol.UsePlace) judgement {
	found, err := v.asked.Locate(ctx, lsp.MethodDefinition, o.path, o.at)
	if err != nil {
		return undecided
	}
	own := lsp.Place{Path: o.path, Range: contract.Range{Start: o.at, End: o.at}}
	imports := len(found) > 0 && len(loaded.NotImports(found)) == 0
	for _, p := range loaded.NotImports(found) {
		at := p.Path
		p.Path = v.real(p.Path)
		switch again := v.restated(ctx, p); {
		case again == lsp.Restates:
			return aUse
		case again == lsp.MayRestate, v.member && v.s.Hooks().Kin != nil && v.s.Hooks().Kin(p, v.at.Name):
			o.reason = reasonOfFamily
			return doubtful
		case at == own.Path && p.Range.Start == own.Range.Start:
			if v.injected { // a parameter that asks for it by its name
				o.reason = reasonByName
				return doubtful
			}
			if linked := v.s.Hooks().Exported; linked != nil && !holdsPlace(v.declared, p) && linked(v.at.Name) {
				o.reason = reasonByLinker
				return doubtful
			}
			if !v.calls && v.ofUnknown(ctx, p) {
				o.reason = reasonUnknownBase
				return doubtful
			}
			if !v.calls && !v.undeclared && v.overrides(ctx, o, p) {
				return aUse
			}
			if v.member && v.relatedBeyond(ctx, o) {
				if v.related {
					return aUse
				}
				o.reason = reasonOfFamily
				return doubtful
			}
		case holdsPlace(v.declared, p):
			return aUse
		case v.covered(p.Path, p.Range.Start):
			if v.givesAway(p) {
				return aUse
			}
		// A declaration of the same name in the same line may be its value: exports.slice = function slice() {}.
		case holdsPlace(v.family, p), slices.ContainsFunc(v.declared, func(d lsp.Place) bool {
			return d.Path == p.Path && d.Range.Start.Line == p.Range.Start.Line && spelled(p) == v.at.Name
		}):
			o.reason = reasonOfFamily
			return doubtful
		case v.ofUnknown(ctx, p):
			o.reason = reasonUnknownBase
			return doubtful
		case v.satisfies(ctx, p):
			o.reason = reasonOfFamily
			return doubtful
		}
	}
	switch {
	case leadsToItself(found, own) && v.takenFromUntyped(ctx, o):
		o.reason = reasonUnresolved
		return doubtful
	case len(found) > 0 && !imports && (v.calls && (o.called || !v.injected) ||
		InOtherProject(v.c, v.s, v.at.Path, o.path)):
		return v.judgeBinding(ctx, o, found, append(via, symbol.UsePlace{Path: o.path, At: o.at}))
	case len(found) > 0 && !imports:
		return elsewhere
	case v.foreign(ctx, o):
		return elsewhere
	case imports:
		o.reason = reasonUnresolved
		return doubtful
	}
	return v.judgeUnresolved(ctx, o)
}

// judgeBinding judges what leads to another occurrence of the name. Where calls count that is one of its file: what
// took the name (const { name } = require("…")) is no occurrence by itself. In another project it is any: the answer
// does not have yet what a struct of Go embeds. via are the places that led here: overloads lead to each other.
func (v *verdict) judgeBinding(ctx context.Context, o *occurrence, found []lsp.Place,
	via []symbol.UsePlace) judgement {
	for _, p := range loaded.NotImports(found) {
		at := symbol.UsePlace{Path: p.Path, At: p.Range.Start}
		if slices.Contains(via, at) || spelled(p) != v.at.Name ||
			p.Path != o.path && !InOtherProject(v.c, v.s, v.at.Path, p.Path) {
			continue
		}
		taken := occurrence{path: p.Path, at: p.Range.Start, name: o.name, use: o.use}
		if said := v.judgeVia(ctx, &taken, via); said != elsewhere {
			o.reason = taken.reason
			return said
		}
	}
	return elsewhere
}

// restated tells whether a place declares anew what the symbol is.
func (v *verdict) restated(ctx context.Context, p lsp.Place) lsp.Restated {
	is := v.s.Hooks().Restates
	if is == nil || spelled(p) != v.at.Name {
		return lsp.NotRestated
	}
	for _, d := range v.declared {
		if again := is(ctx, p.Path, d.Path); again != lsp.NotRestated {
			return again
		}
	}
	return lsp.NotRestated
}

// spelled returns the word at a place.
func spelled(p lsp.Place) string {
	from, to, _ := source.WordAround(p.Line, symbol.ByteOffset(p.Line, p.Range.Start.Character))
	return p.Line[from:to]
}

// givesAway reports whether what leads to a use in the answer uses the symbol, too. The property that { name } makes in
// JavaScript is another one than name, except where a module exports it so.
func (v *verdict) givesAway(p lsp.Place) bool {
	text, err := v.c.Workspace.Text(p.Path)
	if err != nil || !v.language.IsScript() {
		return true
	}
	from, err := text.Offset(p.Range.Start)
	if err != nil {
		return true
	}
	content := text.Content()
	before := strings.TrimRight(content[max(0, from-lang.MaxScanned):from], " \t\r\n")
	behind := strings.TrimLeft(content[from+len(v.at.Name):], " \t\r\n")
	shorthand := (strings.HasSuffix(before, "{") || strings.HasSuffix(before, ",")) &&
		(strings.HasPrefix(behind, "}") || strings.HasPrefix(behind, ","))
	open := strings.LastIndex(before, "{")
	if !shorthand || open < 0 {
		return true
	}
	head := strings.TrimRight(before[:open], " \t\r\n")
	// { a } = value takes a out of the value, and import { a } names it.
	return strings.HasSuffix(head, "exports =") || strings.HasSuffix(head, "default") || !strings.HasSuffix(head, "=") &&
		!strings.HasSuffix(head, "(") && !strings.HasSuffix(head, ":") && !strings.HasSuffix(head, "return")
}

// foreign reports whether a name comes from a module that is not in the tree, so that it is none of the symbol.
func (v *verdict) foreign(ctx context.Context, o *occurrence) bool {
	is := v.s.Hooks().Foreign
	text, err := v.s.Documents().Text(o.path)
	if is == nil || err != nil {
		return false
	}
	offset, err := text.Offset(o.at)
	return err == nil && is(ctx, text, offset, v.declared[0])
}

// leadsToItself reports whether a place leads to nothing but itself, or nowhere.
func leadsToItself(found []lsp.Place, own lsp.Place) bool {
	return !slices.ContainsFunc(found, func(p lsp.Place) bool {
		return p.Path != own.Path || p.Range.Start != own.Range.Start
	})
}

// takenFromUntyped reports whether a pattern takes a name out of a value whose type the server does not know, such as a
// module that it does not resolve: it takes the name for a variable of its own then.
func (v *verdict) takenFromUntyped(ctx context.Context, o *occurrence) bool {
	text, err := v.s.Documents().Text(o.path)
	if err != nil || !v.language.IsScript() {
		return false
	}
	offset, err := text.Offset(o.at)
	content := text.Content()
	return err == nil && lang.TakenFrom(content, offset, offset+len(o.name)) &&
		(v.member || strings.Contains(content, "require(") || strings.Contains(content, "import(")) &&
		!v.foreign(ctx, o) && loaded.Untyped(ctx, v.s, v.s.Spec().Dynamic, o.path, o.at)
}

// judgeUnresolved judges a place from which the server leads nowhere, by what stands around it.
func (v *verdict) judgeUnresolved(ctx context.Context, o *occurrence) judgement {
	text, err := v.s.Documents().Text(o.path)
	if err != nil {
		return undecided
	}
	offset, err := text.Offset(o.at)
	if err != nil {
		return undecided
	}
	if o.reason == "" {
		o.reason = reasonUnresolved
	}
	content := text.Content()
	behind := strings.TrimLeft(content[offset+len(o.name):], " \t")
	if !lang.BehindDot(content[:offset]) {
		if v.keyword && o.use == lang.CodeUse && o.assigned {
			return v.judgeKeyword(ctx, o, content, offset)
		}
		// The name of an argument, or the key of an object, is no use of a function or a class.
		if !v.member && o.use == lang.CodeUse && (strings.HasPrefix(behind, ":") ||
			strings.HasPrefix(behind, "=") && !strings.HasPrefix(behind, "==")) {
			return elsewhere
		}
		return doubtful
	}
	if o.use == lang.CodeUse {
		o.reason = reasonUntyped
	}
	if loaded.ReceiverUntyped(ctx, v.s, v.s.Spec().Dynamic, text, offset) {
		return doubtful
	}
	return elsewhere // a value of a known type does not have it as a member
}

// relate finds the declarations of members that the symbol overrides, and of those that override it.
func (v *verdict) relate(ctx context.Context) {
	var files []string
	for _, o := range v.open {
		files = append(files, o.path)
	}
	for _, d := range v.declared {
		files = append(files, d.Path)
	}
	if v.container != "" { // a class may derive from two that both have the member, and need not name it
		held, _, _ := v.c.Workspace.Words(v.at.Path).Holding(ctx, v.container)
		for _, h := range held {
			if h.Use&lang.CodeUse != 0 && v.serves(h.Path) {
				files = append(files, h.Path)
			}
		}
	}
	slices.Sort(files)
	d := v.declared[0]
	found, _ := lsp.Overrides(ctx, v.s, d.Path, d.Range.Start, v.at.Name, slices.Compact(files))
	for _, p := range found {
		p.Path = v.real(p.Path)
		p.Range.End.Character += len([]rune(v.at.Name))
		v.family = append(v.family, p)
	}
}

// mayImplement reports whether the symbol may be used through what it implements, going by the line that declares it.
func (v *verdict) mayImplement() bool {
	if v.s.Hooks().Through == nil {
		return false
	}
	line := v.line()
	if len(v.declared) > 0 {
		line = v.declared[0].Line
	}
	return slices.ContainsFunc([]string{"fn ", "const ", "type "}, func(word string) bool {
		return strings.Contains(line, word)
	})
}

// through adds the uses of what the symbol implements: a call through a trait may be one of the symbol. Of a trait that
// the workspace does not declare nobody knows the uses: the language itself may make them, for an operator.
func (v *verdict) through(ctx context.Context) {
	of, uses, ok, err := v.s.Hooks().Through(ctx, v.asked, v.declared[0])
	if err != nil {
		v.unexplained = append(v.unexplained, occurrence{path: v.at.Path, at: v.at.At, name: v.at.Name,
			reason: reasonNotAsked})
	}
	if err != nil || !ok {
		return
	}
	if _, ours := source.RelativeTo(v.c.Workspace.Root, of.Path); !ours || of.Guess {
		v.unexplained = append(v.unexplained, occurrence{path: of.Path, at: of.Range.Start, name: v.at.Name,
			reason: reasonByTrait})
		return
	}
	of.Path = v.real(of.Path)
	v.family = append(v.family, of)
	for _, p := range uses {
		if p.Path = v.real(p.Path); !v.covered(p.Path, p.Range.Start) && !holdsPlace(v.family, p) && !v.isOpen(p) {
			v.open = append(v.open, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name, use: lang.CodeUse})
		}
	}
}

// isOpen reports whether a place is one of the open occurrences.
func (v *verdict) isOpen(p lsp.Place) bool {
	return slices.ContainsFunc(v.open, func(o occurrence) bool {
		return o.at == p.Range.Start && v.real(o.path) == p.Path
	})
}

// tell warns of what is not explained, and of strings that may be the name.
func (v *verdict) tell() {
	name, c := v.at.Name, v.c
	if v.late {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "words"},
			"lspi could not read all files of the workspace in time; files that it has not read may hold "+name)
		c.Step(c.Repeat("Repeat the call; lspi goes on reading where it stopped.", nil))
	}
	if len(v.unexplained) > 0 {
		v.unrun = cmp.Or(v.unrun, v.unexplained[0].path)
	}
	if v.unrun != "" && len(v.runs) > 0 {
		loaded.WarnNotRun(c, v.s, v.runs, c.Show(v.unrun))
	}
	if len(v.mentions) > 0 {
		message := v.sentence(v.mentions, "is in a string or an example", "are in strings or examples",
			"; lspi does not know whether the program uses it as the name")
		switch first := v.mentions[0]; {
		case first.reason == reasonInMacro:
			message = name + " at " + v.shown(first) + " is given to a macro that makes a string or another name of it, which " +
				"a new name changes"
		case first.reason == reasonOfFamily:
			message = name + " at " + v.shown(first) + " is in a module that stands in for the other in tests, and has to have its names"
		case first.use == lang.CodeUse:
			message = first.name + " at " + v.shown(first) + " is named after " + name + " and has to keep to its name"
		}
		c.Warn(contract.WarnMentions, factsOf(c, name, v.mentions), message)
	}
	if len(v.unexplained) == 0 {
		return
	}
	slices.SortStableFunc(v.unexplained, func(a, b occurrence) int {
		return answer.TrueLast(a.reason == reasonNotAsked, b.reason == reasonNotAsked)
	})
	loaded.NoRoom(c, v.unreached)
	facts := factsOf(c, name, v.unexplained)
	// In a file with errors the server may not have seen what it would rename. Without errors, too, some languages have
	// values of no type.
	broken := slices.DeleteFunc(slices.Clone(v.unexplained), func(o occurrence) bool {
		return o.reason != reasonUnresolved && (o.reason != reasonUntyped || v.s.Spec().Dynamic != nil) &&
			o.reason != reasonUnclosed || !v.s.Diagnostics().HasErrors(o.path)
	})
	if len(broken) > 0 {
		facts["not_compiled"] = len(broken)
	}
	c.Warn(contract.WarnUnexplained, facts, v.sentence(v.unexplained,
		"is not in this answer but may be a use", "are not in this answer but may be uses",
		": "+reasonWords[v.unexplained[0].reason]))
	first := v.unexplained[0]
	if v.hurried {
		c.Step(c.Repeat("Ask again: what the server has told is kept, and it is asked about the rest.", nil))
	}
	if v.hurried && first.reason == reasonNotAsked {
		return
	}
	c.Step(contract.NextStep{Kind: contract.StepDoc, Message: "Read " + v.shown(first) +
		" and the other lines that the warning names: only a reader can tell whether they use " + name + "."})
}

// reasonWords say why an occurrence is not explained.
var reasonWords = map[reason]string{
	reasonNotBuilt:      "the code is not in the build that the server has loaded",
	reasonInMacro:       "it is in the text of a macro",
	reasonInTemplate:    "it is in a template",
	reasonUnclosed:      "a bracket, a string or a comment before it is never closed",
	reasonUntyped:       "the server does not know the type before the dot",
	reasonUnresolved:    "the server does not find what it names there",
	reasonOtherLanguage: "the file is of another language",
	reasonOfFamily:      "it is a use of what this overrides, or of what overrides it",
	reasonUnknownBase:   "the server does not know a base, or the type, of what declares it there",
	reasonNotLoaded:     "the server does not take the file for a source",
	reasonNotRead:       "the file cannot be read",
	reasonNotAsked:      "lspi did not have the time to ask the server about it",
	reasonByName:        "a parameter or a key of this name, or a name that the program computes, asks for it",
	reasonByPlace:       "it sets the member by its place",
	reasonByLinker:      "the linker joins what has this name",
	reasonImplicit:      "what is written there uses it without its name",
	reasonByTrait:       "operators, conversions and libraries that use what it declares reach this without its name",
	reasonStructural:    "it has all members of the interface, and does not say that it implements it",
	reasonNotListed:     "the server does not list it",
}

// factsOf are those of a warning about occurrences: the first files, each with its count, the first line and the
// reason.
func factsOf(c *answer.Call, name string, all []occurrence) contract.Facts {
	type file struct {
		FilePath string `json:"file_path"`
		Count    int    `json:"count"`
		Line     int    `json:"line,omitempty"`
		Reason   reason `json:"reason,omitempty"`
	}
	var files []*file
	by := map[string]*file{}
	unasked := 0
	for _, o := range all {
		if o.reason == reasonNotAsked {
			unasked++
		}
		if f := by[o.path]; f != nil {
			f.Count++
			continue
		}
		f := &file{c.Show(o.path), 1, o.at.Line, o.reason}
		by[o.path] = f
		files = append(files, f)
	}
	facts := contract.Facts{"names": []string{name}, "total": len(all), "files": files[:min(len(files), answer.MaxShown)]}
	if unasked > 0 {
		facts["not_asked"] = unasked
	}
	return facts
}

// sentence says where the occurrences are.
func (v *verdict) sentence(all []occurrence, one, many, why string) string {
	if len(all) == 1 {
		return all[0].name + " at " + v.shown(all[0]) + " " + one + why
	}
	return answer.Counted(len(all), "place") + " with " + v.at.Name + ", the first at " + v.shown(all[0]) + ", " +
		many + why
}

// shown returns a place in words.
func (v *verdict) shown(o occurrence) string {
	return loaded.Show(v.c, lsp.Uncovered{Path: o.path, Line: o.at.Line})
}

// askedAtOnce is how many questions about places a server has at a time: servers that work on several answer
// sooner, and the others do not wait for lspi between two questions.
const askedAtOnce = 4
