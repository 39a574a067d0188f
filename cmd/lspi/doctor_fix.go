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

// repairAll runs the commands that install what a report misses, each after a question, and reports whether one did. What fails is told, and the
// others are run all the same. All of it goes to stderr: stdout has the report.
func repairAll(ctx context.Context, cmd *cobra.Command, r *doctor.Report, d doctorFlags) (repaired bool, err error) {
	errs := cmd.ErrOrStderr()
	repairs := r.Repairs()
	if len(repairs) == 0 {
		fmt.Fprintln(errs, "Nothing is missing that a command of this machine installs.")
		return false, nil
	}
	ask, err := asker(cmd, d.yes, "nothing was installed", fmt.Sprintf("run the commands (%d)", len(repairs)))
	show := func(n doctor.Named) {
		fmt.Fprintf(errs, "%s\n  %s\n", contract.EscapeLine(n.What), contract.EscapeLine(n.Repair.Line()))
	}
	if err != nil {
		for _, n := range repairs {
			show(n)
		}
		return false, err
	}
	defer ask.close()
	for _, n := range repairs {
		show(n)
		if n.Repair.Project && !r.Workspace.Trust.Trusted {
			fmt.Fprintln(errs, "  Not run: it runs what files of this workspace say, and the workspace is not trusted (lspi trust).")
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

// runRepair runs a command with the shell, without input: an installer that would ask has nobody who answers.
func runRepair(ctx context.Context, cmd *cobra.Command, r *doctor.Repair) error {
	words := []string{"sh", "-c", r.Command}
	if runtime.GOOS == "windows" {
		words = []string{"cmd", "/c", r.Command}
	}
	if rest, ok := strings.CutPrefix(r.Command, "lspi "); ok { // this one, which need not be on PATH
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
