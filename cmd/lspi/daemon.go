package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/natefinch/lumberjack.v2"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/daemon"
	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp/servers"
)

func newDaemonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "The process that all hosts share: its state, its end, its log",
		Long: "lspi mcp starts the shared process by itself; it has the language servers of all hosts of the user and ends when\n" +
			"no host has needed it for half an hour (daemon.idle_minutes). These commands look at it and end it.",
		Args: knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDaemonStatusCommand("status"), newDaemonStopCommand(), newDaemonLogsCommand(),
		newDaemonRunCommand(), newDaemonTokenCommand())
	return cmd
}

func newDaemonRunCommand() *cobra.Command {
	var detached bool
	var door doorFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Be the shared process, in the foreground",
		Long: "run is the shared process itself, for systemd and containers; hosts start it without being told. It takes the socket\n" +
			"that systemd hands over (LISTEN_FDS), and ends by SIGTERM. Its log goes to stderr, and to the file that lspi daemon logs\n" +
			"prints. With --http it serves MCP over HTTP, too (docs/http.md), and then stays until it is stopped.\n\n" +
			"Exit status: 0 when it was stopped or nobody needed it, 1 when it could not start, 128 and the number of a signal.",
		Args: positional(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDaemon(cmd.ErrOrStderr(), detached, door) },
	}
	cmd.Flags().BoolVar(&detached, "detached", false,
		"how hosts start it: log to the file, and tell file 3 when it listens")
	_ = cmd.Flags().MarkHidden("detached")
	door.add(cmd)
	return cmd
}

// userConfig reads the user's own file, for settings of the whole process.
func userConfig() *config.Config {
	return config.LoadUser(config.Options{Catalogue: servers.Servers(), Tools: toolNames()})
}

// runDaemon runs the shared process until it is stopped, a signal comes, or nobody needs it. With detached it reports
// to the host that started it, on file 3, when it listens or why it cannot.
func runDaemon(errs io.Writer, detached bool, door doorFlags) error {
	at, err := door.parse()
	if err != nil {
		return err
	}
	tell := func(string) {}
	if detached {
		tell = tellStarter()
	}
	l, err := listen()
	if err != nil {
		tell(err.Error())
		if at != nil && errors.Is(err, daemon.ErrTaken) {
			return fmt.Errorf("%w: end it with lspi daemon stop, then this one can take its place", err)
		}
		return err
	}
	out := daemonLog()
	if !detached {
		out = io.MultiWriter(out, errs) // the file first: stderr may be closed
	}
	end := watchSignals()
	d := newShared(out, userConfig(), at != nil)
	if at != nil {
		if err := d.openDoor(end.ctx, *at, door.further(), errs); err != nil {
			l.Close()
			return err
		}
	}
	if newerRuns := retireOlder(end.ctx, l); newerRuns {
		d.server.Outdated()
	}
	tell("ready")
	d.life.Info("the shared process begins", "version", version().Version, "pid", os.Getpid())
	why := d.server.Run(end.ctx, l)
	d.life.Info("the shared process ends", "version", version().Version, "pid", os.Getpid(), "reason", why)
	ended := make(chan struct{})
	go func() {
		d.closeDoor(why)
		d.process.Close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(endLimit):
	}
	d.server.Close()
	if end.ctx.Err() != nil {
		return end.code()
	}
	return nil
}

// listen takes the place of the shared process, or the socket that systemd passes (sd_listen_fds(3)).
func listen() (*daemon.Listener, error) {
	place, err := thisPlace()
	if err != nil {
		return nil, err
	}
	if os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) && os.Getenv("LISTEN_FDS") != "" {
		return daemon.Inherit(place)
	}
	return daemon.Listen(place)
}

// tellStarter returns a function that writes one line to the pipe of the host that started this process, and closes it.
func tellStarter() func(string) {
	f := os.NewFile(daemon.ReadyFD, "ready")
	return func(word string) {
		if f != nil {
			fmt.Fprintln(f, word)
			f.Close()
		}
	}
}

// maxLog is the size, in megabytes, at which the log of the shared process is rotated; one older file is kept.
const maxLog = 10

// daemonLog opens the log of the shared process. Without a place for it the process runs all the same and logs nothing.
func daemonLog() io.Writer {
	path := daemonLogPath()
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return io.Discard
	}
	logCrash(path)
	return &lumberjack.Logger{Filename: path, MaxSize: maxLog, MaxBackups: 1}
}

// logCrash makes the Go runtime write a crash into the log, because a process that a host started has no stderr. After
// a rotation the crash goes to the older file, which lspi daemon logs prints as well.
func logCrash(path string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_ = debug.SetCrashOutput(f, debug.CrashOptions{})
	f.Close() // the runtime has duplicated it
}

// retireOlder tells shared processes of older builds to end with their last session, and reports whether one of a
// newer build runs.
func retireOlder(ctx context.Context, l *daemon.Listener) (newerRuns bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	own := l.Place()
	for _, p := range daemon.Places(own.Dir) {
		if p == own || l.Inherited() && p.Name == daemon.Activated { // this process, which does not answer yet
			continue
		}
		var other daemonStatus
		switch {
		case daemon.Ask(ctx, p, daemonHello(commandStatus), &other) != nil || other.Ending:
		case version().sameAs(other.Build): // it serves another umask or home folder
		case version().newerThan(other.Build):
			_ = daemon.Ask(ctx, p, daemonHello(daemon.CommandRetire), nil)
		default:
			newerRuns = true
		}
	}
	return newerRuns
}

func daemonHello(command string) daemon.Hello {
	return daemon.Hello{Version: version().Version, PID: os.Getpid(), Command: command}
}

// eachDaemon calls do for the place of every shared process of the user.
func eachDaemon(do func(p daemon.Place)) error {
	dir, err := daemon.Folder(trust.User{})
	if err != nil {
		return err
	}
	for _, p := range daemon.Places(dir) {
		do(p)
	}
	return nil
}

// olderLogs returns the rotated logs, the oldest first: lumberjack puts the time before the extension.
func olderLogs(path string) []string {
	found, _ := filepath.Glob(strings.TrimSuffix(path, ".log") + "-*.log")
	return found
}
