//go:build man

// With the build tag man, lspi has a command with which packages make the man pages. The lspi that people get is built
// without it and smaller:
//
//	go run -tags man ./cmd/lspi man FOLDER
package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { furtherCommands = append(furtherCommands, newManCommand) }

// newManCommand makes lspi man, which writes lspi(1) and a page for each command into a folder. The pages have the date
// in SOURCE_DATE_EPOCH (reproducible-builds.org).
func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man FOLDER",
		Short:  "Write the man pages into a folder",
		Hidden: true,
		Args:   positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cmd.Root().DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "lspi " + version().Version, Manual: "lspi"}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return fmt.Errorf("writing man pages: %w", err)
			}
			return nil
		},
	}
}
