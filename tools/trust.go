package tools

import (
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// withheldBy returns what a server does not run because the workspace is not trusted: nothing in a
// trusted workspace, and for a server that runs no code of it. Of a server that is not started at all
// for this reason it says so.
func withheldBy(spec *spec.Spec) (out []string) {
	if len(spec.Untrusted) == 0 || spec.Code == nil {
		return nil
	}
	if off := spec.Off(); off != "" {
		return []string{"not started: " + off}
	}
	for _, r := range spec.Code.Runs {
		out = append(out, r.What)
	}
	return out
}

// trust writes the line about whether code of the workspace runs; nothing when that is not known.
func trust(s *answer.Sheet, t *session.Trust) {
	switch {
	case t == nil:
	case t.Trusted:
		s.Line(0, "the workspace is trusted, so its code may run: %s", t.Why)
	default:
		s.Line(0, "the workspace is not trusted (%s), so servers run none of its code", t.Why)
	}
}
