package edits

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/tools/answer"
	"lspi/tools/ask"
	"lspi/tools/audit"
	"lspi/tools/diagnostics"
)

// IfSafe is the value of the argument apply with which one call makes a change when nothing speaks
// against it, and else only shows it.
const IfSafe = "if_safe"

// MaxSafeFiles is how many files such a call may change: the errors of each are asked for before and
// after.
const MaxSafeFiles = 50

// harmless are the warnings that say nothing of the change itself. Every other kind, also one that a
// later version adds, asks for a look.
var harmless = []contract.WarningKind{contract.WarnConfig, contract.WarnClamped, contract.WarnArgumentForm,
	contract.WarnServerRestarted, contract.WarnWatchFallback,
	contract.WarnEditRecovered, contract.WarnNewDiagnostics, contract.WarnDiagnosticsUnfinished}

// notSafe returns why somebody has to look at a change before it is made; "" when nobody has to.
func notSafe(c *answer.Call, ch *Proposed, applicable bool) string {
	for i := range ch.Files {
		f := &ch.Files[i]
		asked := f.Kind == edit.Create && f.Path == ch.Made ||
			ch.Moved != nil && (f.Kind == edit.Rename || f.Kind == edit.Delete && f.Folder && f.Contains == 0)
		if f.Kind != edit.Change && !asked {
			return fmt.Sprintf("it would %s %s, and if_safe only changes texts", f.Kind, c.Show(f.Path))
		}
	}
	if why := Unsure(c, ch, nil); why != "" {
		return why
	}
	switch claim := c.Claim(); {
	case claim != contract.Complete || !applicable:
		return "the answer is " + string(claim)
	case c.Workspace.Process.Writer() == nil:
		return answer.AsError(NoJournal()).Message
	case len(ch.Files) > MaxSafeFiles:
		return fmt.Sprintf("it would change %d files, and lspi compares the errors of at most %d", len(ch.Files),
			MaxSafeFiles)
	case ch.UsersUnknown || len(ch.Files)+len(ch.Near) > MaxSafeFiles:
		return "lspi cannot look at all files that may use what it changes"
	}
	return ""
}

// Unsure returns why the warnings of a call are a reason to look at its change before it is made; "" when they are not.
// Any warning is one, because nobody looks between the preview and the apply, but for those that the caller knows to
// say nothing of the change.
func Unsure(c *answer.Call, ch *Proposed, but func(contract.Warning) bool) string {
	for _, w := range c.Warnings() {
		if slices.Contains(harmless, w.Kind) || w.Kind == contract.WarnInComments && onlyComments(ch.Plan) ||
			but != nil && but(w) {
			continue
		}
		return "look at this first: " + strings.TrimSuffix(w.Message, ".")
	}
	return ""
}

// onlyComments reports whether all edits outside of code are on lines that are comments: no program
// reads these, while it may read a string.
func onlyComments(p *edit.Plan) bool {
	for i := range p.Files {
		f := &p.Files[i]
		text, comments := source.New(f.Path, f.Old), 0
		for _, r := range f.Edits {
			line := strings.TrimSpace(text.Line(r.Line))
			block, _ := lang.InBlock(f.Path, line, true)
			if r.Old != "" && (strings.HasPrefix(line, lang.CommentSign(f.Path)) || block &&
				strings.HasPrefix(line, "* ")) {
				comments++
			}
		}
		if EditsInComments(f) > comments {
			return false
		}
	}
	return true
}

// applyIfSafe makes the change when nothing speaks against it, and keeps it when it brought no error.
// Else it only shows it, with the reason.
func applyIfSafe(ctx context.Context, c *answer.Call, ch *Proposed, in ApplyIn, out ChangeOut,
	applicable bool) (ChangeOut, error) {
	if in.PreviewID != "" || len(in.Expected) > 0 {
		if err := checkConsent(c, ch.Plan, in); err != nil {
			return out, err
		}
	}
	// What is shown when the change is not made, or undone.
	shown := out
	shown.Files = slices.Clone(out.Files) // Apply takes what a preview has out of them
	shown.NotApplied = notSafe(c, ch, applicable)
	if shown.NotApplied == "" {
		ch.compares = MaxSafeFiles
		before := ch.errorsBefore(ctx, c)
		if !before.whole {
			shown.NotApplied = "lspi cannot tell which errors there are before it: " + before.why
		} else {
			done, compared, err := applyFrom(ctx, c, ch, out, before,
				edit.ApplyOptions{Expected: ch.Found(), Backup: in.Backup})
			if err != nil || done.keep(ctx, c, ch, compared, &shown) {
				return done, err
			}
		}
	}
	if shown.abridge() {
		c.Step(c.Repeat("See all changes.", map[string]any{"apply": nil, "dry_run": nil}))
	}
	if from := builtErrors(ctx, c, ch, shown.NewErrors); from != nil {
		shown.NotApplied = from.why
		c.Step(from.step)
		offerChange(c, ch, &shown)
	} else if len(shown.NewErrors) > 0 {
		c.Step(contract.NextStep{Kind: contract.StepDoc,
			Message: "Change what the new errors name, or apply the edit with dry_run false and preview_id and mend them then."})
	} else if applicable {
		offerChange(c, ch, &shown)
	}
	return shown, nil
}

// errorsOfBuild is why new errors say nothing of the change, and what tells more.
type errorsOfBuild struct {
	why  string
	step contract.NextStep
}

// builtErrors reports that all new errors are of files which the server checks against what a build made of the changed
// sources before the change; nil where one is of another file.
func builtErrors(ctx context.Context, c *answer.Call, ch *Proposed, found []diagnostics.InFile) (out *errorsOfBuild) {
	if len(found) == 0 || len(ch.Outside) > 0 {
		return nil
	}
	_ = ask.Route(ctx, c.Nested(c.Tool, c.Request), ch.Servers[0], PathNamed(c, found[0].FilePath),
		lsp.MethodReferences, func(ctx context.Context, s *lsp.Snapshot) error {
			out = nil
			for _, f := range found {
				path, built := PathNamed(c, f.FilePath), ""
				for i := range ch.Files {
					if src := ch.Files[i].Path; src != path && built == "" {
						if built = lsp.ReadsBuilt(ctx, s.Server, path, src); built != "" && out == nil {
							out = &errorsOfBuild{"the new errors are of files that " + s.ID() + " checks against " +
								c.Show(built) + ", which was built before the edit; lspi undid it",
								audit.AfterBuild(c, built, src, path)}
						}
					}
				}
				if built == "" {
					out = nil
					break
				}
			}
			return nil
		})
	return out
}

// maxRefused is how many changes an answer shows that made none of them: why not is what it is about.
const maxRefused = 10

// abridge leaves out the changes beyond [maxRefused], and reports whether there were more. Where digests were asked for
// the answer stays in full.
func (o *ChangeOut) abridge() (cut bool) {
	room := maxRefused
	for i := range o.Files {
		f := &o.Files[i]
		if o.digests || f.Changes == nil && f.Diff == "" {
			continue
		}
		if n := len(f.Changes); f.Diff != "" || n > room {
			f.Changes, f.Diff, cut = f.Changes[:min(n, room)], "", true
			if len(f.Changes) == 0 {
				f.Changes = nil // the number of edits stands for them
			}
		}
		room -= len(f.Changes)
		if room == 0 && cut {
			o.FilesMore, o.Files = len(o.Files)-i-1, o.Files[:i+1]
			break
		}
	}
	o.to = len(o.Files)
	o.from = min(o.from, o.to)
	return cut
}

// shorten makes the answer of an applied change of texts the short one: the caller has seen the
// changes, or did not want to. The answer stays in full where files were created, moved or deleted, or
// where digests were asked for.
func (o *ChangeOut) shorten(c *answer.Call, ch *Proposed) {
	if o.digests || slices.ContainsFunc(ch.Files, func(f edit.File) bool { return f.Kind != edit.Change }) {
		return
	}
	o.short = true
	if c.HasWarned(contract.WarnInComments) {
		for i := range ch.Files {
			o.InComments += EditsInComments(&ch.Files[i])
		}
		c.Withdraw(func(w contract.Warning) bool { return w.Kind == contract.WarnInComments })
	}
}

// keep keeps a change that brought no error and makes its answer short; it returns false for a change
// that it has undone, which shown then tells. A change that cannot be undone stays, and is told in
// full.
func (o *ChangeOut) keep(ctx context.Context, c *answer.Call, ch *Proposed, compared bool, shown *ChangeOut) bool {
	if compared && len(o.NewErrors) == 0 {
		o.shorten(c, ch)
		return true
	}
	if err := TakeBack(ctx, c, ch.Plan); err != nil {
		c.Warn(contract.WarnChangedSince, contract.Facts{"files": c.ShowSome(PathsAfter(ch.Plan))},
			"the edit introduces errors, or may do so, and lspi did not undo it: "+answer.AsError(err).Message)
		return true
	}
	shown.NewErrors = o.NewErrors
	shown.NotApplied = "it introduced new errors, and lspi undid it"
	if len(o.NewErrors) == 0 {
		shown.NotApplied = "lspi could not tell whether it introduces errors, and undid it"
	}
	return false
}

// TakeBack undoes an edit of texts and paths that was just made. Where somebody has changed one of the files
// since, nothing is undone: that change would be lost.
func TakeBack(ctx context.Context, c *answer.Call, done *edit.Plan) error {
	// The digests of what was written are the condition of the way back: a file that somebody changed since is not
	// overwritten.
	written, texts := map[string]string{}, map[string]string{}
	for i := range done.Files {
		// A new file is taken away again only while it has the text that was written.
		if f := &done.Files[i]; f.AfterSHA256 != "" {
			written[f.Path] = f.AfterSHA256
			if f.Old != f.New && f.Kind != edit.Create {
				texts[f.Path] = f.New
			}
		}
	}
	plan, err := planOwn(c, done.Undo(), texts)
	if err == nil {
		expected := plan.Found() // with folders that the edit made
		maps.Copy(expected, written)
		// A cancelled call must not leave a broken edit on disk, so its cancellation does not stop the undo.
		_, err = c.Workspace.Process.Apply(context.WithoutCancel(ctx), plan,
			edit.ApplyOptions{Expected: expected, Call: c.Request.ID, Undoes: true})
	}
	return err
}

// PlanTexts returns the plan of changes of texts. It fails with file_changed where a text before is not
// the one on disk.
func PlanTexts(c *answer.Call, all []edit.TextChange) (*edit.Plan, error) {
	return planOwn(c, edit.ChangeTexts(all), textsBefore(all))
}

// PlanMove returns the plan of moves, with the changes of texts by their paths before it.
func PlanMove(c *answer.Call, all []edit.TextChange, moved ...edit.Moved) (*edit.Plan, error) {
	e := edit.ChangeTexts(all)
	for _, one := range moved {
		e.Move(one.From, one.To)
	}
	return planOwn(c, e, textsBefore(all))
}

// textsBefore are the texts that changes replace, by path.
func textsBefore(all []edit.TextChange) map[string]string {
	before := map[string]string{}
	for _, one := range all {
		if !one.Begins && !one.Ends {
			before[one.Path] = one.Before
		}
	}
	return before
}

// planOwn plans an edit of lspi's own, which is about these texts.
func planOwn(c *answer.Call, e *edit.Edit, before map[string]string) (*edit.Plan, error) {
	return e.Plan(edit.Options{Roots: c.Workspace.EditRoots(), Protected: c.Session.Protected(),
		Label: c.Show,
		Seen: func(path, content string, _ *int32) error {
			// The text that was tried is the one that is replaced, byte by byte; anything else was not checked.
			if text, ok := before[path]; ok && text != content {
				return contract.Errorf(contract.KindFileChanged, contract.Facts{"file_path": path},
					"%s changed meanwhile; nothing was written", c.Show(path))
			}
			return nil
		}})
}
