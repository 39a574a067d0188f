package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
)

func newImportConfigCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import-config [FILE]",
		Short: "Print a configuration of the original lspi in the form of today",
		Long: "import-config reads a file as the original lspi (the Rust program) had it, TOML or JSON, and prints it as lspi.toml of today.\n" +
			"Comments say what is wrong with it and was left out. Without FILE it takes the file of the workspace. No file is written.",
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := (&sessionFlags{}).request().options()
			file := ""
			if len(args) > 0 {
				file = args[0]
			} else if file, _ = config.WorkspaceFile(o.Dir()); file == "" {
				return &usageError{fmt.Errorf("%s has no configuration file: name one", o.Dir()), cmd.CommandPath()}
			}
			text, err := config.Import(o, file)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
}
