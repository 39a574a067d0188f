package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/daemon"
)

func newDaemonStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the shared process and its servers",
		Long: "stop ends the shared processes of the user once the calls under way have been answered, at the latest after a minute.\n" +
			"Hosts that are still there start a new one with their next call.\n\n" +
			"Exit status: 0 when none runs any more, 1 when one does not end.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			end := watchSignals()
			out, ok, found := cmd.OutOrStdout(), true, false
			err := eachDaemon(func(p daemon.Place) {
				patience := time.AfterFunc(quietWait, func() {
					fmt.Fprintln(cmd.ErrOrStderr(),
						"lspi: waiting until the calls under way have been answered and the servers have ended, a minute at the most")
				})
				stopped, err := stopDaemon(end.ctx, p)
				patience.Stop()
				found = found || stopped || err != nil
				switch {
				case err != nil:
					ok = false
					fmt.Fprintf(cmd.ErrOrStderr(), "lspi: ending the process at %s: %v\n", p.Socket(), err)
					if p.Name == daemon.Activated {
						fmt.Fprintln(cmd.ErrOrStderr(),
							"systemd starts it and ends it: systemctl --user kill -s KILL lspi.service")
					}
				case stopped:
					fmt.Fprintln(out, "The shared process has ended.")
				}
			})
			if err != nil {
				return err
			}
			if !found {
				fmt.Fprintln(out, "No shared process runs.")
			}
			return failedUnless(ok)
		},
	}
}

// stopDaemon asks the process at a place to end and waits until it has; false when there is none.
func stopDaemon(ctx context.Context, p daemon.Place) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, stopLimit+endLimit+statusLimit)
	defer cancel()
	err := daemon.StopAndWait(ctx, p, daemonHello(daemon.CommandStop))
	if daemon.None(err) {
		return false, nil
	}
	return err == nil, err
}
