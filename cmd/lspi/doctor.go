package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/doctor"
	"lspi/cmd/lspi/internal/folders"
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
			"question and ends it again. For what is missing it names the command that installs it.\n\n" +
			"A server is needed for each programming language with files in the workspace; for data, markup and scripts around\n" +
			"the code a missing server is only a note.\n\n" +
			"Exit status: 0 when all that the workspace needs works, 1 when not, 2 when the command line is wrong.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return examine(cmd, &f, asJSON) },
	}
	f.addCommon(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "the report as JSON")
	return cmd
}

// examine runs the checks with the session's own pool, and ends every server.
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
	w, err := s.openWorkspace(c)
	if err != nil {
		return err
	}
	session := &workspace.Session{Workspace: w}
	defer session.Close()
	out, errs := cmd.OutOrStdout(), cmd.ErrOrStderr()
	progress := doctorProgress(errs)
	r := doctor.Examine(end.ctx, doctor.Options{
		Config: c, From: s.chosenBy(c), Version: s.process.Version, Machine: doctor.ThisMachine(untrusted(c)), Files: s.process.Files,
		Probe: doctor.Live{Table: w.Table, Files: s.process.Files, Pool: w.Pool}, Progress: progress.say,
	})
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

// untrusted are the folders whose programs are not run.
func untrusted(c *config.Config) []string {
	if c.Trust.Trusted {
		return nil
	}
	return c.Roots
}

// chosenBy is what chose the workspace.
func (s *session) chosenBy(c *config.Config) string {
	dir, _ := os.Getwd()
	w, err := folders.FindWorkspace(s.options.WorkspaceFlag, nil, folders.User{}, dir)
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
