//go:build man

package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/setup"
)

func init() { furtherCommands = append(furtherCommands, newPluginsCommand) }

// newPluginsCommand makes lspi plugins, by which packages make the plugins of hosts: each in a folder of its own.
func newPluginsCommand() *cobra.Command {
	var homepage string
	cmd := &cobra.Command{
		Use:    "plugins FOLDER",
		Short:  "Write the plugins for hosts into a folder",
		Hidden: true,
		Args:   positional(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			all, err := setup.Plugins(version().Version, homepage)
			if err != nil {
				return err
			}
			for kind, files := range all {
				for _, f := range files {
					path := filepath.Join(args[0], kind, filepath.FromSlash(f.Name))
					if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
						return err
					}
					if err := os.WriteFile(path, []byte(f.Text), 0o644); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&homepage, "homepage", "", "the page of the project")
	return cmd
}
