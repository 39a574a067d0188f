package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
	"lspi/tools"
)

// The truth table of [sessionFlags], from the command line and an explicit configuration to what is allowed.
func TestRights(t *testing.T) {
	const readOnly, readWrite = true, false
	for _, c := range []struct {
		flags string
		file  string // of the [mcp] table
		want  bool
	}{
		{"", "", readWrite},
		{"--read-only", "", readOnly},
		{"--read-write", "", readWrite},
		{"--read-only", "read_only = false", readOnly},
		{"--read-write", "read_only = true", readWrite},
		{"", "read_only = true", readOnly},
		{"", "read_only = false", readWrite},

		{"--mode navigation", "", readOnly},
		{"--mode refactor", "", readWrite},
		{"--mode navigation --read-write", "", readWrite},
		{"--mode refactor --read-only", "", readOnly},
		{"--mode refactor", "read_only = true", readOnly},
		{"--mode navigation", "read_only = false", readWrite},
		{"", `mode = "navigation"`, readOnly},
		{"--mode refactor", `mode = "navigation"`, readWrite},

		{"--context full", "", readWrite},
		{"--context claude", "", readWrite},
		{"--context codex", "", readOnly},
		{"--context navigation", "", readOnly},
		{"--context codex --read-write", "", readWrite},
		{"--context codex --mode refactor", "", readWrite},
		{"--context claude --mode navigation", "", readOnly},
		{"--context codex", "read_only = false", readWrite},
		{"--context full", `context = "codex"`, readWrite},
		{"", `context = "codex"`, readOnly},
		{"--context claude --read-only", "read_only = false", readOnly},
	} {
		t.Run(strings.TrimSpace(c.flags+" "+c.file), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "config.toml")
			testkit.Must(t, os.WriteFile(file, []byte("[mcp]\n"+c.file+"\n"), 0o644))
			f, err := parseFlags(append(strings.Fields(c.flags), "--config", file, "--workspace-root", t.TempDir()))
			testkit.Must(t, err)
			s := newSession(f, io.Discard)
			s.options.Home, s.options.Getenv = t.TempDir(), func(string) string { return "" }
			settings, _, err := s.listing()
			testkit.Must(t, err)
			testkit.Equal(t, settings.ReadOnly, c.want, "read-only")
			for _, tool := range tools.Served(&settings) {
				if c.want == readOnly && !tool.ReadOnly() {
					t.Errorf("%s is served", tool.Name)
				}
			}
		})
	}
}

// parseFlags is what the mcp command does with its command line before it serves.
func parseFlags(args []string) (*sessionFlags, error) {
	var f sessionFlags
	cmd := &cobra.Command{Use: "test", RunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
		SilenceErrors: true, SilenceUsage: true}
	f.addCommon(cmd)
	f.addRights(cmd)
	cmd.SetArgs(args)
	return &f, cmd.Execute()
}

// A configuration that is wrong allows nothing, whatever it would have said.
func TestWrongConfigurationIsReadOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	testkit.Must(t, os.WriteFile(file, []byte("[mcp]\nread_onli = true\n"), 0o644))
	s := newSession(&sessionFlags{config: file, workspaceRoot: t.TempDir()}, io.Discard)
	s.options.Home = t.TempDir()
	settings, _, err := s.listing()
	if err != nil || !settings.ReadOnly {
		t.Errorf("read-only is %v, %v", settings.ReadOnly, err)
	}
}

// An empty allow list allows nothing.
func TestEmptyAllowList(t *testing.T) {
	settings := settingsOf(&config.Config{Roots: []string{"/"}, MCP: config.MCP{Tools: config.Tools{Allow: []string{}}}})
	if served := tools.Served(&settings); len(served) > 0 {
		t.Errorf("%d tools are served", len(served))
	}
}
