package launch

import (
	"slices"
	"strings"

	"lspi/lsp/spec"
)

// PerTerminal is a variable, or a group of them, that differs between the terminals and hosts of one user, and that no answer of a language
// server depends on. Sessions that differ in nothing else share servers.
type PerTerminal struct {
	Name string // a name that ends in * stands for all that begin so
	Why  string
}

var perTerminal = []PerTerminal{
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
}

// PerTerminals are all such variables.
func PerTerminals() []PerTerminal { return slices.Clone(perTerminal) }

// SharedEnvironment is [Environment] without what differs by terminal: two sessions for which it is the same may share the server.
func SharedEnvironment(s *spec.Spec) []string {
	passed := func(name string) bool {
		return slices.ContainsFunc(s.Pass, func(n string) bool { return sameVariable(n, name) }) || s.Env[name] != ""
	}
	return slices.DeleteFunc(Environment(s), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !passed(name) && slices.ContainsFunc(perTerminal, func(p PerTerminal) bool { return fitsName(p.Name, name) })
	})
}

// SharedAmong is what any of the servers sees of an environment, as os.Environ has it, without what differs by terminal. It looks at names
// alone, so that it costs nothing: values are as they stand there, before what leads into a project is left out of them.
func SharedAmong(specs []spec.Spec, environ []string) []string {
	var all spec.Spec
	for i := range specs {
		for _, name := range specs[i].Variables {
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
	out := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, ok := strings.Cut(entry, "=")
		return !ok || name == "" || !passes(&all, name) || !slices.Contains(all.Pass, name) &&
			slices.ContainsFunc(perTerminal, func(p PerTerminal) bool { return fitsName(p.Name, name) })
	})
	slices.Sort(out)
	return out
}

// fitsName reports whether a name is one that a pattern means: itself, or with * at its end all that begin so.
func fitsName(pattern, name string) bool {
	if begin, ok := strings.CutSuffix(pattern, "*"); ok {
		return len(name) >= len(begin) && sameVariable(name[:len(begin)], begin)
	}
	return sameVariable(pattern, name)
}
