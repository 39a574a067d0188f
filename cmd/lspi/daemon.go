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
			"that systemd hands over (LISTEN_FDS), and ends by SIGTERM. With --http it serves MCP over HTTP, too (docs/http.md), and then\n" +
			"stays until it is stopped.\n\n" +
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

// userConfig is the user's own file, for what holds for the process.
func userConfig() *config.Config {
	return config.LoadUser(config.Options{Catalogue: servers.Servers(), Tools: toolNames()})
}

// runDaemon is the life of the shared process.
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
	out := errs
	if detached {
		out = daemonLog()
	}
	end := watchSignals()
	d := newShared(out, userConfig(), at != nil)
	if at != nil {
		if err := d.openDoor(end.ctx, *at, errs); err != nil {
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

// listen takes the place of the shared process, or the socket that systemd has made.
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

// tellStarter writes one line to the file that a host opened for it, and closes it.
func tellStarter() func(string) {
	f := os.NewFile(daemon.ReadyFD, "ready")
	return func(word string) {
		if f != nil {
			fmt.Fprintln(f, word)
			f.Close()
		}
	}
}

// The log of the shared process is turned over at maxLog megabytes; one older file is kept.
const maxLog = 10

func daemonLogPath() string {
	dir := trust.User{}.StateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "log", "daemon.log")
}

func daemonLog() io.Writer {
	path := daemonLogPath()
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return io.Discard
	}
	logCrash(path)
	return &lumberjack.Logger{Filename: path, MaxSize: maxLog, MaxBackups: 1}
}

// logCrash has the Go runtime write into the log why it ends the process: a process that a host started has no
// stderr. When the log is turned over it writes into the older file, which lspi daemon logs prints, too.
func logCrash(path string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_ = debug.SetCrashOutput(f, debug.CrashOptions{})
	f.Close() // of which the runtime has a copy
}

// retireOlder tells the shared processes of older builds to end with their last session, and reports whether there
// is one of a newer build.
func retireOlder(ctx context.Context, l *daemon.Listener) (newerRuns bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	own := l.Place()
	for _, p := range daemon.Places(own.Dir) {
		if p == own || l.Inherited() && p.Name == daemon.Activated { // nobody answers there yet
			continue
		}
		var other daemonStatus
		switch {
		case daemon.Ask(ctx, p, daemonHello(commandStatus), &other) != nil || other.Ending:
		case version().sameAs(other.Build): // its files get another mask, or its user another home
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

// eachDaemon does something with every shared process of the user.
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

// olderLogs are the logs that were turned over, which have the time before the extension.
func olderLogs(path string) []string {
	found, _ := filepath.Glob(strings.TrimSuffix(path, ".log") + "-*.log")
	return found // in the order of their times
}
