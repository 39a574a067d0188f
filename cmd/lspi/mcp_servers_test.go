package main

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// A program of a workspace that is not trusted is none of an MCP server, whatever PATH says: a name in the user's configuration means the user's program.
func TestMCPServerIsNoProgramOfTheWorkspace(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	home, workspace := filepath.Join(dir, "home"), filepath.Join(dir, "workspace")
	bin, own := filepath.Join(workspace, "node_modules", ".bin"), filepath.Join(dir, "bin")
	for _, folder := range []string{filepath.Join(home, ".config", "lspi"), bin, own, filepath.Join(workspace, ".git")} {
		testkit.Must(t, os.MkdirAll(folder, 0o755))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(home, ".config", "lspi", "config.toml"), []byte("[mcp_servers.files]\ncommand = \"files\"\n"), 0o644))
	path := bin + string(filepath.ListSeparator) + own
	for policy, want := range map[string]string{"ask": own, "all": path} {
		environ := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" + filepath.Join(home, ".state"), "PATH=" + path}
		c, err := config.Load(config.Options{Environ: environ, Home: home, WorkDir: workspace, Flags: config.Flags{Trust: policy}})
		testkit.Must(t, err)
		servers := mcpServersOf(c)
		if len(servers) != 1 {
			t.Fatalf("%v", servers)
		}
		testkit.Equal(t, spec.Variable(servers[0].Environ, "PATH"), want, policy)
	}
}
