//go:build linux || darwin

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
)

// The conformance tests of MCP's own project (npm, @modelcontextprotocol/conformance) against lspi over HTTP, with
// LSPI_CONFORMANCE=all: they are a program with a hundred packages, so that make test does without.

const conformanceDocument = "../../docs/conformance.md"

var update = flag.Bool("update", false, "write docs/conformance.md anew")

// conformanceRun is one server that the tests are run against.
type conformanceRun struct {
	title string
	start func(t *testing.T) (url string)
	only  []string // scenarios; nil for all
	// reasons say, for each scenario that does not pass, why.
	reasons map[string]string
}

// namesNothing are the scenarios that any server can pass: the others ask for tools, prompts and resources by names
// of their own.
var namesNothing = []string{"server-initialize", "logging-set-level", "ping", "tools-list", "resources-list",
	"prompts-list", "server-sse-multiple-streams",
	"dns-rebinding-protection"}

// noEvents says why streams cannot be resumed. All checks of the scenario are recommendations.
const noEvents = "a recommendation (MCP 2025-11-25): the first event of a stream has an id, with which a client that lost the stream takes it up again. The Go SDK " +
	"(1.8.0) sends ids\n  where the server keeps events. lspi keeps none: a result whose connection broke is lost, and the client asks again"

func conformanceRuns(lspi, suiteServer string) []conformanceRun {
	return []conformanceRun{
		{"the server alone", func(t *testing.T) string { return aloneForConformance(t, suiteServer) }, nil,
			map[string]string{"server-sse-polling": "it keeps no events, either"}},
		{"behind lspi", func(t *testing.T) string {
			d := openDoor(t, lspi, fmt.Sprintf("[mcp_servers.suite]\ncommand = %q\n", suiteServer))
			return proxyForConformance(t, d, "suite__")
		}, nil, map[string]string{"server-sse-polling": noEvents}},
		{"lspi with server-everything", func(t *testing.T) string {
			d := openDoor(t, lspi, fmt.Sprintf("[mcp_servers.everything]\ncommand = %q\nargs = [\"stdio\"]\n",
				need(t, "mcp-server-everything")))
			return proxyForConformance(t, d, "")
		}, namesNothing, nil},
	}
}

func TestConformance(t *testing.T) {
	if os.Getenv("LSPI_CONFORMANCE") == "" {
		t.Skip("LSPI_CONFORMANCE=all runs it (make conformance)")
	}
	suite := need(t, "conformance")
	server := filepath.Join(t.TempDir(), "suite-server")
	// The server of the Go SDK for these tests has what they ask for: tools, prompts and resources with names that
	// are theirs.
	if out, err := exec.Command("go", "build", "-o", server,
		"github.com/modelcontextprotocol/go-sdk/conformance/everything-server").CombinedOutput(); err != nil {
		t.Fatalf("building the server of the tests: %v\n%s", err, out)
	}
	runs := conformanceRuns(testkit.Program(t), server)
	all := make([]map[string]scenario, len(runs))
	for i, run := range runs {
		t.Run(run.title, func(t *testing.T) {
			all[i] = conform(t, suite, run.start(t), run.only)
			for name, s := range all[i] {
				switch reason := run.reasons[name]; {
				case !s.passed() && reason == "":
					t.Errorf("%s does not pass: %s", name, s)
				case s.passed() && reason != "":
					t.Errorf("%s passes now, and has the reason %q", name, reason)
				}
			}
		})
	}
	if *update && !t.Failed() {
		testkit.Must(t, os.WriteFile(conformanceDocument, conformancePage(conformanceVersion(t), runs, all), 0o644))
	}
}

// conformanceVersion is the pinned one.
func conformanceVersion(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../lsp/servers/pins.txt")
	testkit.Must(t, err)
	pin := regexp.MustCompile(`(?m)^mcp-conformance +\| (\S+)`).FindSubmatch(raw)
	if pin == nil {
		t.Fatal("no pin of mcp-conformance")
	}
	return string(pin[1])
}

// The page is of the version that is pinned.
func TestConformancePage(t *testing.T) {
	raw, err := os.ReadFile(conformanceDocument)
	testkit.Must(t, err)
	testkit.Holds(t, string(raw), " "+conformanceVersion(t)+" ")
}

// scenario is the outcome of one scenario.
type scenario struct {
	succeeded int
	failures  []string // what the suite says of the checks that failed, or warned
}

func (s scenario) passed() bool   { return len(s.failures) == 0 }
func (s scenario) String() string { return strings.Join(s.failures, "; ") }

// conform runs the tests, or only some.
func conform(t *testing.T, suite, address string, only []string) map[string]scenario {
	t.Helper()
	dir := t.TempDir()
	run := func(which ...string) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		// It fails when one test does: what matters is in its reports.
		out, err := exec.CommandContext(ctx, suite, append([]string{"server", "--url", address, "--output-dir", dir},
			which...)...).CombinedOutput()
		if reports, globErr := os.ReadDir(dir); globErr != nil || len(reports) == 0 {
			t.Fatalf("the suite wrote no report: %v\n%s", err, out)
		}
	}
	if only == nil {
		run("--suite", "all")
	}
	for _, name := range only {
		run("--scenario", name)
	}
	reports, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	testkit.Must(t, err)
	all := map[string]scenario{}
	for _, path := range reports {
		raw, err := os.ReadFile(path)
		testkit.Must(t, err)
		var checks []struct{ Name, Status, ErrorMessage string }
		testkit.Must(t, json.Unmarshal(raw, &checks))
		var s scenario
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				s.succeeded++
			case "FAILURE", "WARNING":
				s.failures = append(s.failures, cmp.Or(c.ErrorMessage, c.Name))
			}
		}
		all[scenarioOf(filepath.Base(filepath.Dir(path)))] = s
	}
	return all
}

// scenarioOf is the scenario in the name of a folder of reports, such as server-ping-2026-11-25T17-20-09-878Z.
func scenarioOf(folder string) string {
	const stamp = len("-2026-11-25T17-20-09-878Z")
	return strings.TrimPrefix(folder[:len(folder)-stamp], "server-")
}

// aloneForConformance is the server of the tests over HTTP, without lspi.
func aloneForConformance(t *testing.T, server string) string {
	t.Helper()
	// It does not say which port it got, so that one is looked for first.
	free := httptest.NewServer(nil)
	address := free.Listener.Addr().String()
	free.Close()
	cmd := exec.Command(server, "-http", address, "-stateless=false")
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	testkit.Wait(t, "the server of the tests listens", func() bool {
		r, err := http.Get("http://" + address)
		if err == nil {
			_ = r.Body.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// proxyForConformance is a proxy before lspi, because the suite sends no token: it adds the token, and replaces its own
// port by lspi's. With a prefix it shows the suite the tools and prompts of a server behind lspi under the server's own
// names. It changes nothing else.
func proxyForConformance(t *testing.T, d *doorUnderTest, prefix string) string {
	t.Helper()
	door, err := url.Parse(d.url)
	testkit.Must(t, err)
	var own string
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = door.Scheme, door.Host
			r.Out.Host = strings.ReplaceAll(r.In.Host, own, door.Host)
			if origin := r.In.Header.Get("Origin"); origin != "" {
				r.Out.Header.Set("Origin", strings.ReplaceAll(origin, own, door.Host))
			}
			r.Out.Header.Set("Authorization", "Bearer "+d.token)
			if prefix != "" && r.In.Method == http.MethodPost {
				body, err := io.ReadAll(r.In.Body)
				testkit.Must(t, err)
				body = withPrefix(body, prefix)
				r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if prefix != "" {
				r.Body = &withoutPrefix{r.Body, []byte(`"` + prefix)}
				r.Header.Del("Content-Length")
			}
			return nil
		},
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	own = s.Listener.Addr().String()
	return s.URL + "/mcp"
}

// withPrefix is a message whose tool or prompt has the prefix before its name.
func withPrefix(body []byte, prefix string) []byte {
	var m map[string]any
	if json.Unmarshal(body, &m) != nil {
		return body
	}
	params, _ := m["params"].(map[string]any)
	ref, _ := params["ref"].(map[string]any)
	for _, named := range []map[string]any{params, ref} {
		if name, ok := named["name"].(string); ok &&
			slices.Contains([]any{"tools/call", "prompts/get", "completion/complete"}, m["method"]) {
			named["name"] = prefix + name
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		return body
	}
	return out
}

// withoutPrefix removes the prefix from the names in a body. Each event of SSE is written as soon as it is read.
type withoutPrefix struct {
	io.ReadCloser
	prefix []byte
}

func (w *withoutPrefix) Read(into []byte) (int, error) {
	n, err := w.ReadCloser.Read(into)
	return copy(into, bytes.ReplaceAll(into[:n], w.prefix, []byte(`"`))), err
}

func conformancePage(version string, runs []conformanceRun, all []map[string]scenario) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# What the conformance tests of MCP say

Generated by `+"`make conformance`"+`: all tests of servers that npm's `+"`@modelcontextprotocol/conformance`"+` %s has, over HTTP. A test is one or more checks; the
table says how many passed.

- **The server alone**: the Go SDK's own server for these tests. It has the tools, prompts and resources that the tests call by name.
- **Behind lspi**: the same server as `+"`[mcp_servers.suite]`"+` of `+"`lspi daemon run --http`"+`, so that each call, question and message passes through lspi. lspi's tools have
  other names than those of the tests, and the server's have its id before them, so a proxy of the test writes `+"`suite__`"+` before the names in requests and takes it
  out of lists. It also adds the token, and puts lspi's port in the place of its own, since lspi takes no other.
- **lspi with server-everything**: lspi's own tools, and `+"`@modelcontextprotocol/server-everything`"+`, without a change of names: the tests that call nothing by a name.

| test |`, version)
	for _, run := range runs {
		fmt.Fprintf(&b, " %s |", run.title)
	}
	fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("---|", len(runs)))
	for _, name := range slices.Sorted(maps.Keys(all[0])) {
		fmt.Fprintf(&b, "| `%s` |", name)
		for i := range runs {
			fmt.Fprintf(&b, " %s |", all[i][name].cell())
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## What does not pass, and why\n\n")
	for _, run := range slices.Backward(runs) {
		for _, name := range slices.Sorted(maps.Keys(run.reasons)) {
			fmt.Fprintf(&b, "- `%s`, %s: %s.\n", name, run.title, run.reasons[name])
		}
	}
	return b.Bytes()
}

// cell is a scenario in the table.
func (s scenario) cell() string {
	switch {
	case !s.passed():
		return "no"
	case s.succeeded == 0:
		return "–"
	}
	return fmt.Sprintf("passes (%d)", s.succeeded)
}
