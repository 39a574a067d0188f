package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/daemon"
	"lspi/tools/hooks"
)

// maxEvent bounds what is read of an event, in bytes: a host says in it what a tool has read or written.
const maxEvent = 32 << 20

// hookLimit is how long the process of a hook waits for the shared process in any case: the budget is the session's,
// and a shared process that hangs must not hold up the host.
const hookLimit = 10 * time.Second

// lateFlag is the flag of a process that brings an event to the shared process while nobody waits.
const lateFlag = "late"

func newHookCommand() *cobra.Command {
	var f sessionFlags
	var late bool
	cmd := &cobra.Command{
		Use:   "hook HOST",
		Short: "Answer a hook of a host: the new errors after a change",
		Long: "hook is what the hooks of a host run (docs/hooks.md): it reads the host's event on stdin, and prints what the model is\n" +
			"to know now, in the host's form, or nothing. It asks the shared process; where none runs it starts one, and says\n" +
			"nothing this time. HOST is claude, codex, copilot, gemini, opencode or qwen.\n\n" +
			"Exit status: always 0, so that no host fails by it. What went wrong is in the log (lspi daemon logs).",
		// Nothing is checked before RunE: a wrong command line must not end with a status that blocks the host.
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		ValidArgsFunction:  cobra.FixedCompletions(hookHosts(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			h := &hookRun{flags: &f, in: cmd.InOrStdin(), out: cmd.OutOrStdout()}
			if err := h.run(args, late); err != nil {
				logHook(args, err)
			}
			return nil
		},
	}
	f.addCommon(cmd)
	cmd.PreRunE = nil
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		logHook(nil, err)
		return exitCode(exitOK)
	})
	cmd.Flags().BoolVar(&late, lateFlag, false, "bring an event that nobody waits for")
	_ = cmd.Flags().MarkHidden(lateFlag)
	return cmd
}

// hookRun is one run of lspi hook.
type hookRun struct {
	flags *sessionFlags
	in    io.Reader
	out   io.Writer
}

// run answers one event. Its error is for the log.
func (h *hookRun) run(args []string, late bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	began := time.Now()
	if len(args) != 1 {
		return fmt.Errorf("it takes the name of a host, not %q", args)
	}
	raw, err := io.ReadAll(io.LimitReader(h.in, maxEvent+1))
	switch {
	case err != nil:
		return fmt.Errorf("reading the event: %w", err)
	case len(raw) > maxEvent:
		return fmt.Errorf("the event has more than %d bytes", maxEvent)
	case late:
		return h.bring(raw)
	}
	e, name, err := readEvent(args[0], raw)
	if errors.Is(err, errOtherEvent) {
		return nil
	}
	if err != nil {
		return err
	}
	e.At = began
	var a hooks.Answer
	err = h.ask(&e, false, &a)
	if daemon.None(err) {
		return h.later(args[0], &e)
	}
	if err != nil {
		return err
	}
	_, err = h.out.Write(writeAnswer(args[0], name, e.Kind, a))
	return err
}

// ask gives an event to the shared process.
func (h *hookRun) ask(e *hooks.Event, start bool, a *hooks.Answer) error {
	place, err := thisPlace()
	if err != nil {
		return err
	}
	hello, err := h.hello()
	if err != nil {
		return err
	}
	if filepath.IsAbs(e.Dir) {
		hello.WorkDir = e.Dir
	} else {
		e.Dir = hello.WorkDir
	}
	if hello.Event, err = json.Marshal(e); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookLimit)
	defer cancel()
	return daemon.AskHook(ctx, place, hello, start, a)
}

// hello returns the first line for the session of the hook. The paths of the command line become absolute in it: they
// are relative to this process, and the session works in the folder of the event.
func (h *hookRun) hello() (daemon.Hello, error) {
	hello, err := (&wiring{}).hello(h.flags)
	if err != nil {
		return hello, err
	}
	for _, path := range []*string{&h.flags.workspaceRoot, &h.flags.config} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(hello.WorkDir, *path)
		}
	}
	hello.Flags, err = json.Marshal(h.flags.request())
	return hello, err
}

// later has another process start the shared one and bring it the event, so that the host need not wait.
func (h *hookRun) later(host string, e *hooks.Event) error {
	e.Late = true
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	args := []string{"hook", host, "--" + lateFlag}
	for name, value := range map[string]string{"workspace-root": h.flags.workspaceRoot, "config": h.flags.config,
		"trust": h.flags.Trust} {
		if value != "" {
			args = append(args, "--"+name, value)
		}
	}
	return daemon.Detach(line, args...)
}

// bring starts the shared process where none runs, and gives it an event.
func (h *hookRun) bring(raw []byte) error {
	var e hooks.Event
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("reading an event that comes late: %w", err)
	}
	return h.ask(&e, true, &hooks.Answer{})
}

// logHook writes why a hook told nothing into the log of the shared process.
func logHook(args []string, err error) {
	path := daemonLogPath()
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	f, openErr := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if openErr != nil {
		return
	}
	defer f.Close()
	slog.New(slog.NewJSONHandler(f, nil)).Warn("a hook told nothing", "arguments", args, "error", err.Error())
}
