package doctor

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// programs looks at the executables of the server before one is started. It finds the version, and reports executables
// that come first on PATH and cannot work.
func (e *examination) programs(ctx context.Context, spec *spec.Spec, s *Server, found []launch.Candidate) []Check {
	var out []Check
	for _, c := range found {
		if interpreter := e.interpreter(c.Path); interpreter != "" && e.Machine.Look(interpreter) == "" {
			out = append(out, Check{Name: "interpreter", Level: Warning,
				Message: fmt.Sprintf("%s runs with %s, which is not on PATH", c.Path, interpreter),
				Fix:     e.install(interpreter)})
			continue
		}
		version := spec.Version
		if version == nil {
			version = []string{"--version"}
		}
		o := e.Machine.Run(ctx, filepath.Dir(c.Path), append([]string{c.Path}, version...)...)
		if component := proxyWithout(o); component != "" {
			out = append(out, Check{Name: "rustup_proxy", Level: Warning,
				Message: fmt.Sprintf("%s is rustup's proxy, and the toolchain does not have its component", c.Path),
				Fix:     []string{"rustup component add " + component}})
			continue
		}
		// Many servers have no flag for the version and wait for input instead; then the handshake tells it.
		if o.Err == nil && s.Version == "" {
			s.Version = lsp.ShortVersion(o.Stdout)
		}
		break
	}
	return out
}

// proxyWithout returns the component that a rustup proxy lacks; "" for other programs and errors. The proxy prints
// "error: Unknown binary 'rust-analyzer' in official toolchain …", or since rustup 1.28 "error: 'rust-analyzer' is not
// installed for the toolchain …" with the advice to run rustup component add.
func proxyWithout(o Output) string {
	if o.Err == nil {
		return ""
	}
	text := o.Stderr + o.Stdout
	if _, advice, ok := strings.Cut(text, "rustup component add "); ok {
		words := strings.Fields(advice)
		for i, w := range words {
			if !strings.HasPrefix(w, "-") && (i == 0 || words[i-1] != "--toolchain") {
				return strings.Trim(w, "`'\".,")
			}
		}
	}
	if _, rest, ok := strings.Cut(text, "Unknown binary '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		return strings.TrimSuffix(name, ".exe")
	}
	return ""
}

// interpreter returns the program that a script's first line names, such as node; "" for anything else.
func (e *examination) interpreter(path string) string {
	head, err := e.Machine.Read(e.Machine.Real(path))
	if err != nil || !bytes.HasPrefix(head, []byte("#!")) {
		return ""
	}
	line, _, _ := strings.Cut(string(head[2:]), "\n")
	words := strings.Fields(line)
	if len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	i := slices.IndexFunc(words[1:], func(w string) bool {
		return !strings.HasPrefix(w, "-") && !strings.Contains(w, "=")
	})
	if i < 0 {
		return ""
	}
	return words[1+i]
}

// maxInstalls bounds the ways to install a server that are shown.
const maxInstalls = 3

// installs returns the commands that install a server on this machine, or one sentence when there is none.
func (e *examination) installs(spec *spec.Spec) []string {
	commands := e.system().Commands(spec.Install)
	if len(commands) == 0 {
		return []string{spec.InstallWords()}
	}
	return commands[:min(len(commands), maxInstalls)]
}

func (e *examination) system() spec.System {
	return spec.System{OS: e.Machine.OS, Root: e.Machine.Root, Look: e.Machine.Look,
		Exists: func(glob string) bool { return len(e.Machine.Glob(glob)) > 0 }}
}

// packages has the commands that install programs other than servers, those with isolated or newer packages first.
var packages = map[string][]spec.Install{
	"node": {
		{Needs: "brew", Command: "brew install node"},
		{Needs: "apt-get", Command: "sudo apt-get install -y nodejs npm"},
		{Needs: "dnf", Command: "sudo dnf install -y nodejs"},
		{Needs: "pacman", Command: "sudo pacman -S --noconfirm nodejs npm"},
		{Needs: "winget", Command: "winget install OpenJS.NodeJS.LTS"},
	},
	"bear": {
		{Needs: "brew", Command: "brew install bear"}, {Needs: "apt-get", Command: "sudo apt-get install -y bear"},
		{Needs: "dnf", Command: "sudo dnf install -y bear"},
		{Needs: "pacman", Command: "sudo pacman -S --noconfirm bear"},
	},
	"go": {
		{Needs: "brew", Command: "brew install go"}, {Needs: "winget", Command: "winget install GoLang.Go"},
		{Needs: "pacman", Command: "sudo pacman -S --noconfirm go"},
		{Needs: "dnf", Command: "sudo dnf install -y golang"},
	},
	"rustc": {
		{Needs: "curl", Command: "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"},
		{Needs: "winget", Command: "winget install Rustlang.Rustup"},
	},
}

// install returns the best command that installs a program on this machine, or one sentence when there is none.
func (e *examination) install(program string) []string {
	if commands := e.system().Commands(packages[program]); len(commands) > 0 {
		return commands[:1]
	}
	return []string{"Install " + program + " and put it on PATH."}
}
