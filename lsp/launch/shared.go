package launch

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp/spec"
)

// PerTerminal is a variable, or a group of them, that differs between the terminals and hosts of one user and on
// which no answer of a language server depends. Sessions that differ in nothing else share servers.
type PerTerminal struct {
	Name string // a name that ends in * stands for all that begin so
	Why  string
}

var perTerminalVariables = []PerTerminal{
	{"TERM", "what the terminal can show; servers talk to lspi alone"},
	{"SHELL", "the shell of the terminal; servers start programs without one"},
	{"XDG_SESSION_*", "the login"},
	{"XDG_SEAT*", "the login"},
	{"XDG_VTNR", "the login"},
	{"XDG_CURRENT_DESKTOP", "the desktop"},
	{"XDG_MENU_PREFIX", "the desktop"},
	{"XDG_RUNTIME_DIR", "the login; it holds sockets, and nothing that a server reads"},
	{"XDG_GREETER_DATA_DIR", "the login"},
	{"MISE_SHELL", "the shell of the terminal"},
	{"NVM_CD_FLAGS", "the shell of the terminal"},
	{"PYENV_SHELL", "the shell of the terminal"},
	{"RBENV_SHELL", "the shell of the terminal"},
	{"LC_TERMINAL*", "the name of the terminal (iTerm2)"},
}

// perProcess are beginnings of the names of folders on PATH that a host makes for each of its processes, and that
// hold nothing which a server runs. Codex CLI puts one with its own apply_patch first
// ($CODEX_HOME/tmp/arg0/codex-arg0XXXXXX, codex-rs/arg0/src/lib.rs): no two of its sessions would share a server.
var perProcess = []string{"codex-arg0"}

// SharedValue returns a variable's value as it counts for sharing. PATH is without the folders of perProcess and
// without duplicates, and with links resolved, since fnm makes links for each shell (FNM_MULTISHELL_PATH).
func SharedValue(name, value string) string {
	switch {
	case name == "FNM_MULTISHELL_PATH":
		return real(value)
	case !sameVariable(name, "PATH"):
		return value
	}
	var out []string
	for _, dir := range filepath.SplitList(value) {
		own := slices.ContainsFunc(perProcess, func(begin string) bool {
			return strings.HasPrefix(filepath.Base(dir), begin)
		})
		if dir = real(dir); !own && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return strings.Join(out, string(filepath.ListSeparator))
}

// real returns the path behind links; the path itself when nothing is there.
func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// sharedValues replaces the values in environ by those that count for sharing.
func sharedValues(environ []string) []string {
	for i, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			environ[i] = name + "=" + SharedValue(name, value)
		}
	}
	return environ
}

// PerTerminals returns all such variables.
func PerTerminals() []PerTerminal { return slices.Clone(perTerminalVariables) }

// SharedEnvironment returns [Environment] without what differs by terminal. Sessions for which it is equal may share
// the server.
func SharedEnvironment(s *spec.Spec) []string {
	passed := func(name string) bool {
		return slices.ContainsFunc(s.Pass, func(n string) bool { return sameVariable(n, name) }) || s.Env[name] != ""
	}
	return sharedValues(slices.DeleteFunc(Environment(s), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !passed(name) && slices.ContainsFunc(perTerminalVariables, func(p PerTerminal) bool {
			return fitsName(p.Name, name)
		})
	}))
}

// LookedAt returns the names of the variables that lspi itself reads for a server, whether the server gets them or
// not: to find programs ([FindCommands]) and environments of packages ([spec.Home]).
func LookedAt(s *spec.Spec) []string {
	out := []string{"GOBIN", "GOPATH"}
	if s.Packages == nil {
		return out
	}
	out = append(out, "PATH") // even when the row or the configuration sets that of the server
	for _, home := range s.Packages.Homes {
		if home.Variable != "" {
			out = append(out, home.Variable)
		}
	}
	return out
}

// SharedAmong returns what lspi or any of the servers sees of an environment, as os.Environ has it, without what
// differs by terminal. To cost little it looks at names and at PATH alone; other values are as in environ, before
// paths into a project are removed from them.
func SharedAmong(specs []spec.Spec, environ []string) []string {
	var all spec.Spec
	for i := range specs {
		for _, name := range slices.Concat(specs[i].Variables, LookedAt(&specs[i])) {
			if !slices.Contains(all.Variables, name) {
				all.Variables = append(all.Variables, name)
			}
		}
		for _, name := range specs[i].Pass {
			if !slices.Contains(all.Pass, name) {
				all.Pass = append(all.Pass, name)
			}
		}
	}
	out := sharedValues(slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, ok := strings.Cut(entry, "=")
		return !ok || name == "" || !passes(&all, name) || !slices.Contains(all.Pass, name) &&
			slices.ContainsFunc(perTerminalVariables, func(p PerTerminal) bool { return fitsName(p.Name, name) })
	}))
	slices.Sort(out)
	return out
}

// fitsName reports whether a pattern means a name: it is the name, or ends in * and begins like it.
func fitsName(pattern, name string) bool {
	if begin, ok := strings.CutSuffix(pattern, "*"); ok {
		return len(name) >= len(begin) && sameVariable(name[:len(begin)], begin)
	}
	return sameVariable(pattern, name)
}
