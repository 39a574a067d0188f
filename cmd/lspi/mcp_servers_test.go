package main

import (
	"os"
	"path/filepath"
	"testing"

	"lspi/cmd/lspi/internal/config"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// A program in a workspace that is not trusted is never started as an MCP server, whatever PATH says: a name in the
// user's configuration means the user's program.
func TestMCPServerIsNoProgramOfTheWorkspace(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	home, workspace := filepath.Join(dir, "home"), filepath.Join(dir, "workspace")
	bin, own := filepath.Join(workspace, "node_modules", ".bin"), filepath.Join(dir, "bin")
	for _, folder := range []string{filepath.Join(home, ".config", "lspi"), bin, own,
		filepath.Join(workspace, ".git")} {
		testkit.Must(t, os.MkdirAll(folder, 0o755))
	}
	testkit.Must(t, os.WriteFile(filepath.Join(home, ".config", "lspi", "config.toml"),
		[]byte("[mcp_servers.files]\ncommand = \"files\"\n"), 0o644))
	path := bin + string(filepath.ListSeparator) + own
	for policy, want := range map[string]string{"ask": own, "all": path} {
		environ := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" +
			filepath.Join(home, ".state"), "PATH=" + path}
		c, err := config.Load(config.Options{Environ: environ, Home: home, WorkDir: workspace,
			Flags: config.Flags{Trust: policy}})
		testkit.Must(t, err)
		servers := mcpServersOf(c)
		if len(servers) != 1 {
			t.Fatalf("%v", servers)
		}
		testkit.Equal(t, spec.Variable(servers[0].Environ, "PATH"), want, policy)
	}
}

// npx, python -m and the like load code from the folder where they start; for a workspace that is not trusted they
// start in an empty one.
func TestRunnersStartApart(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	home, workspace := filepath.Join(dir, "home"), filepath.Join(dir, "workspace")
	apart := filepath.Join(home, ".state", "lspi", "empty")
	testkit.Write(t, filepath.Join(workspace, ".git", "x"), "")
	testkit.Write(t, filepath.Join(home, ".config", "lspi", "config.toml"), `
[mcp_servers.a]
command = "npx"
[mcp_servers.b]
command = "/usr/bin/python3.13"
[mcp_servers.c]
command = "mcp-server-filesystem"
[mcp_servers.d]
command = "npx"
cwd = "."
[mcp_servers.e]
url = "http://127.0.0.1:1/mcp"
`)
	for policy, want := range map[string][]string{"ask": {apart, apart, workspace, workspace, workspace},
		"all": {workspace, workspace, workspace, workspace, workspace}} {
		environ := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_STATE_HOME=" +
			filepath.Join(home, ".state"), "PATH=/bin"}
		c, err := config.Load(config.Options{Environ: environ, Home: home, WorkDir: workspace,
			Flags: config.Flags{Trust: policy}})
		testkit.Must(t, err)
		for i, s := range mcpServersOf(c) {
			testkit.Equal(t, s.Cwd, want[i], policy+" "+s.ID)
			testkit.Equal(t, s.MakeCwd, want[i] == apart, policy+" "+s.ID)
			testkit.Equal(t, s.Broken, "", policy+" "+s.ID)
		}
	}
	if _, err := os.Stat(apart); !os.IsNotExist(err) {
		t.Errorf("reading the configuration has made %s: %v", apart, err)
	}
}
