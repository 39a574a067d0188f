package launch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/contract"
	"lspi/lsp/process"
	"lspi/lsp/spec"
)

// Candidate is one executable that may be the server.
type Candidate struct {
	Path string // absolute
	Args []string
	From string // "PATH", "well-known folder", "configured", or the command that named it
}

// resolveLimit bounds the time of a command that prints where a server is.
const resolveLimit = 5 * time.Second

// FindCommands returns the executables that may be the server, in the order in which they are tried, and what was
// looked for in vain. There may be several, because the first on PATH may not work: a rustup proxy without its
// component exits with "Unknown binary". Relative entries of PATH are not searched, since they would run what a
// repository brings.
func FindCommands(spec *spec.Spec) (found []Candidate, tried []string) {
	return findCandidates(context.Background(), spec)
}

func findCandidates(ctx context.Context, spec *spec.Spec) (found []Candidate, tried []string) {
	dirs := searchPath(spec)
	for _, c := range spec.Commands {
		here := onPath(spec, dirs, c)
		if path := resolve(ctx, spec, c, dirs); path != "" {
			here = append(here, Candidate{Path: path, Args: c.Args, From: strings.Join(c.Resolve, " ")})
		}
		if len(here) == 0 {
			tried = append(tried, c.Name+": "+missing(spec, c))
		}
		for _, h := range here {
			if !slices.ContainsFunc(found, h.same) {
				found = append(found, h)
			}
		}
	}
	return found, tried
}

// onPath returns the programs with a command's name. An absolute name is looked for nowhere else, and a relative one
// with a folder in it nowhere at all, since it would be a path in the workspace. Programs in a workspace that is not
// trusted are skipped, also where a folder of PATH links to them; an absolute name comes from the user's own
// configuration.
func onPath(s *spec.Spec, dirs []searchDir, c spec.Command) (out []Candidate) {
	switch {
	case filepath.IsAbs(c.Name):
		if path := executable(c.Name); path != "" {
			out = append(out, Candidate{Path: path, Args: c.Args, From: "configured"})
		}
	case filepath.Base(c.Name) == c.Name:
		for _, dir := range dirs {
			if path := executable(filepath.Join(dir.path, c.Name)); path != "" && !distrusts(s, path) {
				out = append(out, Candidate{Path: path, Args: c.Args, From: dir.from})
			}
		}
	}
	return out
}

// missing says why a command has no program. One in the workspace, such as a virtual environment of the project on
// PATH, is skipped until the workspace is trusted.
func missing(s *spec.Spec, c spec.Command) string {
	if path := untrustedProgram(s, c); path != "" {
		return path + " is not run, because this workspace is not trusted"
	}
	return "not found"
}

// untrustedProgram returns the program that a command would start if the workspace were trusted; "" when there is
// none.
func untrustedProgram(s *spec.Spec, c spec.Command) string {
	trusting := *s
	trusting.Untrusted = nil
	if there := onPath(&trusting, searchPath(&trusting), c); len(there) > 0 {
		return there[0].Path
	}
	return ""
}

// Withheld returns the program in a workspace that is not trusted which would start a server that [FindCommands] does
// not find; "" when there is none.
func Withheld(s *spec.Spec) string {
	if len(s.Untrusted) == 0 {
		return ""
	}
	for _, c := range s.Commands {
		if path := untrustedProgram(s, c); path != "" {
			return path
		}
	}
	return ""
}

// same reports whether two candidates do the same: they are one file (/bin often is /usr/bin) under one name, with
// the same arguments. The name counts, because a proxy acts by the name under which it was started.
func (c Candidate) same(o Candidate) bool {
	if filepath.Base(c.Path) != filepath.Base(o.Path) || !slices.Equal(c.Args, o.Args) {
		return false
	}
	if c.Path == o.Path {
		return true
	}
	a, erra := os.Stat(c.Path)
	b, errb := os.Stat(o.Path)
	return erra == nil && errb == nil && os.SameFile(a, b)
}

type searchDir struct{ path, from string }

// searchPath returns the folders of PATH, then those where package managers put programs: a host that was started
// from a desktop has not read the shell's profile.
func searchPath(s *spec.Spec) []searchDir {
	path := s.Getenv("PATH")
	if p, ok := s.Env["PATH"]; ok {
		path = p
	}
	path, _ = withoutProjectPaths(s, "PATH", path)
	var out []searchDir
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			out = append(out, searchDir{dir, fromPATH})
		}
	}
	for _, dir := range wellKnown(s) {
		if !distrusts(s, dir) {
			out = append(out, searchDir{dir, "well-known folder"})
		}
	}
	return out
}

// fromPATH is Candidate.From of a program on PATH.
const fromPATH = "PATH"

// OwnServers returns the folder into which "lspi servers install" installs; its bin has the programs. It is
// $XDG_DATA_HOME/lspi/servers, else ~/.local/share/lspi/servers, on Windows below %LOCALAPPDATA%; "" without a home
// folder.
func OwnServers(getenv func(string) string) string {
	data := getenv("XDG_DATA_HOME")
	switch home := getenv("HOME"); {
	case filepath.IsAbs(data):
	case runtime.GOOS == "windows":
		data = getenv("LOCALAPPDATA")
	case filepath.IsAbs(home):
		data = filepath.Join(home, ".local", "share")
	}
	if !filepath.IsAbs(data) {
		return ""
	}
	return filepath.Join(data, "lspi", "servers")
}

func wellKnown(s *spec.Spec) []string {
	var out []string
	if own := OwnServers(s.Getenv); own != "" {
		out = append(out, filepath.Join(own, "bin"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, sub := range []string{"go/bin", ".cargo/bin", ".local/bin", ".npm-global/bin", "bin"} {
			out = append(out, filepath.Join(home, filepath.FromSlash(sub)))
		}
	}
	if gobin := s.Getenv("GOBIN"); filepath.IsAbs(gobin) {
		out = append(out, gobin)
	}
	for _, gopath := range filepath.SplitList(s.Getenv("GOPATH")) {
		if filepath.IsAbs(gopath) {
			out = append(out, filepath.Join(gopath, "bin"))
		}
	}
	if runtime.GOOS != "windows" {
		out = append(out, "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/usr/local/go/bin")
	}
	return out
}

// executable returns the absolute path of a program, with the extension that Windows adds; "" when there is none.
func executable(path string) string {
	found, err := exec.LookPath(path)
	if err != nil || !filepath.IsAbs(found) {
		return ""
	}
	return found
}

// resolved caches what Resolve lines have printed: one may take a tenth of a second, and every survey of a workspace
// asks.
var resolved sync.Map // program with arguments and environment → path

// resolve runs a command's Resolve line and returns the program that it prints; "" when there is none. It looks for
// the program of the line where servers are looked for, and for the same reasons never in a relative folder.
func resolve(ctx context.Context, s *spec.Spec, c spec.Command, dirs []searchDir) string {
	if len(c.Resolve) == 0 {
		return ""
	}
	programs := onPath(s, dirs, spec.Command{Name: c.Resolve[0]})
	if len(programs) == 0 {
		return ""
	}
	// The output may depend on any variable that the program sees.
	key := strings.Join(slices.Concat([]string{programs[0].Path}, c.Resolve[1:], []string{""}, Environment(s)), "\x00")
	if path, ok := resolved.Load(key); ok && executable(path.(string)) != "" && !distrusts(s, path.(string)) {
		return path.(string)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	cmd := Run(ctx, s, neutralFolder(programs[0].Path), append([]string{programs[0].Path}, c.Resolve[1:]...)...)
	cmd.WaitDelay = time.Second // a child process may keep its output open
	out, err := cmd.Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	path := executable(strings.TrimSpace(line))
	if err != nil || !filepath.IsAbs(strings.TrimSpace(line)) || path == "" || distrusts(s, path) {
		return ""
	}
	resolved.Store(key, path)
	return path
}

// notInstalled is the error for a server without a program. A program that the user has configured is a mistake in
// the configuration, and no reason to ask another server.
func notInstalled(spec *spec.Spec, tried []string) error {
	name := spec.ID
	if len(spec.Commands) > 0 {
		name = spec.Commands[0].Name
	}
	if c := spec.Configured(); c != nil {
		return contract.Errorf(contract.KindCommandNotFound,
			contract.Facts{"server_id": spec.ID, "command": c.Name, "tried": tried, "file": c.File, "line": c.Line},
			"line %d of %s has the language server %s started by %s, and there is no such program", c.Line, c.File,
			spec.ID, c.Name)
	}
	if path := Withheld(spec); path != "" {
		return contract.Errorf(contract.KindServerNotInstalled,
			installFacts(spec, contract.Facts{"command": name, "tried": tried, "untrusted": path}),
			"the language server %s is not run: %s belongs to this workspace, which is not trusted, and there is no other program %s", spec.ID, path, name)
	}
	return contract.Errorf(contract.KindServerNotInstalled,
		installFacts(spec, contract.Facts{"command": name, "tried": tried}),
		"the language server %s is not installed: no program %s was found", spec.ID, name)
}

// Failed is the error of a server that none of its commands has started; tail is the end of what the last one wrote
// to stderr. When the machine lacks something (descriptors, memory, processes), the error does not say how to install
// the server, which is no cure.
func Failed(spec *spec.Spec, tried, tail []string, last error) error {
	if shortage := process.Shortage(last); shortage != "" {
		return contract.Errorf(contract.KindServerStartFailed, contract.Facts{"server_id": spec.ID, "tried": tried,
			"shortage": shortage},
			"starting %s: %w", spec.ID, last)
	}
	return contract.Errorf(contract.KindServerStartFailed,
		installFacts(spec, contract.Facts{"tried": tried, "stderr_tail": tail}),
		"starting %s: %w", spec.ID, last)
}

// installFacts adds how to install the server: commands that work here, or a hint where there is none.
func installFacts(spec *spec.Spec, facts contract.Facts) contract.Facts {
	if spec.RunsElsewhere() { // what is missing is missing elsewhere
		facts["server_id"] = spec.ID
		return facts
	}
	commands := ThisSystem(spec.Environ).Commands(spec.Install)
	facts["server_id"], facts["install"] = spec.ID, commands
	if hint := spec.InstallWords(); len(commands) == 0 && hint != "" {
		facts["install_hint"] = hint
	}
	return facts
}
