package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
)

func newUntrustCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "untrust [FOLDER | FILE ...]",
		Short: "Forget that a workspace, or its configuration, was trusted",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				root, err := currentWorkspace()
				if err != nil {
					return err
				}
				args = []string{root}
			}
			store := trust.Open(trust.User{})
			for _, arg := range args {
				if err := untrust(store, arg, cmd.OutOrStdout()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// untrust forgets a folder or file and says whether it was trusted. The configuration files of a folder, which
// lspi trust takes with it, are forgotten as well, under each name, also when the file is gone by now.
func untrust(store trust.Store, path string, out io.Writer) error {
	forgotten := false
	for _, each := range append([]string{path}, config.WorkspaceFiles(path)...) {
		was, err := store.Untrust(each)
		if err != nil {
			return err
		}
		if was {
			forgotten = true
			fmt.Fprintf(out, "no longer trusted: %s\n", contract.EscapeLine(each))
		}
	}
	if !forgotten {
		fmt.Fprintf(out, "was not trusted: %s\n", contract.EscapeLine(path))
	}
	return nil
}
