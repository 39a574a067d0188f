package ask

import (
	"context"
	"fmt"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
	"lspi/tools/loaded"
)

// notInBuild explains a refusal, or a symbol that was not found where its name stands, by a file that
// is no part of what the server loads. It returns that error, or err where this is not the cause. The
// fact occurrences says how often the name stands in the file: a name that does not stand there has no
// such cause.
func notInBuild(ctx context.Context, c *answer.Call, path string, o outcome, err error) error {
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
	ctx, cancel := context.WithTimeout(ctx, loaded.ExclusionTime(ctx))
	defer cancel()
	u := lsp.ExclusionOf(ctx, o.Server.Server, path, e.Message)
	if u == nil {
		return err
	}
	facts := contract.Facts{"server_id": o.Server.ID(), "file_path": c.Show(path)}
	if len(u.Tags) > 0 {
		facts["tags"] = u.Tags
	}
	StepToInclude(c, o.Server.ID(), u)
	return contract.Errorf(contract.KindNotInBuild, facts, "%s cannot answer about %s: %s", o.Server.ID(),
		c.Show(path), u.Why)
}

// StepToInclude adds the step that gets a file loaded, where one is known.
func StepToInclude(c *answer.Call, serverID string, u *lsp.Exclusion) {
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
