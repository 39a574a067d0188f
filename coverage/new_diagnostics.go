package coverage

import (
	"context"
	"fmt"
	"strings"

	"lspi/answer"
	"lspi/contract"
	"lspi/lsp"
)

// NewDiagnostics tells once, in an answer about anything, what errors a server has found that get_diagnostics did not wait for.
func NewDiagnostics(ctx context.Context, c *answer.Call, s *lsp.Server) {
	rest := c.Session.Errors.Awaited(s)
	if rest == nil {
		return
	}
	all, over, current := rest.Errors(ctx)
	if !over {
		return
	}
	if !current {
		c.Session.Errors.Await(s, nil)
		return
	}
	found := c.Session.Errors.Fresh(s, rest, all)
	key := fmt.Sprintf("new_diagnostics %p", rest)
	if len(found) == 0 || !answer.FirstTold(c, key) {
		return
	}
	total, paths := 0, []string{}
	for _, r := range found {
		total, paths = total+len(r.Findings), append(paths, r.Path)
	}
	first, files := found[0].Findings[0], c.ShowSome(paths)
	line, _, _ := strings.Cut(first.Message, "\n")
	message := fmt.Sprintf("%s has meanwhile found %s in %s, new or not shown yet; the first at %s:%d: %s", s.ID(), answer.Counted(total, "error"),
		answer.Counted(len(paths), "file"), c.Show(found[0].Path), first.Range.Start.Line, answer.CutText(line, 200))
	c.Warn(contract.WarnNewDiagnostics, contract.Facts{"server_id": s.ID(), "total": total, "files": files}, message)
	c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "See these errors.",
		Arguments: map[string]any{"file_paths": files, "severities": []string{"error"}}})
	answer.Tells(c, key, string(contract.WarnNewDiagnostics), message)
}
