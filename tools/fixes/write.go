package fixes

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
	"lspi/tools/edits"
)

// show previews the first round, or writes exactly what a preview has shown.
func (w *work) show(ctx context.Context) (*Out, error) {
	out := w.out()
	w.count(out, w.changed())
	paths := w.changed()
	if len(paths) == 0 {
		out.nothing()
		w.close(out)
		return out, nil
	}
	ch, err := w.proposed(ctx, w.c, paths)
	if err != nil {
		return nil, err
	}
	w.answeredBy(out, ch)
	if !w.q.DryRun {
		out.ChangeOut, err = edits.ShowOrApply(ctx, w.c, ch, w.q.ApplyIn)
		return out, err
	}
	in := w.q.ApplyIn
	if !in.Diff {
		in.Offset = 0
	}
	out.ChangeOut = edits.Previewed(w.c, ch.Plan, in)
	if w.c.Claim() == contract.Complete && len(w.late) == 0 {
		w.c.Offer(edits.ApplyStep(w.c, "Apply it in rounds, each only if it brings no error.",
			map[string]any{"apply": edits.IfSafe, "dry_run": nil, "diff": nil, "max_total_chars": nil}))
	}
	if !in.Diff {
		out.ChangeOut.OnlyCounts(maxListed)
		w.c.Step(w.c.Repeat("See the changes.", map[string]any{"diff": true, "offset": nil}))
	}
	w.close(out)
	return out, nil
}

// answeredBy names the servers of a change.
func (w *work) answeredBy(out *Out, ch *edits.Proposed) {
	for i := range ch.Files {
		if id := w.changes[ch.Files[i].Path].route.Spec.ID; !slices.Contains(out.by, id) {
			out.by = append(out.by, id)
		}
	}
}

// rounds writes round after round, until nothing changes.
func (w *work) rounds(ctx context.Context) (*Out, error) {
	out := w.out()
	for {
		paths := w.changed()
		if len(paths) == 0 {
			break
		}
		if out.Rounds == 0 {
			ch, err := w.proposed(ctx, w.c, paths)
			if err != nil {
				return nil, err
			}
			w.answeredBy(out, ch)
			if why := edits.Unsure(w.c, ch, w.ofAnother); why != "" {
				w.q.DryRun, w.q.Apply = true, ""
				shown, err := w.show(ctx)
				if err == nil {
					shown.NotApplied = why
				}
				return shown, err
			}
		}
		if out.Rounds == maxRounds {
			w.unfinished(out, fmt.Sprintf("after %d rounds there is still something to change", maxRounds))
			break
		}
		kept := w.write(ctx, paths, out)
		if len(kept) == 0 {
			break
		}
		out.Rounds++
		// First those that there was no time for. Formatting goes by nothing but the text.
		next := append(w.late, kept...)
		if w.q.Kind != Format {
			next = append(w.late, slices.DeleteFunc(slices.Clone(w.files), func(path string) bool {
				return slices.Contains(w.late, path)
			})...)
		}
		if w.timeLeft(ctx) < writeReserve {
			w.unfinished(out, "lspi did not look at the files again after the last round")
			break
		}
		// In this round the late ones are looked at, if there is time.
		w.late, w.until = nil, time.Now().Add(w.patience(ctx, true))
		if err := w.gather(ctx, next); err != nil {
			w.unfinished(out, "lspi did not look at the files again after the last round: "+answer.AsError(err).Message)
			break
		}
	}
	if !out.Applied {
		out.nothing()
	}
	out.ChangeOut.OnlyCounts(maxListed)
	w.close(out)
	return out, nil
}

// ofAnother reports whether a warning is of a server that is not asked because the workspace is not trusted: what it
// would fix is missing, and what others fix is as good as with it.
func (w *work) ofAnother(said contract.Warning) bool {
	id, _ := said.Facts["server_id"].(string)
	return said.Kind == contract.WarnRestricted && !slices.Contains(w.asked, id)
}

// timeLeft is how long the call may still take.
func (w *work) timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline)
	}
	return time.Hour
}

// unfinished tells why a further call may find more.
func (w *work) unfinished(out *Out, why string) {
	if out.unfinished {
		return
	}
	out.unfinished = true
	w.c.LeavesOut(contract.Facts{"part": w.q.Kind}, why, contract.NextStep{Kind: contract.StepDoc,
		Message: "Repeat the call to go on; what is done stays."})
}

// write makes the changes of a round, part by part, and returns the files that it changed.
func (w *work) write(ctx context.Context, paths []string, out *Out) (kept []string) {
	size := firstPart
	for len(paths) > 0 {
		if w.timeLeft(ctx) < writeReserve {
			w.unfinished(out, fmt.Sprintf("there was no time to change %s, the first %s",
				answer.Counted(len(paths), "file"), w.c.Show(paths[0])))
			return kept
		}
		n := min(size, len(paths))
		for i, path := range paths[:n] { // of one server
			if w.changes[path].route.Key() != w.changes[paths[0]].route.Key() {
				n = i
				break
			}
		}
		began := time.Now()
		kept = append(kept, w.writePart(ctx, paths[:n], out)...)
		switch took := time.Since(began); {
		case took < quickWrite:
			size = min(2*size, maxPartOf)
		case took > 3*quickWrite:
			size = max(size/2, 1)
		}
		paths = paths[n:]
	}
	return kept
}

// writePart makes some changes as one edit, if that brings no error; else it halves them, until the files that bring
// one are alone. It returns those that it changed.
func (w *work) writePart(ctx context.Context, paths []string, out *Out) []string {
	c := w.c.Nested(w.c.Tool, w.c.Request)
	c.ClaimComplete()
	made, err := w.tryPart(ctx, c, paths)
	w.c.Spend(c.Spent())
	for _, said := range c.Warnings() { // of the disk, and not of what speaks against the change
		if slices.Contains([]contract.WarningKind{contract.WarnEditRecovered, contract.WarnChangedSince, contract.WarnKept},
			said.Kind) {
			w.c.AddWarning(said)
		}
	}
	switch {
	case err == nil && made.Applied:
		out.add(made)
		w.count(out, paths)
		return paths
	case len(paths) > 1 && w.timeLeft(ctx) > writeReserve:
		first, second := w.culprits(paths, made)
		return append(w.writePart(ctx, first, out), w.writePart(ctx, second, out)...)
	}
	why := made.NotApplied
	if err != nil {
		why = answer.AsError(err).Message
	} else if found := firstError(made.NewErrors); found != "" {
		why = "it would bring a new error: " + found
	}
	for _, path := range paths {
		w.drop(path, why)
	}
	return nil
}

// tryPart makes some changes if nothing speaks against them.
func (w *work) tryPart(ctx context.Context, c *answer.Call, paths []string) (edits.ChangeOut, error) {
	ch, err := w.proposed(ctx, c, paths)
	if err != nil {
		return edits.ChangeOut{}, err
	}
	if w.q.Kind != Format {
		w.addUsers(ctx, c, ch)
	}
	return edits.ShowOrApply(ctx, c, ch, edits.ApplyIn{Apply: edits.IfSafe, DryRun: true, Backup: w.q.Backup})
}

// culprits divides files: those in which the new errors are and the others, else two halves.
func (w *work) culprits(paths []string, made edits.ChangeOut) (first, second []string) {
	for _, path := range paths {
		if slices.ContainsFunc(made.NewErrors, func(f diagnostics.InFile) bool {
			return edits.PathNamed(w.c, f.FilePath) == path
		}) {
			second = append(second, path)
		} else {
			first = append(first, path)
		}
	}
	if len(first) == 0 || len(second) == 0 {
		return paths[:len(paths)/2], paths[len(paths)/2:]
	}
	return first, second
}

// firstError is the first of new errors, in words.
func firstError(files []diagnostics.InFile) string {
	for _, f := range files {
		if len(f.Diagnostics) > 0 {
			d := f.Diagnostics[0]
			return fmt.Sprintf("%s:%d %s", f.FilePath, d.Line, answer.Quoted(lsp.Finding{Message: d.Message}))
		}
	}
	return ""
}
