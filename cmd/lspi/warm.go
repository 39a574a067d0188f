package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/warm"
)

// warmLimit is how long one server may take unless --timeout says otherwise: in an image's build nobody waits for an
// answer, and clangd indexes a large project for an hour.
const warmLimit = time.Hour

func newWarmCommand() *cobra.Command {
	var f sessionFlags
	var timeout time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "warm [FOLDER]",
		Short: "Fill the caches of the language servers that a workspace needs",
		Long: "warm starts the servers that a question about the workspace would start, one after the other, waits until each has\n" +
			"loaded and indexed the project, lets it look for errors in all of it where it does that, and ends it. What they keep\n" +
			"on disk is then there for the next start: run it in the build of an image, or in a new worktree (docs/large.md).\n" +
			"Into the project goes only what the servers themselves write there. In a workspace that is not trusted no code of it\n" +
			"runs, and the caches hold less.\n\n" +
			"Exit status: 0 when all that the workspace needs got ready (few files beside the rest do not count), 1 when one\n" +
			"did not or is not installed, 2 when the command line is wrong.",
		Example: "  lspi warm\n  lspi warm /src --timeout 20m --json",
		Args:    positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if f.workspaceRoot != "" {
					return f.wrong(cmd, "FOLDER and --workspace-root name the workspace twice")
				}
				f.workspaceRoot = args[0]
			}
			if timeout <= 0 {
				return f.wrong(cmd, "--timeout has to be more than nothing")
			}
			return runWarm(cmd, &f, timeout, asJSON)
		},
	}
	f.addCommon(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", warmLimit, "how long each server may take from its handshake on, such as `20m`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the report as JSON")
	return cmd
}

// runWarm fills the caches by servers of this process, and prints what it did. A shared process is not asked: its
// servers may have loaded the project long ago, or keep what they found out in memory.
func runWarm(cmd *cobra.Command, f *sessionFlags, timeout time.Duration, asJSON bool) error {
	end := watchSignals()
	s := newWiring(f, cmd.ErrOrStderr())
	defer s.events.Close()
	if _, err := s.listing(); err != nil {
		return err
	}
	opened, err := s.open(end.ctx, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	lines := newProgressLines(cmd.ErrOrStderr())
	w := warm.Warming{Session: opened, Cache: s.options.User().CacheDir(), Timeout: timeout, Progress: lines.Say}
	r, err := w.Run(end.ctx)
	lines.Clear()
	switch {
	case end.ctx.Err() != nil:
		return end.code()
	case err != nil:
		return err
	case asJSON:
		err = printJSON(cmd.OutOrStdout(), r)
	default:
		err = r.Text(cmd.OutOrStdout())
	}
	if err != nil {
		return fmt.Errorf("printing the report: %w", err)
	}
	return failedUnless(r.OK)
}
