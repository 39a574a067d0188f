package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/doctor"
	"lspi/contract"
)

// repairRounds bounds the rounds of repairs and checks: a repair may show that something else is missing.
const repairRounds = 3

// repairAll runs the commands that install what a report misses, each after a question, and runs the checks again,
// because a server that has been installed may report missing packages. A failed command is reported, and the others
// run all the same. Everything is printed to stderr: stdout is for the report, which repairAll returns.
func repairAll(ctx context.Context, cmd *cobra.Command, r *doctor.Report, d doctorFlags,
	examine func() (*doctor.Report, error)) (*doctor.Report, error) {
	asked := map[doctor.Repair]bool{}
	for range repairRounds {
		var missing []doctor.Named
		for _, n := range r.Repairs() {
			if !asked[*n.Repair] {
				asked[*n.Repair] = true
				missing = append(missing, n)
			}
		}
		if len(missing) == 0 {
			break
		}
		repaired, err := repairSome(ctx, cmd, missing, d, r.Workspace.Trust.Trusted)
		if err != nil {
			return nil, err
		}
		if !repaired {
			break
		}
		if r, err = examine(); err != nil {
			return nil, err
		}
	}
	if len(asked) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Nothing is missing that a command of this machine installs.")
	}
	return r, nil
}

// repairSome asks about each repair and runs it; repaired reports whether at least one succeeded.
func repairSome(ctx context.Context, cmd *cobra.Command, missing []doctor.Named, d doctorFlags,
	trusted bool) (repaired bool, err error) {
	errs := cmd.ErrOrStderr()
	show := func(n doctor.Named) {
		fmt.Fprintf(errs, "%s\n  %s\n", contract.EscapeLine(n.What), contract.EscapeLine(n.Repair.Line()))
	}
	ask, err := asker(cmd, d.yes, "nothing was installed", fmt.Sprintf("run the commands (%d)", len(missing)))
	if err != nil {
		for _, n := range missing {
			show(n)
		}
		return false, err
	}
	defer ask.close()
	for _, n := range missing {
		show(n)
		if n.Repair.Project && !trusted {
			fmt.Fprintln(errs,
				"  Not run: it runs what files of this workspace say, and the workspace is not trusted (lspi trust).")
			continue
		}
		yes, err := ask.yes("Run it? [Y/n] ")
		if err != nil {
			return repaired, err
		}
		if !yes {
			continue
		}
		if err := runRepair(ctx, cmd, n.Repair); err != nil {
			if ctx.Err() != nil {
				return repaired, ctx.Err()
			}
			fmt.Fprintf(errs, "  It failed: %s\n", contract.EscapeLine(err.Error()))
			continue
		}
		repaired = true
	}
	return repaired, nil
}

// runRepair runs a command with the shell. The command has no stdin, so that an installer that asks fails instead of
// waiting; only sudo gets the terminal.
func runRepair(ctx context.Context, cmd *cobra.Command, r *doctor.Repair) error {
	words := []string{"sh", "-c", r.Command}
	if runtime.GOOS == "windows" {
		words = []string{"cmd", "/c", r.Command}
	}
	if rest, ok := strings.CutPrefix(r.Command, "lspi "); ok { // this program, which may not be on PATH
		self, err := os.Executable()
		if err != nil {
			return err
		}
		words = append([]string{self}, strings.Fields(rest)...)
	}
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Stdout, c.Stderr = r.Folder, cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if in, ok := cmd.InOrStdin().(*os.File); ok && strings.HasPrefix(r.Command, "sudo ") {
		c.Stdin = in // sudo asks for a password
	}
	err := c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("the command ended with %s", exit.ProcessState)
	}
	return err
}
