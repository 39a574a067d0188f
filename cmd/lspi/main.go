// Command lspi gives coding agents the answers of real language servers: as an MCP server over stdio (lspi mcp), and
// in a shell (lspi call).
//
// This package has a file for each command. It connects the parts and turns every way to end into an exit code; what
// they decide lies elsewhere: configuration in internal/config, tools in lspi/tools, MCP in internal/mcpserver.
//
//	root.go          all commands
//	session.go       wiring: from flags and configuration to a session, the same for every command
//	live.go          what a running session knows of a configuration that changes; reading.go reads it again
//	mcp.go           lspi mcp: serves a host, or (shared.go) passes its messages to the shared process
//	shared_serve.go  the shared process (lspi daemon run); daemon_http.go its HTTP side
//	end.go, exit.go  the ends of lspi mcp, and exit codes
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"lspi/contract"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main with its arguments and files given, for tests.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.Execute()
	var code exitCode
	var wrong *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(errs, "lspi: %s\n", contract.EscapeText(err.Error()))
	if !errors.As(err, &wrong) {
		return exitFailed
	}
	if wrong.help != "" {
		fmt.Fprintf(errs, "See %s --help.\n", wrong.help)
	}
	return exitUsage
}
