package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/stdio"
	"lspi/mcpserver"
)

func newMCPCommand() *cobra.Command {
	var f sessionFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools over MCP on stdin and stdout",
		Long: "mcp is what a host starts: it speaks MCP on stdin and stdout, logs to stderr, and ends with its host.\n\n" +
			"The workspace is --workspace-root, else the host's roots, else CLAUDE_PROJECT_DIR, else the current folder,\n" +
			"lifted to the root of its repository. Servers are started by the first question that needs them.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(&f, cmd.InOrStdin(), cmd.ErrOrStderr()) },
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	cmd.Flags().BoolVar(&f.warmup, "warmup", false, "start the servers that the workspace needs at once, not with the first call")
	return cmd
}

// serve is the life of lspi mcp: from taking stdout away from everybody else to the end of the last server.
func serve(f *sessionFlags, in io.Reader, errs io.Writer) error {
	s := newSession(f, errs)
	settings, warm, err := s.listing()
	if err != nil {
		return err
	}
	stdout, err := takeStdout()
	if err != nil {
		return err
	}
	end := watchSignals()
	service := mcpserver.NewService(mcpserver.ServiceOptions{
		Version: version().Version, Settings: settings, Open: s.open, Warmup: warm, Log: s.logs.log,
	})
	connection, cut := context.WithCancel(context.Background())
	defer cut()
	host := stdio.NewConn(in, stdout, end.begin, s.logs.log)
	served := make(chan struct{})
	go func() {
		defer close(served)
		err := service.Run(connection, host)
		end.begin(fmt.Errorf("serving MCP: %w", err)) // in case that nobody gave a reason yet
	}()
	<-end.ctx.Done()
	return end.finish(service, func() {
		host.Drain()
		cut()
		<-served
	})
}
