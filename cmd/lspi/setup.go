package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"lspi/cmd/lspi/internal/setup"
	"lspi/contract"
)

// setupFlags are the flags of lspi setup.
type setupFlags struct {
	yes, user, project, readOnly, readWrite, dryRun, undo, agents, skill, plugin, list, noCheck bool
	hooks                                                                                       string

	// lspi setup of the original wrote a starter configuration, which lspi config init does today.
	init          configInit
	wizard, write bool
}

func newSetupCommand() *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "setup [HOST ...]",
		Short: "Put lspi into the configuration of Codex, Claude Code and other hosts",
		Long: "setup adds lspi to the configuration files of MCP hosts. It shows the change of each file and asks before it writes. Comments,\n" +
			"order and everything else in the file stay; a backup is kept. Without a HOST it takes those that are installed or have a file.\n\n" +
			"Hosts: " + strings.Join(hostNames(), ", ") + ".\n\n" +
			"Codex gets read-only tools unless you say --read-write, because it edits files itself; other hosts get all tools unless\n" +
			"you say --read-only. On a terminal setup also offers the hooks and the section of --agents; without one it\n" +
			"writes them only when you name them.\n\n" +
			"  lspi setup                     find hosts, show the changes, ask\n" +
			"  lspi setup codex --yes         one host, without a question\n" +
			"  lspi setup --hooks             also hooks: the host tells its model of new errors after each change\n" +
			"  lspi setup --agents            a short section in AGENTS.md and CLAUDE.md of the project\n" +
			"  lspi setup --skill             a skill for Codex and Claude Code\n" +
			"  lspi setup claude --plugin DIR a plugin for Claude Code in the folder DIR\n" +
			"  lspi setup --undo              take out what setup wrote\n\n" +
			"Exit status: 0 when all is set up or nothing was to do, 1 when a file could not be changed or nobody could be asked, 2 when\n" +
			"the command line is wrong.",
		ValidArgs: hostNames(),
		RunE:      func(cmd *cobra.Command, args []string) error { return runSetup(cmd, f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&f.user, "user", false, "your own file, for all projects (the default)")
	flags.BoolVar(&f.project, "project", false, "the file of this project, for everybody who works on it")
	flags.BoolVar(&f.readOnly, "read-only", false, "only tools that change no files")
	flags.BoolVar(&f.readWrite, "read-write", false, "all tools")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the changes, and make none")
	flags.BoolVar(&f.undo, "undo", false, "take out what setup wrote")
	flags.BoolVar(&f.agents, "agents", false, "add a section to AGENTS.md and CLAUDE.md instead")
	flags.BoolVar(&f.skill, "skill", false, "install the skill for Codex and Claude Code instead")
	flags.BoolVar(&f.plugin, "plugin", false,
		"make a plugin for Claude Code in the folder that follows (default lspi-plugin) instead")
	flags.StringVar(&f.hooks, "hooks", "",
		"also hooks of the host that run lspi hook: changes, or all (also before a turn ends and after searches)")
	flags.Lookup("hooks").NoOptDefVal = string(setup.ChangeHooks)
	flags.BoolVar(&f.list, "list", false, "show the hosts, their files, and which have lspi")
	flags.BoolVar(&f.noCheck, "no-check", false, "do not run the doctor and a question in this project at the end")
	f.addOriginal(cmd)
	return cmd
}

// addOriginal adds the flags of the original's setup, which the help does not list.
func (f *setupFlags) addOriginal(cmd *cobra.Command) {
	f.init.addFlags(cmd)
	cmd.Flags().BoolVar(&f.wizard, "wizard", false, "print a starter configuration: lspi config init --print")
	cmd.Flags().BoolVar(&f.write, "write", false, "write a starter configuration: lspi config init")
	for _, name := range []string{"interactive", "non-interactive"} { // it asks nothing
		cmd.Flags().Bool(name, false, "nothing: the starter configuration is written without questions")
	}
	for _, name := range []string{"wizard", "write", "output", "force", "workspace-root", "interactive",
		"non-interactive"} {
		_ = cmd.Flags().MarkHidden(name) // they are there
	}
}

// original reports whether the command line is one of the original's setup.
func (f *setupFlags) original() bool { return f.wizard || f.write || f.init.output != "" }

// newSkillCommand makes lspi skill install, the name that the original lspi had for installing the skill.
func newSkillCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "skill", Short: "Install the skill for Codex and Claude Code",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		}}
	install := newSetupCommand()
	install.Use, install.Short = "install [HOST ...]", "The same as lspi setup --skill"
	run := install.RunE
	install.RunE = func(cmd *cobra.Command, args []string) error {
		if err := cmd.Flags().Set("skill", "true"); err != nil {
			return err
		}
		return run(cmd, args)
	}
	cmd.AddCommand(install)
	return cmd
}

func hostNames() (out []string) {
	for _, h := range setup.Hosts {
		out = append(out, h.Name)
	}
	return out
}

// setupPlace returns the user, PATH and project of the terminal in which the command was typed.
func setupPlace() (setup.Place, error) {
	p := setup.Place{Path: os.Getenv("PATH")}
	exe, err := os.Executable()
	if err != nil {
		return p, err
	}
	p.Executable = exe
	if !filepath.IsAbs(p.User.HomeDir()) {
		return p, errors.New("there is no home folder, which has the files of hosts: HOME has to be an absolute path")
	}
	if root, err := currentWorkspace(); err == nil && root != p.User.HomeDir() {
		p.Project = root
	}
	return p, nil
}

// check refuses flags that contradict each other.
func (f setupFlags) check(cmd *cobra.Command) error {
	wrong := func(text string) error { return &usageError{errors.New(text), cmd.CommandPath()} }
	instead := 0
	for _, one := range []bool{f.agents, f.skill, f.plugin, f.undo, f.list} {
		if one {
			instead++
		}
	}
	switch {
	case f.user && f.project:
		return wrong("--user and --project contradict each other")
	case f.readOnly && f.readWrite:
		return wrong("--read-only and --read-write contradict each other")
	case f.hooks != "" && !slices.Contains(setup.HookSets(), f.hooks):
		return wrong("--hooks takes " + strings.Join(setup.HookSets(), " or ") + ", not " + f.hooks)
	case f.hooks != "" && (f.agents || f.skill || f.undo || f.list):
		return wrong("--hooks goes with a setup of hosts and with --plugin")
	case instead > 1:
		return wrong("only one of --agents, --skill, --plugin, --undo and --list can be done at a time")
	}
	return nil
}

func (f setupFlags) scope() setup.Scope {
	if f.project {
		return setup.Project
	}
	return setup.User
}

func (f setupFlags) rights() setup.Rights {
	switch {
	case f.readOnly:
		return setup.ReadOnly
	case f.readWrite:
		return setup.ReadWrite
	}
	return setup.DefaultRights
}

// runSetup plans all changes, shows them, asks about each and writes it. A host whose change fails does not stop the
// others; the exit status tells. After a successful setup of hosts it checks that lspi works in this project.
func runSetup(cmd *cobra.Command, f setupFlags, args []string) error {
	if f.original() {
		f.init.print = !f.write
		return f.init.run(cmd)
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	p, err := setupPlace()
	if err != nil {
		return err
	}
	folder := "lspi-plugin"
	if f.plugin {
		args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "claude" })
		if len(args) > 1 {
			return &usageError{errors.New("--plugin takes one folder"), cmd.CommandPath()}
		}
		if len(args) == 1 {
			folder, args = args[0], nil
		}
	}
	for _, name := range args {
		if setup.Find(name) == nil {
			return &usageError{withNearest(fmt.Errorf("lspi setup knows no host %q", name), name, hostNames(), ""),
				cmd.CommandPath()}
		}
	}
	switch {
	case f.list:
		return listHosts(cmd.OutOrStdout(), p)
	case f.undo:
		return undoSetup(cmd, f, p, args)
	}
	changes, failed, err := planSetup(cmd, f, p, args, folder)
	if err != nil {
		return err
	}
	done, written, err := makeChanges(cmd, f, p, changes)
	if err != nil {
		return err
	}
	failed = failed || !written
	if done && !f.dryRun && !f.noCheck && !f.agents && !f.skill && !f.plugin {
		checkSetup(cmd, p)
	}
	return failedUnless(!failed)
}

// planSetup returns the changes to make. failed reports that one could not be planned; the reason has been printed.
func planSetup(cmd *cobra.Command, f setupFlags, p setup.Place, args []string, folder string) (out []*setup.Change,
	failed bool, err error) {
	switch {
	case f.plugin:
		dir, err := filepath.Abs(folder)
		if err != nil {
			return nil, false, err
		}
		out, err = p.PlanPlugin(dir, version().Version, f.rights(), setup.HookSet(cmp.Or(f.hooks,
			string(setup.ChangeHooks))))
		return out, false, err
	case f.agents:
		scope := setup.Project
		if f.user || p.Project == "" && !f.project {
			scope = setup.User
		}
		out, err = p.PlanSection(scope)
		return out, false, err
	}
	hosts := chosenHosts(p, args, f.skill)
	if len(hosts) == 0 {
		return nil, false,
			fmt.Errorf("no host was found on this machine; name the one that you use: lspi setup codex (hosts: %s)",
				strings.Join(hostNames(), ", "))
	}
	for _, h := range hosts {
		if !f.skill && p.File(h, f.scope()) == "" {
			if len(args) > 0 {
				failed = true
				fmt.Fprintf(cmd.ErrOrStderr(),
					"%s: it has no file for a project, or there is no project here; leave out --project\n", h.Title)
			}
			continue
		}
		var c *setup.Change
		if f.skill {
			c, err = p.PlanSkill(h, f.scope())
		} else {
			c, err = p.Plan(h, f.scope(), f.rights())
		}
		if err != nil {
			failed = true
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: nothing was changed: %s\n", h.Title, contract.EscapeText(err.Error()))
			continue
		}
		out = append(out, c)
		if !f.skill {
			hooks, ok := planHooks(cmd, f, p, h)
			out, failed = append(out, hooks...), failed || !ok
		}
	}
	if !f.skill && f.offers(cmd) {
		out = append(out, offeredSection(f, p)...)
	}
	return out, failed, nil
}

// offers reports whether setup asks on a terminal, where it offers what it writes only on demand without one.
func (f setupFlags) offers(cmd *cobra.Command) bool {
	in, ok := cmd.InOrStdin().(*os.File)
	return ok && term.IsTerminal(int(in.Fd())) && !f.yes && !f.dryRun
}

// planHooks returns the change that adds the hooks of a host, where they are wanted or offered; ok is false when they
// are wanted and cannot be added.
func planHooks(cmd *cobra.Command, f setupFlags, p setup.Place, h *setup.Host) (out []*setup.Change, ok bool) {
	set := setup.HookSet(f.hooks)
	switch {
	case set == setup.NoHooks && !f.offers(cmd):
		return nil, true
	case p.HookFile(h, f.scope()) == "":
		if set != setup.NoHooks {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: it has no hooks that lspi knows\n", h.Title)
		}
		return nil, true
	case set == setup.NoHooks:
		set = setup.ChangeHooks
	}
	c, err := p.PlanHooks(h, f.scope(), set)
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s hooks: nothing was changed: %s\n", h.Title,
			contract.EscapeText(err.Error()))
		return nil, f.hooks == ""
	}
	return []*setup.Change{c}, true
}

// offeredSection returns the changes of --agents that are still to be made; none where that is not possible.
func offeredSection(f setupFlags, p setup.Place) []*setup.Change {
	scope := setup.Project
	if f.user || p.Project == "" {
		scope = setup.User
	}
	all, err := p.PlanSection(scope)
	if err != nil {
		return nil // nobody asked for it
	}
	return slices.DeleteFunc(all, func(c *setup.Change) bool { return c.Diff == "" })
}

// chosenHosts returns the hosts that were named, else those of which there is a sign on this machine.
func chosenHosts(p setup.Place, args []string, skills bool) (out []*setup.Host) {
	for _, h := range setup.Hosts {
		switch {
		case slices.Contains(args, h.Name):
		case len(args) > 0 || p.Installed(h) == "" || skills && !h.HasSkills():
			continue
		}
		out = append(out, h)
	}
	return out
}

// makeChanges shows each change, asks, and writes it. done reports that at least one host is set up now. A file that
// cannot be written is reported and makes written false; the others are written all the same.
func makeChanges(cmd *cobra.Command, f setupFlags, p setup.Place, changes []*setup.Change) (done, written bool,
	err error) {
	out := cmd.OutOrStdout()
	left := 0
	written = true
	for _, c := range changes {
		if c.Diff == "" {
			fmt.Fprintf(out, "%s: already set up in %s\n", c.Title(), contract.EscapeLine(c.File))
			done = true
		} else {
			showChange(out, p, c, f.dryRun)
			left++
		}
		for _, note := range c.Notes {
			fmt.Fprintf(out, "  %s\n", note)
		}
	}
	if left == 0 || f.dryRun {
		return done, written, nil
	}
	ask, err := asker(cmd, f.yes, "nothing was written", fmt.Sprintf("write (files: %d)", left))
	if err != nil {
		return false, false, err
	}
	defer ask.close()
	for _, c := range changes {
		if c.Diff == "" {
			continue
		}
		if yes, err := ask.yes(fmt.Sprintf("Write %s for %s? [Y/n] ", contract.EscapeLine(c.File),
			c.Title())); err != nil {
			return done, false, err
		} else if !yes {
			fmt.Fprintf(out, "%s: left as it was\n", c.Title())
			continue
		}
		backup, err := p.Write(cmd.Context(), c)
		if err != nil {
			written = false
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: not set up: %s\n", c.Title(), contract.EscapeText(err.Error()))
			continue
		}
		done = true
		fmt.Fprintf(out, "%s: set up in %s", c.Title(), contract.EscapeLine(c.File))
		if backup != "" {
			fmt.Fprintf(out, " (before: %s)", contract.EscapeLine(backup))
		}
		fmt.Fprintln(out)
	}
	return done, written, nil
}

// showChange shows what a change does. Of a new file of lspi's own, such as the skill, it shows only the name unless
// all is set.
func showChange(out io.Writer, p setup.Place, c *setup.Change, all bool) {
	if c.Host != nil && c.IsEntry() {
		fmt.Fprintf(out, "%s. %s\n", c.Host.Title, c.Host.Differs)
		if !c.Host.Tried {
			fmt.Fprintf(out, "  The form is from its documentation; lspi's tests do not run %s.\n", c.Host.Title)
		}
		if own := p.OwnCommand(c); own != "" {
			fmt.Fprintf(out, "  Written by its own command: %s\n", contract.EscapeLine(own))
		}
	}
	if c.IsHooks() {
		fmt.Fprintf(out, "%s. After a change %s runs lspi hook, which tells its model of new errors, or nothing.\n",
			c.Title(), c.Host.Title)
	}
	if n := c.NewLines(); n > 0 && !all {
		fmt.Fprintf(out, "new file %s (%d lines; --dry-run shows them)\n", contract.EscapeLine(c.File), n)
		return
	}
	fmt.Fprint(out, contract.EscapeText(c.Diff))
}

// setupAsker asks questions on the terminal; without one every answer is yes.
type setupAsker struct{ tty *userTerminal }

// asker returns what asks on the terminal, or answers yes to everything. It returns an error when there is no terminal
// and yes is not set; left says there what was not done, and does what --yes would do.
func asker(cmd *cobra.Command, yes bool, left, does string) (setupAsker, error) {
	if yes {
		return setupAsker{}, nil
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return setupAsker{}, fmt.Errorf("%s, because there is no terminal to ask on: add --yes to %s", left, does)
	}
	tty, err := openTerminal()
	if err != nil {
		return setupAsker{}, fmt.Errorf("%s, because there is no terminal to ask on (%w): add --yes to %s", left, err,
			does)
	}
	return setupAsker{tty}, nil
}

func (a setupAsker) close() {
	if a.tty != nil {
		a.tty.Close()
	}
}

// yes asks a question; Enter is a yes. Ctrl-C is an error, which ends the command.
func (a setupAsker) yes(question string) (bool, error) {
	if a.tty == nil {
		return true, nil
	}
	fmt.Fprint(a.tty, question)
	key, err := oneKey(a.tty)
	fmt.Fprintln(a.tty)
	if err == nil && key == 3 { // Ctrl-C, which sends no signal in the terminal's raw mode
		err = errors.New("ended")
	}
	return err == nil && strings.ContainsRune("yY\r\n", rune(key)), err
}

// undoSetup shows what undo would take out, asks once, and takes it out. The dry run before has no effect on files, so
// what is shown may differ from what is taken out if a host writes its file in between; both are computed afresh.
func undoSetup(cmd *cobra.Command, f setupFlags, p setup.Place, args []string) error {
	shown, err := p.Undo(args, true)
	if err != nil {
		return err
	}
	if len(shown) == 0 {
		fmt.Fprintln(cmd.OutOrStdout(), "lspi setup wrote nothing that is left.")
		return nil
	}
	for _, u := range shown {
		if u.Err == nil {
			fmt.Fprint(cmd.OutOrStdout(), contract.EscapeText(u.Diff))
		}
	}
	if !f.dryRun {
		ask, err := asker(cmd, f.yes, "nothing was taken out", "take it out")
		if err != nil {
			return err
		}
		defer ask.close()
		if yes, err := ask.yes("Take this out? [Y/n] "); err != nil || !yes {
			return err
		}
		if shown, err = p.Undo(args, false); err != nil {
			return err
		}
	}
	ok := true
	for _, u := range shown {
		switch {
		case u.Err != nil:
			ok = false
			fmt.Fprintf(cmd.ErrOrStderr(), "not taken out: %s\n", contract.EscapeText(u.Err.Error()))
		case f.dryRun:
		case u.Diff == "":
			fmt.Fprintf(cmd.OutOrStdout(), "nothing to take out of %s any more\n", contract.EscapeLine(u.File))
		default:
			fmt.Fprintf(cmd.OutOrStdout(), "taken out of %s\n", contract.EscapeLine(u.File))
		}
	}
	return failedUnless(ok)
}

// listHosts lists the files of hosts that have lspi, and the user's files of installed hosts that do not.
func listHosts(out io.Writer, p setup.Place) error {
	listed := false
	for _, found := range p.Look() {
		sign, state := p.Installed(found.Host), "without lspi"
		switch {
		case found.Err != nil:
			state = contract.OneLine(found.Err.Error())
		case found.Entry != nil && found.Entry.Off:
			state = "switched off: " + found.Entry.Line()
		case found.Entry != nil:
			state = found.Entry.Line()
		case !found.Exists && (sign == "" || found.Scope == setup.Project):
			continue
		case !found.Exists:
			state = "no file yet"
		}
		if has := p.Hooks(found.Host, found.Scope); has.Command != "" {
			state += "; hooks: " + has.Command
		}
		listed = true
		fmt.Fprintf(out, "%-9s %-8s %s: %s\n", found.Host.Name, found.Scope, contract.EscapeLine(found.File),
			contract.EscapeLine(state))
	}
	if !listed {
		fmt.Fprintf(out, "No host was found on this machine. lspi setup knows %s.\n", strings.Join(hostNames(), ", "))
	}
	return nil
}
