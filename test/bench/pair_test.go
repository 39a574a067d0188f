//go:build linux

package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// pair is a server alone and lspi with a server of its own, each on its own copy of the sources.
type pair struct {
	language
	owner   *testing.B // at whose end the servers end
	spec    *spec.Spec
	program string // lspi
	next    func() text

	sources       func(testing.TB) string
	alone, served string          // the copies
	params        json.RawMessage // of initialize, for the copy of the server alone
	env           []string        // laid over the environment of both

	server *direct       // started by warm
	host   *testkit.Host // started by warm
}

func newPair(b *testing.B, l language) *pair {
	p := newPairOn(b, l, l.copied)
	p.next = l.texts(b)
	return p
}

// newPairOn is a pair on sources that sources makes, in a new folder each time. It edits nothing.
func newPairOn(b *testing.B, l language, sources func(b testing.TB) string) *pair {
	b.Helper()
	testkit.Need(b, l.program)
	p := &pair{language: l, owner: b, spec: rowOf(b, l.row), program: testkit.Program(b), sources: sources,
		alone: sources(b), served: sources(b)}
	p.params = paramsOf(b, p.spec, p.alone, l.file)
	// Other servers of the language would take part: Ruff beside pyright.
	config := filepath.Join(testkit.TempDir(b), "lspi.toml")
	testkit.Write(b, config, fmt.Sprintf("catalogue = false\n\n[[servers]]\nid = %q\n", l.row))
	p.env = []string{"LSPI_CONFIG_PATH=" + config}
	return p
}

// fresh is a pair on new copies with empty caches. Nothing here has a network.
func (p *pair) fresh(b *testing.B) *pair {
	b.Helper()
	q := *p
	q.owner, q.alone, q.served, q.server, q.host = b, p.sources(b), p.sources(b), nil, nil
	q.params = json.RawMessage(strings.ReplaceAll(string(p.params), p.alone, q.alone))
	q.env = append(slices.Clone(p.env), ownHome(b)...)
	return &q
}

// ownHome are variables for a new home with empty caches. What build tools downloaded stays where it is.
func ownHome(b testing.TB) (env []string) {
	b.Helper()
	home := testkit.TempDir(b)
	env = []string{"HOME=" + home, "GOCACHE="}
	for _, dir := range []string{"CACHE", "CONFIG", "DATA", "STATE"} {
		env = append(env, "XDG_"+dir+"_HOME="+filepath.Join(home, strings.ToLower(dir)))
	}
	was, err := os.UserHomeDir()
	testkit.Must(b, err)
	for name, below := range map[string]string{"GOPATH": "go", "CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup"} {
		if os.Getenv(name) == "" {
			env = append(env, name+"="+filepath.Join(was, below))
		}
	}
	return env
}

// startAlone starts the server alone, with the edited file open.
func (p *pair) startAlone(b *testing.B) *direct {
	d := startDirect(b, p.spec, p.alone, p.params, p.env...)
	d.open(b, p.file)
	return d
}

// startServed starts lspi.
func (p *pair) startServed(b *testing.B) *testkit.Host {
	h, _ := startHost(b, p.program, p.served, p.env...)
	return h
}

// warm starts both once, and asks each so that it has loaded the project and knows the edited file.
func (p *pair) warm(b *testing.B) {
	b.Helper()
	if p.server != nil {
		return
	}
	p.server = p.startAlone(p.owner)
	p.server.loaded(b, p.sign)
	p.host = p.startServed(p.owner)
	p.owner.Cleanup(p.host.Close)
	p.call(b, p.host, "get_diagnostics", map[string]any{"file_path": p.file})
	p.call(b, p.host, "find_references", p.arguments(b, p.asked))
}

// knows opens the file of a spot at the server alone, as lspi does.
func (p *pair) knows(b *testing.B, s spotOf) {
	p.server.mu.Lock()
	_, open := p.server.versions[uriOf(p.server.path(s.file))]
	p.server.mu.Unlock()
	if !open {
		p.server.open(b, s.file)
	}
}

// at are the params of a question about a spot at the server alone.
func (p *pair) at(b *testing.B, d *direct, s spotOf) map[string]any {
	return d.at(s.file, s.place(b, p.alone))
}

// arguments are those of a question about a spot at lspi.
func (p *pair) arguments(b *testing.B, s spotOf) map[string]any {
	return s.place(b, p.served).in(s.file, nil)
}

// reply is an answer of lspi with how long it took.
type reply struct {
	OK           bool
	Completeness string
	Warnings     []struct{ Kind string }
	structured   json.RawMessage
	result       json.RawMessage // of MCP, with structured in it
	took         time.Duration
}

// claim is the completeness, with the warnings of an answer that is not complete.
func (a reply) claim() string {
	if a.Completeness == "complete" || len(a.Warnings) == 0 {
		return a.Completeness
	}
	var kinds []string
	for _, w := range a.Warnings {
		kinds = append(kinds, w.Kind)
	}
	slices.Sort(kinds)
	return a.Completeness + " (" + strings.Join(slices.Compact(kinds), ", ") + ")"
}

// call asks lspi and wants no error.
func (p *pair) call(b *testing.B, h *testkit.Host, tool string, arguments map[string]any) reply {
	b.Helper()
	a := asked(b, h, tool, arguments)
	if !a.OK {
		b.Fatalf("%s %v: %.2000s", tool, arguments, a.structured)
	}
	return a
}

// asked is the answer of lspi to a call, which may be an error.
func asked(b *testing.B, h *testkit.Host, tool string, arguments map[string]any) reply {
	b.Helper()
	call := h.Start(tool, arguments)
	raw := call.Wait(b)
	a := reply{took: time.Since(call.Began), result: raw}
	var result struct{ StructuredContent json.RawMessage }
	testkit.Must(b, json.Unmarshal(raw, &result))
	a.structured = result.StructuredContent
	testkit.Must(b, json.Unmarshal(a.structured, &a))
	return a
}

// put writes the edited file as another program does, in one of the copies.
func (p *pair) put(b *testing.B, root string, t text) {
	b.Helper()
	testkit.Must(b, os.WriteFile(filepath.Join(root, p.file), []byte(t.whole), 0o644))
}
