package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
)

// sessionFlags are the flags that choose workspace, configuration and rights. Whether a session has tools that write
// files or control servers is decided by the first of these that is set:
//
//	--read-only, --mode navigation        read-only
//	--read-write                          read-write
//	mcp.read_only of a configuration      as it says (until it is trusted, a workspace's own file may only say true)
//	--mode, else mcp.mode                 navigation: read-only; refactor: read-write
//	--context, else mcp.context           codex and navigation: read-only; full and claude: read-write
//
// So --context, --mode refactor and the keys mode and context are defaults, which an explicit configuration overrides;
// --read-only and --mode navigation are hard switches. Either of them together with --read-write is an error, and so is
// every value that is not in its list: a misspelt flag never means that more is allowed.
type sessionFlags struct {
	config.Flags  // flags that have a key of the same meaning; flags() sets ReadOnly and Warmup from the fields below
	workspaceRoot string
	config        string
	readOnly      bool
	readWrite     bool
	warmup        bool
}

// addCommon adds the flags of every command that opens a session; they are checked before it runs.
func (f *sessionFlags) addCommon(cmd *cobra.Command) {
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return f.check(cmd) }
	cmd.Flags().StringVar(&f.workspaceRoot, "workspace-root", "",
		"the `folder` to work on (default: the repository that holds the current folder)")
	cmd.Flags().StringVar(&f.config, "config", "", "a configuration `file`, instead of the workspace's")
	cmd.Flags().StringVar(&f.LogLevel, "log-level", "", "`level` of the log: debug, info, warn, error (default warn)")
	cmd.Flags().StringVar(&f.LogFile, "log-file", "", "write the log to this `file` instead of stderr")
	cmd.Flags().StringVar(&f.Trust, "trust", "",
		"which workspaces may run code of their own: ask, owned or `all` (default owned)")
	complete(cmd, "trust", trust.Policies...)
	complete(cmd, "log-level", "debug", "info", "warn", "error")
	_ = cmd.MarkFlagDirname("workspace-root")
	_ = cmd.MarkFlagFilename("config", "toml")
}

// addRights adds the flags that decide which tools a session has.
func (f *sessionFlags) addRights(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Context, "context", "", "defaults for a `host`: "+strings.Join(config.Contexts, ", ")+
		" (default full)")
	cmd.Flags().StringVar(&f.Mode, "mode", "", "`navigation` is read-only whatever files say, refactor is not unless they say so")
	cmd.Flags().StringVar(&f.Preset, "preset", "",
		"the `preset` in use: a named choice of tools and servers (lspi preset list)")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "no tool that writes files or controls servers")
	cmd.Flags().BoolVar(&f.readWrite, "read-write", false, "all tools, whatever context and files say")
	complete(cmd, "context", config.Contexts...)
	complete(cmd, "mode", config.Modes...)
}

// addShare adds the flag that decides whether the process is shared.
func (f *sessionFlags) addShare(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Share, "share", "",
		"`auto`: share one process, and its servers, with other hosts; off: do not (default auto)")
	complete(cmd, "share", config.Shares...)
}

func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// check refuses flags that contradict each other, and empty values: those come from an unset variable of the shell, and
// taking the default would hide the mistake.
func (f *sessionFlags) check(cmd *cobra.Command) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	for _, name := range []string{"workspace-root", "config", "context", "mode", "preset", "log-level", "log-file",
		"trust", "share"} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() == "" {
			return f.wrong(cmd, "--"+name+" is empty")
		}
	}
	switch {
	case f.readOnly && f.readWrite:
		return f.wrong(cmd, "--read-only and --read-write contradict each other")
	case f.Mode == "navigation" && f.readWrite:
		return f.wrong(cmd, "--mode navigation and --read-write contradict each other")
	case given("read-only") && !f.readOnly:
		return f.wrong(cmd, "--read-only=false: say --read-write")
	case given("read-write") && !f.readWrite:
		return f.wrong(cmd, "--read-write=false: say --read-only")
	}
	return nil
}

func (f *sessionFlags) wrong(cmd *cobra.Command, message string) error {
	return &usageError{errors.New(message), cmd.CommandPath()}
}

// flags returns the flags that have a configuration key of the same meaning.
func (f *sessionFlags) flags() config.Flags {
	out := f.Flags
	if f.readOnly || f.readWrite {
		out.ReadOnly = &f.readOnly
	}
	if f.warmup {
		out.Warmup = &f.warmup
	}
	return out
}
