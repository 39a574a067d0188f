package edits

import (
	"context"
	"fmt"
	"slices"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/router"
	"lspi/tools/answer"
)

// Proposed is an edit that was planned: what it does, who wants it, and whose errors are compared
// around it.
type Proposed struct {
	*lsp.Planned
	// Servers are asked for errors before and after. The first is the one that proposed the edit, where one did.
	Servers []router.Route
	Near    []string     // files that the edit does not change but may break
	Readers []DiskReader // servers that notice the edit only once it is on disk
	// Renamed returns the message of an earlier diagnostic as the server words it after a rename; nil for other edits.
	Renamed func(message string) string
	// Moved are the new paths of all files that an asked move of a file or folder takes along, by the old ones; nil for
	// other edits.
	Moved   map[string]string
	OldName string // the name that a rename replaces; else ""
	NewName string // the name that it puts there; else ""
	// Made is the file that the move of a symbol makes; else "".
	Made string
	// Carried are the files from which and to which a symbol moves, together with the errors that it has; else "".
	Carried [2]string

	// Layout says that nothing but white space changes, by the formatter of the language: there is no error to look for.
	Layout bool

	// UsersUnknown says that files may use what changes which are neither in Near nor reported on by the servers.
	UsersUnknown bool

	compares int // how many files have their errors compared; 0 is [maxCheckedFiles]
}

// ProposedBy returns the edit that a server has planned.
func ProposedBy(c *answer.Call, s *lsp.Snapshot, p *lsp.Planned) *Proposed {
	return &Proposed{Planned: p, Servers: []router.Route{c.Workspace.Pool.RouteTo(s.Server)}}
}

// server returns the id of the first server.
func (ch *Proposed) server() string { return ch.Servers[0].Spec.ID }

// CheckTrusted is the error for a plan that cannot be trusted, once nothing more can be done about it:
// the server computed it from old texts, or it would replace something else than the name.
func (ch *Proposed) CheckTrusted() error {
	if len(ch.Behind) > 0 {
		path := ch.Behind[0]
		return contract.Errorf(contract.KindEditRejected,
			contract.Facts{"reason": string(edit.ReasonNotSeen), "file_path": path},
			"%s kept changing while %s computed the edit", path, ch.server())
	}
	if len(ch.Misplaced) > 0 {
		m := ch.Misplaced[0]
		return contract.Errorf(contract.KindEditRejected,
			contract.Facts{"reason": string(edit.ReasonMisplaced), "file_path": m.Path, "line": m.Line,
				"text": answer.CutText(m.Old, 100)},
			"%s would replace %q in line %d of %s, which is not the name; it has not read the text on disk, or changes more than the name",
			ch.server(), answer.CutText(m.Old, 60), m.Line, m.Path)
	}
	return nil
}

// ShowOrApply previews a planned change, or carries it out when the caller consented to it. It is the
// preview and the apply of every tool that changes files. The answer of an applied change has the
// errors that are new since.
func ShowOrApply(ctx context.Context, c *answer.Call, ch *Proposed, in ApplyIn) (ChangeOut, error) {
	// Before anything is shown, so that the preview that leads to an apply has valid arguments.
	if err := CheckBackup(in.Backup); err != nil {
		return ChangeOut{}, err
	}
	out := Previewed(c, ch.Plan, in)
	applicable := PlanFacts(c, ch)
	if in.Apply == IfSafe || in.unseen() {
		return applyIfSafe(ctx, c, ch, in, out, applicable)
	}
	if in.DryRun {
		if applicable {
			offerChange(c, ch, &out)
		}
		return out, nil
	}
	// Without a journal an edit that a crash cuts off could be neither finished nor undone.
	if c.Workspace.Process.Writer() == nil {
		return out, NoJournal()
	}
	// Warnings of the preview decide: what was found to be missing then is missing from the plan.
	if err := refuseLacking(c, ch); err != nil {
		return out, err
	}
	// The digests tie the apply to the preview: it writes exactly what the host has seen, or nothing.
	if err := checkConsent(c, ch.Plan, in); err != nil {
		if answer.AsError(err).Kind != contract.KindFileChanged { // which has this step anyway
			c.Step(c.PreviewStep("See what the edit would change now."))
		}
		return out, err
	}
	done, err := Apply(ctx, c, ch, out, edit.ApplyOptions{Expected: ch.Found(), Backup: in.Backup})
	if err == nil {
		done.shorten(c, ch)
	}
	return done, err
}

// checkConsent is nil when the call names the plan by its digest, by the digests of its files, or by
// both; otherwise the error says which is wrong.
func checkConsent(c *answer.Call, p *edit.Plan, in ApplyIn) error {
	if in.PreviewID != "" {
		if err := p.AgreeTo(in.PreviewID); err != nil || len(in.Expected) == 0 {
			return err
		}
	}
	return p.Agree(absolute(c, p, in.Expected))
}

// NoJournal is the error of an edit when no folder for its journal is known. Nothing is written without
// one.
func NoJournal() error {
	return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": string(edit.ReasonNoJournal)},
		"there is no home folder for the journal that makes an edit safe; set XDG_STATE_HOME")
}

// Apply writes the files and tells what the servers report on them now.
func Apply(ctx context.Context, c *answer.Call, ch *Proposed, out ChangeOut, o edit.ApplyOptions) (ChangeOut, error) {
	out, _, err := applyFrom(ctx, c, ch, out, ch.errorsBefore(ctx, c), o)
	return out, err
}

// errorsBefore asks for the errors before a change; it has to run before the files are written.
func (ch *Proposed) errorsBefore(ctx context.Context, c *answer.Call) errorsSeen {
	return errorsOf(ctx, c, ch, append(pathsBefore(ch.Plan), ch.Near...), true)
}

// applyFrom writes the files and compares the errors with those from before; compared reports whether
// the errors of all files could be compared.
func applyFrom(ctx context.Context, c *answer.Call, ch *Proposed, out ChangeOut, before errorsSeen,
	o edit.ApplyOptions) (_ ChangeOut, compared bool, _ error) {
	o.Call = c.Request.ID
	applied, err := c.Workspace.Process.Apply(ctx, ch.Plan, o)
	// Also with an error: what was recovered of an earlier edit is told in any case.
	if applied != nil {
		for _, r := range applied.Recovered {
			recovered(c, r)
		}
	}
	if err != nil {
		return out, false, err
	}
	// The id of the preview is used up.
	out.Applied, out.PreviewID = true, ""
	for i := range out.Files {
		f := &out.Files[i]
		if out.digests { // who asked for digests may edit on by them
			f.AfterSHA256 = ch.Files[i].AfterSHA256
		}
		// The changes were shown in the preview.
		f.Diff, f.Changes, f.BeforeSHA256 = "", nil, ""
	}
	for path, backup := range applied.Backups {
		if out.Backups == nil {
			out.Backups = map[string]string{}
		}
		out.Backups[c.Show(path)] = c.Show(backup)
	}
	appliedFacts(c, applied)
	after := errorsOf(ctx, c, ch, append(PathsAfter(ch.Plan), ch.nearAfter()...), false)
	addNewErrors(c, &out, ch, before, after)
	return out, before.whole && after.whole && !c.HasWarned(contract.WarnNotCompared), nil
}

// appliedFacts warns of what other programs did to the files at the same time.
func appliedFacts(c *answer.Call, a *edit.Applied) {
	if len(a.Changed) > 0 {
		c.Warn(contract.WarnChangedSince, contract.Facts{"files": c.ShowSome(a.Changed)},
			fmt.Sprintf("another program changed %d of the files again right after the edit, such as %s",
				len(a.Changed), c.Show(a.Changed[0])))
	}
	if kept := keptPaths(a.Kept); len(kept) > 0 {
		c.Warn(contract.WarnKept, contract.Facts{"files": kept},
			"another program wrote into the old files at the last moment; lspi kept its texts in "+kept[0])
	}
	if len(a.Leftover) > 0 {
		c.Warn(contract.WarnKept, contract.Facts{"files": c.ShowSome(a.Leftover)},
			"lspi could not remove a temporary file of the edit; the next call tries again: "+c.Show(a.Leftover[0]))
	}
}

// pathsBefore returns the files whose text a plan changes or deletes, by their paths before it.
func pathsBefore(p *edit.Plan) []string {
	var out []string
	for _, f := range p.Files {
		if path := f.Path; f.BeforeSHA256 != "" {
			if f.From != "" {
				path = f.From
			}
			out = append(out, path)
		}
	}
	return out
}

// PathsAfter returns the files whose text a plan changes or creates, by their paths after it.
func PathsAfter(p *edit.Plan) []string {
	var out []string
	for _, f := range p.Files {
		if f.AfterSHA256 != "" {
			out = append(out, f.Path)
		}
	}
	return slices.Clip(out)
}

// compared returns the servers that are asked for errors before and after, each once with its files.
// extra says how many of these come on top of the files that the change concerns anyway; the bound of
// compared files does not count them.
func (ch *Proposed) compared(paths []string) (all []DiskReader, extra []int) {
	for _, r := range ch.Servers {
		all, extra = append(all, DiskReader{r, slices.Clone(paths)}), append(extra, 0)
	}
	for _, reader := range ch.Readers {
		i := slices.IndexFunc(all, func(have DiskReader) bool { return have.Route.Key() == reader.Route.Key() })
		// A server that reads from the disk need not be one of those that the change was shown to.
		if i < 0 {
			i = len(all)
			all, extra = append(all, DiskReader{Route: reader.Route}), append(extra, 0)
		}
		for _, path := range reader.Files {
			if !slices.Contains(all[i].Files, path) {
				// In front, so that the bound of compared files does not cut off the readers, for whom the
				// comparison is made.
				all[i].Files = append([]string{path}, all[i].Files...)
				extra[i]++
			}
		}
	}
	return all, extra
}
