package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"lspi/contract"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
)

func newToolsCommand() *cobra.Command {
	var f sessionFlags
	var asJSON, asMarkdown bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "List the tools that hosts get",
		Long: "tools lists the tools that a session has here: those of lspi that the configuration, the flags and the preset in\n" +
			"use leave in, and those of the other MCP servers (mcp_servers). It asks these servers in the shared process where\n" +
			"one runs; else it starts them and ends them again.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case asJSON && asMarkdown:
				return &usageError{fmt.Errorf("--json and --markdown contradict each other"), cmd.CommandPath()}
			case asMarkdown:
				_, err := io.WriteString(cmd.OutOrStdout(), toolsMarkdown())
				return err
			}
			s := newWiring(&f, cmd.ErrOrStderr())
			l, listErr := s.listing()
			if p := l.settings.Preset; p != nil && p.Missing != nil {
				if p.Missing.Unreadable != "" {
					return fmt.Errorf("the preset %q, which %s names, cannot be read: %s", p.Name, p.Missing.From,
						p.Missing.Unreadable)
				}
				return &usageError{
					fmt.Errorf("there is no preset %q, which %s names; lspi preset list shows those that there are",
						p.Name, p.Missing.From), cmd.CommandPath()}
			}
			own, others := tools.All(), []describedTool(nil)
			if l.config != nil { // without a workspace nothing says which tools are left out
				own = tools.Served(&l.settings)
				warnOfPreset(cmd.ErrOrStderr(), l.config, l.config.MCP.Preset)
			}
			if listErr == nil {
				others = s.toolsOfOthers(cmd, &f, l)
			}
			// A file that cannot be read makes lspi read-only, and might configure other MCP servers.
			if l.config != nil && l.config.Err() != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "lspi: tools may be missing here:", l.config.Err())
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), append(describeTools(own), others...))
			}
			return listTools(cmd.OutOrStdout(), own, others)
		},
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON, with schemas")
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "all of lspi's own, as the table of the README")
	return cmd
}

// toolsOfOthers asks the other MCP servers for their tools and reports those that give none; nil when none is
// configured.
func (s *wiring) toolsOfOthers(cmd *cobra.Command, f *sessionFlags, l listing) []describedTool {
	if !slices.ContainsFunc(l.settings.MCPServers, func(m session.MCPServer) bool {
		return !m.LeftOut && m.Broken == ""
	}) {
		return nil
	}
	c, err := s.beginSession(cmd.Context(), f, l, "*")
	if err != nil {
		return nil
	}
	defer c.Close()
	patience := time.AfterFunc(quietWait, func() {
		fmt.Fprintln(cmd.ErrOrStderr(), "lspi: waiting for other MCP servers, a minute at the most")
	})
	out, err := otherTools(cmd.Context(), c, &l.settings, "*")
	patience.Stop()
	if err != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "lspi: listing the tools of other MCP servers:", err)
		return out
	}
	for _, m := range l.settings.MCPServers {
		if !m.LeftOut && m.Broken == "" && !slices.ContainsFunc(out, func(t describedTool) bool {
			return t.Provider == session.ServerProvider(m.ID)
		}) {
			may := "a session may call"
			if p := l.settings.Preset; p != nil {
				may = "the preset " + p.Name + " leaves in"
			}
			fmt.Fprintf(cmd.ErrOrStderr(),
				"lspi: the MCP server %s has given no tools that %s; lspi doctor says whether it works\n", m.ID, may)
		}
	}
	return out
}

// quietWait is how long a command waits before it says what for.
const quietWait = time.Second

func listTools(out io.Writer, own []*answer.Tool, others []describedTool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, t := range own {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, t.Class, firstSentence(t.Description))
	}
	for _, t := range others {
		fmt.Fprintf(w, "%s\t%s\t%s\n", t.Name, t.Class, contract.EscapeLine(firstSentence(t.Description)))
	}
	return w.Flush()
}

// toolsMarkdown returns the table of the README; a test compares the two.
func toolsMarkdown() string {
	var b strings.Builder
	b.WriteString("| tool | | |\n|---|---|---|\n")
	for _, t := range tools.All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.Name, t.Class, strings.ReplaceAll(firstSentence(t.Description), "|",
			`\|`))
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

// describeTools returns lspi's own tools in the form of lspi tools --json.
func describeTools(own []*answer.Tool) []describedTool {
	out := []describedTool{} // in JSON an empty list, not null
	for _, t := range own {
		in, _ := json.Marshal(t.Input)
		result, _ := json.Marshal(t.Output())
		out = append(out, describedTool{t.Name, t.Title, t.Class.String(), t.Provider, t.Description, in, result})
	}
	return out
}
