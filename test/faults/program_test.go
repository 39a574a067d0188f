//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

const groupProgram = "A server's program is of no use"

// uselessProgram is a program that does not become a server.
type uselessProgram struct {
	*fault
	text   string // of the script; "" is no file
	mode   os.FileMode
	reason string // what the call says
	words  string // what its text has
}

func useless(name, text string, mode os.FileMode, reason, words string) uselessProgram {
	return uselessProgram{&fault{group: groupProgram, name: name, servers: everyServer}, text, mode, reason, words}
}

var uselessPrograms = []uselessProgram{
	useless("it is not there", "", 0, "server_not_installed", "not found"),
	useless("it is not executable", "#!/bin/sh\n", 0o644, "server_not_installed", "not found"),
	useless("it exits at once", "#!/bin/sh\necho "+lastWords+" >&2\nexit 3\n", 0o755, "server_start_failed", lastWords),
	useless("it prints garbage and answers nothing",
		"#!/bin/sh\nyes 'Welcome! Content-Length: many' | head -c 1000000\ncat >/dev/null\n", 0o755,
		"server_start_failed", "initialize"),
}

// startTime is how long a server may take to shake hands in these cells.
const startTime = 2 * time.Second

// For a program that does not become a server the call soon returns an error that says why and what to do.
func TestUselessPrograms(t *testing.T) {
	t.Parallel()
	for _, u := range uselessPrograms {
		t.Run(u.name, func(t *testing.T) {
			eachAtOnce(t, u.fault, func(c *cell, p *project) {
				marker := "LSPI_FAULTS_PROGRAM=" + c.Name()
				program := filepath.Join(testkit.TempDir(c), "server")
				if u.text != "" {
					write(c, program, u.text, u.mode)
				}
				s := p.open(c, options{spec: func(s *spec.Spec) {
					s.Commands = []spec.Command{{Name: program}}
					s.Timeouts.Initialize = startTime
					s.Env = map[string]string{"LSPI_FAULTS_PROGRAM": c.Name()}
				}})
				c.again()
				a := s.ask()
				c.measured()
				c.says("%s", a.shape())
				if a.OK || a.Reason() != u.reason || len(a.NextSteps) == 0 {
					c.breaks("%s: %s", a.shape(), a.raw)
				}
				c.mentions(a, u.words)
				c.inTime(a, startTime)
				if rest := left(marked(marker), endTime+endSlack); len(rest) > 0 {
					c.breaks("left: %v", rest)
				}
			})
		})
	}
}
