package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/doctor"
	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/share"
	"lspi/contract"
	"lspi/workspace"
)

func newDoctorCommand() *cobra.Command {
	var f sessionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that the language servers of a workspace work, and say what is missing",
		Long: "doctor reads the configuration, finds the languages of the workspace, starts the server of each, asks it a real\n" +
			"question and ends it again; where a shared process runs (lspi daemon), it asks the servers of that one, which stay. For\n" +
			"what is missing it names the command that installs it.\n\n" +
			"A server is needed for each programming language with files in the workspace; for data, markup and scripts around\n" +
			"the code a missing server is only a note.\n\n" +
			"Exit status: 0 when all that the workspace needs works, 1 when not, 2 when the command line is wrong.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return examine(cmd, &f, asJSON) },
	}
	f.addCommon(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "the report as JSON")
	return cmd
}

// examine has the shared process run the checks, which has warm servers, when there is one; else it runs them itself and ends every server.
func examine(cmd *cobra.Command, f *sessionFlags, asJSON bool) error {
	end := watchSignals()
	if f.LogLevel == "" {
		f.LogLevel = "error" // the warnings of a start are in the report
	}
	s := newSession(f, cmd.ErrOrStderr())
	c, err := s.load(nil)
	if err != nil {
		return &usageError{err: err}
	}
	out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
	progress := doctorProgress(errs)
	r := s.sharedReport(end.ctx, f, c, progress.say)
	if r == nil {
		if r, err = s.report(end.ctx, c, progress.say); err != nil {
			return err
		}
	}
	progress.clear()
	if end.ctx.Err() != nil {
		return end.code()
	}
	if asJSON {
		err = printJSON(out, r)
	} else {
		err = r.Text(out, colourful(out))
	}
	if err != nil {
		return fmt.Errorf("printing the report: %w", err)
	}
	return failedUnless(r.OK)
}

// report runs the checks with the servers of this process.
func (s *session) report(ctx context.Context, c *config.Config, progress func(string)) (*doctor.Report, error) {
	w, err := s.openWorkspace(c)
	if err != nil {
		return nil, err
	}
	session := &workspace.Session{Workspace: w}
	defer session.Close()
	shared := s.process.Sharing.Shared
	same := *c
	same.Specs, same.Withheld = w.Table.Specs, w.Table.Withheld // of the session that opened it first; the key says that they are equal
	o := doctor.Options{
		Config: &same, From: s.chosenBy(c), Version: s.process.Version, Machine: doctor.ThisMachine(s.options.Environ, untrusted(c)), Files: s.process.Files,
		Probe: doctor.Live{Table: w.Table, Files: s.process.Files, Pool: w.Pool, Keep: shared}, Progress: progress,
	}
	if c.MCP.Share != "off" {
		o.Sharing = sharingChecks
	}
	return doctor.Examine(ctx, o), nil
}

// commandDoctor has the shared process run the checks; its answer is a [doctor.Report].
const commandDoctor = "doctor"

// doctorLimit is how long the shared process may take for them.
const doctorLimit = 3 * time.Minute

// sharedReport is the report of the shared process; nil when there is none, or it does not answer.
func (s *session) sharedReport(ctx context.Context, f *sessionFlags, c *config.Config, progress func(string)) *doctor.Report {
	if c.MCP.Share == "off" {
		return nil
	}
	place, err := thisPlace()
	if err != nil {
		return nil
	}
	h, err := s.hello(f)
	if err != nil {
		return nil
	}
	if alive, err := asksPing(ctx, place); !alive || err != nil {
		return nil
	}
	progress("asking the shared process")
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	h.Command = commandDoctor
	var r doctor.Report
	if share.AskReached(ctx, place, h, &r) != nil || r.SchemaVersion != doctor.SchemaVersion {
		return nil
	}
	return &r
}

// asksPing reports whether a shared process of this build reacts.
func asksPing(ctx context.Context, p share.Place) (alive bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, share.StartLimit)
	defer cancel()
	err = share.AskReached(ctx, p, daemonHello(share.CommandPing), &alive)
	return alive, err
}

// sharingChecks tell how it stands with the shared process.
func sharingChecks(ctx context.Context) []doctor.Check {
	check := doctor.Check{Name: "sharing", Level: doctor.OK}
	place, err := thisPlace()
	if err == nil {
		var alive bool
		alive, err = asksPing(ctx, place)
		switch {
		case alive:
			check.Message = "hosts share one process, which runs (lspi daemon status)"
		case share.None(err):
			check.Message, err = "hosts share one process; the next one starts it", share.Startable(place)
		}
	}
	if err != nil {
		check.Level = doctor.Warning
		check.Message = "each host starts its own servers, because none can be shared: " + err.Error()
		if share.Silent(err) {
			check.Message = "the shared process does not answer, so that each new host starts its own servers"
			check.Fix = []string{"lspi daemon stop", "end the process with the number in " + place.Lock()}
		}
	}
	return []doctor.Check{check}
}

// untrusted are the folders whose programs are not run.
func untrusted(c *config.Config) []string {
	if c.Trust.Trusted {
		return nil
	}
	return c.Roots
}

// chosenBy is what chose the workspace.
func (s *session) chosenBy(c *config.Config) string {
	dir := s.options.Dir()
	w, err := folders.FindWorkspace(s.options.WorkspaceFlag, nil, s.options.User(), dir)
	switch {
	case err != nil || w.Root != c.Workspace:
		return "workspace_root of the configuration"
	case w.From == "the current folder" && w.Root != dir:
		return "the repository that holds the current folder"
	}
	return w.From
}

// statusLine is one line of stderr that is written over again; nothing where stderr is no terminal.
type statusLine struct{ out io.Writer }

func doctorProgress(errs io.Writer) statusLine {
	if !terminal(errs) {
		return statusLine{io.Discard}
	}
	return statusLine{errs}
}

func (l statusLine) say(what string) { fmt.Fprintf(l.out, "\r\x1b[K%s …", contract.OneLine(what)) }
func (l statusLine) clear()          { fmt.Fprint(l.out, "\r\x1b[K") }
