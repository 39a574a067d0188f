package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lspi/contract"
)

// newRoot is the whole command line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lspi",
		Short: "Language servers for coding agents, over MCP",
		Long: "lspi starts the language servers that a workspace needs and serves what they know (definitions, references,\n" +
			"hierarchies, diagnostics) to coding agents over MCP, and to people in a shell.",
		Args:          knownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(newMCPCommand(), newCallCommand(), newToolsCommand(), newDoctorCommand(), newConfigCommand(), newTrustCommand(),
		newUntrustCommand(), newVersionCommand())
	return root
}

// knownCommand refuses what is no command and names the one that was perhaps meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	return &usageError{meant(fmt.Errorf("there is no command %q", args[0]), args[0], known, ""), cmd.CommandPath()}
}

// wrongFlag names the flag that was perhaps meant.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		err = meant(err, unknown.GetSpecifiedName(), known, "--")
	}
	return &usageError{err, cmd.CommandPath()}
}

func meant(err error, word string, known []string, prefix string) error {
	if near := contract.Closest(word, known); near != "" {
		return fmt.Errorf("%w; did you mean %s%s?", err, prefix, near)
	}
	return err
}

// positional makes the errors of a check of arguments wrong usage.
func positional(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err, cmd.CommandPath()}
		}
		return nil
	}
}
