//go:build linux

package hosts

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/testkit"
)

// packagedHosts are the hosts for which a release has a plugin: its kind, which names the folder, and the commands of
// the host that check and install it from there.
var packagedHosts = []struct {
	host, kind string
	check      func(folder string) []string // nil when the host has no such command
	valid      string                       // what the check prints
	install    func(folder string) [][]string
	more       []string // arguments of the host
}{
	{"claude", "claude-plugin", func(folder string) []string { return []string{"plugin", "validate", "--strict", folder} },
		"Validation passed", func(folder string) [][]string {
			return [][]string{{"plugin", "marketplace", "add", folder}, {"plugin", "install", "lspi@lspi"}}
		}, []string{"--allowedTools", "mcp__plugin_lspi_lspi", "--permission-mode", "acceptEdits"}},
	{"codex", "codex-plugin", nil, "", func(folder string) [][]string {
		return [][]string{{"plugin", "marketplace", "add", folder}, {"plugin", "add", "lspi@lspi"}}
	}, []string{"--dangerously-bypass-hook-trust"}},
	{"gemini", "gemini-extension", func(folder string) []string { return []string{"extensions", "validate", folder} },
		"successfully validated", func(folder string) [][]string {
			return [][]string{{"extensions", "install", folder, "--consent"}}
		}, nil},
}

// The plugins of a release are valid by the host's own command where there is one, and once installed their server
// answers and their hooks run.
func TestPlugins(t *testing.T) {
	for _, c := range packagedHosts {
		t.Run(c.host, func(t *testing.T) {
			p := wanted(t, c.host)
			s := newSession(t, testkit.Program(t))
			i := slices.IndexFunc(hookedHosts, func(h hookedHost) bool { return h.host == c.host })
			s.model.script = []question{questions[0], hookedHosts[i].change(s.newFile("new.go"), "package shop\n")}
			start := p.start(s)
			folder := filepath.Join(plugins(t), c.kind)
			if c.check != nil {
				testkit.Holds(t, s.run(s.launcher(p), c.check(folder), start.environment), c.valid)
			}
			said := ""
			for _, command := range c.install(folder) {
				said += s.run(s.launcher(p), command, start.environment)
			}
			heard := s.standInHook(hookedHosts[i].answer)
			said += s.run(s.launcher(p), append(start.arguments, c.more...), start.environment)
			s.model.mu.Lock()
			defer s.model.mu.Unlock()
			for _, want := range questions[0].want {
				testkit.Holds(t, plain(s.model.got[0]), plain(want), "the model of", c.host, "has", s.model.first, said)
			}
			if !s.model.hooked {
				t.Errorf("the model was not told what the hook says; the host got %+v\n%s", heard(), said)
			}
		})
	}
}

// plugins writes the plugins that a release has, and returns their folder.
func plugins(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(t.TempDir(), "lspi")
	for _, command := range [][]string{{"go", "build", "-tags", "man", "-o", program, "lspi/cmd/lspi"},
		{program, "plugins", folder}} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
	}
	return folder
}
