package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/servers"
	"lspi/router"
)

// trustFlags are the flags of lspi trust.
type trustFlags struct {
	list, yes, below bool
}

func newTrustCommand() *cobra.Command {
	var f trustFlags
	cmd := &cobra.Command{
		Use:   "trust [FOLDER | FILE ...]",
		Short: "Let code of a workspace run, and its configuration name programs",
		Long: "trust lists the code of a workspace that language servers would run (build scripts, macros, plugins, linters) and asks\n" +
			"whether it may run. Without a FOLDER it is about the workspace around the current folder. Until you trust a workspace,\n" +
			"language servers run restricted. Trust includes the workspace's own configuration as it is now (commands, arguments,\n" +
			"environment, folders outside), or, with a FILE, that configuration alone; after a change you have to trust it again. A file\n" +
			"with errors cannot be trusted, because its meaning is not known.\n\n" +
			"Other clones of the same remote, and linked worktrees, are then trusted as well, if they are yours. --below trusts all\n" +
			"folders below that are yours.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return listTrusted(cmd.OutOrStdout(), trust.Open(trust.User{}))
			}
			return trustWorkspaces(cmd, f, args)
		},
	}
	cmd.Flags().BoolVar(&f.list, "list", false, "show what is trusted")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask; for your own scripts")
	cmd.Flags().BoolVar(&f.below, "below", false, "trust this folder and all folders below it that are yours")
	return cmd
}

// agentVariables are environment variables that agents set for the commands that they run. An answer or a file of the
// repository may tell an agent to run lspi trust --yes; then the user would not have seen the question.
var agentVariables = []string{"CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE", "OPENCODE",
	"CURSOR_AGENT", "COPILOT_CLI"}

// errAgent is the error of lspi trust --yes in a command of an agent.
var errAgent = errors.New("an agent runs this command, and only the user can give trust: " +
	"ask them to run lspi trust in their own terminal")

// trustWorkspaces trusts folders and files, or the workspace around the current folder. A folder brings its own
// configuration file along. Everything is reviewed and asked about before anything is stored: after an error in one
// file, or a no, nothing is trusted.
func trustWorkspaces(cmd *cobra.Command, f trustFlags, args []string) error {
	if f.yes {
		for _, name := range agentVariables {
			if os.Getenv(name) != "" {
				return errAgent
			}
		}
	}
	if len(args) == 0 {
		root, err := currentWorkspace()
		if err != nil {
			return err
		}
		args = []string{root}
	}
	var folders, files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			folders = append(folders, arg)
			files = append(files, configurationIn(arg)...)
		} else {
			files = append(files, arg)
		}
	}
	if err := reviewed(cmd.ErrOrStderr(), files); err != nil {
		return err
	}
	var entries []trust.TrustedWorkspace
	for _, folder := range folders {
		e, err := trust.DescribeWorkspace(folder, f.below)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if !f.yes {
		if err := askToTrust(cmd, entries, files); err != nil {
			return err
		}
	}
	return remember(cmd.OutOrStdout(), entries, files)
}

// remember stores the trust that the user gave and prints what is trusted now.
func remember(out io.Writer, entries []trust.TrustedWorkspace, files []string) error {
	store := trust.Open(trust.User{})
	for _, e := range entries {
		if err := store.TrustWorkspace(e); err != nil {
			return err
		}
		fmt.Fprintf(out, "trusted %s%s\n", contract.EscapeLine(e.Path), extent(e))
	}
	for _, file := range files {
		entry, err := store.TrustFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "trusted %s as it is now (sha256 %.12s…)\n", contract.EscapeLine(entry.Path), entry.SHA256)
	}
	return nil
}

// extent says what an entry covers besides the folder; "" for nothing.
func extent(e trust.TrustedWorkspace) string {
	switch {
	case e.Below:
		return " with all that is below it and yours"
	case e.Origin != "":
		return ", and your other clones of " + contract.EscapeLine(e.Origin)
	}
	return ""
}

// askToTrust shows what would run and asks on the terminal; it returns nil only for a yes.
func askToTrust(cmd *cobra.Command, entries []trust.TrustedWorkspace, files []string) error {
	tty, err := openTerminal()
	if err != nil {
		return fmt.Errorf(
			"there is no terminal to ask on (%w): run lspi trust in one, or add --yes in your own script", err)
	}
	defer tty.Close()
	for _, e := range entries {
		fmt.Fprintf(tty, "Workspace %s%s\n", contract.EscapeLine(e.Path), extent(e))
		if err := showCode(cmd, tty, e.Path); err != nil {
			return err
		}
	}
	for _, file := range files {
		fmt.Fprintf(tty, "Configuration %s, all that it says\n", contract.EscapeLine(file))
	}
	fmt.Fprint(tty, "Trust it? [y/N] ")
	key, err := oneKey(tty)
	fmt.Fprintln(tty)
	if err != nil {
		return fmt.Errorf("asking on the terminal: %w", err)
	}
	if key != 'y' && key != 'Y' {
		return errors.New("nothing was trusted")
	}
	return nil
}

// showCode lists what servers would run in a workspace.
func showCode(cmd *cobra.Command, out io.Writer, root string) error {
	s := newWiring(&sessionFlags{workspaceRoot: root, Flags: config.Flags{Trust: "all", LogLevel: "error"}},
		cmd.ErrOrStderr())
	c, err := s.load(nil)
	if err != nil {
		return err
	}
	found, err := router.ProjectCode(cmd.Context(), c.Table(), source.NewDiskCache())
	if len(found) == 0 {
		fmt.Fprintln(out, "  lspi found nothing that a language server would run; code that is added later may run.")
	}
	for _, f := range found {
		line := fmt.Sprintf("  %s runs %s", f.Spec.Title, f.What)
		if len(f.Files) == 0 {
			line = fmt.Sprintf("  %s: %s", f.Spec.Title, f.What)
		}
		fmt.Fprintln(out, line)
		for _, file := range f.Files {
			fmt.Fprintln(out, "      "+contract.EscapeLine(file))
		}
		if f.More > 0 {
			fmt.Fprintf(out, "      and %d more\n", f.More)
		}
	}
	if err != nil {
		fmt.Fprintln(out, "  lspi could not search the whole workspace; there may be more.")
	}
	return nil
}

// reviewed prints what is wrong with configuration files; with an error in any of them, nothing is trusted.
func reviewed(errs io.Writer, files []string) error {
	wrong := 0
	for _, file := range files {
		for _, f := range config.Review(config.Options{Catalogue: servers.Servers(), Tools: toolNames()}, file) {
			if f.Severity == config.SeverityError {
				wrong++
			}
			fmt.Fprintf(errs, "%s: %s\n", f.Severity, contract.EscapeLine(f.String()))
			if f.Fix != "" {
				fmt.Fprintf(errs, "  fix: %s\n", contract.EscapeLine(f.Fix))
			}
		}
	}
	if wrong > 0 {
		return fmt.Errorf("nothing was trusted: errors in the configuration: %d", wrong)
	}
	return nil
}

// currentWorkspace returns the root of the workspace around the current folder.
func currentWorkspace() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	w, err := trust.FindWorkspace("", nil, trust.User{}, dir)
	return w.Root, err
}

// configurationIn returns the configuration file of a workspace in a list; nil when it has none.
func configurationIn(root string) []string {
	if path, _ := config.WorkspaceFile(root); path != "" {
		return []string{path}
	}
	return nil
}

// listTrusted lists all entries that can be read, and returns the errors of the others.
func listTrusted(out io.Writer, store trust.Store) error {
	workspaces, werr := store.Workspaces()
	entries, err := store.Files()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range workspaces {
		fmt.Fprintf(w, "%s\tworkspace\t%s\t%s\n", e.When.Format("2006-01-02"), contract.EscapeLine(e.Path),
			strings.TrimLeft(extent(e), ", "))
	}
	for _, e := range entries {
		fmt.Fprintf(w, "%s\tfile\t%s\tsha256 %.12s…\n", e.When.Format("2006-01-02"), contract.EscapeLine(e.Path),
			e.SHA256)
	}
	return errors.Join(werr, err, w.Flush())
}
