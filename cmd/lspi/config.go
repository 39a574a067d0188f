package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/workspace"
)

func newConfigCommand() *cobra.Command {
	var f sessionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration in effect and what is wrong with it",
		Long:  "config shows which files were read, what they decide and what is wrong with them. Exit status 1 when there are errors.",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			c, err := newSession(&f, cmd.ErrOrStderr()).load(nil)
			if err != nil {
				return &usageError{err: err}
			}
			if err := showConfig(cmd.OutOrStdout(), shownOf(c), asJSON); err != nil {
				return err
			}
			if c.Err() != nil {
				return exitCode(exitFailed)
			}
			return nil
		},
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.AddCommand(newConfigKeysCommand())
	return cmd
}

func newConfigKeysCommand() *cobra.Command {
	var asMarkdown bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "List every key that a configuration file may have",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if asMarkdown {
				_, err := io.WriteString(out, config.Markdown())
				return err
			}
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			for _, k := range config.KeyTable() {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", k.Key, k.Type, k.Default, firstSentence(k.Description))
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "as the table of the README")
	return cmd
}

// shownConfig is what lspi config tells.
type shownConfig struct {
	Workspace string                   `json:"workspace_root"`
	Roots     []string                 `json:"allowed_roots"`
	Context   string                   `json:"context"`
	Mode      string                   `json:"mode,omitempty"`
	ReadOnly  bool                     `json:"read_only"`
	Trust     trust.Decision           `json:"trust"`
	Sources   []config.Source          `json:"sources"`
	Findings  []config.Finding         `json:"findings"`
	Servers   []workspace.ServerConfig `json:"servers"` // those that the files configure
	Others    int                      `json:"catalogue_servers"`
}

func shownOf(c *config.Config) shownConfig {
	s := shownConfig{Workspace: c.Workspace, Roots: c.Roots, Context: c.MCP.Context, Mode: c.MCP.Mode,
		ReadOnly: c.MCP.ReadOnly, Trust: c.Trust, Sources: []config.Source{}, Findings: []config.Finding{}, Servers: configuredServers(c)}
	s.Sources = append(s.Sources, c.Sources...)
	s.Findings = append(s.Findings, c.Findings...)
	s.Others = len(c.Specs)
	for _, server := range c.Configured {
		if server.Enabled {
			s.Others--
		}
	}
	return s
}

func showConfig(out io.Writer, s shownConfig, asJSON bool) error {
	if asJSON {
		return printJSON(out, s)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "workspace\t%s\n", s.Workspace)
	for _, root := range s.Roots[1:] {
		fmt.Fprintf(w, "also allowed\t%s\n", root)
	}
	rights := "read-write"
	if s.ReadOnly {
		rights = "read-only"
	}
	fmt.Fprintf(w, "rights\t%s (context %s)\n", rights, strings.TrimSpace(s.Context+" "+s.Mode))
	code := "of the workspace is not run"
	if s.Trust.Trusted {
		code = "of the workspace may run"
	}
	fmt.Fprintf(w, "code\t%s: %s\n", code, s.Trust.Why)
	if len(s.Sources) == 0 {
		fmt.Fprintf(w, "files\tnone; the defaults apply\n")
	}
	for _, source := range s.Sources {
		trust := "trusted"
		if !source.Trusted {
			trust = "not trusted"
		}
		fmt.Fprintf(w, "file\t%s (%s, %s)\n", source.Path, source.Kind, trust)
	}
	for _, server := range s.Servers {
		state := ""
		if !server.Enabled {
			state = ", disabled"
		}
		fmt.Fprintf(w, "server\t%s (%s; %s%s)\n", server.ID, server.Kind, strings.Join(server.Extensions, " "), state)
	}
	fmt.Fprintf(w, "catalogue\t%d servers\n", s.Others)
	for _, f := range s.Findings {
		fmt.Fprintf(w, "%s\t%s\n", f.Severity, f)
		if f.Fix != "" {
			fmt.Fprintf(w, "\tfix: %s\n", f.Fix)
		}
	}
	_ = w.Flush()
	_, err := io.WriteString(out, contract.EscapeText(b.String()))
	return err
}
