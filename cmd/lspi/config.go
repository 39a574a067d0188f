package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/tools/session"
)

func newConfigCommand() *cobra.Command {
	var f sessionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration in effect and what is wrong with it",
		Long: "config shows which files were read, what they decide and what is wrong with them. " +
			"Exit status 1 when there are errors.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newWiring(&f, cmd.ErrOrStderr()).load(nil)
			if err != nil {
				return &usageError{err: err}
			}
			if err := showConfig(cmd.OutOrStdout(), shownOf(c), asJSON); err != nil {
				return err
			}
			return failedUnless(c.Err() == nil)
		},
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.AddCommand(newConfigKeysCommand(), newConfigInitCommand())
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
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "as the table of docs/configuration.md")
	return cmd
}

// shownConfig is what lspi config prints.
type shownConfig struct {
	Workspace string                 `json:"workspace_root"`
	Roots     []string               `json:"allowed_roots"`
	Context   string                 `json:"context"`
	Mode      string                 `json:"mode,omitempty"`
	ReadOnly  bool                   `json:"read_only"`
	Trust     trust.Decision         `json:"trust"`
	Sources   []config.Source        `json:"sources"`
	Findings  []config.Finding       `json:"findings"`
	Servers   []session.ServerConfig `json:"servers"` // those that the files configure
	Others    int                    `json:"catalogue_servers"`
}

// shownOf returns what lspi config prints. Servers of the catalogue that no file configures are only counted.
func shownOf(c *config.Config) shownConfig {
	s := shownConfig{Workspace: c.Workspace, Roots: c.Roots, Context: c.MCP.Context, Mode: c.MCP.Mode,
		ReadOnly: c.MCP.ReadOnly, Trust: c.Trust, Sources: append([]config.Source{}, c.Sources...),
		Findings: append([]config.Finding{}, c.Findings...), Servers: configuredServers(c), Others: len(c.Specs)}
	for _, server := range c.Configured {
		if server.Enabled {
			s.Others--
		}
	}
	return s
}

// showConfig prints a configuration as JSON or as lines for people. The lines are escaped: files name folders, servers
// and keys.
func showConfig(out io.Writer, s shownConfig, asJSON bool) error {
	if asJSON {
		return printJSON(out, s)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range slices.Concat(s.workspaceLines(), s.fileLines(), s.serverLines(), s.findingLines()) {
		fmt.Fprintf(w, "%s\t%s\n", line.name, line.text)
	}
	_ = w.Flush()
	_, err := io.WriteString(out, contract.EscapeText(b.String()))
	return err
}

// configLine is one line of lspi config; a name of "" belongs to the line above.
type configLine struct{ name, text string }

func (s shownConfig) workspaceLines() []configLine {
	out := []configLine{{"workspace", s.Workspace}}
	for _, root := range s.Roots[1:] {
		out = append(out, configLine{"also allowed", root})
	}
	rights, code := "read-write", "of the workspace is not run"
	if s.ReadOnly {
		rights = "read-only"
	}
	if s.Trust.Trusted {
		code = "of the workspace may run"
	}
	return append(out,
		configLine{"rights", fmt.Sprintf("%s (context %s)", rights, strings.TrimSpace(s.Context+" "+s.Mode))},
		configLine{"code", code + ": " + s.Trust.Why})
}

func (s shownConfig) fileLines() []configLine {
	if len(s.Sources) == 0 {
		return []configLine{{"files", "none; the defaults apply"}}
	}
	var out []configLine
	for _, source := range s.Sources {
		trusted := "trusted"
		if !source.Trusted {
			trusted = "not trusted"
		}
		out = append(out, configLine{"file", fmt.Sprintf("%s (%s, %s)", source.Path, source.Kind, trusted)})
	}
	return out
}

func (s shownConfig) serverLines() []configLine {
	var out []configLine
	for _, server := range s.Servers {
		state := ""
		if !server.Enabled {
			state = ", disabled"
		}
		out = append(out,
			configLine{"server", fmt.Sprintf("%s (%s; %s%s)", server.ID, server.Kind,
				strings.Join(server.Extensions, " "), state)})
	}
	return append(out, configLine{"catalogue", fmt.Sprintf("%d servers", s.Others)})
}

func (s shownConfig) findingLines() []configLine {
	var out []configLine
	for _, f := range s.Findings {
		out = append(out, configLine{string(f.Severity), f.String()})
		if f.Fix != "" {
			out = append(out, configLine{"", "fix: " + f.Fix})
		}
	}
	return out
}
