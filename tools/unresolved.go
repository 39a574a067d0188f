package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/contract"
	"lspi/lang"
	"lspi/lsp"
	"lspi/source"
)

// unresolvedLimit bounds the search for the reason of an answer of nothing.
const unresolvedLimit = 5 * time.Second

// maxErrorShown is how much of an error a warning quotes, in code points.
const maxErrorShown = 160

// unresolved looks into an answer of nothing about a name. A server that could not resolve it, because what is imported is
// not there or the code is broken, gives the same nothing as for what has no definition, and no error; that there is none
// must not be said then. A name that the server knows, or one in a file without errors, is believed.
func (c *Call) unresolved(ctx context.Context, s *lsp.Server, at spot) {
	switch spec := s.Spec(); {
	case at.name == "", lang.Reserved(spec.LanguageID(base(at.path)), at.name), !isCodeAt(s, at):
		return // there is nothing to resolve
	case !spec.Roles.Has(lsp.RoleDiagnostics), !spec.Diagnostics.Sure():
		return // nobody can tell
	}
	ctx, cancel := context.WithTimeout(ctx, unresolvedLimit)
	defer cancel()
	if s.Offers(lsp.MethodDefinition) {
		if places, err := s.Locate(ctx, lsp.MethodDefinition, at.path, at.at); err == nil && len(places) > 0 {
			if len(notImports(places)) == 0 {
				c.notFollowed(ctx, s, at, places[0])
			}
			return
		}
	}
	facts := contract.Facts{"name": at.name, "file_path": c.show(at.path)}
	reason, known := c.reason(ctx, s, at, facts)
	var step contract.NextStep
	switch {
	case reason != "":
		step = contract.NextStep{Kind: contract.StepTool, Message: "See what is wrong in the file.", Tool: "get_diagnostics",
			Arguments: map[string]any{"file_path": c.show(at.path)}}
	case !known:
		reason = "it did not tell in time whether errors in " + c.show(at.path) + " are the reason"
		step = c.repeat("Repeat the call; the server goes on working meanwhile.", nil)
	default:
		openMember(ctx, c, s, at)
		return
	}
	c.warn(contract.WarnUnresolved, facts, fmt.Sprintf(
		"%s gives no definition of %s, and %s: what it could not resolve is missing here", s.ID(), at.name, reason))
	c.step(step)
}

// isCodeAt reports whether a place is not in a comment or a text, as far as its line tells.
func isCodeAt(s *lsp.Server, at spot) bool {
	text, err := s.Text(at.path)
	if err != nil {
		return true
	}
	offset, err := text.Offset(at.at)
	line := text.Line(at.at.Line)
	from, _, ok := source.WordAround(line, offset-text.LineStart(at.at.Line))
	return err != nil || !ok || len(lang.InCode(at.path, line, []int{from})) > 0
}

// reason is why a name may be unresolved, by the diagnostics of its file; "" when they give none. known is false when the
// server did not tell them all. Facts are added.
func (c *Call) reason(ctx context.Context, s *lsp.Server, at spot, facts contract.Facts) (reason string, known bool) {
	d, err := s.Diagnose(ctx, []string{at.path})
	if err != nil {
		return "", false
	}
	var errors []lsp.Finding
	known = d.Check == nil && len(d.Silent) == 0
	for _, r := range d.Reports {
		if r.Path != at.path {
			continue
		}
		for _, f := range r.Findings {
			switch {
			case f.Severity == "error":
				errors = append(errors, f)
			case slices.Contains(f.Tags, "unnecessary") && f.Range.Contains(at.at):
				return fmt.Sprintf("line %d lies in code that is not built (%s)", at.at.Line, quoted(f)), known
			}
		}
	}
	if slices.ContainsFunc(d.Inactive(at.path), func(r contract.Range) bool { return r.Start.Line <= at.at.Line && at.at.Line <= r.End.Line }) {
		return fmt.Sprintf("line %d lies in code that is not built", at.at.Line), known
	}
	if len(errors) > 0 {
		first := errors[0]
		facts["errors"], facts["line"] = len(errors), first.Range.Start.Line
		reason = fmt.Sprintf("%s has errors (%d, the first in line %d: %s)", c.show(at.path), len(errors), first.Range.Start.Line, quoted(first))
	}
	return reason, known
}

// quoted is the first line of what a diagnostic says.
func quoted(f lsp.Finding) string {
	first, _, _ := strings.Cut(f.Message, "\n")
	return cutText(first, maxErrorShown)
}
