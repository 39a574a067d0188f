package tools

import (
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
)

// offerChange ends a preview with the step that applies it; or, where something is known to be missing from the change,
// with how to go on instead.
func (c *Call) offerChange(ch *proposed, out *changeOut) {
	lacks := c.lackingFiles()
	if ch.renamed != nil {
		lacks = c.lackingUses()
	}
	var kinds []string
	for _, w := range append(lacks, c.warningsThat(func(k contract.WarningKind) bool { return k == contract.WarnCompilerOnly })...) {
		if !slices.Contains(kinds, string(w.Kind)) {
			kinds = append(kinds, string(w.Kind))
		}
	}
	if len(kinds) == 0 {
		c.offer(c.applyStep(out))
		return
	}
	if slices.Contains(kinds, string(contract.WarnRestricted)) { // nobody can tell which uses that are
		c.step(askUserStep())
	}
	message := fmt.Sprintf("There is no step to apply this change, because it may miss uses (%s). ", strings.Join(kinds, ", "))
	if c.hasSteps() {
		message += "Take the other steps first, then preview again."
	} else {
		message += "If you also change these uses yourself, apply it with dry_run false and, as expected_before_sha256, the " +
			"before_sha256 of every file."
	}
	c.step(contract.NextStep{Kind: contract.StepDoc, Message: message})
}

// lackingFiles are the warnings by which a server may not know all files yet.
func (c *Call) lackingFiles() []contract.Warning {
	return c.warningsThat(func(k contract.WarningKind) bool {
		return slices.Contains(notAllFiles, k) || k == contract.WarnSyncIncomplete || k == contract.WarnProjectBroken ||
			k == contract.WarnNotCompiled
	})
}

// lackingUses are the warnings by which uses of a symbol may be missing from its rename.
func (c *Call) lackingUses() []contract.Warning {
	return c.warningsThat(func(k contract.WarningKind) bool {
		return k.Effect() == contract.Partial && k != contract.WarnTruncated
	})
}

// refuseLacking refuses to apply the edit of a server that may not know all files yet, or all uses of what is renamed because it
// runs no code of the workspace: what it left out would stay as it was.
func (c *Call) refuseLacking(ch *proposed) error {
	restricted := c.warningsThat(func(k contract.WarningKind) bool { return k == contract.WarnRestricted })
	if ch.renamed != nil && len(restricted) > 0 {
		return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": notTrusted, "server_id": ch.server()},
			"nothing was applied, because the edit may leave uses: %s", restricted[0].Message)
	}
	lacks := c.lackingFiles()
	for _, w := range lacks {
		switch w.Kind {
		case contract.WarnLoadFailed:
			return contract.Errorf(contract.KindLoadFailed, w.Facts, "nothing was applied, because the edit would lack files: %s", w.Message)
		case contract.WarnNotCompiled:
			return contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "not_compiled", "server_id": ch.server(), "files": w.Facts["files"]},
				"nothing was applied, because the edit may leave uses: %s", w.Message)
		case contract.WarnUnreadableFiles:
			return contract.Errorf(contract.KindFileUnreadable, w.Facts, "nothing was applied, because the edit may lack files: %s", w.Message)
		}
	}
	if len(lacks) > 0 {
		return contract.Errorf(contract.KindStillIndexing, contract.Facts{"server_id": ch.server()},
			"nothing was applied, because the edit may lack files: %s", lacks[0].Message)
	}
	return nil
}
