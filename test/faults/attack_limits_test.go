//go:build linux

package faults

import (
	"strings"
	"time"

	"lspi/lsp/lsptest"
)

// A server takes time or memory without end.

var _ = add(attack{
	point: "C15", name: "a server announces more bytes than it sends, at every question",
	never:  "a call that waits for its whole limit, or an answer that looks final",
	answer: "`server_crashed` after some 5 s for each process that is tried, with what was announced and what came",
	try: func(a *attempt) {
		a.file("a.w", "def Greet\n")
		s := a.scripted(options{}, lsptest.Rule{Method: "textDocument/hover",
			Actions: []lsptest.Action{lengthy(1000, noReferences), hang}})
		x := s.call("hover", map[string]any{"file_path": "a.w", "line": 1, "character": 5})
		if x.took > 25*time.Second || x.Reason() != "server_crashed" ||
			!strings.Contains(x.Error.Message, "announced with 1000") {
			a.worked("after %v: %.1000s", x.took, x.raw)
		}
	},
})
