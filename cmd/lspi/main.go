// Command lspi answers coding agents with what real language servers know: as an MCP server over stdio (lspi mcp), and
// from a shell (lspi call). It decides nothing itself: configuration is internal/config, tools are the tools package;
// here they are wired together, and every way to end becomes an exit code.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"lspi/contract"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process.
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
