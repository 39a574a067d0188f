package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/doctor"
	"lspi/cmd/lspi/internal/gateway/mcpclient"
	"lspi/cmd/lspi/internal/trust"
	"lspi/tools/session"
)

func newDoctorCommand() *cobra.Command {
	var f sessionFlags
	var d doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that the language servers of a workspace work, and install what is missing",
		Long: "doctor reads the configuration, finds the languages of the workspace, starts the server of each, asks it a real\n" +
			"question and ends it again; where a shared process runs (lspi daemon), it asks the servers of that one, which stay.\n" +
			"It looks for missing packages and project files, asks the other MCP servers of the configuration for their lists,\n" +
			"and starts lspi as each MCP host does that has it. For what is missing it names the command that installs it; --fix\n" +
			"runs these commands, after a question for each.\n\n" +
			"A server is needed for each programming language that the workspace is written in. For data, markup and scripts\n" +
			"around the code, and for code of a few files beside the rest or of tests alone, a missing server is only a note.\n\n" +
			"Exit status: 0 when all that the workspace is written in works, 1 when not, 2 when the command line is wrong.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd, &f, d) },
	}
	f.addCommon(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&d.asJSON, "json", false, "the report as JSON (docs/doctor.schema.json)")
	cmd.Flags().BoolVar(&d.strict, "strict", false, "warnings and languages of few files count as well")
	cmd.Flags().BoolVar(&d.fix, "fix", false, "install what is missing, after a question for each command")
	cmd.Flags().BoolVarP(&d.yes, "yes", "y", false, "with --fix: do not ask")
	cmd.Flags().BoolVar(&d.noHosts, "no-hosts", false, "do not look at MCP hosts")
	return cmd
}

// doctorFlags are the flags of lspi doctor besides those of a session.
type doctorFlags struct {
	asJSON, strict, fix, yes, noHosts bool
}

// runDoctor runs the checks, with --fix also the repairs and then the checks again, and prints the report.
func runDoctor(cmd *cobra.Command, f *sessionFlags, d doctorFlags) error {
	if d.yes && !d.fix {
		return &usageError{errors.New("--yes belongs to --fix"), cmd.CommandPath()}
	}
	end := watchSignals()
	r, err := examine(end.ctx, cmd, f, d)
	if err != nil {
		return err
	}
	if end.ctx.Err() != nil {
		return end.code()
	}
	if d.fix {
		if r, err = repairAll(end.ctx, cmd, r, d, func() (*doctor.Report, error) {
			return examine(end.ctx, cmd, f, d)
		}); err != nil {
			return err
		}
	}
	if end.ctx.Err() != nil {
		return end.code()
	}
	return printReport(cmd, r, d)
}

func printReport(cmd *cobra.Command, r *doctor.Report, d doctorFlags) (err error) {
	out := cmd.OutOrStdout()
	if d.asJSON {
		err = printJSON(out, r)
	} else {
		err = r.Text(out, colourful(out))
	}
	if err != nil {
		return fmt.Errorf("printing the report: %w", err)
	}
	return failedUnless(r.OK)
}

// examine runs the checks in the shared process when one runs, because its servers are warm; else in this process,
// which ends every server that it started.
func examine(ctx context.Context, cmd *cobra.Command, f *sessionFlags, d doctorFlags) (*doctor.Report, error) {
	if f.LogLevel == "" {
		f.LogLevel = "error" // the report has the warnings that a start would log
	}
	s := newWiring(f, cmd.ErrOrStderr())
	c, err := s.load(nil)
	if err != nil {
		return nil, &usageError{err: err}
	}
	c.UseContainer()
	lines := newProgressLines(cmd.ErrOrStderr())
	defer lines.Clear()
	hosts := make(chan []doctor.Host, 1)
	go func() { hosts <- s.hosts(ctx, c, d, lines.Say) }()
	r := s.sharedReport(ctx, f, c, d, lines.Say)
	if r == nil {
		if r, err = s.report(ctx, c, d.strict, lines.Say); err != nil {
			<-hosts
			return nil, err
		}
	}
	r.AddHosts(<-hosts)
	return r, nil
}

// hosts checks the MCP hosts. Always this process does, even when the shared one runs the other checks, because it has
// the PATH of the terminal.
func (s *wiring) hosts(ctx context.Context, c *config.Config, d doctorFlags, progress doctor.Progress) []doctor.Host {
	p, err := setupPlace()
	if err != nil || d.noHosts {
		return nil
	}
	if p.Project = ""; c.Workspace != p.User.HomeDir() { // in the home folder, hosts' files are the user's own
		p.Project = c.Workspace
	}
	login := sync.OnceValue(func() string { return doctor.LoginPath(ctx, doctor.ThisMachine(nil, untrusted(c))) })
	return doctor.Hosts(ctx, doctor.HostOptions{Place: p, Version: version().Version, Environ: os.Environ(),
		Trusted: c.Trust.Trusted, LoginPath: login, Progress: progress})
}

// report runs the checks with the servers of this process.
func (s *wiring) report(ctx context.Context, c *config.Config, strict bool, progress doctor.Progress) (*doctor.Report,
	error) {
	w, err := s.openWorkspace(c)
	if err != nil {
		return nil, err
	}
	session := &session.Session{Workspace: w}
	defer session.Close()
	shared := s.process.Sharing.Shared
	same := *c
	// Another session may have opened the workspace first; ServersKey says that its table is equal.
	same.Specs, same.Withheld = w.Table.Specs, w.Table.Withheld
	o := doctor.Options{
		Config: &same, From: s.chosenBy(c), Version: s.process.Version, Machine: doctor.ThisMachine(s.options.Environ,
			untrusted(c)), Files: s.process.Files,
		Probe: doctor.Live{Table: w.Table, Files: s.process.Files, Pool: w.Pool, Keep: shared}, Strict: strict,
		Progress: progress, Cache: s.options.User().CacheDir(),
		Indexes: func(ctx context.Context, roots []string) []doctor.Check {
			return indexChecks(ctx, c, s.options.User().CacheDir(), roots)
		},
		MCPServers: mcpServersOf(c), MCPClient: s.askingMCPClient,
	}
	if c.MCP.Share != "off" {
		o.Sharing = sharingChecks
	}
	return doctor.Examine(ctx, o), nil
}

// askingMCPClient returns a client for doctor to ask an MCP server. It reads the cached lists of sessions and stores
// none.
func (s *wiring) askingMCPClient(spec mcpclient.Spec) (*mcpclient.Client, error) {
	o := mcpclient.Options{Version: s.process.Version}
	if cache := s.mcpListCache(); cache != nil {
		o.Cache = readOnlyCache{cache}
	}
	return mcpclient.New(spec, mcpclient.Host{}, o)
}

// readOnlyCache reads a cache and stores nothing in it.
type readOnlyCache struct{ mcpclient.Cache }

// Store stores nothing.
func (readOnlyCache) Store(string, []byte) {}

// doctorStep is a call of [doctor.Progress] on its way from the shared process.
type doctorStep struct {
	Subject string `json:"subject"`
	Doing   string `json:"doing"`
}

// doctorLimit is how long the shared process may take for the checks.
const doctorLimit = 3 * time.Minute

// sharedReport returns the report of the shared process; nil when none runs, or it does not answer.
func (s *wiring) sharedReport(ctx context.Context, f *sessionFlags, c *config.Config, d doctorFlags,
	progress doctor.Progress) *doctor.Report {
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
	if alive, err := ping(ctx, place); !alive || err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, doctorLimit)
	defer cancel()
	h.Command = commandDoctor
	if d.strict {
		h.Command = commandStrict
	}
	var r doctor.Report
	if daemon.AskReached(ctx, place, h, &r, func(told json.RawMessage) {
		var step doctorStep
		if json.Unmarshal(told, &step) == nil {
			progress.Say(step.Subject, step.Doing)
		}
	}) != nil || r.SchemaVersion != doctor.SchemaVersion {
		return nil
	}
	return &r
}

// ping reports whether a shared process of this build answers.
func ping(ctx context.Context, p daemon.Place) (alive bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, daemon.StartLimit)
	defer cancel()
	err = daemon.AskReached(ctx, p, daemonHello(daemon.CommandPing), &alive, nil)
	return alive, err
}

// sharingChecks report whether the shared process runs, or could be started.
func sharingChecks(ctx context.Context) []doctor.Check {
	check := doctor.Check{Name: "sharing", Level: doctor.OK}
	place, err := thisPlace()
	if err == nil {
		var alive bool
		alive, err = ping(ctx, place)
		switch {
		case alive:
			check.Message = "hosts share one process, which runs (lspi daemon status)"
		case daemon.None(err):
			check.Message, err = "hosts share one process; the next one starts it", daemon.Startable(place)
		}
	}
	if err != nil {
		check.Level = doctor.Warning
		check.Message = "each host starts its own servers, because none can be shared: " + err.Error()
		if daemon.Silent(err) {
			check.Message = "the shared process does not answer, so that each new host starts its own servers"
			check.Fix = []string{"lspi daemon stop", "end the process with the number in " + place.Lock()}
		}
	}
	return []doctor.Check{check}
}

// untrusted returns the folders whose programs must not be run; none when the workspace is trusted.
func untrusted(c *config.Config) []string {
	if c.Trust.Trusted {
		return nil
	}
	return c.Roots
}

// chosenBy says what chose the workspace, such as the current folder or --workspace-root.
func (s *wiring) chosenBy(c *config.Config) string {
	dir := s.options.Dir()
	w, err := trust.FindWorkspace(s.options.WorkspaceFlag, nil, s.options.User(), dir)
	switch {
	case err != nil || w.Root != c.Workspace:
		return "workspace_root of the configuration"
	case w.From == "the current folder" && w.Root != dir:
		return "the repository that holds the current folder"
	}
	return w.From
}
