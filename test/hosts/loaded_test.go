//go:build linux

package hosts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools"
)

// Claude Code shows its model the tools of MCP servers only after a search for them, but for those that ask to be there
// from the start. Its first request holds these and no others.
func TestLoaded(t *testing.T) {
	p := wanted(t, "claude")
	s := newSession(t, testkit.Program(t))
	s.model.script = questions[:1]
	start := p.start(s)
	start.environment["ENABLE_TOOL_SEARCH"] = "true" // it is off by default where the model is not Anthropic's own
	// Without a terminal it asks the model before its servers have answered, while a person would still be typing.
	start.environment["MCP_CONNECTION_NONBLOCKING"] = "false"
	s.setup(p)
	output := s.run(filepath.Join(testkit.Dir(), "hosts", "bin", p.name), start.arguments, start.environment)
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	var got, want []string
	for _, name := range s.model.first {
		if name, ok := strings.CutPrefix(name, "mcp__lspi__"); ok {
			got = append(got, name)
		}
	}
	for _, tool := range tools.All() {
		if tool.AlwaysLoad {
			want = append(want, tool.Name)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	testkit.Diff(t, got, want, "the first request has", s.model.first, output)
}

// wanted returns a host that LSPI_HOSTS names and that is installed; else it skips the test.
func wanted(t *testing.T, name string) program {
	t.Helper()
	names := os.Getenv(variable)
	if names != "all" && !slices.Contains(strings.Split(names, ","), name) {
		t.Skipf("%s=%s runs this host (make hosts)", variable, name)
	}
	if _, err := os.Stat(filepath.Join(testkit.Dir(), "hosts", "bin", name)); err != nil {
		t.Skipf("not installed: scripts/hosts.sh %s", name)
	}
	return programs[slices.IndexFunc(programs, func(p program) bool { return p.name == name })]
}
