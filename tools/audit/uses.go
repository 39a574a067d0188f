package audit

import (
	"context"
	"path/filepath"
	"regexp"
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
	"lspi/tools/audit/words"
	"lspi/tools/loaded"
	"lspi/tools/symbol"
)

// Whatever uses a symbol by name has one of its names in its text. So an answer about the uses of a symbol is whole
// when each occurrence of its names in the workspace is explained: it is in the answer; it lies outside of the scope of
// a local declaration; it stands in a comment, in prose or in data; the server's hooks vouch for its file; or the
// server, asked at the place, says that it is something else.

// The bounds of one audit.
const (
	indexLimit   = 5 * time.Second // for the index of words, when it is made
	usesLimit    = 3 * time.Second // for the questions to the server, at least
	usesShare    = 12              // of the call's time the questions have this part, where that is more
	maxUsesAsked = 300             // places at which the server is asked
)

// Uses explains the occurrences of the names of what is at a place, and warns of those that it cannot explain. known
// are the uses that the answer has. It returns further uses, at which the server, when it is asked there, leads to the
// symbol, though it did not list them. Without declaration the declarations of what overrides the symbol, or is
// overridden by it, are none.
func Uses(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place,
	declaration bool) (more []lsp.Place) {
	return usesListed(ctx, c, s, at, known, whatCounts{undeclared: !declaration, unnamed: s.Hooks().Unnamed})
}

// MayUse is [Uses] for whoever follows what may be a use as if it were one: the occurrences that are not explained
// are among those that it returns. It warns of those alone that the server does not load.
func MayUse(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place,
	declaration bool) (more []lsp.Place) {
	return usesListed(ctx, c, s, at, known,
		whatCounts{undeclared: !declaration, unnamed: s.Hooks().Unnamed, maybe: true})
}

// whatCounts says which uses count besides those in the code of files.
type whatCounts struct {
	calls      bool // only calls do
	undeclared bool // declarations of what overrides the symbol, or is overridden by it, do not
	related    bool // those in other projects do, which the server does not relate
	maybe      bool // those that are not explained do, too
	// without are uses that do not name the symbol and do not count.
	without lsp.ImplicitWays
	// unnamed is the hook that finds uses without a name; nil where there are none.
	unnamed func(ctx context.Context, s *lsp.Snapshot, name string, declared lsp.Place) (sure, doubtful []lsp.Place)
}

// usesListed is [verdict.uses] for an answer that has places.
func usesListed(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located, known []lsp.Place,
	counts whatCounts) []lsp.Place {
	definedTwice(ctx, c, s, at, known)
	below := overridden(ctx, c, s, at, known)
	known = append(slices.Clone(known), below...)
	v := newVerdict(c, s, at, counts)
	if !symbol.CoveredBy(known)(at.Path, at.At) { // the server does not list the place itself
		v.unvouched = append(v.unvouched, v.real(at.Path))
	}
	more, _ := v.uses(ctx, func() ([]lsp.Place, error) { return known, nil })
	return append(below, more...)
}

// UsesNamed is [Uses] for a rename: values that set a member by its place stay as they are, and so does what a macro
// makes without the name in its text.
func UsesNamed(ctx context.Context, c *answer.Call, s *lsp.Snapshot, at symbol.Located,
	known []lsp.Place) (more []lsp.Place) {
	madeByMacros(ctx, c, s, at.Name, known)
	return usesListed(ctx, c, s, at, known, whatCounts{related: true})
}

// Edit is an edit that is looked at before it is applied.
type Edit struct {
	Call     *answer.Call
	Snapshot *lsp.Snapshot
}

// Uses warns of uses of what the edit changes, and returns those that the server does not list. known are those that it
// lists, which is asked only where the texts leave something open; the error is that of known. Of others told reports
// whether the caller tells of them. With compiled it compares the errors of the sources, so that what the language uses
// there by itself does not count.
func (e Edit) Uses(ctx context.Context, at symbol.Located, compiled bool, known func() ([]lsp.Place, error),
	told func(lsp.Place) bool) (more []lsp.Place, err error) {
	c, s := e.Call, e.Snapshot
	counts := whatCounts{without: lsp.ByLanguage}
	if !compiled { // the caller looks by itself for what libraries use ([Edit.HandedOver])
		counts = whatCounts{without: lsp.ByLibraries, unnamed: s.Hooks().Unnamed}
	}
	more, err = newVerdict(c, s, at, counts).uses(ctx, known)
	tellUnlisted(c, s, at.Name, slices.DeleteFunc(slices.Clone(more), told))
	return more, err
}

// newVerdict returns a verdict on which nothing has been asked.
func newVerdict(c *answer.Call, s *lsp.Snapshot, at symbol.Located, counts whatCounts) *verdict {
	v := &verdict{c: c, s: s, asked: s.Recalling(), at: at, language: lang.Of(at.Path), whatCounts: counts}
	v.cpp = &cpp{verdict: v}
	return v
}

// uses finds and explains the uses, and warns. known gives those that the answer has, whose error it returns.
func (v *verdict) uses(ctx context.Context, known func() ([]lsp.Place, error)) (more []lsp.Place, err error) {
	if !v.calls { // of calls [loaded.Restricted] tells it
		v.runs = lsp.Withheld(v.s.Server, lsp.MethodReferences)
		if !lang.IsWord(v.at.Name) {
			loaded.WarnNotRun(v.c, v.s, v.runs)
		}
	}
	if v.language.Optional || v.language.NoSymbols {
		return nil, nil // a language whose names nothing else uses
	}
	ctx = words.Once(ctx)
	// A keyword may be the name of a member (map.delete) or of an export; elsewhere it stands for something else.
	named := func(p lsp.Place) bool { return spelled(p) == v.at.Name }
	if v.language.Keywords[v.at.Name] && !slices.ContainsFunc(leads(ctx, v.asked, v.at.Path, v.at.At), named) {
		return nil, nil
	}
	if !lang.IsWord(v.at.Name) { // an operator, whose uses have no name
		ctx, cancel := v.within(ctx)
		defer cancel()
		err := nameless{v}.implicit(ctx, known)
		v.tell()
		return nil, err
	}
	if err := v.find(ctx, known); err != nil {
		return nil, err
	}
	v.startOthers(ctx)
	ctx, cancel := v.within(ctx)
	defer cancel()
	v.ask(ctx)
	v.unnamed(ctx)
	v.cpp.leadsNowhere(ctx)
	further := nameless{v}
	if err := further.find(ctx, known); err != nil {
		return nil, err
	}
	if v.maybe {
		takeUnexplained(v)
	}
	v.tell()
	v.c.ChangeSubject(func(about *answer.Subject) { about.Explained = !v.late })
	return v.more, nil
}

// takeUnexplained takes occurrences that are not explained for uses, where the server knows what is around them.
func takeUnexplained(v *verdict) {
	v.unexplained = slices.DeleteFunc(v.unexplained, func(o occurrence) bool {
		switch o.reason {
		case reasonNotBuilt:
			text, err := v.c.Workspace.Text(o.path)
			return err == nil && programOfNoBuild.MatchString(text.Content())
		case reasonOtherLanguage, reasonNotLoaded, reasonNotRead:
			return false
		}
		if v.serves(o.path) && o.at.Line > 0 {
			r := contract.Range{Start: o.at, End: o.at}
			v.more = append(v.more, lsp.Place{Path: o.path, Range: r, Full: r})
		}
		return true
	})
}

// programOfNoBuild matches a source of Go that only "go run" with its name takes in: nothing can use what it declares.
var programOfNoBuild = source.LazyRegexp(`(?s)^(?:[^\n]*\n)*?//go:build ignore\s*\n(?:[^\n]*\n)*?package main\b`)

// unnamed adds the uses that do not name the symbol: places that the linker joins with it, and values of a member.
func (v *verdict) unnamed(ctx context.Context) {
	if linked := v.s.Hooks().LinkerUses; linked != nil {
		places, all := linked(ctx, v.at.Name, func() lsp.Place { return v.declaration(ctx) }, v.calls)
		v.late = v.late || !all
		for _, p := range places {
			why := reasonOtherLanguage
			if v.serves(p.Path) { // a directive
				why = reasonByLinker
			}
			v.unexplained = append(v.unexplained, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name, reason: why})
		}
	}
	if written := v.s.Hooks().Written; written != nil {
		places, all := written(ctx, v.asked, v.at.Name, func() lsp.Place { return v.declaration(ctx) })
		v.late = v.late || !all
		for _, p := range places {
			switch {
			case v.covered(v.real(p.Path), p.Range.Start):
			case v.calls:
				v.unexplained = append(v.unexplained, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name,
					reason: reasonNotListed})
			default:
				v.more = append(v.more, p)
			}
		}
	}
	v.readByName(ctx)
	declared, alone := lsp.Place{}, v.declaredByType()
	switch {
	case !v.mayBeField() || v.declared == nil:
		return
	case alone: // a server leads from an embedded field to its type
		declared = lsp.Place{Path: v.at.Path, Range: contract.Range{Start: v.at.At, End: v.at.At}, Line: v.line()}
	case v.member || v.kind == "": // fields of types without a name are no symbols of their file
		declared = v.declared[0]
	default:
		return
	}
	sure, doubtful := v.whatCounts.unnamed(ctx, v.s, v.at.Name, declared)
	for _, p := range sure {
		if !v.covered(v.real(p.Path), p.Range.Start) {
			v.more = append(v.more, p)
		}
	}
	for _, p := range doubtful {
		v.unexplained = append(v.unexplained, occurrence{path: p.Path, at: p.Range.Start, name: v.at.Name,
			reason: reasonByPlace})
	}
}

// leadsNowhere adds the asked place itself where the server, in a file of C with errors, leads from a use to nothing
// but that: a header that does not compile alone calls what other headers declare.
func (v *cpp) leadsNowhere(ctx context.Context) {
	if v.s.Hooks().Includes == nil || !v.s.Diagnostics().HasErrors(v.at.Path) || !takesArguments(v.c, v.at) ||
		declares(ctx, v.s, lsp.Place{Path: v.at.Path, Range: contract.Range{Start: v.at.At, End: v.at.At}}) {
		return
	}
	text, err := v.s.Documents().Text(v.at.Path)
	if err != nil {
		return
	}
	from, err := text.Offset(v.at.At)
	if err != nil || lang.MayDeclare(text.Content(), from, from+len(v.at.Name)) {
		return
	}
	v.declare(ctx)
	for _, d := range v.declared {
		if d.Path != v.real(v.at.Path) || d.Range.Start != v.at.At {
			return
		}
	}
	v.unexplained = append(v.unexplained, occurrence{path: v.at.Path, at: v.at.At, name: v.at.Name,
		reason: reasonUnresolved})
}

// withinUses bounds the questions of one audit by a share of the call's time, so that whoever gives calls more time, as
// on a slow machine, has more places asked about.
func withinUses(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := usesLimit
	if deadline, ok := ctx.Deadline(); ok {
		limit = max(limit, time.Until(deadline)/usesShare)
	}
	return context.WithTimeout(ctx, limit)
}

// within is [withinUses] behind what is read once for all questions.
func (v *verdict) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if ahead := v.s.Hooks().ReadAhead; ahead != nil && v.without&lsp.ByLibraries == 0 && v.function == "" {
		ahead(ctx)
	}
	return withinUses(ctx)
}

// occurrence is a place that holds a name of the symbol and is not in the answer.
type occurrence struct {
	path   string
	at     contract.Position
	name   string
	use    lang.Use
	before string // the word before the dot of a [lang.QualifiedUse]
	inPath bool   // it stands in a string that is nothing but words and dots, in a file that may use the symbol
	// typed: in a file in which the server resolves all names, so that it counts only where the answer has a place there
	typed bool
	// reason is why it counts as unexplained unless the server explains it.
	reason reason
	// assigned: an equals sign or a colon follows; called: a parenthesis does; dotted: it is a member of something.
	assigned, called, dotted bool
	renamed                  bool // an import gives it another name there
	specializes              bool // it declares a specialization of the template
}

// reason is why an occurrence is not explained: a closed list.
type reason string

const (
	reasonNotBuilt      reason = "not_in_this_build"
	reasonInMacro       reason = "macro"            // the text of a macro
	reasonInTemplate    reason = "template"         // between the delimiters of a template, or in the body of one of C++
	reasonUnclosed      reason = "unclosed"         // a bracket, a string or a comment before it is never closed
	reasonUntyped       reason = "untyped_receiver" // the server does not know what the name belongs to
	reasonUnresolved    reason = "unresolved"       // the server leads nowhere from the name
	reasonOtherLanguage reason = "another_language"
	reasonOfFamily      reason = "overrides"    // it is a use of what the symbol overrides, or of what overrides it
	reasonUnknownBase   reason = "unknown_base" // it is a member of what has a base that the server does not know
	reasonNotLoaded     reason = "not_loaded"   // a script that the server does not take for a source
	reasonNotRead       reason = "not_read"     // the file cannot be read
	reasonNotAsked      reason = "not_asked"    // the bounds of time or number were reached
	reasonByName        reason = "by_name"      // a parameter, a key of its type, or a computed name asks for it by its name
	reasonByPlace       reason = "by_place"     // a value that sets a member without its name
	reasonByLinker      reason = "by_linker"    // a declaration of what the linker joins by this name
	reasonImplicit      reason = "implicit"     // the language uses the name there by itself
	reasonByTrait       reason = "by_trait"     // code that is not in the workspace, or operators, use what it implements
	reasonNotChecked    reason = "not_checked"  // the server reports no error there, whatever an edit breaks
	reasonStructural    reason = "structural"   // a class has all members of the interface, and does not name it
	reasonNotListed     reason = "not_listed"   // the server says that it is a use, and lists it nowhere
)

// verdict is the audit of one symbol.
type verdict struct {
	whatCounts

	cpp      *cpp
	c        *answer.Call
	s        *lsp.Snapshot
	asked    *lsp.Snapshot // the same server, asked without a check of its places: they are not in the answer
	at       symbol.Located
	language *lang.Language
	known    []lsp.Place // with their real paths, as all places below: a file may be reached through links
	covered  func(path string, at contract.Position) bool

	keyword   bool        // a parameter that calls may name
	function  string      // the name of the function around what only that can use; "" for what others can use
	class     string      // the name of the class around that function; "" where there is none
	indirect  func() bool // see [verdict.calledIndirectly]
	declared  []lsp.Place // where the symbol is declared; the asked place where the server leads nowhere
	member    bool        // it is a member of something
	kind      lsp.SymbolKind
	container string      // the name of the symbol around it; "" where there is none
	module    string      // the name by which others refer to the file that declares it; "" where that is the file's own
	injected  bool        // parameters of its name get it
	unvouched []string    // files for which nobody vouches
	family    []lsp.Place // the declarations of members that it overrides, or that override it, as far as they are known
	open      []occurrence
	runs      []spec.ProjectRun // code of the workspace that the server does not run, which may make uses of strings
	unrun     string            // the first file with such a string
	late      bool              // the index was not whole in time
	unreached error             // of a project that was not made known to the server; nil when all were
	hurried   bool              // the time was over before the server had told of the places that it is asked about

	mu    sync.Mutex
	reals map[string]string // see [verdict.real]; guarded by mu

	more        []lsp.Place
	unexplained []occurrence
	mentions    []occurrence // strings that may be the name, which tell an edit to stop
}

// find fills open with the occurrences that are not explained by the texts alone.
func (v *verdict) find(ctx context.Context, known func() ([]lsp.Place, error)) error {
	limited, cancel := context.WithTimeout(ctx, indexLimit)
	defer cancel()
	names := append([]string{v.at.Name}, v.cpp.pasted(limited)...)
	held, all, err := v.c.Workspace.Words(v.at.Path).Holding(limited, names...)
	if err != nil || !all {
		v.late = true
	}
	v.reach(ctx, held)
	v.documented(limited, held)
	held = slices.DeleteFunc(held, func(h words.Held) bool { return !v.matters(limited, h) })
	if v.namedAfter(limited); len(held)+len(v.mentions) == 0 {
		return nil
	}
	v.cpp.bring(limited, held)
	// The texts come first: mostly they leave nothing open, and then nothing has to be asked.
	if v.occurrences(ctx, held, names); len(v.open)+len(v.unexplained)+len(v.mentions) == 0 &&
		!v.mayBeField() && !v.mayImplement() {
		return nil
	}
	if err := v.know(known); err != nil {
		return err
	}
	v.leaveOutKnown()
	v.declare(ctx)
	// Beside a contextual keyword (TypeScript's as) the server answers about another name.
	named := slices.DeleteFunc(slices.Clone(v.known), func(p lsp.Place) bool { return p.Line == "" })
	if len(named) > 0 && !slices.ContainsFunc(named, func(p lsp.Place) bool { return spelled(p) == v.at.Name }) {
		v.open, v.unexplained, v.mentions = nil, nil, nil
		return nil
	}
	file, scope, ok := v.scope(ctx)
	within := func(path string) bool {
		return v.real(path) == file || scope == everywhere && includesFile(v.c, file, path)
	}
	if text, err := v.c.Workspace.Text(v.declared[0].Path); err == nil {
		v.module = v.language.ModuleOf(text.Content())
	}
	keep := func(all []occurrence) []occurrence {
		return slices.DeleteFunc(all, func(o occurrence) bool {
			inText := o.use&(lang.AloneUse|lang.QualifiedUse|lang.TemplateUse) != 0
			switch {
			// What only its file or function can use is no member of anything.
			case ok && (!within(o.path) || !scope.Contains(o.at) || o.dotted && !v.member):
				return !v.keyword || !o.assigned || inText && !v.calledIndirectly(ctx)
			case v.language.ID == "rust" && v.kind == "module" && behindDot(v.c, o):
				return true // no module of Rust stands there
			case v.function != "" && inText:
				return !v.evaluates(scope) // a string does not name a local variable
			}
			return o.use == lang.QualifiedUse && !v.qualifies(o)
		})
	}
	v.open, v.unexplained, v.mentions = keep(v.open), keep(v.unexplained), keep(v.mentions)
	v.dropTexts(ok && !v.keyword)
	// Strings of the workspace are no names of what a library declares.
	if _, ours := source.RelativeTo(v.c.Workspace.Root, v.declared[0].Path); !ours {
		v.mentions = nil
	}
	if named := v.s.Hooks().NamedByStrings; named != nil && v.member && len(v.mentions) > 0 &&
		named(ctx, v.asked, v.declared[0]) {
		v.open, v.mentions = append(v.open, v.mentions...), nil
	}
	v.keys(ctx)
	if v.member && v.s.Hooks().Overrides != nil && len(v.open) > 0 {
		v.relate(ctx)
	}
	if v.mayImplement() {
		v.through(ctx)
	}
	v.rank()
	return nil
}

// maxKeys is for how many strings the server is asked whether they are keys.
const maxKeys = 20

// keys takes out of the mentions the strings that may be the name of the member by their types: Pick<User, "nick">.
func (v *verdict) keys(ctx context.Context) {
	isKey, asked := v.s.Hooks().KeyAt, 0
	if isKey == nil || !v.member {
		return
	}
	v.mentions = slices.DeleteFunc(v.mentions, func(o occurrence) bool {
		if o.use != lang.AloneUse || !v.serves(o.path) || asked == maxKeys {
			return false
		}
		asked++
		if !isKey(ctx, v.asked, o.path, o.at) {
			return false
		}
		o.reason = reasonByName
		v.unexplained = append(v.unexplained, o)
		return true
	})
}

// namedAfter takes the words that have to change with the name (ExampleSort of Go) for mentions: edits have to know
// them. Only the line of the declaration tells them, at which edits mostly ask.
func (v *verdict) namedAfter(ctx context.Context) {
	if v.language.NamedAfter == nil || v.c.Tool == nil || v.c.Tool.Class == answer.Navigation {
		return
	}
	for _, word := range v.language.NamedAfter(v.at.Name, v.line()) {
		held, _, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, word, v.at.Name)
		if err != nil {
			return
		}
		after := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `(?:_\w+)?\b`) // ExampleSort_twice
		for _, h := range held {
			text, err := v.c.Workspace.Text(h.Path)
			if err != nil || h.Use&lang.CodeUse == 0 || !v.serves(h.Path) {
				continue
			}
			found := after.FindAllString(text.Content(), -1)
			lang.EachOf(h.Path, text.Content(), found, func(from, to int, use lang.Use) {
				if use == lang.CodeUse {
					v.mentions = append(v.mentions, occurrence{path: h.Path, at: text.PositionAt(from),
						name: text.Content()[from:to], use: use})
				}
			})
		}
	}
}

// documented takes the examples of a document that a source includes as documentation (include_str!) for mentions: they
// are compiled as tests.
func (v *verdict) documented(ctx context.Context, held []words.Held) {
	if !v.language.Examples {
		return
	}
	for _, h := range held {
		text, err := v.c.Workspace.Text(h.Path)
		if err != nil || lang.Of(h.Path).ID != "markdown" || !v.cpp.isIncluded(ctx, symbol.Base(h.Path)) {
			continue
		}
		content := text.Content()
		for _, code := range lang.FencedRust(content) {
			for _, at := range source.Occurrences(content[code[0]:code[1]], v.at.Name) {
				v.mentions = append(v.mentions, occurrence{path: h.Path, at: text.PositionAt(code[0] + at), name: v.at.Name,
					use: lang.AloneUse})
			}
		}
	}
}

// evaluating are calls that take local variables by their names.
var evaluating = source.LazyRegexp(`\b(?:locals|vars|eval|exec)\s*\(`)

// evaluates reports whether code in a range of the declaring file takes local variables by their names.
func (v *verdict) evaluates(scope contract.Range) bool {
	text, err := v.s.Documents().Text(v.declared[0].Path)
	if err != nil {
		return true
	}
	from, err := text.Offset(scope.Start)
	to, endErr := text.Offset(scope.End)
	return err != nil || endErr != nil || evaluating.FindString(text.Content()[from:to]) != ""
}

// mayBeField reports whether the symbol may be used without its name: a field, going by the asked place.
func (v *verdict) mayBeField() bool {
	text, err := v.s.Documents().Text(v.at.Path)
	if v.whatCounts.unnamed == nil || err != nil {
		return false
	}
	offset, err := text.Offset(v.at.At)
	return err == nil && mayBeField(text.Content(), offset)
}

// mayBeField reports whether the name at an offset of Go or C may be that of a field. What stands behind the keyword of
// a type is a type, and what has arguments, and no value before it, is a function.
func mayBeField(content string, offset int) bool {
	from, to, ok := source.WordAround(content, offset)
	if !ok {
		return false
	}
	before, behind := strings.TrimRight(content[:from], " \t"), content[to:]
	if lang.BehindDot(before) {
		return true
	}
	start, end, _ := source.WordAround(before, len(before))
	declares := before[start:end]
	return !strings.HasPrefix(behind, "(") && !slices.Contains(namingWords, declares)
}

// namingWords stand before the name of what is no field.
var namingWords = []string{"class", "enum", "func", "namespace", "package", "struct", "type", "union"}

// declaredByType reports whether the asked line is the type of a member that has no name of its own.
func (v *verdict) declaredByType() bool {
	line := strings.Trim(v.line(), " \t*;,")
	return line == v.at.Name || strings.HasSuffix(line, "."+v.at.Name) && !strings.ContainsAny(line, " ()=")
}

// know takes the uses that the answer has.
func (v *verdict) know(known func() ([]lsp.Place, error)) error {
	if v.covered != nil {
		return nil
	}
	places, err := known()
	if err != nil {
		return err
	}
	v.known = slices.Clone(places)
	for i, p := range v.known {
		v.known[i].Path = v.real(p.Path)
	}
	v.covered = symbol.CoveredBy(v.known)
	return nil
}

// bring finds the files that bring the name into another scope. clangd (22.1.8) lists no use by way of a using or a
// friend declaration, so that it does not vouch for the source that has one, nor for any that may include the header.
func (v *cpp) bring(ctx context.Context, held []words.Held) {
	scopes, includes := v.s.Hooks().Scopes, v.s.Hooks().Includes
	if scopes == nil {
		return
	}
	using, _, err := v.c.Workspace.Words(v.at.Path).Holding(ctx, scopes.Bringing, scopes.Befriending)
	if err != nil {
		v.late = true
	}
	for _, h := range held {
		if !slices.ContainsFunc(using, func(u words.Held) bool { return u.Path == h.Path }) {
			continue
		}
		text, err := v.c.Workspace.Text(h.Path)
		if err == nil && (v.brings(text) || v.befriends(text)) {
			v.unvouched = append(v.unvouched, v.real(h.Path))
			v.broughtAll = v.broughtAll || includes == nil || !includes.IsSource(h.Path)
		}
	}
}

// brings reports whether a line of a text brings the name into another scope.
func (v *cpp) brings(text *source.Text) bool {
	for line := range strings.Lines(text.Content()) {
		if source.HasWord(line, v.at.Name) && v.s.Hooks().Scopes.BringsName(line) {
			return true
		}
	}
	return false
}

// befriends reports whether a text declares a function of the name in such a way that the server lists no use of it.
func (v *cpp) befriends(text *source.Text) (found bool) {
	befriends, content := v.s.Hooks().Scopes.Befriends, text.Content()
	if befriends == nil {
		return false
	}
	lang.EachOf(text.Path, content, []string{v.at.Name}, func(from, to int, use lang.Use) {
		found = found || use&(lang.CodeUse|lang.OpenUse) != 0 &&
			strings.HasPrefix(strings.TrimLeft(content[to:], " \t\r\n"), "(") &&
			befriends(content[max(0, from-lang.MaxScanned):from])
	})
	return found
}

// leaveOutKnown leaves out of the occurrences what the answer has.
func (v *verdict) leaveOutKnown() {
	keep := func(all []occurrence) []occurrence {
		return slices.DeleteFunc(all, func(o occurrence) bool {
			path := v.real(o.path)
			return v.covered(path, o.at) || o.typed && !v.answers(path)
		})
	}
	v.open, v.unexplained, v.mentions = keep(v.open), keep(v.unexplained), keep(v.mentions)
	v.unexplained = slices.DeleteFunc(v.unexplained, func(o occurrence) bool {
		return o.name != v.at.Name && v.cpp.expanded(o)
	})
	v.cpp.takeMacros()
}

// matters reports whether a file may use the symbol, going by its language and by how it holds the name.
func (v *verdict) matters(ctx context.Context, h words.Held) bool {
	if h.Unread {
		return v.serves(h.Path)
	}
	if len(v.runs) > 0 && h.Use&lang.TextUse != 0 && v.serves(h.Path) || h.Use&lang.QualifiedUse != 0 ||
		!v.inTemplates() && (h.Use&lang.OptionUse != 0 || v.cpp.readAs(ctx, h.Path) != h.Path) {
		return true
	}
	if h.Use&(lang.CodeUse|lang.OpenUse|lang.AloneUse) != 0 && (v.serves(h.Path) || v.usedBy(ctx, h.Path)) {
		return true
	}
	return h.Use&lang.TemplateUse != 0 && v.inTemplates()
}

// serves reports whether a file is one about which the server can be asked.
func (v *verdict) serves(path string) bool { return v.s.Spec().Serves(symbol.Base(path)) }

// usedBy reports whether a file of another language, which the server does not read, can use what this one declares:
// components, notebooks, and files of any name that C sources include.
func (v *verdict) usedBy(ctx context.Context, path string) bool {
	if used := v.s.Hooks().UsedIn; used != nil && used(ctx, path, v.at.Name) {
		return true
	}
	ext := strings.TrimPrefix(filepath.Ext(path), ".")
	made := lang.TemplateOf(path)
	if made != "" && v.serves(made) || (ext == "" || ext == "ipynb") && v.ofServer(path, ext != "") {
		return true
	}
	hooks := v.s.Hooks()
	return slices.Contains(v.s.Spec().UsedBy, ext) || (hooks.Includes != nil || hooks.IncludesTexts) &&
		v.cpp.included(ctx, path)
}

// ofServer reports whether a script or a notebook says of itself that it is code of a language of the server; unknown
// is the answer where it is of a language that the table of languages does not have.
func (v *verdict) ofServer(path string, unknown bool) bool {
	text, err := v.c.Workspace.Text(path)
	if err != nil {
		return false
	}
	l := lang.OfText(path, text.Content())
	return l.ID == "" && unknown || slices.ContainsFunc(v.s.Spec().Languages, func(own spec.Language) bool {
		return own.ID == l.ID
	})
}

// inTemplates reports whether templates can use what the language declares. C and C++ have none.
func (v *verdict) inTemplates() bool { return v.s.Hooks().Includes == nil }

// declare finds out where the symbol is declared, once.
func (v *verdict) declare(ctx context.Context) {
	if v.declared != nil {
		return
	}
	v.declared = v.definitions(ctx)
	if len(v.declared) == 0 {
		v.declared = []lsp.Place{{Path: v.at.Path, Range: contract.Range{Start: v.at.At, End: v.at.At}}}
	}
	for i, d := range v.declared {
		v.injected = v.injected || v.isInjected(d)
		v.declared[i].Path = v.real(d.Path)
	}
}

// definitions are those to which the server leads from the asked place, and the declarations, unless these are those
// of what it implements.
func (v *verdict) definitions(ctx context.Context) []lsp.Place {
	if v.s.Hooks().Through == nil {
		return leads(ctx, v.asked, v.at.Path, v.at.At)
	}
	found, err := v.asked.Locate(ctx, lsp.MethodDefinition, v.at.Path, v.at.At)
	if err != nil {
		return nil
	}
	return loaded.NotImports(found)
}

// isInjected reports whether a decorator right above a declaration makes parameters of its name get it, as a fixture of
// pytest does. A decorator may go over several lines, which end with a comma or begin with the closing parenthesis.
func (v *verdict) isInjected(d lsp.Place) bool {
	rules := v.s.Spec().Dynamic
	text, err := v.s.Documents().Text(d.Path)
	if rules == nil || rules.Injected == "" || err != nil {
		return false
	}
	for line := d.Range.Start.Line - 1; line > 0; line-- {
		switch above := strings.TrimSpace(text.Line(line)); {
		case strings.HasPrefix(above, "@"):
			if strings.Contains(above, rules.Injected) {
				return true
			}
		case !strings.HasPrefix(above, ")") && !strings.HasSuffix(above, ","):
			return false
		}
	}
	return false
}

// real returns a path without links; the path itself where nothing is there.
func (v *verdict) real(path string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.reals[path]
	if !ok {
		known = path
		if found, err := filepath.EvalSymlinks(path); err == nil {
			known = found
		}
		if v.reals == nil {
			v.reals = map[string]string{}
		}
		v.reals[path] = known
	}
	return known
}

// everywhere is the range of a whole file.
var everywhere = contract.Range{End: contract.Position{Line: 1 << 30, Character: 1}}

// scope returns the file and the part of it in which a local declaration can be used; ok is false for a symbol that
// other files or other parts of its file can use, and where nobody can tell.
func (v *verdict) scope(ctx context.Context) (path string, scope contract.Range, ok bool) {
	path, scope, ok = v.functionAround(ctx)
	// The hooks know what only the declaring file can use: what is static in a source that none includes.
	if !ok && loaded.Confined(ctx, v.asked, v.at, v.openFiles()) {
		return v.declared[0].Path, everywhere, true
	}
	return path, scope, ok
}

// functionAround returns the function to which a declaration is local.
func (v *verdict) functionAround(ctx context.Context) (path string, scope contract.Range, ok bool) {
	path = v.declared[0].Path
	for _, d := range v.declared {
		if d.Path != path {
			return "", scope, false
		}
	}
	at := v.declared[0].Range.Start
	symbols, text, err := v.s.DocumentSymbols(ctx, path)
	if err != nil || text == nil {
		return "", scope, false
	}
	around := symbol.Enclosing(symbols, at)
	kind := lsp.SymbolKind("")
	if n := len(around); n > 0 && around[n-1].NameAt.Contains(at) {
		v.kind = around[n-1].Kind
		if parts := symbol.Components(around[n-1].Name); len(parts) > 1 { // (T).Method
			v.container = parts[len(parts)-2]
		}
		kind, around = v.kind, around[:n-1]
		if len(around) > 0 {
			v.container = symbol.LastComponent(around[len(around)-1].Name)
		}
		v.member = symbol.IsMemberKind(kind) || len(around) > 0 && symbol.IsTypeKind(around[len(around)-1].Kind)
	} else if at == (contract.Position{Line: 1, Character: 1}) && v.at.Path != path {
		v.kind = v.kindAt(ctx)
		return "", scope, false // the file of a module, which another one declares, and in nothing of what begins there
	}
	if len(around) == 0 && !v.member && v.unexported(symbols, text, at) {
		return path, contract.Range{End: contract.Position{Line: 1 << 30, Character: 1}}, true
	}
	i := slices.IndexFunc(around, func(sym lsp.Symbol) bool { return symbol.IsFunction(sym.Kind) })
	if i < 0 || symbol.IsMemberKind(kind) || slices.ContainsFunc(around[i:], func(sym lsp.Symbol) bool {
		return symbol.IsTypeKind(sym.Kind)
	}) {
		return "", scope, false
	}
	offset, err := text.Offset(at)
	head, headErr := text.Offset(around[i].NameAt.End)
	line := text.Line(at.Line)
	before := strings.TrimRight(text.Content()[:offset], " \t*")
	// A function expression may give its name to what it is assigned to: exports.slice = function slice() {}.
	named := symbol.LastComponent(around[i].Name) == v.at.Name && strings.HasSuffix(before, "function")
	if err != nil || headErr != nil || named || strings.HasSuffix(before, ".") ||
		slices.ContainsFunc([]string{"global ", "nonlocal ", "extern "}, func(word string) bool {
			return strings.Contains(line, word)
		}) {
		return "", scope, false
	}
	// A receiver of Go stands in front of the name, self is named by no call.
	v.keyword = offset >= head && v.isNamedParameter(text.Content()[head:offset]) && v.at.Name != "self" &&
		v.at.Name != "cls"
	v.function = symbol.LastComponent(around[i].Name)
	if i > 0 && symbol.IsTypeKind(around[i-1].Kind) {
		v.class = around[i-1].Name
	}
	return path, around[i].Range, true
}

// behindDot reports whether an occurrence stands behind a single dot of its line, where a range (..) has two.
func behindDot(c *answer.Call, o occurrence) bool {
	text, err := c.Workspace.Text(o.path)
	if err != nil {
		return false
	}
	from, err := text.Offset(o.at)
	before := strings.TrimRight(text.Content()[:from], " \t")
	return err == nil && strings.HasSuffix(before, ".") && !strings.HasSuffix(before, "..")
}

// kindAt is the kind of the symbol whose name stands at the asked place; "" for none.
func (v *verdict) kindAt(ctx context.Context) lsp.SymbolKind {
	symbols, _, err := v.s.DocumentSymbols(ctx, v.at.Path)
	around := symbol.Enclosing(symbols, v.at.At)
	if n := len(around); err == nil && n > 0 && around[n-1].NameAt.Contains(v.at.At) {
		return around[n-1].Kind
	}
	return ""
}

// unexported reports whether a declaration at the top of a module of TypeScript or JavaScript is not exported, so that
// only the module can use it. In CommonJS too much can export it.
func (v *verdict) unexported(symbols []lsp.Symbol, text *source.Text, at contract.Position) bool {
	l := lang.Of(text.Path)
	i := slices.IndexFunc(symbols, func(sym lsp.Symbol) bool { return sym.NameAt.Contains(at) })
	// All of a file of declarations may be exported without the word, and { name } gives the value away.
	if !l.IsScript() || i < 0 || strings.Contains(symbol.Base(text.Path), ".d.") ||
		source.HasWord(text.Content(), "exports") ||
		regexp.MustCompile(`[{,]\s*`+regexp.QuoteMeta(v.at.Name)+`\s*[,}]`).MatchString(text.Content()) {
		return false
	}
	from, err := text.Offset(symbols[i].Range.Start)
	name, nameErr := text.Offset(symbols[i].NameAt.Start)
	end, endErr := text.Offset(symbols[i].Range.End)
	return err == nil && nameErr == nil && endErr == nil && !lang.Exporter(l.ID, text.Path, text.Content())(
		&lang.Declared{Name: symbols[i].Name, Kind: string(symbols[i].Kind), From: from, At: name, End: end})
}

// openFiles are the files of the open occurrences.
func (v *verdict) openFiles() (out []lsp.Uncovered) {
	for _, o := range slices.Concat(v.open, v.unexplained) {
		if len(out) == 0 || out[len(out)-1].Path != o.path {
			out = append(out, lsp.Uncovered{Path: o.path})
		}
	}
	return out
}

// isNamedParameter reports whether a declaration is a parameter that calls may name, in a language where they do.
// between is the text from the name of the function to the declaration.
func (v *verdict) isNamedParameter(between string) bool {
	switch v.language.ID {
	case "go", "c", "cpp", "rust", "java", "javascript", "javascriptreact", "typescript", "typescriptreact":
		return slices.ContainsFunc([]string{"private ", "public ", "protected ", "readonly "}, func(word string) bool {
			return strings.HasSuffix(strings.TrimRight(between, " ")+" ", word) // a parameter that is a property
		})
	}
	return strings.Count(between, "(") > strings.Count(between, ")")
}

// line is that of the asked place; "" where it cannot be read.
func (v *verdict) line() string {
	text, err := v.s.Documents().Text(v.at.Path)
	if err != nil {
		return ""
	}
	return text.Line(v.at.At.Line)
}

// reach makes the roots of files in further trees of the workspace known to a server that can have several, so that it
// can be asked about places there. What it still does not know stays unexplained.
func (v *verdict) reach(ctx context.Context, held []words.Held) {
	for _, h := range held {
		if _, own := source.RelativeTo(v.s.Journal().Root(), h.Path); own || !v.s.Spec().SharedFolders {
			continue
		}
		routes, err := v.c.Routes(h.Path)
		if err != nil {
			continue
		}
		for _, r := range routes {
			if r.Spec.ID == v.s.ID() && !r.NoMarker {
				if err := v.s.Reach(ctx, r.Root); err != nil {
					v.unreached = err
				}
			}
		}
	}
}

// vouched asks the hooks of the server for which files they vouch.
func (v *verdict) vouched(ctx context.Context, held []words.Held) map[string]lsp.Vouched {
	vouch := v.s.Hooks().Vouch
	// Where it does not run the code of the workspace, a server knows less than its hooks go by.
	if v.cpp.namespace = v.cpp.isNamespace(ctx); vouch == nil || len(v.runs) > 0 || v.cpp.broughtAll || v.cpp.namespace {
		return nil
	}
	// To a server a file that a link leads to is another one, with other symbols, of which it lists no uses.
	declared := v.declaration(ctx)
	if v.c.Workspace.Words(v.at.Path).Linked(v.real(declared.Path)) {
		return nil
	}
	var files []string
	for _, h := range held {
		// What its hooks go by is the tree of the server.
		if _, own := source.RelativeTo(v.s.Journal().Root(), h.Path); own && v.serves(h.Path) &&
			!slices.Contains(v.unvouched, v.real(h.Path)) {
			files = append(files, h.Path)
		}
	}
	return vouch(ctx, lsp.VouchQuestion{Snapshot: v.s, Asked: v.at.Path, Name: v.at.Name, Declared: declared,
		Files: files})
}

// declaration is where the symbol is declared. A hook that goes by it tells whether it is the asked place, which saves
// the question.
func (v *verdict) declaration(ctx context.Context) lsp.Place {
	if _, here := lsp.Declared(v.s.Server, v.at.Path, v.at.At); here || v.s.Hooks().Declared == nil {
		return lsp.Place{Path: v.at.Path, Range: contract.Range{Start: v.at.At, End: v.at.At}, Line: v.line()}
	}
	v.declare(ctx)
	return v.declared[0]
}
