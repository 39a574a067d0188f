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

// toPerson is what somebody reads who starts lspi mcp in a terminal, where nothing would seem to happen.
const toPerson = `lspi mcp is an MCP server: a host such as Codex or Claude Code starts it, and speaks JSON-RPC on its stdin and stdout.
In a shell, lspi call TOOL asks a question, lspi doctor says what works here, and lspi --help has the rest. Ctrl-D ends this.
`

// serve is the life of lspi mcp: from taking stdout away from everybody else to the end of the host.
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
	if person, ok := in.(io.Writer); ok && terminal(person) { // once nothing is wrong with the flags
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

// serveHere serves the host from this process.
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

// service serves the tools over the session.
func (s *wiring) service(l listing) *mcpserver.Service {
	return mcpserver.NewService(mcpserver.ServiceOptions{
		Version: version().Version, Settings: l.settings, Open: s.open, Warmup: l.warmup, Log: s.logs.log,
		Cache: s.mcpListCache(), Events: s.events,
		Listing: s.listed, Watch: func(refresh func()) func() { return s.live.watch(s.watcher, refresh) },
	})
}

// listed are the settings that decide tools/list, read anew.
func (s *wiring) listed() (session.Settings, error) {
	l, err := s.listing()
	if err == nil && l.config != nil {
		err = l.config.ErrOrNil()
	}
	return l.settings, err
}

// run serves a connection until cut; served is closed then. ended hears of its end.
func (s *wiring) run(service *mcpserver.Service, host *stdio.Conn, ended context.CancelCauseFunc) (cut func(),
	served chan struct{}) {
	connection, cut := context.WithCancel(context.Background())
	served = make(chan struct{})
	go func() {
		defer close(served)
		err := service.Run(connection, host)
		ended(fmt.Errorf("serving MCP: %w", err)) // in case that nobody gave a reason yet
	}()
	return cut, served
}

// listing is what has to be known before a session is open.
type listing struct {
	settings session.Settings // they decide tools/list
	warmup   bool
	share    string         // auto or off
	config   *config.Config // nil when there is no workspace yet
}
