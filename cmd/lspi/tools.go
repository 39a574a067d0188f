package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/tools"
)

func newToolsCommand() *cobra.Command {
	var asJSON, asMarkdown bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that hosts get",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case asJSON && asMarkdown:
				return &usageError{fmt.Errorf("--json and --markdown contradict each other"), cmd.CommandPath()}
			case asJSON:
				return printJSON(cmd.OutOrStdout(), describeTools())
			case asMarkdown:
				_, err := io.WriteString(cmd.OutOrStdout(), toolsMarkdown())
				return err
			}
			return listTools(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, with schemas")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "as the table of the README")
	return cmd
}

func listTools(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range tools.All() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, t.Class, firstSentence(t.Description))
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
