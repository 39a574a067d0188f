package audit

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
)

// Exclusions warns of files that were asked about and that the server does not check: no report about
// them proves nothing. Files with the same reason and remedy share one warning; the order is that of
// the files.
func Exclusions(c *answer.Call, spec *spec.Spec, files []lsp.Exclusion) {
	type reason struct{ why, remedy string }
	var order []reason
	by := map[reason][]lsp.Exclusion{}
	for _, u := range files {
		r := reason{u.Why, u.Remedy}
		if by[r] == nil {
			order = append(order, r)
		}
		by[r] = append(by[r], u)
	}
	for _, r := range order {
		same := by[r]
		facts := contract.Facts{}
		if len(same[0].Tags) > 0 {
			facts["tags"] = same[0].Tags
		}
		var found []lsp.Uncovered
		for _, u := range same {
			found = append(found, lsp.Uncovered{Path: u.Path, Reason: lsp.OutsideBuild})
		}
		what := Show(c, found[0])
		if len(same) > 1 {
			what = fmt.Sprintf("%d files, among them %s", len(same), what)
		}
		Warn(c, facts, found, fmt.Sprintf("%s does not check %s: %s", spec.ID, what, same[0].Why))
		stepToInclude(c, spec.ID, &same[0])
	}
}

// Unchecked warns of sources that diagnostics of the whole workspace left out.
func Unchecked(c *answer.Call, spec *spec.Spec, d *lsp.Diagnosis) {
	// Which sources are left out may be unknown, and some of them known all the same; each has its warning.
	if d.Unknown {
		c.Warn(contract.WarnUnlistedSources, contract.Facts{"server_id": spec.ID},
			spec.ID+" does not check every source file, and lspi could not find out in time which ones it leaves out")
	}
	if len(d.Unchecked) == 0 {
		return
	}
	facts := contract.Facts{}
	Warn(c, facts, lsp.Because(lsp.OutsideBuild, d.Unchecked, true), fmt.Sprintf(
		"%s did not check %s, because %s", spec.ID, answer.Counted(len(d.Unchecked), "source file"), spec.Build.Why))
	c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics",
		Arguments: map[string]any{"file_paths": facts["files"]},
		Message: "Ask about these files by name: " + spec.ID +
			" then checks those of other systems; for the others the answer says what they need."})
}

// stepToInclude adds the step that gets a file loaded, where one is known.
func stepToInclude(c *answer.Call, serverID string, u *lsp.Exclusion) {
	switch {
	case u.Remedy == "":
	case u.Config:
		c.Step(contract.NextStep{Kind: contract.StepConfig,
			Message: fmt.Sprintf(
				"To include it in the build, write %s into the [[servers]] entry with id = %q of your own configuration, and restart lspi.", u.Remedy, serverID)})
	default:
		c.Step(contract.NextStep{Kind: contract.StepDoc, Message: u.Remedy})
	}
}

// NotInBuild explains a refusal, or a symbol that was not found where its name stands, by a file that
// is no part of what the server loads. It returns that error, or err where this is not the cause. The
// fact occurrences says how often the name stands in the file: a name that does not stand there has no
// such cause.
func NotInBuild(ctx context.Context, c *answer.Call, path string, o Outcome, err error) error {
	if err == nil || o.Server == nil || path == "" || ctx.Err() != nil {
		return err
	}
	e := answer.AsError(err)
	refused, _ := e.Facts["refused"].(bool)
	stands, _ := e.Facts["occurrences"].(int)
	if e.Kind != contract.KindRequestFailed || !refused {
		if e.Kind != contract.KindSymbolNotFound || stands == 0 {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, ExclusionTime(ctx))
	defer cancel()
	u := lsp.ExclusionOf(ctx, o.Server.Server, path)
	if u == nil {
		return err
	}
	facts := contract.Facts{"server_id": o.Server.ID(), "file_path": c.Show(path)}
	if len(u.Tags) > 0 {
		facts["tags"] = u.Tags
	}
	stepToInclude(c, o.Server.ID(), u)
	return contract.Errorf(contract.KindNotInBuild, facts, "%s cannot answer about %s: %s", o.Server.ID(),
		c.Show(path), u.Why)
}
