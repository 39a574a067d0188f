package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"lspi/contract"
)

func newDaemonLogsCommand() *cobra.Command {
	var path bool
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Print the log of the shared process",
		Long: "logs prints the log of the shared process, the older part first: JSON lines, warnings and errors unless logging.level\n" +
			"of the user's configuration says otherwise. A host that was started with --log-level gets the lines of its own session.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if path {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), contract.EscapeText(daemonLogPath()))
				return err
			}
			return printLogs(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().BoolVar(&path, "path", false, "print where it is")
	return cmd
}

// printLogs prints the rotated log and then the present one, and on errs where it would be when there is none. A file
// that was rotated away in between is skipped.
func printLogs(out, errs io.Writer) error {
	at := daemonLogPath()
	if at == "" {
		return errors.New("there is no log: no home folder is known")
	}
	found := false
	for _, path := range append(olderLogs(at), at) {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		found = true
		_, err = io.Copy(out, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	if !found {
		fmt.Fprintf(errs, "There is no log yet: a shared process writes it to %s when it begins.\n",
			contract.EscapeText(at))
	}
	return nil
}
