package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"lspi/internal/source"
	"lspi/lsp/servers"
)

// Installer installs the pinned language servers (lsp/servers/pins.txt) into a folder of lspi's own, for lspi servers
// install. Each server has a folder named after it and its version. Its programs are linked into bin last, so that an
// incomplete install is never found. lsp/launch looks in bin after PATH.
type Installer struct {
	Dir  string                      // the folder of all servers; created when necessary
	Look func(program string) string // returns the path of a program on PATH; "" when it is not there
	Out  io.Writer                   // receives each command before it runs, and the command's output
}

// Step is one command of an install.
type Step struct {
	Words []string
	Env   []string // variables besides those of the process
}

func (s Step) String() string { return strings.Join(append(slices.Clone(s.Env), s.Words...), " ") }

// Bin returns the folder of the launchers.
func (in Installer) Bin() string { return filepath.Join(in.Dir, "bin") }

func (in Installer) home(pin servers.Pin) string {
	return filepath.Join(in.Dir, pin.Name+"-"+pin.Version)
}

// complete is the file that marks a finished install.
const complete = ".complete"

// Installed reports whether the pinned version is installed, with all its launchers.
func (in Installer) Installed(pin servers.Pin) bool {
	_, err := os.Stat(filepath.Join(in.home(pin), complete))
	return err == nil && !slices.ContainsFunc(pin.Launchers, func(l string) bool {
		_, err := os.Stat(in.launcher(l))
		return err != nil
	})
}

// Steps returns the commands that install a pin, in order. The error says which package manager is missing and how to
// get it, or that the server comes only from the system's package manager.
func (in Installer) Steps(pin servers.Pin) ([]Step, error) {
	home := in.home(pin)
	switch pin.How {
	case "go":
		if in.Look("go") == "" {
			return nil, errors.New(pin.Name + " is built by Go, which is not on PATH: https://go.dev/doc/install")
		}
		return []Step{{Words: []string{"go", "install", pin.Details[0] + "@v" + pin.Version},
			Env: []string{"GOBIN=" + filepath.Join(home, "bin"), "GOFLAGS=", "GOWORK=off"}}}, nil
	case "npm":
		if in.Look("npm") == "" {
			return nil, errors.New(pin.Name +
				" is a package of npm, which is not on PATH: install Node.js (https://nodejs.org, or your system's package nodejs and npm)")
		}
		words := []string{"npm", "install", "--prefix", home, "--ignore-scripts", "--no-audit", "--no-fund",
			"--no-package-lock", "--loglevel=error"}
		words = append(append(words, npmPatience...), pin.Details[0]+"@"+pin.Version)
		return []Step{{Words: append(words, pin.Details[1:]...)}}, nil
	case "cargo":
		if in.Look("cargo") == "" {
			return nil, errors.New(pin.Name +
				" is built by cargo, which is not on PATH: https://rustup.rs, or your system's package cargo")
		}
		words := []string{"cargo", "install", "--locked", "--root", home, pin.Details[0] + "@" + pin.Version}
		return []Step{{Words: append(words, pin.Details[1:]...), Env: []string{"CARGO_NET_RETRY=1"}}}, nil
	case "pip":
		more, _ := apart(pin.Details[1:])
		packages := append([]string{pin.Details[0] + "==" + pin.Version}, more...)
		python := filepath.Join(home, "bin", "python")
		if runtime.GOOS == "windows" {
			python = filepath.Join(home, "Scripts", "python.exe")
		}
		if in.Look("uv") != "" {
			return []Step{{Words: []string{"uv", "-q", "venv", home}},
				{Words: append([]string{"uv", "-q", "pip", "install", "--python", python}, packages...)}}, nil
		}
		for _, name := range []string{"python3", "python"} {
			if in.Look(name) != "" {
				return []Step{{Words: []string{name, "-m", "venv", home}},
					{Words: append([]string{python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
						"--retries", "1"}, packages...)}}, nil
			}
		}
		return nil, errors.New(pin.Name +
			" is a package of PyPI, and neither uv nor python3 is on PATH: https://docs.astral.sh/uv, or your system's package python3-venv")
	}
	return nil, fmt.Errorf("%s comes from the system's package manager; lspi doctor has the command", pin.Name)
}

// npmPatience makes npm 11 retry once and soon: by default it goes on for 75 s when there is no network. The two
// minutes are for one request with its answer.
var npmPatience = []string{"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000",
	"--fetch-timeout=120000"}

// Install installs a pin unless it is installed. Of two processes at once, the second waits. What an interrupted
// install left behind is removed first.
func (in Installer) Install(ctx context.Context, pin servers.Pin) error {
	steps, err := in.Steps(pin)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(in.Bin(), 0o755); err != nil {
		return err
	}
	unlock, err := in.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if in.Installed(pin) {
		return nil
	}
	home := in.home(pin)
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	for _, step := range steps {
		if err := in.run(ctx, home, step); err != nil {
			_ = os.RemoveAll(home)
			return err
		}
	}
	for _, l := range pin.Launchers {
		if err := in.link(l, in.program(pin, l)); err != nil {
			return err
		}
	}
	if pin.How == "pip" {
		_, links := apart(pin.Details[1:])
		if err := linkInside(home, links); err != nil {
			return fmt.Errorf("linking what belongs to %s: %w", pin.Name, err)
		}
	}
	return os.WriteFile(filepath.Join(home, complete), nil, 0o644)
}

// apart splits the details of a pin into packages and links, which have the form FROM:TO.
func apart(details []string) (packages, links []string) {
	for _, word := range details {
		if strings.Contains(word, ":") {
			links = append(links, word)
		} else {
			packages = append(packages, word)
		}
	}
	return packages, links
}

// linkInside makes links within a folder, from TO to FROM, which may be a pattern. A FROM that matches nothing is
// skipped: on other systems the packages lie elsewhere.
func linkInside(home string, links []string) error {
	for _, link := range links {
		from, to, _ := strings.Cut(link, ":")
		found, err := filepath.Glob(filepath.Join(source.GlobQuote(home), filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue
		}
		if err := os.Symlink(found[0], filepath.Join(home, filepath.FromSlash(to))); err != nil {
			return err
		}
	}
	return nil
}

// lock waits until no other process installs. When ctx ends first, a goroutine goes on waiting and releases the lock
// once it has it: the lock cannot be cancelled.
func (in Installer) lock(ctx context.Context) (unlock func(), err error) {
	type locked struct {
		unlock func()
		err    error
	}
	got := make(chan locked, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(in.Dir, ".lock")).Lock()
		got <- locked{unlock, err}
	}()
	select {
	case l := <-got:
		if l.err != nil {
			return nil, fmt.Errorf("locking %s: %w", in.Dir, l.err)
		}
		return l.unlock, nil
	case <-ctx.Done():
		go func() {
			if l := <-got; l.err == nil {
				l.unlock()
			}
		}()
		return nil, fmt.Errorf("waiting for another install into %s: %w", in.Dir, context.Cause(ctx))
	}
}

// reportEvery is how often the user is told that a command is still running; tests shorten it.
var reportEvery = 10 * time.Second

// run runs one command of an install and prints it, its output, and now and then that it is still running. Its error
// says so when the package manager could not reach its registry: that is the usual reason, and each one says it in
// another way.
func (in Installer) run(ctx context.Context, dir string, step Step) error {
	out := &sharedWriter{to: in.Out}
	fmt.Fprintln(out, step)
	cmd := exec.CommandContext(ctx, step.Words[0], step.Words[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(cmd.Environ(), step.Env...)
	cmd.WaitDelay = time.Second // a child of the command may keep its output open
	program := filepath.Base(step.Words[0])
	defer out.report(program)()
	if err := cmd.Run(); err != nil {
		if ctx.Err() == nil && unreachable(out.said()) {
			return fmt.Errorf(
				"%s could not fetch the package (%w): look whether this machine has a network; behind a proxy set HTTPS_PROXY, and a "+
					"mirror in the package manager's own configuration; then run the same again", program, err)
		}
		return fmt.Errorf("%s: %w", program, err) // the whole command has been printed before
	}
	return nil
}

// unreachable reports whether the output of a package manager (npm 11, pip 25, uv 0.8, Go 1.26, cargo 1.89) says that
// it could not reach its registry.
func unreachable(said string) bool {
	return slices.ContainsFunc([]string{"ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "ECONNREFUSED", "ECONNRESET",
		"ENETUNREACH", "ERR_SOCKET_TIMEOUT", "dial tcp",
		"Could not resolve", "name resolution", "Failed to establish a new connection", "error sending request",
		"dns error", "Network is unreachable"},
		func(sign string) bool { return strings.Contains(said, sign) })
}

// keptOutput is how much of the end of a command's output is kept for unreachable, in bytes.
const keptOutput = 16 << 10

// sharedWriter writes the output of a command, and reports about the command, without mixing single writes.
type sharedWriter struct {
	to   io.Writer
	mu   sync.Mutex
	last []byte // the end of what was written; guarded by mu
}

func (w *sharedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = append(w.last, p...)
	w.last = w.last[max(0, len(w.last)-keptOutput):]
	return w.to.Write(p)
}

func (w *sharedWriter) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.last)
}

// report writes every reportEvery that a program is still running, until done is called.
func (w *sharedWriter) report(program string) (done func()) {
	began, ticker, over := time.Now(), time.NewTicker(reportEvery), make(chan struct{})
	var told sync.WaitGroup
	told.Go(func() {
		for {
			select {
			case <-ticker.C:
				fmt.Fprintf(w, "… %s runs, %s so far (Ctrl-C ends it)\n", program, time.Since(began).Round(time.Second))
			case <-over:
				return
			}
		}
	})
	return func() {
		ticker.Stop()
		close(over)
		told.Wait()
	}
}

// program returns the path of a program in the install of a pin.
func (in Installer) program(pin servers.Pin, name string) string {
	home := in.home(pin)
	switch {
	case pin.How == "npm" && runtime.GOOS == "windows":
		return filepath.Join(home, "node_modules", ".bin", name+".cmd")
	case pin.How == "npm":
		return filepath.Join(home, "node_modules", ".bin", name)
	case pin.How == "pip" && runtime.GOOS == "windows":
		return filepath.Join(home, "Scripts", name+".exe")
	case runtime.GOOS == "windows":
		return filepath.Join(home, "bin", name+".exe")
	}
	return filepath.Join(home, "bin", name)
}

func (in Installer) launcher(name string) string {
	if runtime.GOOS == "windows" {
		name += ".cmd"
	}
	return filepath.Join(in.Bin(), name)
}

// link makes a launcher and replaces that of another version.
func (in Installer) link(name, program string) error {
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("the package has no program %s: %w", name, err)
	}
	if runtime.GOOS == "windows" {
		return os.WriteFile(in.launcher(name), []byte("@\""+program+"\" %*\r\n"), 0o755)
	}
	_ = os.Remove(in.launcher(name))
	return os.Symlink(program, in.launcher(name))
}

// Versions returns the versions of a pin's server that are there, complete or not.
func (in Installer) Versions(pin servers.Pin) (out []string) {
	entries, err := os.ReadDir(in.Dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		// The names of other servers may begin with this one; a version begins with a digit.
		if version, of := strings.CutPrefix(e.Name(), pin.Name+"-"); of && e.IsDir() && version != "" &&
			'0' <= version[0] && version[0] <= '9' {
			out = append(out, version)
		}
	}
	return out
}

// Remove removes all versions of a pin's server and returns them. It is no error when there is none.
func (in Installer) Remove(pin servers.Pin) (removed []string, err error) {
	for _, version := range in.Versions(pin) {
		pin.Version = version
		launchers, err := os.ReadDir(in.Bin())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return removed, err
		}
		for _, l := range launchers {
			if path := filepath.Join(in.Bin(), l.Name()); leadsInto(path, in.home(pin)) {
				if err := os.Remove(path); err != nil {
					return removed, err
				}
			}
		}
		if err := os.RemoveAll(in.home(pin)); err != nil {
			return removed, err
		}
		removed = append(removed, version)
	}
	return removed, nil
}

// leadsInto reports whether a launcher starts a program in a folder.
func leadsInto(launcher, folder string) bool {
	folder += string(filepath.Separator)
	if runtime.GOOS == "windows" {
		text, err := os.ReadFile(launcher)
		return err == nil && strings.HasPrefix(string(text), "@\""+folder)
	}
	to, err := os.Readlink(launcher)
	return err == nil && strings.HasPrefix(to, folder)
}
