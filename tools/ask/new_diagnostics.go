package ask

import (
	"context"
	"fmt"
	"strings"

	"lspi/contract"
	"lspi/lsp"
	"lspi/tools/answer"
)

// newDiagnostics tells once, in an answer about anything, which errors a server has found since a
// get_diagnostics that did not wait for them, or that the server did not finish.
func newDiagnostics(ctx context.Context, c *answer.Call, s *lsp.Server) {
	rest, id := c.Session.Errors.Awaited(s)
	if rest == nil {
		return
	}
	switch all, state, left := rest.Errors(ctx); state {
	case lsp.RestOver:
		newErrors(c, s, rest, id, all)
	case lsp.RestUnfinished:
		unfinished(c, s, rest, id, left)
	case lsp.RestOutdated:
		c.Session.Errors.Await(s, nil)
	}
}

// unfinished warns that a stage of earlier diagnostics has ended without a result.
func unfinished(c *answer.Call, s *lsp.Server, rest *lsp.Rest, id int, left string) {
	key := fmt.Sprintf("diagnostics_unfinished %d", id)
	if !answer.NotYetTold(c, key) {
		return
	}
	about, arguments := "the workspace", map[string]any{"wait": "all"}
	some := c.ShowSome(rest.Paths)
	if len(some) > 0 {
		files := []string{}
		for _, path := range rest.Paths {
			files = append(files, c.Show(path))
		}
		about, arguments["file_paths"] = strings.Join(some, ", "), files
	}
	message := fmt.Sprintf("%s did not finish what get_diagnostics of %s left pending: %s", s.ID(), about, left)
	c.Warn(contract.WarnDiagnosticsUnfinished, contract.Facts{"server_id": s.ID(), "files": some, "reason": left},
		message)
	c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "Wait for what was pending.",
		Arguments: arguments})
	answer.WillTell(c, key, string(contract.WarnDiagnosticsUnfinished), message)
}

// newErrors warns of the errors that no answer has shown.
func newErrors(c *answer.Call, s *lsp.Server, rest *lsp.Rest, id int, all []lsp.Report) {
	found := c.Session.Errors.Fresh(s, rest, all)
	key := fmt.Sprintf("new_diagnostics %d", id)
	if len(found) == 0 || !answer.NotYetTold(c, key) {
		return
	}
	total, paths := 0, []string{}
	for _, r := range found {
		total, paths = total+len(r.Findings), append(paths, r.Path)
	}
	first, files := found[0].Findings[0], c.ShowSome(paths)
	line, _, _ := strings.Cut(first.Message, "\n")
	message := fmt.Sprintf("%s has meanwhile found %s in %s, new or not shown yet; the first at %s:%d: %s", s.ID(),
		answer.Counted(total, "error"),
		answer.Counted(len(paths), "file"), c.Show(found[0].Path), first.Range.Start.Line, answer.CutText(line, 200))
	c.Warn(contract.WarnNewDiagnostics, contract.Facts{"server_id": s.ID(), "total": total, "files": files}, message)
	c.Step(contract.NextStep{Kind: contract.StepTool, Tool: "get_diagnostics", Message: "See these errors.",
		Arguments: map[string]any{"file_paths": files, "severities": []string{"error"}}})
	answer.WillTell(c, key, string(contract.WarnNewDiagnostics), message)
}
