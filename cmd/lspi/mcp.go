package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/cmd/lspi/internal/stdio"
	"lspi/tools/session"
)

func newMCPCommand() *cobra.Command {
	var f sessionFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools over MCP on stdin and stdout",
		Long: "mcp is what a host starts: it speaks MCP on stdin and stdout, logs to stderr, and ends with its host.\n\n" +
			"The workspace is --workspace-root, else the host's roots, else CLAUDE_PROJECT_DIR, else the current folder,\n" +
			"lifted to the root of its repository.\n\n" +
			"All hosts of a user share one process, which has the language servers and stays for a while when the last host has\n" +
			"left (lspi daemon --help). With --share=off, and where sharing is not possible, lspi mcp starts servers itself and\n" +
			"ends them with its host.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(&f, cmd.InOrStdin(), cmd.ErrOrStderr()) },
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&f.warmup, "warmup", false,
		"start the servers that the workspace needs at once, not with the first call (the default where lspi is shared)")
	return cmd
}

// toPerson is printed when lspi mcp is started in a terminal, where nothing else would happen.
const toPerson = `lspi mcp is an MCP server: a host such as Codex or Claude Code starts it, and speaks JSON-RPC on its stdin and stdout.
In a shell, lspi call TOOL asks a question, lspi doctor says what works here, and lspi --help has the rest. Ctrl-D ends this.
`

// serve runs lspi mcp until its host leaves: through the shared process, or in this process when sharing is off or
// fails.
func serve(f *sessionFlags, in io.Reader, errs io.Writer) error {
	s := newWiring(f, errs)
	defer s.events.Close()
	l, err := s.listing()
	if err != nil {
		return err
	}
	stdout, err := takeStdout()
	if err != nil {
		return err
	}
	if person, ok := in.(io.Writer); ok && terminal(person) { // after the flags were found to be right
		fmt.Fprint(errs, toPerson)
	}
	end := watchSignals()
	if l.share != "off" {
		first, err := s.share(end.ctx, f)
		if err == nil {
			return s.relay(l, first, in, stdout, end)
		}
		s.process.Sharing = notShared(err)
		s.logs.log.Info("the servers of this session are not shared", "reason", err)
	}
	return s.serveHere(l, in, stdout, end)
}

// serveHere serves the host in this process.
func (s *wiring) serveHere(l listing, in io.Reader, out io.WriteCloser, end *end) error {
	service := s.service(l)
	host := stdio.NewConn(in, out, end.begin, s.logs.log)
	host.QuietWhenCancelled()
	cut, served := s.run(service, host, end.begin)
	<-end.ctx.Done()
	return end.finish(service, func() {
		host.Drain()
		cut()
		<-served
	})
}

// service returns the MCP service of the session.
func (s *wiring) service(l listing) *mcpserver.Service {
	return mcpserver.NewService(mcpserver.ServiceOptions{
		Version: version().Version, Settings: l.settings, Open: s.open, Warmup: l.warmup, Log: s.logs.log,
		Cache: s.mcpListCache(), Events: s.events,
		Listing: s.listed, Watch: func(refresh func()) func() { return s.live.watch(s.watcher, refresh) },
	})
}

// listed reads the settings that decide tools/list again.
func (s *wiring) listed() (session.Settings, error) {
	l, err := s.listing()
	if err == nil && l.config != nil {
		err = l.config.ErrOrNil()
	}
	return l.settings, err
}

// run serves a connection until cut is called or it ends; then it calls ended, with the reason, and closes served.
func (s *wiring) run(service *mcpserver.Service, host *stdio.Conn, ended context.CancelCauseFunc) (cut func(),
	served chan struct{}) {
	connection, cut := context.WithCancel(context.Background())
	served = make(chan struct{})
	go func() {
		defer close(served)
		err := service.Run(connection, host)
		ended(fmt.Errorf("serving MCP: %w", err)) // counts only if nobody gave a reason before
	}()
	return cut, served
}

// listing is what has to be known before a session is open: the settings for tools/list, and how lspi mcp serves.
type listing struct {
	settings session.Settings // they decide tools/list
	warmup   bool
	share    string         // auto or off
	config   *config.Config // nil when no workspace is known yet
}
