package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/diagnostics"
	"lspi/tools/edits"
	"lspi/tools/fixes"
)

// codeActionsIn says where actions are wanted: at a range, at lines, at a text, or in a whole file;
// with diagnostic only its fixes. Action is an id from a list; then the arguments of [edits.ApplyIn]
// say whether it is applied.
type codeActionsIn struct {
	FilePath     string   `json:"file_path" required:"true"`
	Line         int      `json:"line" min:"1"`
	Character    int      `json:"character" min:"1"`
	EndLine      int      `json:"end_line" min:"1"`
	EndCharacter int      `json:"end_character" min:"1"`
	SelectedText string   `json:"selected_text"`
	Diagnostic   string   `json:"diagnostic"`
	Kinds        []string `json:"kinds"`
	Action       string   `json:"action"`
	MaxResults   int      `json:"max_results" default:"50" min:"1" max:"500"`
	edits.ApplyIn
}

// codeActions lists the code actions at a place (textDocument/codeAction), or previews and applies one
// of them. Only edits are taken from an action; a command that an editor would have to run after the
// edit is named in a warning and not run.
var codeActions = choosing("action", probing(probePlace, define("code_actions", answer.Write,
	func(ctx context.Context, c *answer.Call, in codeActionsIn) (*codeActionsOut, error) {
		if err := in.Check(); err != nil {
			return nil, err
		}
		if many, err := in.inMany(c); many || err != nil {
			return inMany(ctx, c, in, err)
		}
		// To apply without saying what: nothing is chosen for the host.
		if in.Writes() && in.Action == "" {
			return nil, answer.Missing("action")
		}
		path, err := answer.PathOrFolder(c, in.FilePath)
		if err != nil {
			return nil, err
		}
		// Listing and doing ask the server the same question: an id is found again in the answer to that
		// ([actionSet.named]).
		if in.Action == "" {
			return listActions(ctx, c, path, in)
		}
		return doAction(ctx, c, path, in)
	})))

// Check refuses a place that is given in half, or twice.
func (in codeActionsIn) Check() error {
	ends := in.EndLine > 0 || in.EndCharacter > 0
	switch {
	case in.SelectedText != "" && (ends || in.Character > 0):
		return answer.Invalid("selected_text", "already says the place; only line may be given with it")
	case in.SelectedText != "" && in.Diagnostic != "":
		return answer.Invalid("diagnostic", "cannot be given together with selected_text")
	case in.Character > 0 && in.Line == 0, ends && in.Line == 0:
		return answer.Missing("line")
	case in.EndCharacter > 0 && (in.EndLine == 0 || in.Character == 0), in.EndLine > 0 &&
		(in.EndCharacter == 0) != (in.Character == 0):
		return answer.Invalid("end_line", "must come with line, or line and character with end_line and end_character")
	case in.EndLine > 0 && (in.EndLine < in.Line || in.EndLine == in.Line && in.EndCharacter > 0 &&
		in.EndCharacter < in.Character):
		return answer.Invalid("end_line", "lies before the beginning of the range")
	}
	return nil
}

// allOf is the value of action by which a call means everything of its kind in a file.
const allOf = "all"

// inMany reports whether a call means a whole folder, glob or file: all that there is of a kind, instead of one action.
func (in codeActionsIn) inMany(c *answer.Call) (bool, error) {
	_, several, err := diagnostics.PartOf(c, "file_path", in.FilePath)
	return several || in.Action == allOf || slices.Contains(in.Kinds, fixes.Format), err
}

// inMany does what [fixes.Run] does by the arguments of a call.
func inMany(ctx context.Context, c *answer.Call, in codeActionsIn, err error) (*codeActionsOut, error) {
	if err != nil {
		return nil, err
	}
	q := fixes.Question{Given: in.FilePath, Rule: in.Diagnostic, ApplyIn: in.ApplyIn}
	if in.Action != allOf {
		q.Title = in.Action
	}
	if q.Kind, err = fixes.OneKind(c, in.FilePath, in.Diagnostic, in.Kinds); err != nil {
		return nil, err
	}
	if in.Line > 0 || in.SelectedText != "" {
		if q.Within, err = in.formatted(c, q.Kind); err != nil {
			return nil, err
		}
	}
	out, err := fixes.Run(ctx, c, q)
	if err != nil {
		return nil, err
	}
	return &codeActionsOut{many: out}, nil
}

// formatted is the part of one file that is to be formatted.
func (in codeActionsIn) formatted(c *answer.Call, kind string) (*contract.Range, error) {
	path, err := c.Path(in.FilePath)
	if err != nil {
		return nil, err
	}
	if kind != fixes.Format {
		return nil, answer.Invalid("line", "has no meaning for all of a kind; leave out action, or line")
	}
	text, err := c.Workspace.Text(path)
	if err != nil {
		return nil, err
	}
	place, err := placeOfAction(c, text, in)
	if err != nil {
		return nil, err
	}
	return &place.within, nil
}

// actionRoutes returns the servers to ask about a file: those that edit and those that check. With the
// id of an action it is the server that the id begins with.
func actionRoutes(c *answer.Call, path, id string) ([]router.Route, error) {
	routes, err := diagnostics.InstalledRoutes(c, path, spec.RoleDiagnostics)
	if err != nil || id == "" {
		return routes, err
	}
	server, _, _ := strings.Cut(id, ":")
	i := slices.IndexFunc(routes, func(r router.Route) bool { return r.Spec.ID == server })
	// The server of the id is not one of this file: it was switched off since, or the id was made up.
	if i < 0 {
		return nil, unknownAction(c, id, path)
	}
	return routes[i : i+1], nil
}

// unknownAction is the error for an id that no server has at this place. Ids do not last: they are of
// the text as it was when the actions were listed.
func unknownAction(c *answer.Call, id, path string) error {
	c.Step(c.Repeat("List what the server offers there now.", map[string]any{"action": nil, "offset": nil}))
	return answer.Invalid("action", "is %q, which is not offered at this place of %s as it is now", id, c.Show(path))
}

// listActions asks all servers of the file at the same time.
func listActions(ctx context.Context, c *answer.Call, path string, in codeActionsIn) (*codeActionsOut, error) {
	routes, err := actionRoutes(c, path, "")
	if err != nil {
		return nil, err
	}
	out := &codeActionsOut{FilePath: c.Show(path), list: true}
	found := make([][]offeredAction, len(routes))
	errs := make([]error, len(routes))
	answer.Parallel(len(routes), 0, func(i int) {
		errs[i] = ask.Route(ctx, c, routes[i], path, lsp.MethodCodeAction,
			func(ctx context.Context, s *lsp.Snapshot) error {
				var err error
				found[i], err = offeredActions(ctx, c, s, path, in)
				return err
			})
	})
	// One that offers none has nothing to add to those that do, and is no answer when these fail.
	lacks := func(err error) bool {
		return ask.Elsewhere(err) && answer.AsError(err).Kind == contract.KindRequestUnsupported
	}
	// First by those that offer actions at all; when all of them are none, the errors of the others say why.
	able := slices.DeleteFunc(slices.Clone(errs), lacks)
	if err := cmp.Or(answer.ErrorOfAll(able), answer.ErrorOfAll(errs)); err != nil {
		return nil, err
	}
	for i, err := range errs {
		// the diagnostic is another server's
		if err != nil && !lacks(err) && answer.AsError(err).Kind != contract.KindInvalidArgument {
			ask.PartFailed(c, routes[i].Spec.ID, err)
		}
	}
	if len(able) > 1 { // ids say whose each action is
		c.AnsweredByMany()
	}
	out.take(slices.Concat(found...), in)
	out.close(c)
	return out, nil
}

// doAction previews one action or carries it out.
func doAction(ctx context.Context, c *answer.Call, path string, in codeActionsIn) (*codeActionsOut, error) {
	routes, err := actionRoutes(c, path, in.Action)
	if err != nil {
		return nil, err
	}
	var ch *edits.Proposed
	out := &codeActionsOut{FilePath: c.Show(path)}
	err = ask.Route(ctx, c, routes[0], path, lsp.MethodCodeAction, func(ctx context.Context, s *lsp.Snapshot) error {
		// The question may be asked again (ask), and a plan of the former attempt would be of an older text.
		ch = nil
		all, err := offeredActions(ctx, c, s, path, in)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(a offeredAction) bool { return a.id == in.Action })
		if i < 0 {
			return unknownAction(c, in.Action, path)
		}
		chosen := all[i]
		out.Action = chosen.shown()
		if chosen.Disabled != "" {
			return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "disabled", "server_id": s.ID()},
				"%s cannot do %q here: %s", s.ID(), chosen.Title, chosen.Disabled)
		}
		ch, err = actionPlan(ctx, c, s, &chosen)
		return err
	})
	// ask gives up without an error when the server does not answer in time; a list may be empty then, a change may
	// not.
	if err == nil && ch == nil {
		err = contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": routes[0].Spec.ID},
			"%s is still loading the project and does not answer yet", routes[0].Spec.ID)
	}
	if err == nil {
		err = ch.CheckTrusted()
	}
	if err != nil {
		return nil, err
	}
	// Only an apply compares errors; a preview need not know who uses what changes.
	if in.Writes() {
		edits.AddUsers(ctx, c, ch)
	}
	out.ChangeOut, err = edits.ShowOrApply(ctx, c, ch, in.ApplyIn)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// actionPlan has the server make the edit of an action, and plans it.
func actionPlan(ctx context.Context, c *answer.Call, s *lsp.Snapshot, a *offeredAction) (*edits.Proposed, error) {
	proposal, beside, err := a.Propose(ctx)
	if err != nil {
		return nil, err
	}
	planned, err := s.Plan(ctx, proposal, lsp.PlanOptions{Roots: c.Workspace.EditRoots(),
		Protected: c.Session.Protected(), Label: c.Show})
	if err != nil {
		return nil, err
	}
	// Files outside or behind are told by the preview and are not nothing.
	if len(planned.Files)+len(planned.Outside)+len(planned.Behind) == 0 { // every text has it already
		return nil, contract.Errorf(contract.KindRequestFailed,
			contract.Facts{"server_id": s.ID(), "method": lsp.MethodCodeAction, "refused": true},
			"%s offered %q, but the action changes nothing", s.ID(), a.Title)
	}
	if beside != "" {
		c.Warn(contract.WarnCommandNotRun, contract.Facts{"server_id": s.ID(), "command": beside},
			fmt.Sprintf("%s asks an editor to run its command %s after this edit; lspi does not run it", s.ID(),
				beside))
	}
	edits.CompilerOnlyOfPlan(ctx, c, s, planned)
	return edits.ProposedBy(c, s, planned), nil
}

// actionPlace is what actions are asked for: a range, or a whole file.
type actionPlace struct {
	within contract.Range
	whole  bool          // the file; refactorings are not asked for
	about  []lsp.Finding // the diagnostics in it
}

// maxFixed bounds the diagnostics whose quick fixes one call asks for.
const maxFixed = 40

// offeredActions returns what a server offers at the place that was asked about. Quick fixes are asked
// for at the very range of each diagnostic, as an editor does: at a wider range some servers offer
// none, or fixes that cannot be done.
func offeredActions(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string,
	in codeActionsIn) ([]offeredAction, error) {
	text, err := s.Documents().Text(path)
	if err != nil {
		return nil, err
	}
	place, err := placeOfAction(c, text, in)
	if err != nil {
		return nil, err
	}
	// Before the actions, because fixes are offered for diagnostics that the client names (LSP 3.17,
	// CodeActionContext).
	if err := actionFindings(ctx, c, s, path, in, place); err != nil {
		return nil, err
	}
	want := fixes.Kinds{Wanted: in.Kinds, Known: s.ActionKinds()}
	if err := want.Check(); err != nil {
		return nil, err
	}
	var found actionSet
	// The fixes come first, so that the later, wider questions find them known and add only what is new.
	if want.Wants("quickfix") {
		for i, f := range place.about {
			if i == maxFixed {
				c.Warn(contract.WarnPartFailed, contract.Facts{"part": "quickfix", "total": len(place.about),
					"returned": maxFixed}, fmt.Sprintf(
					"lspi asked for fixes of the first %d of %d diagnostics only", maxFixed, len(place.about)))
				c.Step(c.Repeat("See the fixes of those that follow.", map[string]any{"line": f.Range.Start.Line,
					"end_line": place.within.End.Line,
					"kinds":    []string{"quickfix"}, "character": nil, "end_character": nil, "selected_text": nil,
					"offset": nil}))
				break
			}
			if err := gather(ctx, c, s, &found, want, &f, lsp.ActionQuery{Path: path, Range: f.Range,
				Only:  []string{"quickfix"},
				About: []lsp.Finding{f}}); err != nil {
				return nil, err
			}
		}
	}
	queries := []lsp.ActionQuery{}
	switch only := want.Only(); {
	case in.Diagnostic != "": // what fixes it has been asked for
	case len(in.Kinds) > 0:
		queries = append(queries, lsp.ActionQuery{Only: only})
	// At a whole file refactorings would be those of its first character.
	case place.whole:
		queries = append(queries, lsp.ActionQuery{Only: append(want.Of("source"), "source")})
	default:
		queries = append(queries, lsp.ActionQuery{})
		if sources := want.Of("source"); len(sources) > 0 { // some are offered only when they are asked for
			queries = append(queries, lsp.ActionQuery{Only: sources})
		}
	}
	for _, q := range queries {
		q.Path, q.Range, q.About = path, place.within, place.about
		if err := gather(ctx, c, s, &found, want, nil, q); err != nil {
			return nil, err
		}
	}
	return found.named(s.ID()), nil
}

// gather asks once, for the fixes of one diagnostic or, when fixed is nil, for anything. What a server
// refuses at one range does not end the search at the others. Actions beyond the kinds that were asked
// for are left out; an action without a kind may be of any.
func gather(ctx context.Context, c *answer.Call, s *lsp.Snapshot, into *actionSet, want fixes.Kinds, fixed *lsp.Finding,
	q lsp.ActionQuery) error {
	actions, err := s.Actions(ctx, q)
	var failed *contract.Error
	switch {
	case err == nil:
	// A refusal in the server's own words. Other failures are about the server and end the call.
	case errors.As(err, &failed) && failed.Kind == contract.KindRequestFailed && failed.Code != 0:
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": s.ID()}, "some actions are missing: "+failed.Message)
		return nil
	default:
		return err
	}
	asked := fixes.Kinds{Wanted: q.Only}
	for _, a := range actions {
		// Some servers ignore the kinds and give everything, which the later questions would bring again.
		if want.Wants(a.Kind) && (a.Kind == "" || asked.Wants(a.Kind)) {
			into.add(a, fixed)
		}
	}
	return nil
}

// placeOfAction returns the place that the arguments mean.
func placeOfAction(c *answer.Call, text *source.Text, in codeActionsIn) (*actionPlace, error) {
	p := &actionPlace{}
	// In code points, as all positions outside of package lsp.
	last := contract.Position{Line: text.Lines(), Character: len([]rune(text.Line(text.Lines()))) + 1}
	switch {
	case in.SelectedText != "":
		in.SelectedText = answer.AsInText(text.Content(), in.SelectedText)
		at, err := selected(c, text, in)
		if err != nil {
			return nil, err
		}
		p.within = contract.Range{Start: text.PositionAt(at), End: text.PositionAt(at + len(in.SelectedText))}
	case in.Line == 0:
		p.whole = true
		p.within = contract.Range{Start: contract.Position{Line: 1, Character: 1}, End: last}
	case in.Character == 0: // whole lines, without the space around them
		// Without the white space, because servers offer to extract exactly what the range holds, and nothing for
		// half a token.
		end := max(in.EndLine, in.Line)
		if _, err := text.Offset(contract.Position{Line: end, Character: 1}); err != nil {
			return nil, err
		}
		first, final := text.Line(in.Line), strings.TrimRight(text.Line(end), " \t\r\n")
		from := text.LineStart(in.Line) + len(first) - len(strings.TrimLeft(first, " \t"))
		to := max(text.LineStart(end)+len(final), from)
		p.within = contract.Range{Start: text.PositionAt(from), End: text.PositionAt(to)}
	default:
		start := contract.Position{Line: in.Line, Character: in.Character}
		end := start
		if in.EndLine > 0 {
			end = contract.Position{Line: in.EndLine, Character: in.EndCharacter}
		}
		for _, at := range []contract.Position{start, end} {
			if _, err := text.Offset(at); err != nil {
				return nil, err
			}
		}
		p.within = contract.Range{Start: start, End: end}
	}
	return p, nil
}

// selected returns where selected_text stands, on the given line when there is one.
func selected(c *answer.Call, text *source.Text, in codeActionsIn) (int, error) {
	at := edits.StandsAt(text.Content(), in.SelectedText)
	// A text that stands in several places is told apart by its line.
	if in.Line > 0 {
		at = slices.DeleteFunc(at, func(offset int) bool { return text.PositionAt(offset).Line != in.Line })
	}
	if len(at) == 1 {
		return at[0], nil
	}
	return 0, edits.NotOnce("selected_text", c.Show(text.Path), text, in.SelectedText, at)
}

// actionFindings adds the diagnostics at the place: all of them, or those that the argument diagnostic
// means. It takes at most half of the time that is left.
func actionFindings(ctx context.Context, c *answer.Call, s *lsp.Snapshot, path string, in codeActionsIn,
	p *actionPlace) error {
	spec := s.Spec()
	if deadline, ok := ctx.Deadline(); ok { // the rest is for the actions
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	d, err := s.Diagnostics().Of(ctx, []string{path})
	if err != nil {
		return err
	}
	diagnostics.LacksChecker(c, spec)
	diagnostics.WarnIncomplete(c, spec, d)
	var others, all []lsp.Finding
	for _, r := range d.Reports {
		if r.Path == path {
			all = r.Findings
		}
		for _, f := range r.Findings {
			switch {
			// Touching is enough, as in an editor whose cursor stands at the end of the underlined text.
			case r.Path != path, f.Range.End.Before(p.within.Start), p.within.End.Before(f.Range.Start):
			case in.Diagnostic != "" && f.Code != in.Diagnostic &&
				!strings.Contains(f.Message, answer.AsInText(f.Message, in.Diagnostic)):
				others = append(others, f)
			default:
				p.about = append(p.about, f)
			}
		}
	}
	if (fixes.Kinds{Wanted: in.Kinds}).Reaches("source") && !s.Diagnostics().AwaitFindings(ctx, path, all) {
		c.Warn(contract.WarnPartFailed, contract.Facts{"part": "source"},
			spec.ID+" derives its source actions from diagnostics "+
				"that it has not published yet; those actions may be missing or outdated")
		c.Step(c.Repeat("Repeat the call; the server continues to work meanwhile.", nil))
	}
	// In the order of the text, so that the bound of asked fixes and the step that goes on agree.
	slices.SortStableFunc(p.about, func(a, b lsp.Finding) int { return a.Range.Start.Compare(b.Range.Start) })
	if in.Diagnostic == "" || len(p.about) > 0 {
		return nil
	}
	reason := fmt.Sprintf("is %q, which no diagnostic there has in its code or message",
		answer.CutText(in.Diagnostic, 100))
	if len(others) > 0 {
		reason += fmt.Sprintf("; there are %d others, such as %s in line %d", len(others), answer.Quoted(others[0]),
			others[0].Range.Start.Line)
	}
	return answer.Invalid("diagnostic", "%s", reason)
}
