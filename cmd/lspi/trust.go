package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/router"
)

func newTrustCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "trust [FILE ...]",
		Short: "Let a workspace's configuration name programs to run",
		Long: "trust remembers that you read a workspace's configuration and want all of it to apply: commands, arguments,\n" +
			"environment, folders outside. Without a FILE it is that of the workspace around the current folder. A file that\n" +
			"changes has to be trusted anew. One with errors is not trusted: what it means is not known.",
		RunE: func(cmd *cobra.Command, args []string) error {
			store := config.OpenTrust(os.Getenv, "")
			if list {
				return listTrusted(cmd.OutOrStdout(), store)
			}
			files, err := filesToTrust(args)
			if err != nil {
				return err
			}
			if err := reviewed(cmd.ErrOrStderr(), files); err != nil {
				return err
			}
			for _, file := range files {
				entry, err := store.Trust(file)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "trusted %s as it is now (sha256 %.12s…)\n", entry.Path, entry.SHA256)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "show what is trusted")
	return cmd
}

func newUntrustCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "untrust [FILE ...]",
		Short: "Forget that a workspace's configuration was trusted",
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := filesToTrust(args)
			if err != nil {
				return err
			}
			for _, file := range files {
				was, err := config.OpenTrust(os.Getenv, "").Untrust(file)
				switch {
				case err != nil:
					return err
				case was:
					fmt.Fprintf(cmd.OutOrStdout(), "no longer trusted: %s\n", file)
				default:
					fmt.Fprintf(cmd.OutOrStdout(), "was not trusted: %s\n", file)
				}
			}
			return nil
		},
	}
}

// reviewed shows what is wrong with files; an error refuses them all.
func reviewed(errs io.Writer, files []string) error {
	wrong := 0
	for _, file := range files {
		for _, f := range config.Review(config.Options{Catalogue: router.Catalogue(), Tools: toolNames()}, file) {
			if f.Severity == config.SeverityError {
				wrong++
			}
			fmt.Fprintf(errs, "%s: %s\n", f.Severity, f)
			if f.Fix != "" {
				fmt.Fprintf(errs, "  fix: %s\n", f.Fix)
			}
		}
	}
	if wrong > 0 {
		return fmt.Errorf("nothing was trusted: errors in the configuration: %d", wrong)
	}
	return nil
}

// filesToTrust are those given, else the configuration of the workspace around the current folder.
func filesToTrust(args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w, err := config.FindWorkspace("", nil, os.Getenv, dir)
	if err != nil {
		return nil, err
	}
	for _, name := range config.WorkspaceFiles {
		path := filepath.Join(w.Root, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return []string{path}, nil
		}
	}
	return nil, fmt.Errorf("the workspace %s has no configuration file (%s)", w.Root, strings.Join(config.WorkspaceFiles, " or "))
}

func listTrusted(out io.Writer, store config.TrustStore) error {
	entries, err := store.List()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		fmt.Fprintf(w, "%s\t%s\tsha256 %.12s…\n", e.When.Format("2006-01-02"), e.Path, e.SHA256)
	}
	if ferr := w.Flush(); err == nil {
		err = ferr
	}
	return err
}
