package tools

import (
	"context"
	"fmt"
	"regexp"

	"lspi/contract"
	"lspi/lsp"
)

// unknownType says that a signature shows a type which the server does not know ([lsp.UnknownType]), with the reason: code that is
// not run in this workspace, or errors in the file.
func unknownType(ctx context.Context, c *Call, s *lsp.Server, at spot, signature string) {
	rule := s.Spec().UnknownType
	if rule.Said == "" {
		return
	}
	said := regexp.MustCompile(rule.Said).FindString(signature)
	if said == "" {
		return
	}
	if runs := lsp.Withheld(s, lsp.MethodReferences); len(runs) > 0 {
		c.notRun(s, runs)
		return
	}
	facts := contract.Facts{"name": at.name, "file_path": c.show(at.path)}
	message := fmt.Sprintf("%s shows %s: it does not know that type", s.ID(), said)
	ctx, cancel := context.WithTimeout(ctx, unresolvedLimit)
	defer cancel()
	switch cause, known := errorThat(ctx, s, at.path, rule.Error); {
	case cause != nil:
		facts["line"] = cause.Range.Start.Line
		c.warn(contract.WarnUnresolved, facts, fmt.Sprintf("%s (line %d of %s: %s)", message, cause.Range.Start.Line, c.show(at.path), quoted(*cause)))
		c.step(diagnosticsStep(c.show(at.path)))
	case rule.Gradual && known: // the source gives it no type
	default:
		c.warn(contract.WarnUnresolved, facts, message)
	}
}

// errorThat is the first error of a file whose message matches a pattern; known is false when the server did not tell them all.
func errorThat(ctx context.Context, s *lsp.Server, path, pattern string) (first *lsp.Finding, known bool) {
	d, err := s.Diagnose(ctx, []string{path})
	if err != nil {
		return nil, false
	}
	said := regexp.MustCompile(pattern)
	for _, r := range d.Reports {
		for _, f := range r.Findings {
			if r.Path == path && f.Severity == "error" && said.MatchString(f.Message) {
				return &f, true
			}
		}
	}
	return nil, len(d.Silent) == 0
}
