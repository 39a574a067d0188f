package setup

import (
	"strings"
	"testing"

	"lspi/internal/testkit"
)

// What starts lspi is told from what starts the package of npm that has the same name.
func TestStarts(t *testing.T) {
	const lspi, other, neither = "lspi", "another project's", "neither"
	for line, want := range map[string]string{
		"lspi mcp":                                   lspi,
		"/usr/bin/lspi mcp --read-only":              lspi,
		"C:/bin/lspi.exe mcp":                        lspi,
		"npx -y lspi-mcp mcp":                        lspi,
		"npx -y lspi-mcp@1.2.0 mcp":                  lspi,
		"npx.cmd -y lspi-mcp mcp":                    lspi,
		"npx -y -p lspi-mcp lspi mcp":                lspi,
		"npx --package=lspi-mcp@1.2.0 -- lspi mcp":   lspi,
		"deno run -A npm:lspi-mcp@1 mcp":             lspi,
		"uvx lspi mcp":                               lspi,
		"pipx run lspi mcp":                          lspi,
		"docker run -i example.org/lspi mcp":         lspi,
		"npm run lspi mcp":                           lspi,
		"ssh box lspi mcp":                           lspi,
		"npx -y lspi mcp":                            other,
		"npx lspi@latest mcp":                        other,
		"npx.cmd -y lspi mcp":                        other,
		"cmd /c npx -y lspi mcp":                     other,
		"/usr/bin/npx @someone/lspi mcp":             other,
		"npm exec -y lspi mcp":                       other,
		"npm --yes x lspi -- mcp":                    other,
		"pnpm dlx lspi mcp":                          other,
		"yarn dlx lspi mcp":                          other,
		"bunx lspi mcp":                              other,
		"bun x lspi mcp":                             other,
		"deno run -A npm:lspi mcp":                   other,
		"npx -p lspi lspi mcp":                       other,
		"npx -y lspi":                                neither,
		"lspi call hover":                            neither,
		"node server.js mcp":                         neither,
		"npx -y @modelcontextprotocol/inspector mcp": neither,
	} {
		words := strings.Fields(line)
		e := &Entry{Command: words[0], Args: words[1:]}
		got := neither
		if e.Starts() {
			got = lspi
		}
		if e.StartsOther() {
			got = other
		}
		testkit.Equal(t, got, want, line)
	}
}

// An entry that starts the other package is refused, with the name of lspi's own, and stays as it is.
func TestOtherPackageIsRefused(t *testing.T) {
	p := place(t)
	const before = `{"mcpServers": {"lspi": {"command": "npx", "args": ["-y", "lspi", "mcp"]}}}`
	file := p.File(Find("gemini"), User)
	put(t, file, before)
	_, err := p.Plan(Find("gemini"), User, DefaultRights)
	if err == nil ||
		!strings.Contains(err.Error(),
			`starts "npx -y lspi mcp", which is a package of another project; on npm lspi is lspi-mcp`) {
		t.Errorf("setup says %v", err)
	}
	testkit.Equal(t, read(t, file), before, "the file")
}
