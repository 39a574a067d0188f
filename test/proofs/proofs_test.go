//go:build unix

package proofs

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

var update = flag.Bool("update", false, "write the table of docs/servers.md anew")
var goOn = flag.Bool("go-on", false, "run the rest of a script behind a mistake in it")

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// points are what a script has to say of a server, in its order.
var points = []string{"cold", "definition", "references", "outline", "search", "error", "edited file", "new file",
	"deleted file", "rename", "killed"}

// quick are the rows that make test runs: their servers start at once, and make test installs them anyhow.
var quick = []string{"json"}

// TestRows asks each server what its script says. One runs at a time: what they take of the machine differs by a
// hundred.
func TestRows(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	testkit.Must(t, err)
	var rows []row
	for _, script := range scripts {
		r := readRow(t, script)
		t.Run(r.id, func(t *testing.T) {
			testkit.Always(t, r.id, quick...)
			r.run(t, script)
		})
		rows = append(rows, r)
	}
	if *update && !t.Failed() {
		writeTable(t, rows)
	}
}

// row is a script, and what running it told.
type row struct {
	id    string
	lacks map[string]string // by point: why the server cannot
	// by point: unknown or partial, where an answer is right and lspi does not call it complete
	less    map[string]string
	version string
	times   *times
}

// times are how long answers took.
type times struct {
	mu   sync.Mutex
	all  []time.Duration // guarded by mu
	cold time.Duration   // the first; guarded by mu
}

// readRow holds a script against the points.
func readRow(t *testing.T, script string) row {
	t.Helper()
	archive, err := txtar.ParseFile(script)
	testkit.Must(t, err)
	r := row{id: strings.TrimSuffix(filepath.Base(script), ".txtar"), lacks: map[string]string{},
		less: map[string]string{}, times: &times{}}
	var found []string
	refused := map[string]bool{}
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		switch point, why, lacks := strings.Cut(strings.TrimPrefix(line, "# "), ": "); {
		case strings.HasPrefix(line, "# ") && slices.Contains(points, point):
			found = append(found, point)
			if lacks {
				r.lacks[point] = why
			}
		case len(found) == 0:
		case strings.HasPrefix(line, "ask -"):
			kind, _, _ := strings.Cut(strings.TrimPrefix(line, "ask -"), " ")
			r.less[found[len(found)-1]] = kind
		case strings.HasPrefix(line, "! ask"):
			refused[found[len(found)-1]] = true
		}
	}
	testkit.Diff(t, found, points, script, "has a part for each point, in their order")
	for point := range r.lacks {
		if !refused[point] {
			t.Errorf("%s: nothing shows that the server lacks %s; ask for it with ! ask", script, point)
		}
	}
	for _, s := range servers.Servers() {
		if s.ID == r.id {
			r.version = s.Verified
		}
	}
	if r.version == "" {
		t.Errorf("%s: no row of the catalogue that is proven has this id", script)
	}
	return r
}

// run runs the script in a session of its own. The environment is that of a user, with the caches of the test's own
// home.
func (r row) run(t *testing.T, script string) {
	for _, s := range toolstest.Catalogue(r.id) {
		if pin, ok := servers.PinOf(&s); ok {
			testkit.Need(t, pin.Launchers...)
		}
	}
	toolstest.Script{
		File: script,
		GoOn: *goOn,
		Open: func(folder string) *session.Session { return toolstest.Real(t, folder, r.id) },
		Ask: func(s *session.Session, tool string, arguments json.RawMessage) toolstest.Answer {
			began := time.Now()
			result := tools.Run(context.Background(), s, nil, answer.Request{Tool: tool, Arguments: arguments})
			r.times.note(time.Since(began))
			return toolstest.Answer{Text: result.Text, Structured: result.Structured}
		},
	}.Run(t)
}

func (t *times) note(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cold = cmp.Or(t.cold, d)
	t.all = append(t.all, d)
}

// warm is the median.
func (t *times) warm() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) == 0 {
		return 0
	}
	slices.Sort(t.all)
	return t.all[len(t.all)/2]
}

const document = "../../docs/servers.md"

// writeTable writes what was proven.
func writeTable(t *testing.T, rows []row) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "| server | version | first answer | median | %s |\n|---|---|---|---%s|\n",
		strings.Join(points[1:], " | "), strings.Repeat("|---", len(points)-1))
	raw, err := os.ReadFile(document)
	testkit.Must(t, err)
	for _, r := range rows {
		if r.times.cold == 0 { // it did not run, by -run: what the page has of it stays
			if line := tableLine(string(raw), r.id); line != "" {
				b.WriteString(line)
				continue
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s %s\n", r.id, r.version, seconds(r.times.cold), seconds(r.times.warm()),
			r.cells())
	}
	before, rest, ok := strings.Cut(string(raw), beginTable)
	_, after, ended := strings.Cut(rest, endTable)
	if !ok || !ended {
		t.Fatalf("%s has no table of proofs", document)
	}
	testkit.Must(t, os.WriteFile(document, []byte(before+beginTable+b.String()+endTable+after), 0o644))
}

// tableLine is the line of a row in the table of a page; "" when it has none.
func tableLine(page, id string) string {
	_, table, _ := strings.Cut(page, beginTable)
	table, _, _ = strings.Cut(table, endTable)
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "| "+id+" |") {
			return line
		}
	}
	return ""
}

// cells are what a row of the table says of the points.
func (r row) cells() string {
	var b strings.Builder
	b.WriteString("|")
	for _, point := range points[1:] {
		fmt.Fprintf(&b, " %s |", cmp.Or(r.lacks[point], r.less[point], "complete"))
	}
	return b.String()
}

const (
	beginTable = "<!-- generated by make proofs -->\n"
	endTable   = "<!-- end of the proofs -->"
)

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// The table of docs/servers.md has the rows, versions and reasons of the scripts.
func TestDocument(t *testing.T) {
	raw, err := os.ReadFile(document)
	testkit.Must(t, err)
	_, table, _ := strings.Cut(string(raw), beginTable)
	table, _, _ = strings.Cut(table, endTable)
	scripts, err := filepath.Glob("testdata/*.txtar")
	testkit.Must(t, err)
	lines := slices.Collect(strings.Lines(table))
	testkit.Equal(t, len(lines), len(scripts)+2, "rows of the table; run make proofs")
	for _, script := range scripts {
		r := readRow(t, script)
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, fmt.Sprintf("| %s | %s |", r.id, r.version)) &&
				strings.HasSuffix(line, " "+r.cells()+"\n")
		}) {
			t.Errorf("%s does not say of %s %s: %s; run make proofs", document, r.id, r.version, r.cells())
		}
	}
}

// elsewhere are the proven rows without a script, with the package that has most of their tests.
var elsewhere = map[string]string{"gopls": "tools", "clangd": "tools", "rust-analyzer": "tools",
	"typescript-language-server": "tools", "bash-language-server": "tools", "ruff": "tools"}

// A row is called proven when it has a script, or is named above, and never else.
func TestProvenRows(t *testing.T) {
	for _, s := range servers.Servers() {
		_, err := os.Stat(filepath.Join("testdata", s.ID+".txtar"))
		dir, known := elsewhere[s.ID]
		if script := err == nil; script == known && known || (script || known) == s.Unproven ||
			s.Unproven != (s.Verified == "") {
			t.Errorf("%s: script %v, tests elsewhere %v, version %q, unproven %v", s.ID, script, known, s.Verified,
				s.Unproven)
		}
		if !known {
			continue
		}
		tests, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
		testkit.Must(t, err)
		if !slices.ContainsFunc(tests, func(file string) bool {
			raw, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(raw), `"`+s.ID+`"`)
		}) {
			t.Errorf("no test of %s names %s", dir, s.ID)
		}
	}
}
