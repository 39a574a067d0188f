package tools

import (
	"lspi/tools/answer"
	"lspi/tools/session"
)

// HookCall returns the call as which a hook asks servers: that of get_diagnostics, whose answer nobody sees as such.
func HookCall(s *session.Session) *answer.Call {
	c := answer.NewCall(s, known{}, answer.Request{Tool: getDiagnostics.Name})
	c.Tool = getDiagnostics
	c.ClaimComplete()
	return c
}
