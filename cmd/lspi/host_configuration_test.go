package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
)

// hostEntry is how Codex CLI and Claude Code write a stdio server.
type hostEntry struct {
	Command string   `json:"command" toml:"command"`
	Args    []string `json:"args" toml:"args"`
}

// TestHostConfigurations takes the configurations in docs/hosts.md, reads them as the hosts do, and starts lspi with
// them.
func TestHostConfigurations(t *testing.T) {
	raw, err := os.ReadFile("../../docs/hosts.md")
	testkit.Must(t, err)
	entries := map[string]hostEntry{}
	var codex struct {
		Servers map[string]hostEntry `toml:"mcp_servers"`
	}
	if _, err := toml.Decode(fenced(t, string(raw), "toml"), &codex); err != nil {
		t.Error(err)
	}
	entries["codex"] = codex.Servers["lspi"]
	var claude struct {
		Servers map[string]hostEntry `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(fenced(t, string(raw), "json")), &claude); err != nil {
		t.Error(err)
	}
	entries["claude"] = claude.Servers["lspi"]
	_, line, ok := strings.Cut(string(raw), "claude mcp add lspi -- ")
	if !ok {
		t.Fatal("docs/hosts.md does not say how to add lspi to Claude Code")
	}
	line, _, _ = strings.Cut(line, "\n")
	line, _, _ = strings.Cut(line, "#") // a comment of the shell
	words := strings.Fields(line)
	entries["claude mcp add"] = hostEntry{words[0], words[1:]}
	for host, e := range entries {
		t.Run(host, func(t *testing.T) { startsWith(t, e) })
	}
}

// fenced is the first code block of a language.
func fenced(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "```"+language+"\n")
	if !ok {
		t.Fatalf("docs/hosts.md has no %s block", language)
	}
	block, _, _ := strings.Cut(rest, "```")
	return block
}

func startsWith(t *testing.T, e hostEntry) {
	if e.Command != "lspi" || len(e.Args) == 0 {
		t.Fatalf("not a command of lspi: %+v", e)
	}
	self, err := os.Executable()
	testkit.Must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.Command(self, e.Args...)
	cmd.Args[0] = e.Command
	cmd.Dir = t.TempDir()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "readme", Version: "1"}, nil).Connect(ctx,
		&mcp.CommandTransport{Command: cmd}, nil)
	testkit.Must(t, err)
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) == 0 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
}
