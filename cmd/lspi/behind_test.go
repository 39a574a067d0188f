//go:build linux || darwin

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/contract"
	"lspi/internal/testkit"
)

// laptop is a lspi whose configuration has another lspi behind it under the id big, and tree as its workspace.
func laptop(t testing.TB, lspi, tree, table string, env ...string) *mcp.ClientSession {
	t.Helper()
	home := t.TempDir()
	config := filepath.Join(home, "config.toml")
	testkit.Write(t, config, "catalogue = false\n[mcp_servers.big]\n"+table)
	cmd := exec.Command(lspi, "mcp", "--share=off", "--config", config, "--workspace-root", tree)
	cmd.Env = append(append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home,
		"LSPI_CONFIG_PATH=", "CLAUDE_PROJECT_DIR="), env...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// behindAnswer calls a tool, and returns all of its answer.
func behindAnswer(t testing.TB, c *mcp.ClientSession, tool string, args map[string]any) string {
	t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	testkit.Must(t, err)
	raw, err := json.Marshal(r)
	testkit.Must(t, err)
	return string(raw)
}

// behindSteps looks whether the next steps of an answer name tools of the lspi behind, and whether the first one of
// an error can be run as it is.
func behindSteps(t *testing.T, c *mcp.ClientSession, answer string) {
	t.Helper()
	var got struct {
		IsError           bool // else a step may be the change that was shown
		StructuredContent struct {
			NextSteps []contract.NextStep `json:"next_steps"`
		}
	}
	testkit.Must(t, json.Unmarshal([]byte(answer), &got))
	for _, s := range got.StructuredContent.NextSteps {
		if s.Kind == contract.StepTool && !strings.HasPrefix(s.Tool, "big__") {
			t.Errorf("a step names the tool %s of another lspi", s.Tool)
		}
	}
	for _, s := range got.StructuredContent.NextSteps {
		if got.IsError && s.Kind == contract.StepTool {
			if said := behindAnswer(t, c, s.Tool, s.Arguments); !strings.Contains(said, `"ok":true`) {
				t.Errorf("the step %s %v: %s", s.Tool, s.Arguments, said)
			}
			return
		}
	}
}

// An lspi behind lspi answers about a tree that both have at one path: by url, where nobody chose a workspace
// there, and by command.
func TestLspiBehindLspi(t *testing.T) {
	testkit.Need(t, "gopls")
	lspi := testkit.Program(t)
	d := openDoor(t, lspi)
	tree := filepath.Join(d.home, "src", "one")
	own := filepath.Join(d.home, ".config/lspi/config.toml")
	for name, table := range map[string]string{
		"by url": fmt.Sprintf("url = %q\ntoken_env = \"BIG_TOKEN\"\n", d.url),
		// As by ssh: the program has the other machine's folders and configuration.
		"by command": fmt.Sprintf(
			"command = \"env\"\nargs = [\"HOME=%s\", \"XDG_STATE_HOME=%s/.state\", %q, \"mcp\", \"--share=off\", \"--config\", %q, \"--workspace-root\", %q]\ncwd = %q\n",
			d.home, d.home, lspi, own, tree, d.home),
	} {
		t.Run(name, func(t *testing.T) {
			c := laptop(t, lspi, tree, table, "BIG_TOKEN="+d.token)
			want := func(tool string, args map[string]any, parts ...string) {
				t.Helper()
				got := behindAnswer(t, c, "big__"+tool, args)
				for _, part := range parts {
					if !strings.Contains(got, part) {
						t.Errorf("%s %v does not have %s: %s", tool, args, part, got)
					}
				}
				behindSteps(t, c, got)
			}
			want("find_references", map[string]any{"file_path": "a.go", "symbol_name": "One"}, `"ok":true`, `"total":2`)
			want("find_references", map[string]any{"file_path": filepath.Join(tree, "a.go"), "symbol_name": "One"},
				`"ok":true`, `"total":2`)
			want("find_definition", map[string]any{"file_path": "file://" + filepath.Join(tree, "a.go"), "line": 3,
				"symbol_name": "One"}, `"ok":true`)
			want("get_current_config", map[string]any{}, `"workspace_root":"`+tree+`"`)
			want("find_definition", map[string]any{"file_path": filepath.Join(tree, "b.go"), "symbol_name": "One"},
				`"ok":false`, `"next_steps":[{`, `"tool":"big__`, ` → big__`, tree)
			want("rename_symbol", map[string]any{"file_path": filepath.Join(tree, "a.go"), "symbol_name": "One",
				"line": 3, "new_name": "Eins"}, `"ok":true`, "Eins")
		})
	}
}

// The lspi behind takes the workspace of here where it has it at the same path, with the first call; else its error
// leads to the tool that chooses one.
func TestLspiBehindWithoutWorkspace(t *testing.T) {
	testkit.Need(t, "gopls")
	lspi := testkit.Program(t)
	d := openDoor(t, lspi)
	table := fmt.Sprintf("url = %q\ntoken_env = \"BIG_TOKEN\"\n", d.url)
	one := filepath.Join(d.home, "src", "one")
	asked := map[string]any{"file_path": "a.go", "symbol_name": "One"}
	t.Run("at the same path", func(t *testing.T) {
		c := laptop(t, lspi, one, table, "BIG_TOKEN="+d.token)
		if got := behindAnswer(t, c, "big__find_references", asked); !strings.Contains(got, `"ok":true`) ||
			!strings.Contains(got, `"total":2`) {
			t.Error(got)
		}
		if got := behindAnswer(t, c, "big__get_current_config", nil); !strings.Contains(got, `"workspace_root":"`+one+
			`"`) {
			t.Error(got)
		}
	})
	t.Run("not there", func(t *testing.T) {
		c := laptop(t, lspi, t.TempDir(), table, "BIG_TOKEN="+d.token)
		got := behindAnswer(t, c, "big__find_references", asked)
		for _, part := range []string{"workspace_not_set", "Call big__bind_workspace with the absolute path",
			`"known":["` + filepath.Dir(one) + `"`} {
			if !strings.Contains(got, part) {
				t.Errorf("%s is not in %s", part, got)
			}
		}
		if got := behindAnswer(t, c, "big__bind_workspace", map[string]any{"cwd": one}); !strings.Contains(got,
			`"ok":true`) {
			t.Error(got)
		}
		if got := behindAnswer(t, c, "big__find_references", asked); !strings.Contains(got, `"total":2`) {
			t.Error(got)
		}
	})
	t.Run("another one is chosen first", func(t *testing.T) {
		c := laptop(t, lspi, one, table, "BIG_TOKEN="+d.token)
		two := filepath.Join(d.home, "src", "two")
		if got := behindAnswer(t, c, "big__bind_workspace", map[string]any{"cwd": two}); !strings.Contains(got,
			`"workspace_root":"`+two+`"`) {
			t.Error(got)
		}
		if got := behindAnswer(t, c, "big__get_current_config", nil); !strings.Contains(got, `"workspace_root":"`+two+
			`"`) {
			t.Error(got)
		}
	})
}

// An lspi that has itself behind it ends somewhere.
func TestLspiBehindItself(t *testing.T) {
	lspi := testkit.Program(t)
	home := t.TempDir()
	config := filepath.Join(home, "config.toml")
	testkit.Write(t, config,
		fmt.Sprintf(
			"catalogue = false\n[mcp_servers.self]\ncommand = %q\nargs = [\"mcp\", \"--share=off\", \"--config\", %q]\n", lspi, config))
	cmd := exec.Command(lspi, "mcp", "--share=off", "--config", config)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "LSPI_CONFIG_PATH=")
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	defer c.Close()
	tool := strings.Repeat("self__", 3) + "get_server_status"
	// Each one in the row says its tools without those behind it when these take longer to start than a list waits.
	testkit.Wait(t, "an answer of the third one", func() bool {
		return strings.Contains(behindAnswer(t, c, tool, map[string]any{}), `"ok":true`)
	})
	if got := behindAnswer(t, c, "self__"+tool, map[string]any{}); !strings.Contains(got, `"ok":false`) {
		t.Error(got)
	}
}
