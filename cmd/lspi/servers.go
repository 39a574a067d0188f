package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/doctor"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/tools"
)

func newServersCommand() *cobra.Command {
	cmd := newServersListCommand()
	cmd.Use, cmd.Short = "servers", "List the language servers of this workspace; install some"
	cmd.Long += " servers install puts those that lspi's tests run into a folder of lspi's own."
	cmd.AddCommand(newServersListCommand(), newServersInstallCommand(), newServersRemoveCommand())
	return cmd
}

// newServersListCommand makes lspi servers, and lspi servers list.
func newServersListCommand() *cobra.Command {
	var f sessionFlags
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the language servers of this workspace",
		Long: "servers lists the language servers that this workspace has files for, where they are or how they are installed,\n" +
			"and which run, as the tool list_servers does.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := map[string]any{"all": all}
			if !asJSON {
				given["max_total_chars"] = wholeList
			}
			raw, _ := json.Marshal(given) // cannot fail: a boolean and a number
			return callTo(cmd, &f, "list_servers", arguments{object: raw}, asJSON, func(result tools.Result) error {
				if asJSON || !result.OK {
					return printResult(cmd.OutOrStdout(), cmd.ErrOrStderr(), result, asJSON)
				}
				return printServers(cmd.OutOrStdout(), result, all)
			})
		},
	}
	f.addCommon(cmd)
	f.addShare(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every server that lspi knows")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

// wholeList is a limit of characters that no list of servers reaches.
const wholeList = 1 << 20

// printServers prints the answer of list_servers as a table for people.
func printServers(out io.Writer, result tools.Result, all bool) error {
	var answer struct {
		Total   int `json:"total"`
		Servers []struct {
			ID, State, Version, Path string
			Install                  []string
			InstallHint              string `json:"install_hint"`
			Files                    int
		}
		Warnings []contract.Warning
	}
	if err := json.Unmarshal(result.Structured, &answer); err != nil {
		return err
	}
	var b strings.Builder
	missing := 0
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(answer.Servers) > 0 {
		fmt.Fprintln(w, "SERVER\tSTATE\tVERSION\tFILES\tWHERE")
	}
	for _, s := range answer.Servers {
		where := s.Path
		if s.Path == "" && s.State != "off" {
			missing++
			where = "→ " + cmp.Or(append(s.Install, s.InstallHint)[0], "no program of its command is there")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", s.ID, s.State, cmp.Or(s.Version, "-"), s.Files, contract.OneLine(where))
	}
	_ = w.Flush()
	switch {
	case len(answer.Servers) == 0:
		b.WriteString("This workspace has no file of a language whose server lspi knows.\n")
	case missing > 0:
		fmt.Fprintf(&b, "\n%d servers, %d of them not installed.\n", answer.Total, missing)
	}
	if !all {
		b.WriteString("lspi servers --all lists every server that lspi knows.\n")
	}
	for _, warning := range answer.Warnings {
		if warning.Kind != contract.WarnClamped {
			b.WriteString("warning: " + warning.Message + "\n")
		}
	}
	_, err := io.WriteString(out, contract.EscapeText(b.String()))
	return err
}

func newServersInstallCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "install NAME...",
		Short: "Install language servers into lspi's own folder",
		Long: "install gets servers by their names in lspi servers --all (or by the names of their programs), in the versions\n" +
			"that lspi's tests run, with npm, pip or uv, go and cargo: each in a folder of its own below\n" +
			"~/.local/share/lspi/servers ($XDG_DATA_HOME), where lspi looks after PATH. Each command is shown before it runs.\n" +
			"Nothing else on the system changes.",
		Example:           "  lspi servers install gopls pyright",
		Args:              positional(cobra.MinimumNArgs(1)),
		ValidArgsFunction: completePins,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, pins, err := pinned(cmd, args)
			if err != nil {
				return err
			}
			end := watchSignals()
			failed := false
			for _, pin := range pins {
				err := installPin(end.ctx, cmd, in, pin, dryRun)
				if end.ctx.Err() != nil {
					return err
				}
				if err != nil { // go on: the others may be installed in another way
					failed = true
					fmt.Fprintln(cmd.ErrOrStderr(), "lspi: "+contract.EscapeText(err.Error()))
				}
			}
			return failedUnless(!failed)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show the commands")
	return cmd
}

// installPin installs one pin, or prints its commands with dryRun, and says what it did.
func installPin(ctx context.Context, cmd *cobra.Command, in doctor.Installer, pin servers.Pin, dryRun bool) error {
	out := cmd.OutOrStdout()
	if in.Installed(pin) {
		fmt.Fprintf(out, "%s %s is there: %s\n", pin.Name, pin.Version, in.Bin())
		return nil
	}
	if dryRun {
		steps, err := in.Steps(pin)
		for _, step := range steps {
			fmt.Fprintln(out, step)
		}
		return err
	}
	if err := in.Install(ctx, pin); err != nil {
		return fmt.Errorf("installing %s: %w", pin.Name, err)
	}
	fmt.Fprintf(out, "%s %s is installed: %s\n", pin.Name, pin.Version, strings.Join(pin.Launchers, ", "))
	return nil
}

func newServersRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME...",
		Short:             "Remove language servers from lspi's own folder, in all versions",
		Args:              positional(cobra.MinimumNArgs(1)),
		ValidArgsFunction: completePins,
		RunE: func(cmd *cobra.Command, args []string) error {
			in, pins, err := pinned(cmd, args)
			if err != nil {
				return err
			}
			for _, pin := range pins {
				removed, err := in.Remove(pin)
				if err != nil {
					return err
				}
				if len(removed) == 0 {
					fmt.Fprintf(cmd.OutOrStdout(), "%s is not in lspi's own folder\n", pin.Name)
				} else {
					fmt.Fprintf(cmd.OutOrStdout(), "%s %s is removed\n", pin.Name, strings.Join(removed, ", "))
				}
			}
			return nil
		},
	}
}

// pinned returns the pins of names, which may be ids of servers, programs, or names in pins.txt, and the installer.
func pinned(cmd *cobra.Command, names []string) (doctor.Installer, []servers.Pin, error) {
	dir := launch.OwnServers(trust.User{}.Env)
	if dir == "" {
		return doctor.Installer{}, nil, errors.New("there is no home folder to install into")
	}
	look := func(program string) string {
		path, err := exec.LookPath(program)
		if err != nil {
			return ""
		}
		return path
	}
	var pins []servers.Pin
	for _, name := range names {
		pin, ok := pinNamed(name)
		if !ok {
			err := fmt.Errorf("lspi has no pinned version of %q", name)
			return doctor.Installer{}, nil, &usageError{withNearest(err, name, pinNames(), ""), cmd.CommandPath()}
		}
		pins = append(pins, pin)
	}
	return doctor.Installer{Dir: dir, Look: look, Out: cmd.ErrOrStderr()}, pins, nil
}

// pinNamed finds a pin by the id of a server first, because ids are what lspi servers lists; then by the pin's own name
// and the names of its programs.
func pinNamed(name string) (servers.Pin, bool) {
	for _, s := range servers.Servers() {
		if s.ID == name {
			return servers.PinOf(&s)
		}
	}
	for _, pin := range servers.Pins() {
		if len(pin.Launchers) > 0 && (pin.Name == name || slices.Contains(pin.Launchers, name)) {
			return pin, true
		}
	}
	return servers.Pin{}, false
}

// pinNames returns the ids of servers with a pin that lspi can install.
func pinNames() (out []string) {
	for _, s := range servers.Servers() {
		if pin, ok := servers.PinOf(&s); ok && pin.How != "deb" {
			out = append(out, s.ID)
		}
	}
	return out
}

func completePins(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := slices.DeleteFunc(pinNames(), func(name string) bool { return !strings.HasPrefix(name, typed) })
	return names, cobra.ShellCompDirectiveNoFileComp
}
