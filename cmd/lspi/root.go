package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// furtherCommands are commands that only builds with tags have.
var furtherCommands []func() *cobra.Command

// newRoot makes the command lspi with all its subcommands.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lspi",
		Short: "Language servers for coding agents, over MCP",
		Long: "lspi starts the language servers that a workspace needs and serves what they know (definitions, references,\n" +
			"hierarchies, diagnostics) to coding agents over MCP, and to people in a shell.",
		Args:          knownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version().Version,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(newMCPCommand(), newCallCommand(), newToolsCommand(), newDoctorCommand(), newSetupCommand(),
		newSkillCommand(),
		newConfigCommand(), newImportConfigCommand(), newServersCommand(), newIndexCommand(), newWarmCommand(),
		newPresetCommand(), newTrustCommand(), newUntrustCommand(), newDaemonCommand(), newHookCommand(), newDaemonStatusCommand("status"), newVersionCommand())
	for _, further := range furtherCommands {
		root.AddCommand(further())
	}
	completeShells(root)
	return root
}

// completeShells adds the completion command. Cobra's own would print help for an unknown shell instead of an error.
func completeShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		shells := commandNames(cmd)
		err := fmt.Errorf("there is no completion for %q, only for %s", args[0], strings.Join(shells, ", "))
		return &usageError{withNearest(err, args[0], shells, ""), cmd.CommandPath()}
	}
}

func commandNames(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		out = append(out, c.Name())
	}
	return out
}

// knownCommand refuses an unknown command and names the closest known one.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("there is no command %q", args[0])
	return &usageError{withNearest(err, args[0], commandNames(cmd), ""), cmd.CommandPath()}
}

// wrongFlag adds the closest known flag to the error about an unknown one.
func wrongFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		err = withNearest(err, unknown.GetSpecifiedName(), known, "--")
	}
	return &usageError{err, cmd.CommandPath()}
}
