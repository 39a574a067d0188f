//go:build linux

package faults

import (
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

var _ = add(attack{
	point:  "C13",
	name:   "a project drives its server, or a program that this runs, to take more and more memory while it is asked",
	never:  "more than `limits.max_server_memory_mb` for longer than seconds, or a server that is started again and again",
	answer: "the server is ended, started again once, and after the second end the call and those of the next minutes get `memory_limit` with what to do",
	try: func(a *attempt) {
		a.file("a.w", "def Greet\n")
		s := a.scripted(options{memory: 150 << 20, spec: func(s *spec.Spec) {
			play := s.Commands[0]
			// What grows is a child in the server's process group, as go list is of gopls; the shell's limit saves
			// the machine, and the next child grows where that has ended one between two looks.
			s.Commands = []spec.Command{{Name: "/bin/sh", Args: append([]string{"-c",
				`(ulimit -v 1500000; while :; do tail -f -n 999999999 /dev/zero 2>/dev/null; done) & exec "$0" "$@"`,
				play.Name}, play.Args...)}}
		}}, lsptest.Rule{Method: "textDocument/references", Actions: []lsptest.Action{{Hang: true}}})
		at := map[string]any{"file_path": "a.w", "symbol_name": "Greet"}
		for _, call := range []string{"while it grows", "after that"} {
			if x := s.call("find_references", at); x.Reason() != "memory_limit" || len(x.NextSteps) == 0 {
				a.worked("%s: %.800s", call, x.raw)
			}
		}
	},
})
