//go:build linux

package hosts

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lspi/internal/testkit"
)

// door is where a host reaches lspi over HTTP.
type door struct{ url, token string }

func (d door) header() object { return object{"Authorization": "Bearer " + d.token} }

// overHTTP has the entry for lspi over HTTP in the configuration of hosts, by the host's name.
var overHTTP = map[string]func(d door) any{
	"claude": func(d door) any {
		return object{"mcpServers": object{"lspi": object{"type": "http", "url": d.url, "headers": d.header()}}}
	},
	"codex": func(d door) any {
		return "[mcp_servers.lspi]\nurl = " + asJSON(d.url) +
			"\nbearer_token_env_var = \"LSPI_TOKEN\"\ntool_timeout_sec = 60\n"
	},
	"gemini": func(d door) any {
		return object{"mcpServers": object{"lspi": object{"httpUrl": d.url, "headers": d.header(), "timeout": 60000,
			"trust": true}}}
	},
	"opencode": func(d door) any {
		return object{"mcp": object{"lspi": object{"type": "remote", "url": d.url, "headers": d.header(),
			"enabled": true, "oauth": false}}}
	},
	"copilot": func(d door) any {
		return object{"mcpServers": object{"lspi": object{"type": "http", "url": d.url, "headers": d.header(),
			"tools": []string{"*"}, "timeout": 60000}}}
	},
}

// httpFiles are where the entries stand, below home.
var httpFiles = map[string]string{"claude": ".claude.json", "codex": ".codex/config.toml",
	"gemini":   ".gemini/settings.json",
	"opencode": ".config/opencode/opencode.jsonc", "copilot": ".copilot/mcp-config.json"}

// merge adds to a file in the home of the session: text at its end, members to its object.
func (s *hostRun) merge(name string, content any) {
	s.Helper()
	raw, err := os.ReadFile(filepath.Join(s.home, name))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	if text, ok := content.(string); ok {
		s.write(name, string(raw)+text)
		return
	}
	all := object{}
	if len(raw) > 0 {
		testkit.Must(s, json.Unmarshal(raw, &all))
	}
	maps.Copy(all, content.(object))
	s.write(name, all)
}

// The hosts reach lspi over HTTP: the model chooses the workspace, and gets the answers that it gets over stdio.
func TestHostsOverHTTP(t *testing.T) {
	wanted := os.Getenv(variable)
	if wanted == "" {
		t.Skipf("%s=all runs the real hosts (make hosts)", variable)
	}
	binary := testkit.Program(t)
	for _, p := range programs {
		entry := overHTTP[p.name]
		if entry == nil || wanted != "all" && !slices.Contains(strings.Split(wanted, ","), p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			launcher := filepath.Join(testkit.Dir(), "hosts", "bin", p.name)
			if _, err := os.Stat(launcher); err != nil {
				t.Skipf("not installed: scripts/hosts.sh %s", p.name)
			}
			s := newSession(t, binary)
			s.model.script = append([]question{
				{"before", "get_current_config", object{}, nil}, // of a host with roots an answer, else an error
				{"workspace", "bind_workspace", object{"cwd": s.project}, []string{"workspace_root", s.project}},
			}, questions...)
			for i := range s.model.script {
				if s.model.script[i].tool == "bind_workspace" && workspaceText[p.name] {
					s.model.script[i].want = []string{"All tools answer about " + s.project}
				}
			}
			d := s.openDoor()
			start := p.start(s)
			s.merge(httpFiles[p.name], entry(d))
			if start.environment == nil {
				start.environment = map[string]string{}
			}
			start.environment["LSPI_TOKEN"] = d.token
			output := s.run(launcher, start.arguments, start.environment)
			m := s.model
			m.mu.Lock()
			defer m.mu.Unlock()
			if len(m.got) < len(m.script) {
				t.Fatalf("the model got %d of %d answers; it was asked %q\n%s", len(m.got), len(m.script), m.requests,
					output)
			}
			for i, q := range m.script {
				for _, want := range q.want {
					testkit.Holds(t, plain(m.got[i]), plain(want), q.name, "the model did not get", want, "but",
						m.got[i])
				}
			}
			t.Logf("before the workspace is chosen: %.200s", m.got[0])
		})
	}
}

// workspaceText are the hosts that show the text of an answer alone.
var workspaceText = map[string]bool{"opencode": true, "gemini": true}

// openDoor starts the shared process with HTTP, for the project of the session.
func (s *hostRun) openDoor() door {
	s.Helper()
	s.merge(".config/lspi/config.toml", "[daemon]\nhttp_roots = ["+asJSON(s.project)+"]\n")
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(s.bin, "lspi"), append([]string{"daemon"}, args...)...)
		cmd.Env = s.environment
		return cmd
	}
	out, err := command("token").Output()
	testkit.Must(s, err)
	d := door{token: strings.TrimSpace(string(out))}
	cmd := command("run", "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	testkit.Must(s, err)
	testkit.Must(s, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for d.url == "" && lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "lspi: MCP over HTTP at "); ok {
			d.url, _, _ = strings.Cut(rest, ";")
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines.Scan() { // what else it says must not fill the pipe
		}
		_ = cmd.Wait()
	}()
	s.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	})
	if d.url == "" {
		s.Fatal("it serves no HTTP")
	}
	return d
}
