package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/edit"
	"lspi/overlay"
	"lspi/router"
)

// mayApply refuses what must not be written however clean it is: anything in a read-only session, and a text that takes the
// place of one which nobody showed to have seen. An old_text shows that; of edits by range and whole files the digest does.
// Digests that are given have to be right also where nothing is to be written.
func (c *Call) mayApply(p *editPlan, in checkEditIn) error {
	if !in.ApplyIfClean {
		_, err := c.checkDigests(p, in)
		return err
	}
	if c.env.Settings.ReadOnly {
		return contract.Errorf(contract.KindReadOnly, contract.Facts{"tool": c.tool.Name},
			"apply_if_clean changes files, and lspi runs read-only; without it check_edit only looks")
	}
	if c.env.writer() == nil {
		return noJournal()
	}
	if err := checkBackup(in.Backup); err != nil {
		return err
	}
	lacks, err := c.checkDigests(p, in)
	if err != nil {
		return err
	}
	if len(lacks) == 0 {
		return nil
	}
	c.step(c.repeat("See what the edit would break; nothing is written.", nil))
	return contract.Errorf(contract.KindMissingArgument, contract.Facts{"argument": "expected_before_sha256", "file_paths": lacks},
		"to apply edits by range, or the whole text of a file, expected_before_sha256 has to say which text of %s they are about; old_text says it itself",
		c.show(lacks[0]))
}

// checkDigests compares those that are given with the texts on disk. lacks are the files of which one is needed to apply
// the edits.
func (c *Call) checkDigests(p *editPlan, in checkEditIn) (lacks []string, err error) {
	given := map[string]string{}
	for name, digest := range in.Expected {
		given[c.named(name)] = digest
	}
	texts, err := p.texts(c.env.text, p.paths)
	if err != nil {
		return nil, err
	}
	for _, path := range p.paths {
		digest := edit.DigestText(texts[path].before.Content())
		want, ok := given[path]
		delete(given, path)
		switch {
		case ok && !strings.EqualFold(want, digest):
			return nil, contract.Errorf(contract.KindFileChanged, contract.Facts{"file_path": path, "expected": want, "actual": digest},
				"%s is not as it was when its digest was taken", c.show(path))
		case !ok && p.unseen(path):
			lacks = append(lacks, path)
		}
	}
	for path := range given {
		return nil, contract.Errorf(contract.KindInvalidArgument,
			contract.Facts{"argument": "expected_before_sha256", "reason": "the edits do not change " + path},
			"expected_before_sha256 names %s, which the edits do not change", c.show(path))
	}
	return lacks, nil
}

// unseen reports whether edits of a file that is there say nothing of the text that they replace.
func (p *editPlan) unseen(path string) bool {
	return !p.fresh[path] && slices.ContainsFunc(p.edits[path], func(e numberedEdit) bool { return e.OldText == nil })
}

// newErrors is how many errors the edits bring.
func (d *difference) newErrors() (n int) {
	for _, f := range distinct(d.appears, "") {
		if f.Severity == "error" {
			n++
		}
	}
	return n
}

// why is why the edits are not to be applied; "" when they bring no error, as far as the servers told.
func (d *difference) why(c *Call) string {
	switch n := d.newErrors(); {
	case n > 0:
		return fmt.Sprintf("it would introduce %s", counted(n, "new error"))
	case d.failed:
		return "not every server reported what it would introduce"
	case len(d.silent) > 0:
		return "the server did not report on " + c.show(d.silent[0]) + " in time"
	}
	for _, w := range c.warningsThat(func(k contract.WarningKind) bool { return k.Effect() != contract.Complete }) {
		if !seenOnDisk(w) {
			return notCertain + strings.TrimSuffix(w.Message, ".")
		}
	}
	return ""
}

// notCertain begins the reason why an edit that brings no error so far is not to be applied.
const notCertain = "what it would introduce is not certain: "

// seenOnDisk reports whether what a warning says is missing from a trial shows when the edit is on disk: then it is compared,
// and an edit that brings errors is taken back. Nothing else that is missing is a reason to write.
func seenOnDisk(w contract.Warning) bool {
	reason, _ := w.Facts["reason"].(string)
	return slices.Contains(shownByDisk[w.Kind], reason)
}

// shownByDisk are the reasons of each kind of warning that [seenOnDisk] is about.
var shownByDisk = map[contract.WarningKind][]string{
	contract.WarnPartFailed:            {readsDisk, string(overlay.DependsOnNew), string(overlay.DependsOnProject), string(overlay.DependsOnData)},
	contract.WarnCoverageOpenFilesOnly: {readsDisk},
}

// readsDisk is the reason of warnings about a checker that sees no trial; the others are those of [lsp.Dependence].
const readsDisk = "reads_disk"

// otherwise adds the step for who makes an edit of which nobody can tell what it brings.
func (c *Call) otherwise(p *editPlan, why string) {
	var there []string
	for _, path := range p.paths {
		if !p.fresh[path] {
			there = append(there, c.show(path))
		}
	}
	indexing := c.warningsThat(func(k contract.WarningKind) bool { return k == contract.WarnIndexing })
	if !strings.HasPrefix(why, notCertain) || len(there) == 0 || len(indexing) > 0 { // the same call tells more soon
		return
	}
	if only := c.warningsThat(func(k contract.WarningKind) bool { return k == contract.WarnCompilerOnly }); len(only) > 0 {
		c.step(contract.NextStep{Kind: contract.StepDoc, Message: "To make the edit anyway, write the files with your own tools, then build and test."})
		return
	}
	c.step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Arguments: map[string]any{"file_paths": there},
		Message: "To make the edit anyway, write the files with your own tools, then look at their diagnostics with this call."})
}

// offerApply adds the step that applies what was only tried.
func (c *Call) offerApply(p *editPlan, d *difference) {
	if why := d.why(c); why != "" {
		c.otherwise(p, why)
		return
	}
	if c.env.Settings.ReadOnly {
		return
	}
	change := map[string]any{"apply_if_clean": true, "offset": nil}
	if slices.ContainsFunc(p.paths, p.unseen) {
		digests := map[string]string{}
		for _, path := range p.paths {
			if !p.fresh[path] {
				digests[c.show(path)] = edit.DigestText(d.texts[path].before.Content())
			}
		}
		change["expected_before_sha256"] = digests
	}
	message := "Apply the edit; it introduces no new error."
	if slices.ContainsFunc(c.warnings, seenOnDisk) {
		message = "Apply the edit; what shows only on disk is checked then, and the edit is taken back if it introduces errors."
	}
	c.offer(c.repeat(message, change))
}

// applyTried writes exactly what was tried, when it brings no new error.
func (c *Call) applyTried(ctx context.Context, groups []*trialGroup, p *editPlan, d *difference, backup string, out *checkEditOut) error {
	applied := false
	out.Applied = &applied
	if out.NotApplied = d.why(c); out.NotApplied != "" {
		c.otherwise(p, out.NotApplied)
		return nil
	}
	plan, err := c.planTried(p, d)
	if err != nil {
		return err
	}
	if len(plan.Files) == 0 {
		out.NotApplied = "it changes nothing"
		return nil
	}
	ch := &proposed{Planned: &lsp.Planned{Plan: plan}, near: d.near, readers: d.readers}
	for _, g := range groups {
		ch.servers = append(ch.servers, router.Route{Spec: g.routes[0].Spec, Root: g.routes[0].Root})
	}
	shown := c.previewed(plan, 0)
	if !c.planFacts(ch) {
		out.NotApplied = "files of it may not be written, as a warning says"
		return nil
	}
	change, err := c.apply(ctx, ch, shown, edit.ApplyOptions{Expected: asFound(plan), Backup: backup})
	if err != nil {
		return err
	}
	compared := wasCompared(c)
	unknown := !compared && slices.ContainsFunc(c.warnings, seenOnDisk)
	if len(change.NewErrors) == 0 && !unknown {
		p.count(plan, &change)
		if compared {
			c.comparedOnDisk()
		}
		applied, out.change = true, &change
		return nil
	}
	return c.takeBackTried(ctx, plan, &change, &applied, out)
}

// takeBackTried undoes an edit with errors that no trial showed, because only what is on disk does (cargo check, go.mod, a module
// that another one shadows), or of which nobody can tell whether it brings such. What somebody changed since stays.
func (c *Call) takeBackTried(ctx context.Context, done *edit.Plan, made *changeOut, applied *bool, out *checkEditOut) error {
	var back []edit.TextChange
	written := map[string]string{}
	for i := range done.Files {
		f := &done.Files[i]
		written[f.Path] = f.AfterSHA256
		back = append(back, edit.TextChange{Path: f.Path, Before: f.New, After: f.Old, Ends: f.Kind == edit.Create})
	}
	plan, err := c.planChanges(back)
	if err == nil {
		_, err = c.env.apply(context.WithoutCancel(ctx), plan, edit.ApplyOptions{Expected: written})
	}
	if err != nil {
		*applied, out.change = true, made
		c.warn(contract.WarnChangedSince, contract.Facts{"files": c.showSome(pathsAfter(done))},
			"the edit introduces errors that show only on disk, or may, and was not taken back: "+asError(err).Message)
		return nil
	}
	if out.NewErrors = made.NewErrors; len(out.NewErrors) == 0 {
		out.NotApplied = "whether it introduces errors that show only on disk could not be told, and it was taken back"
		c.step(c.repeat("When what the warnings name is mended, repeat the call; the files are as they were.", nil))
		return nil
	}
	out.NotApplied = "it introduced new errors that show only on disk, and was taken back"
	c.step(contract.NextStep{Kind: contract.StepDoc, Message: "Correct the edit by the new errors, then check it again; the files are as they were."})
	return nil
}

// wasCompared reports whether the errors with the edit written were compared with those before: the call does not say that they
// could not be.
func wasCompared(c *Call) bool {
	return len(c.warningsThat(func(k contract.WarningKind) bool { return k == contract.WarnNotCompared })) == 0
}

// comparedOnDisk takes back what was said of findings that only the disk shows: with the edit written they were compared.
func (c *Call) comparedOnDisk() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.truncated {
		return
	}
	c.warnings = slices.DeleteFunc(c.warnings, seenOnDisk)
	c.claim = contract.Complete
	for _, w := range c.warnings {
		c.lower(w.Kind.Effect())
	}
}

// asFound are the digests of what a plan found.
func asFound(p *edit.Plan) map[string]string {
	out := map[string]string{}
	for i := range p.Files {
		if f := &p.Files[i]; f.BeforeSHA256 != "" {
			out[f.Path] = f.BeforeSHA256
		}
	}
	return out
}

// planTried is the plan that makes the texts that were tried of those on disk, which have to be what they were then.
func (c *Call) planTried(p *editPlan, d *difference) (*edit.Plan, error) {
	var changes []edit.TextChange
	for _, path := range p.paths {
		t := d.texts[path]
		changes = append(changes, edit.TextChange{Path: path, Before: t.before.Content(), After: t.after.Content(), Begins: p.fresh[path]})
	}
	return c.planChanges(changes)
}

// planChanges is the plan of changes, which is about the very texts before.
func (c *Call) planChanges(all []edit.TextChange) (*edit.Plan, error) {
	before := map[string]string{}
	for _, one := range all {
		if !one.Begins && !one.Ends {
			before[one.Path] = one.Before
		}
	}
	return edit.ChangeTexts(lsp.LinesOf, all).Plan(edit.Options{Roots: c.env.editRoots(), Protected: c.env.protected(), Label: c.show, Lines: lsp.LinesOf,
		Seen: func(path, content string, _ *int32) error {
			if text, ok := before[path]; ok && text != content {
				return contract.Errorf(contract.KindFileChanged, contract.Facts{"file_path": path},
					"%s changed meanwhile; nothing was written", c.show(path))
			}
			return nil
		}})
}
