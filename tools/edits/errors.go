package edits

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
	"lspi/tools/symbol"
)

// Whether a change broke something is told by the errors that are there after it and were not before. Lines move and
// names change, so errors are compared by file, code and message, and counted: two of the same before and three after
// are one new one.

const (
	// changed files whose errors are compared; servers that look at projects tell of the others too
	maxCheckedFiles = 16
	maxNewErrors    = 20               // that are shown
	maxCheckBefore  = 12 * time.Second // for the errors from before, and at most a third of what the call has left
)

// errorsSeen are the errors at one moment.
type errorsSeen struct {
	findings []lsp.Finding
	whole    bool   // the servers told of all that they were asked about
	why      string // the reason when they did not; "" also when there is no server to ask
}

// errorsOf asks the servers of a change for the errors of files, and of the files around them where a
// server looks at whole projects. What they cannot tell makes the comparison uncertain and stops
// nothing. early says that the files are not written yet.
func errorsOf(ctx context.Context, c *answer.Call, ch *Proposed, paths []string, early bool) errorsSeen {
	if ch.Layout {
		return errorsSeen{whole: true}
	}
	var all errorsSeen
	servers, extra := ch.compared(paths)
	for i, r := range servers {
		one := errorsAt(ctx, c, r.Route, r.Files, cmp.Or(ch.compares, maxCheckedFiles)+extra[i], early)
		all.findings = append(all.findings, one.findings...)
		// One server that did not tell all makes the whole comparison uncertain.
		all.whole = one.whole && (all.whole || i == 0)
		all.why = cmp.Or(all.why, one.why)
	}
	return all
}

// errorsAt is errorsOf at one server, for the first files up to a limit.
func errorsAt(ctx context.Context, c *answer.Call, r router.Route, paths []string, limit int, early bool) errorsSeen {
	sp := r.Spec
	// A plan may touch files of several languages.
	paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !sp.Serves(symbol.Base(p)) })
	switch {
	case !sp.Roles.Has(spec.RoleDiagnostics):
		return errorsSeen{}
	case len(paths) > 0:
		r.LanguageID = sp.LanguageID(symbol.Base(paths[0]))
	case !early || !sp.Diagnostics.Workspace: // else a new file may break others, which have to be known before
		return errorsSeen{}
	}
	// Bounded on this side only: afterwards the edit is on disk, and the host needs to know what it broke.
	if deadline, ok := ctx.Deadline(); ok && early {
		var cancel context.CancelFunc
		limit := min(maxCheckBefore, time.Until(deadline)/3)
		if sp.Diagnostics.Check != nil { // it compiles the project, and nothing is applied without what it says
			limit = time.Until(deadline) / 2
		}
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	// A nested call takes the warnings: of the change itself they would say the wrong thing. The first one becomes
	// the reason.
	other, first := c.Nested(c.Tool, c.Request), ""
	other.ClaimComplete()
	if len(paths) > 0 {
		first = paths[0]
	}
	found, err := diagnostics.Server(ctx, other, r, first, func(ctx context.Context, s *lsp.Snapshot) (*lsp.Diagnosis,
		error) {
		// Around and not Of: at a server that looks at whole projects an edit may break files that nobody named.
		asked := paths[:min(len(paths), limit)]
		d, err := s.Diagnostics().Around(ctx, asked)
		if err == nil {
			// Another file that no build takes in is known by chance, of an earlier question, and as little before as after.
			d.Excluded = slices.DeleteFunc(d.Excluded, func(u lsp.Exclusion) bool { return !slices.Contains(asked, u.Path) })
		}
		return d, err
	})
	// What the nested call used counts for this one, so that its caps hold for both.
	c.Spend(other.Spent())
	out := errorsSeen{whole: err == nil && other.Claim() == contract.Complete}
	if err != nil {
		out.why = answer.AsError(err).Message
	} else if said := other.Warnings(); len(said) > 0 {
		out.why = said[0].Message
	}
	if found != nil {
		// Warnings come and go with every edit (unused names); only errors say that something broke.
		out.findings = diagnostics.Distinct(slices.DeleteFunc(found.Findings(), func(f lsp.Finding) bool {
			return f.Severity != "error"
		}), "")
	}
	return out
}

// addNewErrors adds to an applied change the errors that are new since, and warns where that is
// uncertain.
func addNewErrors(c *answer.Call, out *ChangeOut, ch *Proposed, before, after errorsSeen) {
	appeared, gone := CompareErrors(before.findings, after.findings, ch.moved(), ch.Renamed, ch.Texts())
	appeared = ch.withoutCarried(appeared, before.findings, after.findings)
	out.ErrorsGone = gone
	notCompared(c, ch, before, after)
	if !before.whole && len(appeared) > 0 && before.why != "" {
		// Calling old errors new would make the host repair what it did not break.
		return // they may have been there before; notCompared has said so
	}
	if len(appeared) > maxNewErrors {
		c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
			Message:   fmt.Sprintf("See all %d new errors.", len(appeared)),
			Arguments: map[string]any{"file_path": c.Show(appeared[0].Path)}})
		appeared = appeared[:maxNewErrors]
	}
	for i := range appeared {
		appeared[i].Path = c.Show(appeared[i].Path)
	}
	out.NewErrors = diagnostics.Shown(appeared, true, false)
}

// withoutCarried leaves out errors that came along with code that moves: those that it had where it was, and that are
// gone there; and those of the imports that were written for it, where the file that it came from has the same error of
// the same name.
func (ch *Proposed) withoutCarried(appeared, before, after []lsp.Finding) []lsp.Finding {
	from, to := ch.Carried[0], ch.Carried[1]
	if to == "" {
		return appeared
	}
	type kind struct{ code, message string }
	carried, names := map[kind]int{}, map[kind][]string{}
	for _, f := range before {
		if k := (kind{f.Code, f.Message}); f.Path == from {
			if carried[k]++; importing(f) {
				names[k] = append(names[k], f.Text.Within(f.Range))
			}
		}
	}
	for _, f := range after {
		if f.Path == from {
			carried[kind{f.Code, f.Message}]--
		}
	}
	moved := ch.linesTaken(from)
	return slices.DeleteFunc(appeared, func(f lsp.Finding) bool {
		k := kind{f.Code, f.Message}
		switch {
		case f.Path != to:
			return false
		case carried[k] > 0:
			carried[k]--
			return true
		}
		return importing(f) && !moved[strings.TrimSpace(f.Text.Line(f.Range.Start.Line))] &&
			slices.Contains(names[k], f.Text.Within(f.Range))
	})
}

// importing reports whether a finding is about a name on a line that imports something.
func importing(f lsp.Finding) bool {
	words := strings.Fields(f.Text.Line(f.Range.Start.Line))
	return f.Text.Within(f.Range) != "" && len(words) > 0 &&
		slices.Contains([]string{"import", "from", "use", "using", "#include", "#import"}, words[0])
}

// linesTaken are the lines of a file, without the white space around them, of which it has fewer with the change.
func (ch *Proposed) linesTaken(path string) map[string]bool {
	count := map[string]int{}
	for _, f := range ch.Files {
		if f.Path == path {
			for line := range strings.Lines(f.Old) {
				count[strings.TrimSpace(line)]++
			}
			for line := range strings.Lines(f.New) {
				count[strings.TrimSpace(line)]--
			}
		}
	}
	out := map[string]bool{}
	for line, n := range count {
		out[line] = n > 0
	}
	return out
}

// notCompared warns of what keeps the comparison from being certain.
func notCompared(c *answer.Call, ch *Proposed, before, after errorsSeen) {
	why := cmp.Or(before.why, after.why)
	files := len(PathsAfter(ch.Plan))
	workspace := !slices.ContainsFunc(ch.Servers, func(r router.Route) bool { return !r.Spec.Diagnostics.Workspace })
	switch {
	case why != "":
		why = "lspi could not tell for certain whether the change introduced new errors: " + why
	case files > cmp.Or(ch.compares, maxCheckedFiles) && !workspace:
		why = fmt.Sprintf("lspi looked for new errors in %d of the %d files", maxCheckedFiles, files)
	default:
		return
	}
	c.Warn(contract.WarnNotCompared, contract.Facts{"server_id": ch.server()}, why)
}

// moved returns the new paths of the files that a plan renames, by the old ones.
func (ch *Proposed) moved() map[string]string {
	out := maps.Clone(ch.Moved)
	if out == nil {
		out = map[string]string{}
	}
	for _, f := range ch.Files {
		if f.Kind == edit.Rename {
			out[f.From] = f.Path
		}
	}
	return out
}

// nearAfter are the files of Near by their paths after the change.
func (ch *Proposed) nearAfter() []string {
	out, moved := slices.Clone(ch.Near), ch.moved()
	for i, path := range out {
		out[i] = cmp.Or(moved[path], path)
	}
	return out
}

// Texts returns the texts of changed files before and after, by their paths after.
func (ch *Proposed) Texts() map[string]*EditedText {
	out := map[string]*EditedText{}
	for i := range ch.Files {
		if f := &ch.Files[i]; f.Old != f.New && f.Kind != edit.Create && f.Kind != edit.Delete {
			out[f.Path] = &EditedText{Before: source.New(f.Path, f.Old), After: source.New(f.Path, f.New)}
		}
	}
	return out
}

// CompareErrors returns the errors that are in after and not in before, and counts those that are gone.
// moved has the new paths of files; renamed returns the message of an earlier error as it would be
// worded now, nil for no difference. An error of the same code at the same place is the same, though
// its words have changed.
func CompareErrors(before, after []lsp.Finding, moved map[string]string, renamed func(string) string,
	texts map[string]*EditedText) (appeared []lsp.Finding, gone int) {
	type key struct{ path, code, message string }
	if renamed == nil {
		renamed = func(message string) string { return message }
	}
	had := map[key][]lsp.Finding{}
	// Earlier errors are compared as they would read now: by the new path of a moved file, with the new
	// name.
	for _, f := range before {
		f.Path = cmp.Or(moved[f.Path], f.Path)
		k := key{f.Path, f.Code, renamed(f.Message)}
		had[k] = append(had[k], f)
	}
	for _, f := range after {
		k := key{f.Path, f.Code, renamed(f.Message)}
		if n := len(had[k]); n > 0 {
			// Counted: two of the same error before and three after are one new one.
			had[k] = had[k][:n-1]
			continue
		}
		appeared = append(appeared, f)
	}
	var left []lsp.Finding
	for _, rest := range had {
		left = append(left, rest...)
	}
	appeared, left = sameAgain(left, appeared, texts)
	return appeared, len(left)
}

// DiskReader is a server with files of it that may notice an edit only when it is on disk. They are
// compared then.
type DiskReader struct {
	Route router.Route
	Files []string
}

// EditedText is one file before and after an edit.
type EditedText struct {
	Before, After *source.Text // before is empty for a file that is not there
	diff          []udiff.Edit // from the one to the other; nil until it is asked for
}

// moved returns where a position of the text before is in the text after; there is false when its text
// was replaced. A nil t is a file that is not edited, where every position stays.
func (t *EditedText) moved(p contract.Position) (at contract.Position, there bool) {
	if t == nil {
		return p, true
	}
	offset, err := t.Before.Offset(p)
	if err != nil {
		return p, false
	}
	shift := 0
	for _, c := range t.smallest() {
		switch {
		// Ends in front of the position: it moves by what the change adds.
		case c.End <= offset:
			shift += len(c.New) - (c.End - c.Start)
		// The position itself is in what was replaced.
		case c.Start <= offset:
			return p, false
		}
	}
	return t.After.PositionAt(offset + shift), true
}
