package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"lspi/contract"
)

// The exit codes, the same for every command.
const (
	exitOK     = 0   // done; for mcp: the host closed stdin
	exitFailed = 1   // something was tried and failed: a tool's error, a wrong configuration, a broken connection
	exitUsage  = 2   // the command line is wrong; nothing was tried
	exitSignal = 128 // plus the number of the signal that ended it
)

// exitCode is an error whose message has been printed already.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit %d", int(c)) }

// failedUnless returns nil when ok, else exit code 1 for a failure that has been printed already.
func failedUnless(ok bool) error {
	if ok {
		return nil
	}
	return exitCode(exitFailed)
}

// usageError is a command line that is wrong.
type usageError struct {
	err  error
	help string // the command whose --help explains more; "" for none
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// withNearest adds the known word closest to the given one to an error; unchanged when none is close. prefix is put
// before it, such as --.
func withNearest(err error, word string, known []string, prefix string) error {
	if near := contract.Closest(word, known); near != "" {
		return fmt.Errorf("%w; did you mean %s%s?", err, prefix, near)
	}
	return err
}

// positional makes the errors of a check of arguments usage errors.
func positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err, cmd.CommandPath()}
		}
		return nil
	}
}
