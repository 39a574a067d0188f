package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
)

// logs is the log: JSON lines to stderr or a file, by default warnings and errors. Never to stdout, which belongs to
// MCP or to the answer of a command.
type logs struct {
	log   *slog.Logger
	level slog.LevelVar

	mu     sync.Mutex
	stderr io.Writer
	path   string   // of file; guarded by mu
	file   *os.File // nil while logging to stderr; guarded by mu
}

func newLogs(stderr io.Writer) *logs {
	l := &logs{stderr: stderr}
	l.level.Set(slog.LevelWarn)
	l.log = slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: &l.level}))
	return l
}

// Write writes one line to where the log goes now. The line is escaped, because logs are read on terminals and hold
// texts of servers and of files: none may control the terminal.
func (l *logs) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out io.Writer = l.stderr
	if l.file != nil {
		out = l.file
	}
	if _, err := out.Write(contract.PlainJSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// followLevel sets the level that a configuration or a flag says; warn when neither does.
func (l *logs) followLevel(c *config.Config, flags config.Flags) {
	level := slog.LevelWarn
	if flags.LogLevel != "" || c.Given("logging.level") {
		_ = level.UnmarshalText([]byte(c.Logging.Level))
	}
	l.level.Set(level)
}

// follow sets the level and the file that a configuration says, with the flags over it. The default level is warn
// because hosts keep all of stderr, and some show it as errors: a line for each call has to be asked for.
func (l *logs) follow(c *config.Config, flags config.Flags) {
	l.followLevel(c, flags)
	if err := l.redirect(c.Logging.File); err != nil {
		l.log.Error("opening the log file", "error", err)
	}
}

// redirect sends the log to a file, to stderr for "".
func (l *logs) redirect(path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if path == l.path {
		return nil
	}
	var file *os.File
	if path != "" {
		var err error
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.path, l.file = path, file
	return nil
}

// close ends a session's own log.
func (l *logs) close() { _ = l.redirect("") }

// daemonLogPath returns the file of the shared process's log; "" when no home folder is known.
func daemonLogPath() string {
	dir := trust.User{}.StateDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "log", "daemon.log")
}
