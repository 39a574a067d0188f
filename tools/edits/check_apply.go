package edits

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
	"lspi/tools/overlay"
)

// mayApply refuses what must not be written however clean it is: anything in a read-only session, and a
// replacement of a text that the caller did not show to have seen. An old_text shows that; edits by
// range and whole files need the digest. Digests that are given have to be right also where nothing is
// to be written.
func mayApply(c *answer.Call, p *editPlan, in In) error {
	if !in.ApplyIfClean {
		_, err := checkDigests(c, p, in)
		return err
	}
	if c.Session.Settings.ReadOnly {
		return contract.Errorf(contract.KindReadOnly, contract.Facts{"tool": c.Tool.Name},
			"apply_if_clean changes files, and lspi runs read-only; without it check_edit only checks")
	}
	// Without a journal a write that is interrupted could not be recovered, so nothing is written at all.
	if c.Workspace.Process.Writer() == nil {
		return NoJournal()
	}
	if err := CheckBackup(in.Backup); err != nil {
		return err
	}
	// Here and once more when it is written ([edit.Plan.Found]): this one refuses before a server is asked.
	lacks, err := checkDigests(c, p, in)
	if err != nil {
		return err
	}
	if len(lacks) == 0 {
		return nil
	}
	// The check alone needs no digest, and its answer offers the step that has it.
	c.Step(c.Repeat("See what the edit would break; nothing is written.", nil))
	return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": "expected_before_sha256",
		"file_paths": lacks},
		"to apply edits by range or of a whole file, say in expected_before_sha256 which text of %s they refer to; edits with old_text need no digest",
		c.Show(lacks[0]))
}

// checkDigests compares the given digests with the texts on disk. lacks are the files that need one for
// the edits to be applied.
func checkDigests(c *answer.Call, p *editPlan, in In) (lacks []string, err error) {
	given := map[string]string{}
	for name, digest := range in.Expected {
		given[PathNamed(c, name)] = digest
	}
	texts, err := p.Texts(c.Workspace.Text, p.Paths)
	if err == nil && in.PreviewID != "" {
		var plan *edit.Plan
		if plan, err = planOf(c, p, texts); err == nil {
			err = plan.AgreeTo(in.PreviewID)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, path := range p.Paths {
		// Of the text as it is on disk now: the digest of the caller has to be of the very same.
		digest := edit.DigestText(texts[path].Before.Content())
		want, ok := given[path]
		delete(given, path)
		switch {
		case ok && !strings.EqualFold(want, digest):
			return nil, contract.Errorf(contract.KindFileChanged, contract.Facts{"file_path": path, "expected": want,
				"actual": digest},
				"%s has changed since its digest was taken", c.Show(path))
		case !ok && in.PreviewID == "" && p.unseen(path):
			lacks = append(lacks, path)
		}
	}
	// What is left names files that are not edited: most likely a mistake in the name, so that the edited file
	// would go unchecked.
	for path := range given {
		return nil, contract.Errorf(contract.KindInvalidArgument,
			contract.Facts{"argument": "expected_before_sha256", "reason": "the edits do not change " + path},
			"expected_before_sha256 names %s, which the edits do not change", c.Show(path))
	}
	return lacks, nil
}

// unseen reports whether edits of an existing file say nothing of the text that they replace.
func (p *editPlan) unseen(path string) bool {
	// A new file replaces no text.
	return !p.fresh[path] && slices.ContainsFunc(p.edits[path], func(e numberedEdit) bool { return e.OldText == nil })
}

// newErrors counts the errors that the edits bring.
func (d *difference) newErrors() (n int) {
	// Distinct: two servers, or two builds of one file, may report the same error.
	for _, f := range diagnostics.Distinct(d.appears, "") {
		if f.Severity == "error" {
			n++
		}
	}
	return n
}

// whyNot returns the reason not to apply the edits; "" when they may be applied. Certain reasons come
// first: new errors, a server that failed, a file without a report. Then every warning that makes the
// answer partial is a reason, because an error may hide in what is missing; only what the comparison on
// disk catches up on ([SeenOnDisk]) is none.
func (d *difference) whyNot(c *answer.Call) string {
	switch n := d.newErrors(); {
	case n > 0:
		return fmt.Sprintf("it would introduce %s", answer.Counted(n, "new error"))
	case d.failed:
		return "not every server reported what it would introduce"
	case len(d.pending) > 0:
		return "lspi has not looked at all files that use what changes"
	case len(d.silent) > 0:
		return "the server did not report on " + c.Show(d.silent[0]) + " in time"
	}
	for _, w := range c.WarningsThat(func(k contract.WarningKind) bool {
		return k.Effect() != contract.Complete || k == contract.WarnMentions
	}) {
		// Every other warning is a reason, also one that a later version adds: what is unknown does not write.
		if !SeenOnDisk(w) {
			return notCertain + strings.TrimSuffix(w.Message, ".")
		}
	}
	return ""
}

// notCertain begins the reason for not applying an edit that brings no error as far as lspi can tell.
const notCertain = "lspi could not tell for certain what it would introduce: "

// SeenOnDisk reports whether what a warning says is missing from the comparison will show when the edit
// is on disk: it is compared again then, and an edit with errors is undone. Anything else that is
// missing keeps lspi from writing.
func SeenOnDisk(w contract.Warning) bool {
	reason, _ := w.Facts["reason"].(string)
	return slices.Contains(shownByDisk[w.Kind], reason)
}

// shownByDisk has the reasons, by the kind of warning, for which [SeenOnDisk] is true.
var shownByDisk = map[contract.WarningKind][]string{
	contract.WarnPartFailed: {ReadsDisk, string(overlay.DependsOnNew), string(overlay.DependsOnProject),
		string(overlay.DependsOnData)},
	contract.WarnCoverageOpenFilesOnly: {ReadsDisk},
}

// ReadsDisk is the reason of warnings about a checker that sees no overlay; the others are those of
// [overlay.Dependence].
const ReadsDisk = "reads_disk"

// offerOwnWay adds a step for callers that want to make the edit although lspi cannot tell what it
// brings. There is none when the edit certainly brings errors, and none while a server is indexing: the
// same call says more soon.
func offerOwnWay(c *answer.Call, p *editPlan, why string) {
	var there []string
	for _, path := range p.Paths {
		if !p.fresh[path] {
			there = append(there, c.Show(path))
		}
	}
	indexing := c.WarningsThat(func(k contract.WarningKind) bool { return k == contract.WarnIndexing })
	if !strings.HasPrefix(why, notCertain) || len(there) == 0 || len(indexing) > 0 { // the same call tells more soon
		return
	}
	if only := c.WarningsThat(func(k contract.WarningKind) bool {
		return k == contract.WarnCompilerOnly
	}); len(only) > 0 {
		c.Step(contract.NextStep{Kind: contract.StepDoc,
			Message: "To make the edit anyway, write the files with your own tools, then build and test."})
		return
	}
	c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
		Arguments: map[string]any{"file_paths": there},
		Message:   "To make the edit anyway, write the files with your own tools, then look at their diagnostics with this call."})
}

// offerApply adds the step that applies what was only tried.
func offerApply(c *answer.Call, p *editPlan, d *difference) {
	if why := d.whyNot(c); why != "" {
		offerOwnWay(c, p, why)
		return
	}
	if c.Session.Settings.ReadOnly {
		return
	}
	with := map[string]any{"apply_if_clean": true, "offset": nil}
	// The step is ready to run: it carries the digest of the texts that were tried, so that it fails if one changes
	// in between.
	if slices.ContainsFunc(p.Paths, p.unseen) {
		plan, err := planOf(c, p, d.texts)
		if err != nil { // nor could it be written
			return
		}
		with["preview_id"] = plan.Digest()
	}
	message := "Apply the edit; it introduces no new error."
	if slices.ContainsFunc(c.Warnings(), SeenOnDisk) {
		message = "Apply the edit; lspi then checks what shows only on disk, and undoes the edit if it introduces errors."
	}
	c.Offer(ApplyStep(c, message, with))
}

// applyCompared writes exactly what was tried, when it brings no new error.
func applyCompared(ctx context.Context, c *answer.Call, groups diagnostics.Groups, p *editPlan, d *difference,
	backup string, out *Out) error {
	applied := false
	out.Applied = &applied
	if out.NotApplied = d.whyNot(c); out.NotApplied != "" {
		offerOwnWay(c, p, out.NotApplied)
		return nil
	}
	plan, err := planOf(c, p, d.texts)
	if err != nil {
		return err
	}
	if len(plan.Files) == 0 {
		out.NotApplied = "it changes nothing"
		return nil
	}
	// The change is compared once more around the write, at the same servers and at those that read from disk.
	// The overlay showed no error; what only the disk shows (a checker, a project file) is found by this second
	// comparison.
	ch := &Proposed{Planned: &lsp.Planned{Plan: plan}, Near: d.near, Readers: d.readers}
	for _, g := range groups {
		ch.Servers = append(ch.Servers, router.Route{Spec: g.Routes[0].Spec, Root: g.Routes[0].Root})
	}
	shown := Previewed(c, plan, ApplyIn{Diff: true})
	// Read-only files, hard links, protected places: the writer would refuse them as well, but after the comparison.
	if !PlanFacts(c, ch) {
		out.NotApplied = "lspi may not write some of its files, as a warning says"
		return nil
	}
	made, err := Apply(ctx, c, ch, shown, edit.ApplyOptions{Expected: plan.Found(), Backup: backup})
	if err != nil {
		return err
	}
	// An edit stays only when no new error came and, where only the disk shows errors, the comparison on disk
	// succeeded.
	compared := wasCompared(c)
	// An edit whose effect shows only on disk, and was not compared there, is one that nobody has checked.
	unknown := !compared && slices.ContainsFunc(c.Warnings(), SeenOnDisk)
	if len(made.NewErrors) == 0 && !unknown {
		p.count(plan, &made)
		if compared {
			c.Withdraw(SeenOnDisk) // with the edit written these were compared
		}
		applied, out.change = true, &made
		return nil
	}
	return takeBackApplied(ctx, c, plan, &made, &applied, out)
}

// takeBackApplied undoes an edit whose errors only the files on disk show (cargo check, go.mod, a
// module that another one shadows), or of which nobody can tell whether it brings such. What somebody
// changed since stays, and the answer says so.
func takeBackApplied(ctx context.Context, c *answer.Call, done *edit.Plan, made *ChangeOut, applied *bool,
	out *Out) error {
	err := TakeBack(ctx, c, done)
	// The edit is still on disk, and the answer must say so: applied is true, with the reason in a warning.
	if err != nil {
		*applied, out.change = true, made
		c.Warn(contract.WarnChangedSince, contract.Facts{"files": c.ShowSome(PathsAfter(done))},
			"the edit introduces errors that show only on disk, or may do so, and lspi did not undo it: "+
				answer.AsError(err).Message)
		return nil
	}
	if out.NewErrors = made.NewErrors; len(out.NewErrors) == 0 {
		out.NotApplied = "lspi could not tell whether it introduces errors that show only on disk, and undid it"
		c.Step(c.Repeat("Fix what the warnings name, then repeat the call; the files are as they were.", nil))
		return nil
	}
	out.NotApplied = "it introduced new errors that show only on disk, and lspi undid it"
	c.Step(contract.NextStep{Kind: contract.StepDoc,
		Message: "Correct the edit according to the new errors, then check it again; the files are as they were."})
	return nil
}

// wasCompared reports whether the errors with the edit on disk were compared with those before.
func wasCompared(c *answer.Call) bool {
	return !c.HasWarned(contract.WarnNotCompared)
}

// planOf returns the plan that turns the texts that were tried, which still have to be on disk, into
// the new ones.
func planOf(c *answer.Call, p *editPlan, texts map[string]*EditedText) (*edit.Plan, error) {
	var changes []edit.TextChange
	for _, path := range p.Paths {
		t := texts[path]
		changes = append(changes, edit.TextChange{Path: path, Before: t.Before.Content(), After: t.After.Content(),
			Begins: p.fresh[path]})
	}
	return PlanTexts(c, changes)
}
