package lsptest

import (
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Main plays a server as an executable: `fakels script.json [anything]`. It returns the exit code: that of the
// script, or 2 when there is no script to play.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) < 1 {
		fmt.Fprintln(stderr, "usage: fakels script.json")
		return 2
	}
	script, err := Load(args[0])
	if err != nil {
		fmt.Fprintln(stderr, "fakels:", err)
		return 2
	}
	file, run, err := openEvents(script.EventsFile)
	if err != nil {
		fmt.Fprintln(stderr, "fakels:", err)
		return 2
	}
	defer file.Close()
	if script.IgnoreTerm {
		ignoreTerm()
		defer signal.Reset()
	}
	s := newServer(script, run, &process{stdin, stdout}, stdin, stdout, stderr)
	s.record.file = file
	cwd, _ := os.Getwd()
	s.record.add(Event{Kind: EventStart, Run: run, PID: os.Getpid(), Args: args[1:], Cwd: cwd})
	go s.serve()
	// Not s.done: the loop may be in a read of stdin, which only the end of the process ends.
	<-s.ctx.Done()
	return s.exit.Code
}

// openEvents opens the events file and counts the runs in it. Without a path there is no file.
func openEvents(path string) (*os.File, int, error) {
	if path == "" {
		return nil, 1, nil
	}
	before, err := ReadEvents(path)
	if err != nil {
		return nil, 0, fmt.Errorf("reading earlier events: %w", err)
	}
	run := 1
	for _, e := range before {
		if e.Kind == EventStart {
			run++
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return f, run, err
}

// process is the host of a server that is a process.
type process struct {
	stdin  io.Reader
	stdout io.Writer
}

func (p *process) kill(signal string) error   { return killSelf(signal) }
func (p *process) spawn(c Child) (int, error) { return spawnChild(c, p.stdout) }
func (p *process) closeStdin() error          { return closeIt(p.stdin) }
func (p *process) closeStdout() error         { return closeIt(p.stdout) }

func closeIt(v any) error {
	if c, ok := v.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
