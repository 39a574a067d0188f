package main

import (
	"fmt"

	"github.com/spf13/cobra"

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
				args = append([]string{root}, configurationIn(root)...)
			}
			store := trust.Open(trust.User{})
			for _, arg := range args {
				was, err := store.Untrust(arg)
				switch {
				case err != nil:
					return err
				case was:
					fmt.Fprintf(cmd.OutOrStdout(), "no longer trusted: %s\n", contract.EscapeLine(arg))
				default:
					fmt.Fprintf(cmd.OutOrStdout(), "was not trusted: %s\n", contract.EscapeLine(arg))
				}
			}
			return nil
		},
	}
}
