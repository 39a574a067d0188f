package tools

import (
	"lspi/tools/answer"
	"lspi/tools/diagnostics"
	"lspi/tools/session"
)

// getDiagnostics is in package diagnostics, which check_edit and the edits use as well.
var getDiagnostics = alwaysLoaded(diagnosing(define("get_diagnostics", answer.Navigation, diagnostics.Run)))

// HookCall returns the call as which a hook asks servers: that of get_diagnostics, whose answer nobody sees as such.
func HookCall(s *session.Session) *answer.Call {
	c := answer.NewCall(s, known{}, answer.Request{Tool: "get_diagnostics"})
	c.Tool = getDiagnostics
	c.ClaimComplete()
	return c
}
