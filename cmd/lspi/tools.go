package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/contract"
	"lspi/tools"
	"lspi/workspace"
)

func newToolsCommand() *cobra.Command {
	var f sessionFlags
	var asJSON, asMarkdown bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that hosts get",
		Long: "tools lists lspi's tools, and those of the other MCP servers of the configuration (mcp_servers), which it asks: in the shared process\n" +
			"where it runs, else it starts them and ends them again.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case asJSON && asMarkdown:
				return &usageError{fmt.Errorf("--json and --markdown contradict each other"), cmd.CommandPath()}
			case asJSON:
				return printJSON(cmd.OutOrStdout(), append(describeTools(), toolsOfOthers(cmd, &f)...))
			case asMarkdown:
				_, err := io.WriteString(cmd.OutOrStdout(), toolsMarkdown())
				return err
			}
			return listTools(cmd.OutOrStdout(), toolsOfOthers(cmd, &f))
		},
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, with schemas")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "lspi's own as the table of the README")
	return cmd
}

// toolsOfOthers are the tools of the other MCP servers; none where the configuration has none, or cannot be read.
func toolsOfOthers(cmd *cobra.Command, f *sessionFlags) []describedTool {
	s := newSession(f, cmd.ErrOrStderr())
	l, err := s.listing()
	if err != nil || !slices.ContainsFunc(l.settings.MCPServers, func(m workspace.MCPServer) bool { return !m.LeftOut && m.Broken == "" }) {
		return nil
	}
	c, err := s.converse(cmd.Context(), f, l, "*")
	if err != nil {
		return nil
	}
	defer c.Close()
	out, err := otherTools(cmd.Context(), c, &l.settings, "*")
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "lspi: listing the tools of other MCP servers:", err)
	}
	return out
}

func listTools(out io.Writer, others []describedTool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range tools.All() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, t.Class, firstSentence(t.Description))
	}
	for _, t := range others {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, t.Class, contract.EscapeLine(firstSentence(t.Description)))
	}
	return w.Flush()
}

// toolsMarkdown is the table of the README, which a test compares with it.
func toolsMarkdown() string {
	var b strings.Builder
	b.WriteString("| tool | | |\n|---|---|---|\n")
	for _, t := range tools.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.Class, strings.ReplaceAll(firstSentence(t.Description), "|", `\|`))
	}
	return b.String()
}

type describedTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Class       string          `json:"class"`
	Provider    string          `json:"provider"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input_schema"`
	Output      json.RawMessage `json:"output_schema"`
}

func describeTools() []describedTool {
	var out []describedTool
	for _, t := range tools.All() {
		in, _ := json.Marshal(t.Input)
		result, _ := json.Marshal(t.Output())
		out = append(out, describedTool{t.Name, t.Title, t.Class.String(), t.Provider, t.Description, in, result})
	}
	return out
}
