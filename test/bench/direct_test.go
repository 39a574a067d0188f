//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/launch"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/lsp/wire"
	"lspi/router"
	"lspi/tools/toolstest"
)

// direct is a language server without lspi: only the connection that lspi uses, which keeps the last pushed diagnostics
// and the signs that the project is loaded.
type direct struct {
	*wire.Conn
	spec *spec.Spec
	root string
	cmd  *exec.Cmd

	mu           sync.Mutex
	registered   []string                   // methods that it offered after initialize; guarded by mu
	capabilities map[string]json.RawMessage // guarded by mu
	versions     map[string]int             // of the open documents, by URI; guarded by mu
	pushed       map[string]pushed          // the last push, by URI; guarded by mu
	signs        []string                   // notifications that may tell that the project is loaded; guarded by mu
	news         chan struct{}              // closed and replaced at every notification; guarded by mu
}

// pushed is what a server pushed for one document.
type pushed struct {
	n       int // of how many pushes for the document it is the last
	version *int
	items   []problem
}

// problem has the members of LSP's Diagnostic that the rows read.
type problem struct {
	Range    struct{ Start struct{ Line int } }
	Severity int
}

type pipes struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipes) Close() error { return errors.Join(p.WriteCloser.Close(), p.ReadCloser.Close()) }

// goDirect is gopls with no more than it needs.
func goDirect(b testing.TB, root string) *direct {
	b.Helper()
	return startDirect(b, rowOf(b, "gopls"), root, map[string]any{
		"processId": os.Getpid(), "rootUri": uriOf(root),
		"capabilities":     map[string]any{"workspace": map[string]any{"configuration": true}},
		"workspaceFolders": []any{map[string]any{"uri": uriOf(root), "name": filepath.Base(root)}},
	})
}

// uriOf is for paths of ASCII without spaces, as those of the corpora.
func uriOf(path string) string { return "file://" + path }

// startDirect starts a server and sends initialize. env is added to the environment. The server ends with the
// benchmark, or by end.
func startDirect(b testing.TB, s *spec.Spec, root string, initialize any, env ...string) *direct {
	b.Helper()
	found, tried := launch.FindCommands(s)
	if len(found) == 0 {
		b.Fatal(tried)
	}
	d := &direct{spec: s, root: root, cmd: exec.Command(found[0].Path, found[0].Args...), versions: map[string]int{},
		pushed: map[string]pushed{}, news: make(chan struct{})}
	d.cmd.Dir, d.cmd.Env = root, append(os.Environ(), env...)
	in, err := d.cmd.StdinPipe()
	testkit.Must(b, err)
	out, err := d.cmd.StdoutPipe()
	testkit.Must(b, err)
	testkit.Must(b, d.cmd.Start())
	d.Conn = wire.New(pipes{out, in}, wire.Options{Request: d.answer, Notification: d.hear})
	b.Cleanup(d.end)
	var answer struct{ Capabilities map[string]json.RawMessage }
	testkit.Must(b, d.Call(b.Context(), "initialize", initialize, &answer))
	d.mu.Lock()
	d.capabilities = answer.Capabilities
	d.mu.Unlock()
	testkit.Must(b, d.Notify(b.Context(), "initialized", struct{}{}))
	if len(s.Settings) > 0 {
		testkit.Must(b, d.Notify(b.Context(), "workspace/didChangeConfiguration",
			map[string]any{"settings": s.Settings}))
	}
	return d
}

// end kills the server and what it started.
func (d *direct) end() {
	if d == nil || d.cmd.ProcessState != nil {
		return
	}
	for _, p := range testkit.Tree(d.cmd.Process.Pid) {
		p.Kill()
	}
	_ = d.Close()
	_ = d.cmd.Wait()
}

// answer answers the server's requests: settings by section, and null to all others, which is a valid answer for them.
func (d *direct) answer(_ context.Context, method string, params json.RawMessage) (any, error) {
	var p struct {
		Items         []struct{ Section string }
		Registrations []struct{ Method string }
	}
	_ = json.Unmarshal(params, &p)
	switch method {
	case "workspace/configuration":
		out := make([]any, len(p.Items))
		for i, item := range p.Items {
			out[i] = spec.At(d.spec.Settings, item.Section)
		}
		return out, nil
	case "client/registerCapability":
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, r := range p.Registrations {
			d.registered = append(d.registered, r.Method)
		}
		close(d.news)
		d.news = make(chan struct{})
	}
	return nil, nil
}

func (d *direct) hear(method string, params json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch method {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string
			Version     *int
			Diagnostics []problem
		}
		_ = json.Unmarshal(params, &p)
		d.pushed[p.URI] = pushed{d.pushed[p.URI].n + 1, p.Version, p.Diagnostics}
	case "$/progress", "experimental/serverStatus", "window/logMessage":
		d.signs = append(d.signs, string(params))
	}
	close(d.news)
	d.news = make(chan struct{})
}

// offers reports whether the server answers a method.
func (d *direct) offers(capability, method string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.offered(capability, method)
}

// offered is offers with mu held.
func (d *direct) offered(capability, method string) bool {
	given := string(d.capabilities[capability])
	return given != "" && given != "false" && given != "null" || slices.Contains(d.registered, method)
}

// await waits until state returns true; it is called after each notification, with mu held.
func (d *direct) await(b testing.TB, what string, state func() bool) {
	b.Helper()
	late := time.After(testkit.Patience)
	for {
		d.mu.Lock()
		there, news := state(), d.news
		d.mu.Unlock()
		if there {
			return
		}
		select {
		case <-news:
		case <-d.Done():
			b.Fatalf("%s ended before %s", d.spec.ID, what)
		case <-late:
			b.Fatalf("%s: waited in vain for %s", d.spec.ID, what)
		}
	}
}

// loaded waits until the server has said that it has loaded the project: a notification with all parts of the sign. A
// server without a sign holds its answers back until then.
func (d *direct) loaded(b testing.TB, sign []string) {
	b.Helper()
	d.await(b, strings.Join(sign, " "), func() bool {
		return len(sign) == 0 || slices.ContainsFunc(d.signs, func(said string) bool {
			return !slices.ContainsFunc(sign, func(part string) bool { return !strings.Contains(said, part) })
		})
	})
}

func (d *direct) ask(b testing.TB, method string, params any) json.RawMessage {
	b.Helper()
	for {
		var answer json.RawMessage
		err := d.Call(context.Background(), method, params, &answer)
		if refused := (*wire.ResponseError)(nil); errors.As(err, &refused) &&
			(refused.Code == wire.CodeContentModified || refused.Code == wire.CodeServerCancelled) {
			continue // rust-analyzer has to be asked again, also while it loads
		}
		testkit.Must(b, err)
		return answer
	}
}

func (d *direct) path(file string) string { return filepath.Join(d.root, file) }

// open opens a file as it is on disk.
func (d *direct) open(b testing.TB, file string) {
	text, err := os.ReadFile(d.path(file))
	testkit.Must(b, err)
	d.openText(b, file, string(text))
}

func (d *direct) openText(b testing.TB, file, text string) {
	uri := uriOf(d.path(file))
	d.mu.Lock()
	d.versions[uri] = 1
	d.mu.Unlock()
	testkit.Must(b, d.Notify(context.Background(), "textDocument/didOpen",
		map[string]any{"textDocument": map[string]any{
			"uri": uri, "languageId": d.spec.LanguageID(filepath.Base(file)), "version": 1, "text": text}}))
}

// diagnosed changes an open document and waits for the diagnostics of the new text: the first push for its version (the
// first right one, if the server's pushes have no version), or the first right answer of a server that is asked.
func (d *direct) diagnosed(b testing.TB, file, text string, right func([]problem) bool) {
	b.Helper()
	uri := uriOf(d.path(file))
	d.mu.Lock()
	d.versions[uri]++
	version, before := d.versions[uri], d.pushed[uri].n
	d.mu.Unlock()
	testkit.Must(b, d.Notify(context.Background(), "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": version},
		"contentChanges": []any{map[string]any{"text": text}}}))
	d.told(b, file, before, right)
}

// told waits for the diagnostics of the text that an open document has, in a push after the first so many.
func (d *direct) told(b testing.TB, file string, before int, right func([]problem) bool) {
	b.Helper()
	uri := uriOf(d.path(file))
	d.mu.Lock()
	version := d.versions[uri]
	d.mu.Unlock()
	pulls := false
	d.await(b, "the diagnostics of "+file, func() bool {
		p := d.pushed[uri]
		pulls = d.offered("diagnosticProvider", "textDocument/diagnostic") // pyright offers it after a while
		return pulls || p.n > before && (p.version == nil || *p.version == version) && right(p.items)
	})
	if !pulls {
		return
	}
	testkit.Wait(b, "the diagnostics of "+file, func() bool {
		var report struct{ Items []problem }
		testkit.Must(b,
			json.Unmarshal(d.ask(b, "textDocument/diagnostic",
				map[string]any{"textDocument": map[string]any{"uri": uri}}), &report))
		return right(report.Items)
	})
}

// at returns the params of a question about a place. The text before the place in its line has to be ASCII.
func (d *direct) at(file string, p place) map[string]any {
	return map[string]any{
		"textDocument": map[string]any{"uri": uriOf(d.path(file))},
		"position":     map[string]any{"line": p.line - 1, "character": p.character - 1},
		"context":      map[string]any{"includeDeclaration": true},
	}
}

// rowOf is a row of the catalogue as it is: the binary has no other.
func rowOf(b testing.TB, id string) *spec.Spec {
	b.Helper()
	all := servers.Servers()
	i := slices.IndexFunc(all, func(s spec.Spec) bool { return s.ID == id })
	if i < 0 {
		b.Fatal("no row ", id)
	}
	return &all[i]
}

// paramsOf returns the params of initialize that lspi sends to a server in a folder, for the direct one.
func paramsOf(b testing.TB, s *spec.Spec, root, file string) json.RawMessage {
	b.Helper()
	var mu sync.Mutex
	var params json.RawMessage
	session := toolstest.OpenWith(b, root, func(o *router.PoolOptions) {
		o.Trace = func(_ string, sent bool, message []byte) {
			var m struct {
				Method string
				Params json.RawMessage
			}
			if sent && json.Unmarshal(message, &m) == nil && m.Method == "initialize" {
				mu.Lock()
				defer mu.Unlock()
				params = m.Params
			}
		}
	}, *s)
	answered(b, session, "get_document_symbols", map[string]any{"file_path": file})
	session.Close()
	mu.Lock()
	defer mu.Unlock()
	return params
}
