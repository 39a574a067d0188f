package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/daemon"
	"lspi/contract"
	"lspi/tools"
	"lspi/tools/answer"
)

func newPresetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "preset",
		Short: "Named choices of tools and servers, and which one new sessions use",
		Long: "A preset is a named choice of tools and servers for one kind of work: [presets.NAME] of a configuration, or\n" +
			"presets/NAME.toml beside your own (docs/presets.md). --preset, LSPI_PRESET and mcp.preset say which one new\n" +
			"sessions use.",
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPresetListCommand(), newPresetShowCommand(), newPresetUseCommand())
	return cmd
}

// shownPreset is a preset as lspi preset shows it.
type shownPreset struct {
	Name          string   `json:"name"`
	InUse         bool     `json:"in_use"` // new sessions use it
	File          string   `json:"file"`
	Tools         []string `json:"tools"`   // null: all
	Servers       []string `json:"servers"` // null: all
	Prompts       []string `json:"prompts,omitempty"`
	Resources     []string `json:"resources,omitempty"`
	ReadOnly      bool     `json:"read_only"`
	MaxTotalChars int      `json:"max_total_chars,omitempty"`
	Context       string   `json:"context,omitempty"`
	// Sessions are those of this workspace in the shared process that use it; only in lspi preset list.
	Sessions []presetSession `json:"sessions,omitempty"`
	// Listed are lspi's own tools that a session has with it; only in lspi preset show.
	Listed []string `json:"listed,omitempty"`
	// Idle are the entries of Tools that match none of lspi's own tools and name no tool of an MCP server; only in lspi
	// preset show.
	Idle []string `json:"matching_nothing,omitempty"`
}

// presetSession is a running session.
type presetSession struct {
	Host string `json:"host"` // clientInfo.name; "" before the handshake
	PID  int    `json:"pid"`  // of its lspi mcp; 0 for a host over HTTP
}

// sessionsHere returns the sessions of a workspace in all shared processes. A session without a call so far has no
// workspace and is left out.
func sessionsHere(cmd *cobra.Command, root string) []hostStatus {
	all, silent, err := daemons(cmd.Context())
	if err != nil {
		return nil // there is no folder for sockets, so nothing is shared
	}
	for _, socket := range silent {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"The process that listens at %s does not answer, so that its sessions are not shown.\n", socket)
	}
	var out []hostStatus
	for _, process := range all {
		for _, s := range process.Sessions {
			if s.Root == root {
				out = append(out, s)
			}
		}
	}
	return out
}

func presetOf(c *config.Config, name string) shownPreset {
	p := c.Presets[name]
	return shownPreset{Name: name, InUse: c.MCP.Preset == name, File: p.File, Tools: p.Tools, Servers: p.Servers,
		Prompts: p.Prompts, Resources: p.Resources,
		ReadOnly:      p.ReadOnly,
		MaxTotalChars: p.MaxTotalChars, Context: p.Context}
}

func newPresetListCommand() *cobra.Command {
	var f sessionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the presets that there are, which one new sessions use, and which one those of this workspace that run",
		Args:  positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := newWiring(&f, cmd.ErrOrStderr()).load(nil)
			if err != nil {
				return &usageError{err: err}
			}
			if err := c.Err(); err != nil { // a file that cannot be read may have others
				fmt.Fprintln(cmd.ErrOrStderr(), "lspi: presets may be missing here:", err)
			}
			all, running := []shownPreset{}, sessionsHere(cmd, c.Workspace)
			for _, name := range slices.Sorted(maps.Keys(c.Presets)) {
				p := presetOf(c, name)
				for _, s := range running {
					if s.Preset == name {
						p.Sessions = append(p.Sessions, presetSession{s.Host, s.PID})
					}
				}
				all = append(all, p)
				warnOfPreset(cmd.ErrOrStderr(), c, name)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), all)
			}
			return listPresets(cmd.OutOrStdout(), all, c.Workspace, running)
		},
	}
	f.addCommon(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func listPresets(out io.Writer, all []shownPreset, root string, running []hostStatus) error {
	if len(all) == 0 {
		fmt.Fprintln(out,
			"There are no presets: write [presets.NAME] into a configuration, or a file presets/NAME.toml beside your own (docs/presets.md).")
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range all {
		mark := ""
		if p.InUse {
			mark = "new sessions"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, mark, orAll("tools", p.Tools), orAll("servers", p.Servers),
			contract.EscapeText(p.File))
	}
	if err := w.Flush(); err != nil || len(running) == 0 {
		return err
	}
	fmt.Fprintf(out, "\nSessions of %s in the shared process:\n", contract.EscapeText(root))
	for _, s := range running {
		fmt.Fprintf(w, "%s\tprocess %s\t%s\n", contract.EscapeText(cmp.Or(s.Host, "?")), orNone(s.PID),
			contract.EscapeText(cmp.Or(s.Preset, "no preset")))
	}
	return w.Flush()
}

// orAll lists names; "all" for nil, "no" for an empty list, followed by what.
func orAll(what string, list []string) string {
	switch {
	case list == nil:
		return "all " + what
	case len(list) == 0:
		return "no " + what
	}
	return contract.EscapeText(strings.Join(list, ", "))
}

func newPresetShowCommand() *cobra.Command {
	var f sessionFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a preset, and lspi's tools that a session has with it",
		Args:  positional(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			s := newWiring(&f, cmd.ErrOrStderr())
			c, err := s.load(nil)
			if err != nil {
				return &usageError{err: err}
			}
			if message := missingPreset(c, args[0]); message != "" {
				return &usageError{errors.New(message), cmd.CommandPath()}
			}
			p := presetOf(c, args[0])
			s.live.choose(args[0], false)
			if c, err = s.load(nil); err != nil {
				return &usageError{err: err}
			}
			warnOfPreset(cmd.ErrOrStderr(), c, args[0])
			settings := settingsOf(c)
			for _, t := range tools.Served(&settings) {
				p.Listed = append(p.Listed, t.Name)
			}
			p.Idle = idlePatterns(c, args[0])
			if asJSON {
				return printJSON(cmd.OutOrStdout(), p)
			}
			return p.print(cmd.OutOrStdout())
		},
	}
	f.addCommon(cmd)
	f.addRights(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// idlePatterns returns the entries of a preset's tools that match no tool. Which tools another MCP server has nobody
// knows before it runs, so a pattern counts that begins with the id of one that there is.
func idlePatterns(c *config.Config, name string) []string {
	p := c.Presets[name]
	return slices.DeleteFunc(p.Idle(toolNames()), func(pattern string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(c.MCPServers)), func(id string) bool {
			head, _, whole := strings.Cut(pattern, "__")
			fits, _ := path.Match(head, id)
			return fits || !whole && strings.HasPrefix(head, "*")
		})
	})
}

func (p shownPreset) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "preset\t%s\nfile\t%s\ntools\t%s\nservers\t%s\nread_only\t%v\n", p.Name,
		contract.EscapeText(p.File), orAll("tools", p.Tools), orAll("servers", p.Servers), p.ReadOnly)
	if p.Prompts != nil {
		fmt.Fprintf(w, "prompts\t%s\n", orAll("prompts", p.Prompts))
	}
	if p.Resources != nil {
		fmt.Fprintf(w, "resources\t%s\n", orAll("resources", p.Resources))
	}
	if p.MaxTotalChars > 0 {
		fmt.Fprintf(w, "max_total_chars\t%d\n", p.MaxTotalChars)
	}
	if p.Context != "" {
		fmt.Fprintf(w, "context\t%s\n", p.Context)
	}
	fmt.Fprintf(w, "lspi's tools\t%s\n", cmp.Or(strings.Join(p.Listed, ", "), "none"))
	if len(p.Idle) > 0 {
		fmt.Fprintf(w, "matching nothing\t%s\n", contract.EscapeText(strings.Join(p.Idle, ", ")))
	}
	return w.Flush()
}

func newPresetUseCommand() *cobra.Command {
	var f sessionFlags
	var none, configured bool
	cmd := &cobra.Command{
		Use:   "use [NAME]",
		Short: "Switch the running sessions of this workspace to a preset",
		Long: "use switches the sessions of this workspace in the shared process without a restart: hosts that listen for it\n" +
			"read the list of tools again, and the preset applies to every call from now on. Sessions that begin later use what\n" +
			"the configuration says.",
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := len(args); n == 1 == (none || configured) || none && configured {
				return &usageError{errors.New("name one preset, or say --none or --configured"), cmd.CommandPath()}
			}
			f.Preset, f.NoPreset = strings.Join(args, ""), none
			return usePreset(cmd, &f)
		},
	}
	f.addCommon(cmd)
	cmd.Flags().BoolVar(&none, "none", false, "no preset, whatever the configuration says")
	cmd.Flags().BoolVar(&configured, "configured", false, "what the configuration says")
	return cmd
}

// usePreset asks the shared process to switch the sessions of this workspace and prints which ones it switched. It does
// not start a shared process: without one there is no session to switch.
func usePreset(cmd *cobra.Command, f *sessionFlags) error {
	s := newWiring(f, cmd.ErrOrStderr())
	hello, err := s.hello(f)
	if err != nil {
		return err
	}
	// The name is checked here first, so that a wrong one is reported even when no shared process runs.
	s.options.Flags.Preset = ""
	c, err := s.load(nil)
	if err != nil {
		return &usageError{err: err}
	}
	if message := missingPreset(c, f.Preset); message != "" {
		return &usageError{errors.New(message), cmd.CommandPath()}
	}
	warnOfPreset(cmd.ErrOrStderr(), c, cmp.Or(f.Preset, c.MCP.Preset))
	place, err := thisPlace()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(orBackground(cmd.Context()), statusLimit)
	defer cancel()
	hello.Command = commandPreset
	var got presetUse
	if err := daemon.Ask(ctx, place, hello, &got); daemon.None(err) {
		return errors.New(
			"no shared process of this lspi runs, so no session can be switched; " +
				"new ones use --preset, LSPI_PRESET or mcp.preset")
	} else if err != nil {
		return err
	}
	if got.Error != "" {
		return &usageError{errors.New(got.Error), cmd.CommandPath()}
	}
	out := cmd.OutOrStdout()
	what := "the preset " + f.Preset
	switch {
	case f.NoPreset:
		what = "no preset"
	case f.Preset == "":
		what = "what the configuration says"
	}
	if len(got.Used) == 0 {
		fmt.Fprintf(out, "No session of %s runs in the shared process.\n", contract.EscapeText(got.Root))
		return failedUnless(false)
	}
	fmt.Fprintf(out, "%s of %s: %s.\n", answer.Counted(len(got.Used), "session"), contract.EscapeText(got.Root), what)
	for _, h := range got.Used {
		fmt.Fprintf(out, "  %s, process %s\n", cmp.Or(h.Host, "a host that has said no name"), orNone(h.PID))
	}
	return nil
}
