package ask

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/router"
	"lspi/tools/answer"
)

// A server that could not load its project mostly goes on with the files that are open, and answers as if those were
// all. The reason (the output of a build tool) may be long, so it is told in full once for each process.

// The bounds of a reason in an answer, in code points: in full the first time that a server process gives it, short
// after that.
const (
	maxReason      = 900
	maxReasonShort = 120
)

// noLoad are the requests that one file alone answers, whatever became of its project, unless the
// server refuses them.
var noLoad = []string{lsp.MethodDocumentSymbol}

// loadFailed warns that the server could not load the project, so that the answer is partial. A
// question that the server refused gets an error with the reason of the load in place of err; errors
// that a load cannot explain (a wrong argument, a time limit) stay as they are.
func loadFailed(ctx context.Context, c *answer.Call, r router.Route, method string, o outcome, err error) error {
	s := o.Server
	if s == nil || ctx.Err() != nil || err == nil && slices.Contains(noLoad, method) &&
		!s.Spec().Readiness.Loads.Outlines {
		return err
	}
	refused := err != nil && (answer.AsError(err).Kind == contract.KindRequestFailed ||
		answer.AsError(err).Kind == contract.KindStillIndexing)
	if err != nil && !refused && !notFound(err) || saidBroken(c) {
		return err
	}
	f, failed := s.Health().LoadFailed(ctx, r.Root)
	// By now the project may be loaded. The answer was given before, so the state at that time counts, too.
	if !failed {
		if f, failed = o.earlierFailure(), o.earlierFailure().Reason != ""; !failed {
			return err
		}
	}
	// Another reason of the same process is told in full again.
	key := fmt.Sprint("load of ", s.State().PID, ": ", f.Reason)
	first := answer.NotYetTold(c, key)
	reason := ShortReason(f.Reason, first)
	facts := contract.Facts{"server_id": s.ID(), "reason": reason}
	message := fmt.Sprintf("%s could not load the project, so files are missing here: %s", s.ID(), reason)
	if refused {
		answer.WillTell(c, key, string(contract.KindLoadFailed), "")
		cures(c, s, r.Root, f, first)
		return contract.Errorf(contract.KindLoadFailed, facts,
			"%s cannot answer, because it could not load the project: %s", s.ID(), reason)
	}
	answer.WillTell(c, key, string(contract.WarnLoadFailed), message)
	c.Warn(contract.WarnLoadFailed, facts, message)
	cures(c, s, r.Root, f, first)
	return err
}

// WarnLoadFailed warns that the server could not load a further root of an answer.
func WarnLoadFailed(ctx context.Context, c *answer.Call, s *lsp.Snapshot, root string) {
	// Without an error to explain there is none to give back.
	_ = loadFailed(ctx, c, router.Route{Root: root}, "", outcome{Server: s}, nil)
}

// saidBroken reports whether the answer already says which file of the project the server cannot read.
func saidBroken(c *answer.Call) bool { return c.HasWarned(contract.WarnProjectBroken) }

// ShortReason returns a reason in one line; with full, all that is known of it.
func ShortReason(reason string, full bool) string {
	if !full {
		first, _, _ := strings.Cut(reason, "\n")
		return answer.CutText(first, maxReasonShort)
	}
	return answer.CutText(lsp.WithoutExcerpt(reason), maxReason)
}

// cures adds the steps that mend a load, to the first answer alone that tells of it: a host needs them
// once.
func cures(c *answer.Call, s *lsp.Snapshot, root string, f lsp.LoadFailure, first bool) {
	if !first {
		return
	}
	for _, cure := range f.Cures {
		switch {
		case cure.Command != "":
			c.Step(contract.NextStep{Kind: contract.StepCommand, Command: cure.Command, Message: cure.Have +
				" Run it in " + c.Folder(root) + "."})
		case cure.Config:
			c.Step(contract.NextStep{Kind: contract.StepConfig, Message: fmt.Sprintf(
				"%s Variables for %s alone go into env = { … } of its [[servers]] entry in your own configuration of lspi.", cure.Have, s.ID())})
		default:
			c.Step(contract.NextStep{Kind: contract.StepDoc, Message: cure.Have})
		}
	}
	// The configuration may refuse this tool; a step that would be refused is not offered.
	step := contract.NextStep{Kind: contract.StepTool, Tool: "restart_server",
		Arguments: map[string]any{"server_id": s.ID()},
		Message:   "If you fixed the cause outside the project's files, restart the server."}
	if !c.Refuses(step) {
		c.Step(step)
	}
}

// NotAllFiles are the kinds of warnings that say that a server does not know all files of the project,
// or may not.
var NotAllFiles = []contract.WarningKind{contract.WarnLoadFailed, contract.WarnUnreadableFiles, contract.WarnIndexing,
	contract.WarnNotOpened}
