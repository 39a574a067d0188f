package launch

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// ThisSystem returns the system that lspi runs on, as a session with this environment sees it; nil means the
// environment of this process.
func ThisSystem(environ []string) spec.System {
	checker := Checker(nil)
	checker.Environ = environ
	return spec.System{OS: runtime.GOOS, Root: os.Geteuid() == 0, Look: func(program string) string {
		return LookPath(checker, program)
	},
		Exists: func(glob string) bool { hits, _ := filepath.Glob(glob); return len(hits) > 0 },
	}
}

// Environment returns the environment of a server's processes, as os.Environ has one. Of the session's environment it
// has what is on the lists and what the configuration passes by name; the row and the configuration add to that. A
// host has the secrets of everything that it works with in its environment, and no language server needs them.
func Environment(s *spec.Spec) []string { return environmentOf(s, s.Environment()) }

// Checker is the spec of programs that lspi itself asks about a machine, such as go version. They get every variable
// but secrets, and are not taken from the folders of untrusted.
func Checker(untrusted []string) *spec.Spec {
	return &spec.Spec{Variables: []string{"*"}, Untrusted: untrusted}
}

// Run prepares a program with the server's environment: one on the server's PATH, or an absolute one.
func Run(ctx context.Context, s *spec.Spec, dir string, words ...string) *exec.Cmd {
	program := words[0]
	if !filepath.IsAbs(program) {
		program = LookPath(s, program)
	}
	cmd := exec.CommandContext(ctx, program, words[1:]...)
	cmd.Dir, cmd.Env = dir, Environment(s)
	return cmd
}

func environmentOf(s *spec.Spec, all []string) []string {
	out := map[string]string{}
	for _, entry := range all {
		name, value, ok := strings.Cut(entry, "=")
		if !ok || name == "" || !passes(s, name) {
			continue
		}
		if value, ok = withoutProjectPaths(s, name, value); ok {
			out[name] = value
		}
	}
	if len(s.Untrusted) > 0 {
		maps.Copy(out, gitSafety)
	}
	if runtime.GOOS == "windows" {
		out["NoDefaultCurrentDirectoryInExePath"] = "1" // otherwise Windows looks for programs in the project first
	}
	maps.Copy(out, s.Env)
	if path, given := s.Env["PATH"]; given {
		out["PATH"], _ = withoutProjectPaths(s, "PATH", path)
	}
	for name, value := range s.Sets {
		if _, given := out[name]; !given {
			out[name] = value
		}
	}
	env := make([]string, 0, len(out))
	for name, value := range out {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

// elsewhereVariables are what ssh, docker, podman and kubectl need to find the machine on which a server runs. The
// server itself does not get them: these programs pass no environment on.
var elsewhereVariables = []string{"SSH_AUTH_SOCK", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH",
	"DOCKER_TLS_VERIFY", "CONTAINER_HOST", "CONTAINER_SSHKEY", "KUBECONFIG", "XDG_RUNTIME_DIR"}

// passes reports whether a server gets a variable. Names in Pass are there by order of the user, secrets too.
func passes(s *spec.Spec, name string) bool {
	if slices.ContainsFunc(s.Pass, func(n string) bool { return sameVariable(n, name) }) {
		return true
	}
	if s.RunsElsewhere() && slices.Contains(elsewhereVariables, name) {
		return true
	}
	if Secret(name) {
		return false
	}
	fits := func(pattern string) bool { return fitsName(pattern, name) }
	return slices.ContainsFunc(variables, fits) || slices.ContainsFunc(s.Variables, fits)
}

// Secret reports whether the value of a variable or setting is a secret, by its name.
func Secret(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(secrets, func(part string) bool { return strings.Contains(upper, part) })
}

func sameVariable(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// withoutProjectPaths removes the entries of a value that lead into a project: relative and empty entries of lists,
// and all paths in a workspace that is not trusted. ok is false when nothing is left.
func withoutProjectPaths(s *spec.Spec, name, value string) (kept string, ok bool) {
	same := func(n string) bool { return sameVariable(n, name) }
	list := slices.ContainsFunc(pathLists, same)
	if !list && len(s.Untrusted) == 0 {
		return value, true
	}
	if len(s.Untrusted) > 0 && slices.ContainsFunc(interpreterOptions, same) {
		return "", false
	}
	entries := filepath.SplitList(value)
	out := slices.DeleteFunc(slices.Clone(entries), func(entry string) bool {
		return list && !filepath.IsAbs(entry) || distrusts(s, entry)
	})
	if len(out) == len(entries) {
		return value, true
	}
	return strings.Join(out, string(filepath.ListSeparator)), len(out) > 0
}

// distrusts reports whether a path is in a folder whose programs are not run, by its name or by what it links to.
func distrusts(s *spec.Spec, path string) bool {
	if len(s.Untrusted) == 0 || !filepath.IsAbs(path) {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return slices.ContainsFunc(s.Untrusted, func(folder string) bool {
		if _, in := source.RelativeTo(folder, filepath.Clean(path)); in {
			return true
		}
		_, in := source.RelativeTo(folder, real)
		return err == nil && in
	})
}

// LookPath returns the program of a name that the server would find on its PATH, or an absolute one that exists; ""
// when there is none.
func LookPath(s *spec.Spec, program string) string {
	if filepath.IsAbs(program) {
		if path := executable(program); path != "" && !distrusts(s, path) {
			return path
		}
		return ""
	}
	for _, dir := range searchPath(s) {
		if path := executable(filepath.Join(dir.path, program)); dir.from == fromPATH && path != "" &&
			!distrusts(s, path) {
			return path
		}
	}
	return ""
}

// neutralFolder is the working folder of commands that are not about a project: rustup and others look around there
// for which program to run.
func neutralFolder(program string) string {
	return filepath.VolumeName(program) + string(filepath.Separator)
}

// variables are the variables that every server gets; a name that ends in * stands for all that begin so. The rows
// add what the tools of a language need ([spec.Spec.Variables]).
var variables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "TMPDIR", "TMP", "TEMP",
	"XDG_*",
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY",
	"ALL_PROXY", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
	// Version managers, whose small programs on PATH find the real program by these.
	"ASDF_*", "MISE_*", "NVM_*", "FNM_*", "VOLTA_HOME", "PROTO_HOME", "PYENV_*", "RBENV_*", "SDKMAN_*", "NIX_*",
	"HOMEBREW_PREFIX",
	// Windows, which ignores the case of names.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "USERNAME", "USERPROFILE", "USERDOMAIN",
	"HOMEDRIVE", "HOMEPATH",
	"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES*", "PROGRAMW6432", "COMMONPROGRAMFILES*",
	"ALLUSERSPROFILE", "PUBLIC",
	"NUMBER_OF_PROCESSORS", "PROCESSOR_*",
}

// secrets are parts of the names of variables that no pattern passes on, in either case.
var secrets = []string{"TOKEN", "SECRET", "KEY", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "AUTH"}

// pathLists are variables with a list of folders or files. An empty or relative entry means the folder in which a
// server works, so it is removed.
var pathLists = []string{
	"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "GOPATH", "PYTHONPATH", "NODE_PATH",
	"PERL5LIB",
	"RUBYLIB", "GEM_PATH", "CLASSPATH", "LUA_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
	"PKG_CONFIG_PATH",
	"ERL_LIBS", "JULIA_LOAD_PATH",
}

// interpreterOptions are variables with options of an interpreter, some of which run a file. A restricted server does
// not get them, since relative paths in them would lead into the project.
var interpreterOptions = []string{"NODE_OPTIONS", "PYTHONSTARTUP", "RUBYOPT", "PERL5OPT", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS",
	"_JAVA_OPTIONS"}

// gitSafety are variables that keep git, which the tools of many languages run, from running what the configuration
// of a repository names (core.fsmonitor and hooks; git help config), and from taking a folder of the repository for a
// bare repository (git 2.38, safe.bareRepository).
var gitSafety = map[string]string{
	"GIT_CONFIG_COUNT": "3",
	"GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "false",
	"GIT_CONFIG_KEY_1": "core.hooksPath", "GIT_CONFIG_VALUE_1": "/dev/null",
	"GIT_CONFIG_KEY_2": "safe.bareRepository", "GIT_CONFIG_VALUE_2": "explicit",
}
