package doctor

import (
	"context"
	"debug/buildinfo"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// Machine is how checks look at the machine. [ThisMachine] is the real one; tests inject facts.
type Machine struct {
	OS     string // as runtime.GOOS
	Root   bool   // the user is root
	Getenv func(string) string
	Look   func(program string) string                                   // its path on PATH, "" when it is not there
	Run    func(ctx context.Context, dir string, words ...string) Output // a command, bounded in time
	Read   func(path string) ([]byte, error)                             // at most some kB of a file
	Exists func(path string) bool
	Glob   func(pattern string) []string
	Real   func(path string) string // symbolic links resolved; path itself when that fails
	Find   func(*spec.Spec) ([]launch.Candidate, []string)
	// Withheld returns the program in a workspace that is not trusted with which a server would be started if it were
	// trusted; "" for none.
	Withheld func(*spec.Spec) string
	// GoVersion returns the version of Go that built an executable, such as go1.26.0; "" if Go did not build it.
	GoVersion func(path string) string
	// Caches returns the caches of a server for the project at a root; cache is lspi's own.
	Caches func(ctx context.Context, sp *spec.Spec, root, cache string) []Cache
}

// Output is what a command printed, and its error.
type Output struct {
	Stdout, Stderr string
	Err            error
}

// The limits for commands that are run and files that are read.
const (
	runLimit  = 8 * time.Second
	readBytes = 64 << 10
)

// ThisMachine returns the machine that lspi runs on as a session with this environment sees it; nil means the
// environment of this process. Programs in the untrusted folders count as missing.
func ThisMachine(environ, untrusted []string) Machine {
	programs := launch.Checker(untrusted)
	programs.Environ = environ
	return Machine{
		OS: runtime.GOOS, Root: os.Geteuid() == 0, Getenv: programs.Getenv, Read: readFile, Find: launch.FindCommands,
		Withheld: launch.Withheld, Look: func(program string) string {
			return launch.LookPath(programs, program)
		},
		Run: func(ctx context.Context, dir string, words ...string) Output {
			return runCommand(ctx, programs, dir, words)
		},
		Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
		Glob:   func(pattern string) []string { hits, _ := filepath.Glob(pattern); return hits },
		Real: func(path string) string {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				return real
			}
			return path
		},
		Caches: CachesOf,
		GoVersion: func(path string) string {
			info, err := buildinfo.ReadFile(path)
			if err != nil {
				return ""
			}
			return info.GoVersion
		},
	}
}

// runCommand runs a command without input, so that a program that reads stdin ends at once.
func runCommand(ctx context.Context, programs *spec.Spec, dir string, words []string) Output {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := launch.Run(ctx, programs, dir, words...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = time.Second // a grandchild may keep the pipes open
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return Output{out.String(), errs.String(), err}
}

// readFile reads the beginning of a file. It does not use os.ReadFile, because it is also called for programs, to find
// the interpreter that their first line names.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buf := make([]byte, readBytes)
	n, err := f.Read(buf)
	if n > 0 {
		err = nil
	}
	return buf[:n], err
}
