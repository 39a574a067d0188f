//go:build linux

package hosts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/workspace"
)

// documentFile is the guide. Two parts of it are generated: what was measured, by a run of all hosts (make hosts), and how each host is
// configured, by any run with -update; the rest is written by hand.
const documentFile = "../docs/hosts.md"

// measured writes the part of the guide that only a run of all hosts can write.
func measured(t *testing.T, all []seen, complete bool) {
	t.Helper()
	var b strings.Builder
	b.WriteString("| host | `clientInfo.name` | on success the model sees | on an error | largest answer | of 4,000 references it got | `instructions` | a tool is called |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, o := range all {
		row := workspace.HostFacts(o.client)
		fmt.Fprintf(&b, "| %s %s | `%s` | %s | %s | %s | %d characters | %s | `%s` |\n", o.program.title, o.version, o.client, o.success, o.failure,
			row.Cap, o.largest, yesNo(o.instructions), o.toolName)
	}
	t.Logf("\n%s", b.String())
	for _, o := range all {
		if len(o.refused) > 0 {
			t.Logf("%s wanted to reach %s", o.program.name, strings.Join(o.refused, ", "))
		}
	}
	if *update && complete {
		writePart(t, "measured", b.String())
	}
}

// configuration is how each host is told of lspi, with the entries of the runs.
func configuration() string {
	var b strings.Builder
	for _, p := range programs {
		fmt.Fprintf(&b, "### %s\n\n", p.title)
		if p.add != "" {
			fmt.Fprintf(&b, "```sh\n%s\n```\n\nor, in %s:\n\n", p.add, p.file)
		} else {
			fmt.Fprintf(&b, "In %s:\n\n", p.file)
		}
		arguments := []string{"lspi", "mcp"}
		if _, context, ok := strings.Cut(p.add, "lspi mcp --context "); ok {
			arguments = append(arguments, "--context", context)
		}
		fmt.Fprintf(&b, "%s\n\n", snippet(p.file, p.entry(entry{command: arguments})))
	}
	return b.String()
}

// The guide has the entries that the runs use, and of each host what the table of hosts has; a host that is added to the table needs a row.
func TestGuide(t *testing.T) {
	if *update {
		writePart(t, "configuration", configuration())
	}
	testkit.Equal(t, part(t, "configuration"), strings.TrimSpace(configuration()), fmt.Sprintf("the configurations in %s are not those of the runs: go test ./hosts -run TestGuide -update", documentFile))
	shown := map[string]bool{}
	for line := range strings.Lines(part(t, "measured")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) < 8 || !strings.HasPrefix(cells[1], "`") || cells[1] == "`clientInfo.name`" {
			continue
		}
		row := workspace.HostFacts(strings.Trim(cells[1], "`"))
		shown[row.Name] = true
		if !row.Known || !strings.HasPrefix(cells[2], row.Success) || !strings.HasPrefix(cells[3], row.Failure) || cells[4] != row.Cap || cells[6] != yesNo(row.Instructions) {
			t.Errorf("the row of %s is %q; the table of hosts has %+v", cells[0], cells, row)
		}
	}
	for _, row := range workspace.KnownHosts() {
		if !shown[row.Name] {
			t.Errorf("%s is in the table of hosts and not in %s", row.Name, documentFile)
		}
	}
}

// part is what stands between the two comments that mark a generated part.
func part(t *testing.T, name string) string {
	t.Helper()
	_, text, _ := around(t, name)
	return strings.TrimSpace(text)
}

func writePart(t *testing.T, name, text string) {
	t.Helper()
	before, _, after := around(t, name)
	testkit.Must(t, os.WriteFile(documentFile, []byte(before+strings.TrimSpace(text)+"\n"+after), 0o644))
}

func around(t *testing.T, name string) (before, text, after string) {
	t.Helper()
	raw, err := os.ReadFile(documentFile)
	testkit.Must(t, err)
	begin, end := "<!-- generated: "+name+" -->\n", "<!-- end: "+name+" -->"
	before, rest, began := strings.Cut(string(raw), begin)
	text, after, ended := strings.Cut(rest, end)
	if !began || !ended {
		t.Fatalf("%s has no generated part %q", documentFile, name)
	}
	return before + begin, text, end + after
}

func yesNo(v bool) string {
	if v {
		return "shown"
	}
	return "not shown"
}

// snippet is a piece of configuration as Markdown has it, of a file whose name tells its form where it is no JSON.
func snippet(file string, v any) string {
	if text, ok := v.(string); ok {
		return "```" + strings.Trim(filepath.Ext(file), ".`") + "\n" + strings.TrimSpace(text) + "\n```"
	}
	raw, _ := json.MarshalIndent(v, "", "  ")
	return "```json\n" + string(raw) + "\n```"
}
