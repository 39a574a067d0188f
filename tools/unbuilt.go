package tools

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/lsp"
)

// unbuilt warns of files that were asked about, and that the server does not check: none of their diagnostics says nothing.
func (c *Call) unbuilt(spec *lsp.Spec, files []lsp.Unbuilt) {
	type reason struct{ why, have string }
	var order []reason
	by := map[reason][]lsp.Unbuilt{}
	for _, u := range files {
		r := reason{u.Why, u.Have}
		if by[r] == nil {
			order = append(order, r)
		}
		by[r] = append(by[r], u)
	}
	for _, r := range order {
		same := by[r]
		facts := contract.Facts{"total": len(same)}
		if len(same[0].Tags) > 0 {
			facts["tags"] = same[0].Tags
		}
		var shown []string
		for _, u := range same[:min(len(same), maxLeftOutShown)] {
			shown = append(shown, c.show(u.Path))
		}
		facts["files"] = shown
		what := shown[0]
		if len(same) > 1 {
			what = fmt.Sprintf("%d files, among them %s", len(same), shown[0])
		}
		c.warn(contract.WarnUnlistedSources, facts, fmt.Sprintf("%s does not check %s: %s", spec.ID, what, same[0].Why))
		c.haveBuilt(spec.ID, &same[0])
	}
}

// unchecked warns of sources that a look at the whole workspace left out.
func (c *Call) unchecked(spec *lsp.Spec, d *lsp.Diagnosis) {
	if d.Unknown {
		c.warn(contract.WarnUnlistedSources, contract.Facts{"server_id": spec.ID},
			spec.ID+" does not check every source file, and which it leaves out could not be found out in time")
	}
	if len(d.LeftOut) == 0 {
		return
	}
	var shown []string
	for _, f := range d.LeftOut[:min(len(d.LeftOut), maxLeftOutShown)] {
		shown = append(shown, c.show(f))
	}
	c.warn(contract.WarnUnlistedSources, contract.Facts{"total": len(d.LeftOut), "files": shown}, fmt.Sprintf(
		"%s did not check %s, because %s", spec.ID, counted(len(d.LeftOut), "source file"), spec.Build.Why))
	c.step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Arguments: map[string]any{"file_paths": shown},
		Message: "Ask about files that were left out by name: " + spec.ID + " checks those of other systems then, and of the others the answer says what they need."})
}

// haveBuilt is the step that has a file loaded, where one is known.
func (c *Call) haveBuilt(serverID string, u *lsp.Unbuilt) {
	switch {
	case u.Have == "":
	case u.Config:
		c.step(contract.NextStep{Kind: contract.StepConfig,
			Message: fmt.Sprintf("To have it built, write %s into the [[servers]] entry with id = %q of your own configuration, and restart lspi.", u.Have, serverID)})
	default:
		c.step(contract.NextStep{Kind: contract.StepDoc, Message: u.Have})
	}
}

// notInBuild says that a server refuses a question, or finds no symbol where the name stands, because the file is no part of
// what it loads.
func (c *Call) notInBuild(ctx context.Context, path string, o outcome, err error) error {
	if err == nil || o.server == nil || path == "" || ctx.Err() != nil {
		return err
	}
	e := asError(err)
	refused, _ := e.Facts["refused"].(bool)
	stands, _ := e.Facts["occurrences"].(int)
	if e.Kind != contract.KindRequestFailed || !refused {
		if e.Kind != contract.KindSymbolNotFound || stands == 0 {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, leftOutLimit)
	defer cancel()
	u := o.server.Unbuilt(ctx, path)
	if u == nil {
		return err
	}
	facts := contract.Facts{"server_id": o.server.ID(), "file_path": c.show(path)}
	if len(u.Tags) > 0 {
		facts["tags"] = u.Tags
	}
	c.haveBuilt(o.server.ID(), u)
	return contract.Errorf(contract.KindNotInBuild, facts, "%s cannot answer about %s: %s", o.server.ID(), c.show(path), u.Why)
}
