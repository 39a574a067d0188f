package fixes

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
	"lspi/tools/edits"
	"lspi/tools/loaded"
)

const (
	// The files of one question: what has to be asked anew where the server turns out to be behind, and how finely the
	// time is kept. Less where each text is compiled for its diagnostics first.
	maxPart     = 12
	maxCompiled = 8
	maxFixed    = 100 // the diagnostics of a file whose fixes one round asks for
)

// found is what the files of one question bring.
type found struct {
	changes map[string]*change
	left    map[string][]string // files by reason
	offered map[string]bool     // files in which the server has something of the kind, be it without effect
	again   bool                // fixes wait for the next round
}

// change is what a round changes in one file.
type change struct {
	text  string
	edits []edit.Replacement // sorted; none touches another
	route router.Route       // of the server that wants it
	fixes map[string]int     // quick fixes by their rule
}

// after is the new text.
func (ch *change) after() string {
	var b strings.Builder
	at := 0
	for _, r := range ch.edits {
		b.WriteString(ch.text[at:r.Start])
		b.WriteString(r.New)
		at = r.Start + len(r.Old)
	}
	b.WriteString(ch.text[at:])
	return b.String()
}

// add joins the edits of one action; false where one of them touches what is there.
func (ch *change) add(more []edit.Replacement) bool {
	for _, a := range more {
		if slices.ContainsFunc(ch.edits, func(b edit.Replacement) bool {
			return a.Start <= b.Start+len(b.Old) && b.Start <= a.Start+len(a.Old)
		}) {
			return false
		}
	}
	ch.edits = append(ch.edits, more...)
	slices.SortStableFunc(ch.edits, func(a, b edit.Replacement) int { return a.Start - b.Start })
	return true
}

// gather asks for what there is to do in files now. What is done in a file is what the first of its servers wants that
// has anything of the kind for it: two that sort imports need not agree.
func (w *work) gather(ctx context.Context, files []string) error {
	w.changes, w.again = map[string]*change{}, false
	for nth := 0; len(files) > 0; nth++ {
		var groups diagnostics.Groups
		for _, path := range files {
			if routes := w.routes[path]; nth < len(routes) {
				groups.Add(path, routes[nth], func(have router.Route) bool {
					return have.Key() == routes[nth].Key() && have.Root == routes[nth].Root
				})
			}
		}
		files = nil
		for _, g := range groups {
			rest, err := w.askGroup(ctx, g)
			if err != nil {
				return err
			}
			files = append(files, rest...)
		}
	}
	if len(w.looked) == 0 && len(w.late) == 0 && len(w.left) == 0 || w.source() && !w.has && len(w.late) == 0 {
		return w.nobody()
	}
	w.leaveAside()
	return nil
}

// askGroup asks one server about its files, part by part, and returns those that another server is to be asked about.
func (w *work) askGroup(ctx context.Context, g *diagnostics.Group) (rest []string, err error) {
	r := g.Routes[0]
	if why := unlisted(r); why != "" && w.q.Kind != Format {
		for _, path := range g.Paths {
			w.leave(path, why)
		}
		return nil, nil
	}
	for part := range slices.Chunk(g.Paths, w.partSize(r)) {
		if time.Now().After(w.until) {
			w.late = append(w.late, part...)
			continue
		}
		got, err := w.askPart(ctx, r, part)
		switch {
		case err == nil:
			w.take(r, part, got)
		case errors.Is(err, errNotDone), ask.Elsewhere(err):
			if !errors.Is(err, errNotDone) && w.failed == nil {
				w.failed = err
			}
			return g.Paths, nil
		case ask.TimedOut(err) && len(w.looked) > 0:
			w.late = append(w.late, part...)
		default:
			return nil, err
		}
		if got == nil {
			continue
		}
		for _, path := range part {
			if w.q.Kind != Format && !got.offered[path] {
				rest = append(rest, path)
			}
		}
	}
	return rest, nil
}

// partSize is how many files one question is about.
func (w *work) partSize(r router.Route) int {
	if w.byDiagnostics() && !r.Spec.Diagnostics.Workspace {
		return maxCompiled
	}
	return maxPart
}

// take adds what a part brought.
func (w *work) take(r router.Route, part []string, got *found) {
	if !slices.Contains(w.asked, r.Spec.ID) {
		w.asked = append(w.asked, r.Spec.ID)
	}
	for _, path := range part {
		w.looked[path] = true
	}
	w.has = w.has || len(got.offered) > 0
	for path, ch := range got.changes {
		w.changes[path] = ch
	}
	for why, files := range got.left {
		for _, path := range files {
			w.leave(path, why)
		}
	}
	w.again = w.again || got.again
}

// errNotDone says that a server does not do what is asked for.
var errNotDone = errors.New("the server does not do this")

// askPart asks a server about some of its files.
func (w *work) askPart(ctx context.Context, r router.Route, part []string) (got *found, err error) {
	put := ask.Route
	if w.q.Kind == Format && r.Spec.Formatting.TextAlone {
		put = ask.Text
	}
	does := true
	err = put(ctx, w.c, r, part[0], "", func(ctx context.Context, s *lsp.Snapshot) error {
		got = &found{changes: map[string]*change{}, left: map[string][]string{}, offered: map[string]bool{}}
		if does = w.does(s); !does {
			w.lacking = append(w.lacking, s.Spec())
			w.announced = append(w.announced, s.ActionKinds()...)
			return nil
		}
		findings, err := w.findings(ctx, s, part)
		if err != nil {
			return err
		}
		for _, path := range part {
			switch err := w.askFile(ctx, s, r, path, findings[path], got); {
			case err == nil:
			case lsp.FatalAnswer(err) || ctx.Err() != nil:
				return err
			case !errors.Is(err, lsp.ErrNoEffect):
				got.left[answer.AsError(err).Message] = append(got.left[answer.AsError(err).Message], path)
			}
		}
		return nil
	})
	if err == nil && !does {
		return nil, errNotDone
	}
	if err == nil && got == nil { // the wait for the server used up the time
		err = contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": r.Spec.ID},
			"%s is still loading the project and does not answer yet", r.Spec.ID)
	}
	return got, err
}

// does reports whether a server does what is asked for.
func (w *work) does(s *lsp.Snapshot) bool {
	if w.q.Kind == Format {
		if w.q.Within != nil {
			return s.Offers(lsp.MethodRangeFormatting)
		}
		return s.Offers(lsp.MethodFormatting)
	}
	known := slices.DeleteFunc(s.ActionKinds(), func(kind string) bool { return kind == "" })
	says := slices.ContainsFunc(known, func(kind string) bool { return Below(kind, w.q.Kind) })
	w.has = w.has || says
	return s.Offers(lsp.MethodCodeAction) && (says || len(known) == 0 ||
		slices.ContainsFunc(known, func(kind string) bool { return Below(w.q.Kind, kind) }))
}

// findings are the diagnostics of files, for which fixes are offered.
func (w *work) findings(ctx context.Context, s *lsp.Snapshot, part []string) (map[string][]lsp.Finding, error) {
	out := map[string][]lsp.Finding{}
	if !w.byDiagnostics() {
		return out, nil
	}
	d, err := s.Diagnostics().Of(ctx, part)
	if err != nil {
		return nil, err
	}
	diagnostics.LacksChecker(w.c, s.Spec())
	loaded.WarnNotRun(w.c, s, lsp.Withheld(s.Server, lsp.MethodDocumentDiag))
	diagnostics.WarnIncomplete(w.c, s.Spec(), d)
	for _, r := range d.Reports {
		if slices.Contains(part, r.Path) {
			out[r.Path] = r.Findings
		}
	}
	return out, nil
}

// askFile asks what is to be done in one file.
func (w *work) askFile(ctx context.Context, s *lsp.Snapshot, r router.Route, path string, about []lsp.Finding,
	into *found) error {
	switch {
	case w.q.Kind == Format:
		return w.format(ctx, s, r, path, into)
	case w.source():
		return w.sourceAction(ctx, s, r, path, about, into)
	}
	return w.quickFixes(ctx, s, r, path, about, into)
}

// format asks for the edit that formats a file.
func (w *work) format(ctx context.Context, s *lsp.Snapshot, r router.Route, path string, into *found) error {
	if styles := s.Spec().Formatting.Styles; len(styles) > 0 && !above(path, styles) {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "no_style", "server_id": s.ID()},
			"no %s above it says how it is formatted, and lspi does not choose a style", styles[0])
	}
	text, err := w.c.Workspace.Text(path)
	if err != nil {
		return err
	}
	proposal, err := s.Format(ctx, path, w.q.Within, indentation(text))
	if err != nil {
		return err
	}
	if proposal.Edit.Empty() {
		return unparsed(ctx, s, path)
	}
	return w.plan(ctx, s, r, path, proposal, "", into)
}

// unparsed is the error where a server has nothing to change in a text that it could not parse.
func unparsed(ctx context.Context, s *lsp.Snapshot, path string) error {
	signs := s.Spec().Formatting.Unparsed
	if len(signs) == 0 {
		return nil
	}
	var d lsp.Diagnosis
	if err := s.Diagnostics().Add(ctx, []string{path}, &d); err != nil {
		return err
	}
	for _, f := range d.Findings() {
		if f.Path == path && (slices.Contains(signs, f.Code) || slices.Contains(signs, f.Source)) {
			return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "syntax_error", "server_id": s.ID()},
				"%s does not format a file with syntax errors, such as line %d: %s", s.ID(), f.Range.Start.Line, f.Message)
		}
	}
	return nil
}

// above reports whether a file of one of these names is in the folder of a path or above it.
func above(path string, names []string) bool {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if slices.ContainsFunc(names, func(name string) bool { return source.Exists(filepath.Join(dir, name)) }) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// sourceAction asks for the one source action of the kind.
func (w *work) sourceAction(ctx context.Context, s *lsp.Snapshot, r router.Route, path string, about []lsp.Finding,
	into *found) error {
	if w.byDiagnostics() && !s.Diagnostics().AwaitFindings(ctx, path, about) {
		return contract.Errorf(contract.KindRequestTimeout, contract.Facts{"server_id": s.ID()},
			"%s has not published the diagnostics of its current text in time", s.ID())
	}
	all, err := w.actions(ctx, s, path, nil, about)
	if err != nil || len(all) == 0 {
		return err
	}
	into.offered[path] = true
	// A server that has several of a kind has the kind itself as well (source.organizeImports.ts beside others of its
	// own): the shortest name is the one that was asked for.
	chosen := slices.MinFunc(all, func(a, b lsp.Action) int { return len(a.Kind) - len(b.Kind) })
	return w.propose(ctx, s, r, path, &chosen, "", into)
}

// actions returns what a server offers of the kind, for one diagnostic or for the whole file.
func (w *work) actions(ctx context.Context, s *lsp.Snapshot, path string, one *lsp.Finding,
	about []lsp.Finding) ([]lsp.Action, error) {
	text, err := s.Documents().Text(path)
	if err != nil {
		return nil, err
	}
	kinds := Kinds{Wanted: []string{w.q.Kind}, Known: s.ActionKinds()}
	q := lsp.ActionQuery{Path: path, Only: kinds.Only(), About: about, Range: contract.Range{
		Start: contract.Position{Line: 1, Character: 1},
		End:   contract.Position{Line: text.Lines(), Character: len([]rune(text.Line(text.Lines()))) + 1}}}
	if one != nil {
		q.Range, q.About = one.Range, []lsp.Finding{*one}
	}
	all, err := s.Actions(ctx, q)
	return slices.DeleteFunc(all, func(a lsp.Action) bool {
		return a.Disabled != "" || a.Editor != "" || !kinds.Wants(a.Kind)
	}), err
}

// quickFixes asks for the fix of each diagnostic of the rule in a file.
func (w *work) quickFixes(ctx context.Context, s *lsp.Snapshot, r router.Route, path string, about []lsp.Finding,
	into *found) error {
	n := 0
	for i := range about {
		f := &about[i]
		if !w.means(f) {
			continue
		}
		if n++; n > maxFixed {
			into.again = true
			break
		}
		all, err := w.actions(ctx, s, path, f, nil)
		if err != nil {
			return err
		}
		rule := w.q.Rule
		if f.Code != rule && f.Source != rule && f.Code != "" { // meant by its words
			rule = f.Code
		}
		chosen, why := choose(all, w.q.Title)
		if chosen == nil {
			why = fmt.Sprintf(why, s.ID(), rule)
			into.left[why] = append(into.left[why], path)
			continue
		}
		if err := w.propose(ctx, s, r, path, chosen, rule, into); err != nil {
			if lsp.FatalAnswer(err) || ctx.Err() != nil {
				return err
			}
			if !errors.Is(err, lsp.ErrNoEffect) {
				into.left[answer.AsError(err).Message] = append(into.left[answer.AsError(err).Message], path)
			}
		}
	}
	return nil
}

// means reports whether a diagnostic is of the rule: by its code, by its source, where that is the rule (the analysers
// of gopls), or by its words.
func (w *work) means(f *lsp.Finding) bool {
	return f.Code == w.q.Rule || f.Source == w.q.Rule ||
		strings.Contains(f.Message, answer.AsInText(f.Message, w.q.Rule))
}

// choose returns the fix that is meant: the one with the title, else the one that the server prefers, else the only
// one; or the reason why none is, in which the server and the rule are to be filled in.
func choose(all []lsp.Action, title string) (*lsp.Action, string) {
	pick := func(has func(a lsp.Action) bool) *lsp.Action {
		i := slices.IndexFunc(all, has)
		if i < 0 || slices.ContainsFunc(all[i+1:], has) {
			return nil
		}
		return &all[i]
	}
	if title != "" {
		all = slices.DeleteFunc(slices.Clone(all), func(a lsp.Action) bool { return !strings.Contains(a.Title, title) })
	}
	if a := pick(func(a lsp.Action) bool { return a.Title == title }); a != nil {
		return a, ""
	}
	if a := pick(func(a lsp.Action) bool { return a.Preferred }); a != nil {
		return a, ""
	}
	switch len(all) {
	case 0:
		return nil, "%s offers no fix of %s"
	case 1:
		return &all[0], ""
	}
	var titles []string
	for _, a := range all[:min(len(all), 4)] {
		titles = append(titles, strings.ReplaceAll(strconv.Quote(answer.CutText(a.Title, 80)), "%", "%%"))
	}
	return nil, "%s offers several fixes of %s (" + strings.Join(titles, ", ") + "); give a part of one title as action"
}

// propose takes the edit of an action.
func (w *work) propose(ctx context.Context, s *lsp.Snapshot, r router.Route, path string, a *lsp.Action, rule string,
	into *found) error {
	proposal, beside, err := a.Propose(ctx)
	if err != nil {
		return err
	}
	if beside != "" {
		return rejected(s, "command", "%q also has an editor run a command, so it is no fix for many files", a.Title)
	}
	return w.plan(ctx, s, r, path, proposal, rule, into)
}

// plan takes a proposed edit of a file, when it changes nothing else.
func (w *work) plan(ctx context.Context, s *lsp.Snapshot, r router.Route, path string, p *lsp.Proposal, rule string,
	into *found) error {
	planned, err := s.Plan(ctx, p, lsp.PlanOptions{Roots: w.c.Workspace.EditRoots(), Protected: w.c.Session.Protected(),
		Label: w.c.Show})
	if err != nil {
		return err
	}
	if len(planned.Behind) > 0 { // a snapshot that verifies is asked again
		return rejected(s, string(edit.ReasonNotSeen), "it changed while %s computed the edit", s.ID())
	}
	if len(planned.Outside) == 0 && len(planned.Files) == 0 {
		return nil
	}
	if len(planned.Files) == 0 {
		return rejected(s, "outside", "the fix changes files outside of the workspace")
	}
	f := &planned.Files[0]
	if len(planned.Outside)+len(planned.Files) > 1 || f.Path != path || f.Kind != edit.Change {
		return rejected(s, "other_files", "the fix changes other files as well; make it alone, with code_actions of this file")
	}
	if rule != "" && w.q.Title == "" && silences(f) {
		return rejected(s, "silences", "the only fix that %s offers of %s silences it; give a part of its title as action if that is meant",
			s.ID(), rule)
	}
	if w.q.Kind != Format && !w.single {
		other := w.c.Nested(w.c.Tool, w.c.Request)
		edits.CompilerOnlyOfPlan(ctx, other, s, planned)
		if said := other.Warnings(); len(said) > 0 {
			return rejected(s, string(said[0].Kind), "%s", said[0].Message)
		}
	}
	into.offered[path] = true
	into.add(f, r, rule)
	return nil
}

// add joins the edit of one action with the others of its file.
func (got *found) add(f *edit.File, r router.Route, rule string) {
	ch := got.changes[f.Path]
	if ch == nil {
		ch = &change{text: f.Old, route: r, fixes: map[string]int{}}
		got.changes[f.Path] = ch
	}
	if ch.text != f.Old || !ch.add(f.Edits) {
		got.again = true
		return
	}
	if rule != "" {
		ch.fixes[rule]++
	}
}

// rejected is the error of an edit that is not made in many files.
func rejected(s *lsp.Snapshot, reason, format string, args ...any) error {
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": reason, "server_id": s.ID()}, format, args...)
}
