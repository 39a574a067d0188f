package compare

import (
	"context"
	"encoding/json"
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
	"lspi/router"
	"lspi/tools"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// language is one language of the comparison.
type language struct {
	name       string
	row        string // of the catalogue
	corpus     string
	extensions []string
	fresh      bool                             // the server keeps its index in the project: one cold start has none
	warm       func(t testing.TB, r *rawServer) // waits until the server has loaded and indexed the project
	// build lists the files that the language's own tool builds; nil where a server does not keep to one build.
	build func(t testing.TB, root string) map[string]bool
}

var languages = []language{
	// gopls waits by itself
	{"go", "gopls", "x-tools", []string{"go"}, false, func(testing.TB, *rawServer) {}, goBuild},
	{"cpp", "clangd", "leveldb", []string{"cc", "h"}, true, func(t testing.TB, r *rawServer) {
		r.await(t, "$/progress", func(p json.RawMessage) bool {
			return strings.Contains(string(p), "backgroundIndexProgress") && strings.Contains(string(p), `"kind":"end"`)
		})
	}, nil},
	{"rust", "rust-analyzer", "regex-syntax", []string{"rs"}, false, func(t testing.TB, r *rawServer) {
		r.await(t, "experimental/serverStatus", func(p json.RawMessage) bool {
			return strings.Contains(string(p), `"quiescent":true`)
		})
	}, nil},
}

// goBuild asks the go command, in each module.
func goBuild(t testing.TB, root string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "go.mod" || strings.Contains(path, "testdata") {
			return err
		}
		cmd := exec.Command("go", "list", "-e", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .CgoFiles}}{{$d}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}
{{end}}`, "./...")
		cmd.Dir = filepath.Dir(path)
		files, err := cmd.Output()
		for _, file := range strings.Fields(string(files)) {
			out[file] = true
		}
		return err
	})
	testkit.Must(t, err)
	return out
}

// compared is lspi on a workspace, with one row of the catalogue, and what it told its server.
type compared struct {
	session *session.Session
	spec    *spec.Spec
	root    string

	mu         sync.Mutex
	initialize json.RawMessage // params; guarded by mu
	said       []rawMessage    // about documents, and questions about positions, not yet mirrored; guarded by mu
}

// open is a new session, which ends with the test.
func open(t testing.TB, root, row string) *compared {
	t.Helper()
	s := &compared{root: root}
	var specs []spec.Spec
	for _, spec := range servers.Servers() {
		if spec.ID == row {
			specs = append(specs, spec)
		}
	}
	if row == "clangd" {
		specs[0].Env = testkit.ServerEnv(row)
	}
	s.session = toolstest.OpenWith(t, root, func(o *router.PoolOptions) { o.Trace = s.overhear }, specs...)
	s.spec = &s.session.Workspace.Table.Specs[0]
	return s
}

func (s *compared) overhear(_ string, sent bool, message []byte) {
	if !sent || len(message) > 8<<20 {
		return
	}
	var m rawMessage
	if json.Unmarshal(message, &m) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m.Method {
	case "initialize":
		s.initialize = m.Params
	case "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/definition",
		"textDocument/declaration", "textDocument/typeDefinition", "textDocument/references",
		"textDocument/implementation", "textDocument/prepareCallHierarchy", "textDocument/hover":
		s.said = append(s.said, m)
	}
}

// mirror opens and closes documents at the second server as lspi did at its own, up to lspi's first question or in all:
// answers may depend on what is open. It waits until each is parsed before the next, as lspi does by asking about each,
// because clangd takes the compile command of a header from the file that it saw including it.
func (s *compared) mirror(t testing.TB, r *rawServer, all bool) {
	t.Helper()
	s.mu.Lock()
	n := slices.IndexFunc(s.said, func(m rawMessage) bool { return !strings.HasPrefix(m.Method, "textDocument/did") })
	if all || n < 0 {
		n = len(s.said)
	}
	said := s.said[:n]
	s.said = s.said[n:]
	s.mu.Unlock()
	for _, m := range said {
		if !strings.HasPrefix(m.Method, "textDocument/did") {
			continue
		}
		r.notify(m.Method, m.Params)
		if m.Method == "textDocument/didClose" {
			continue
		}
		var ignored json.RawMessage
		if err := r.call("textDocument/documentSymbol", m.Params, &ignored); err != nil {
			t.Errorf("%s: %v", m.Params, err)
		}
	}
}

// startRaw starts the same server a second time, as lspi started it.
func (s *compared) startRaw(t testing.TB) *rawServer {
	t.Helper()
	s.mu.Lock()
	initialize := s.initialize
	s.mu.Unlock()
	if initialize == nil {
		t.Fatal("lspi has not started its server")
	}
	found, tried := launch.FindCommands(s.spec)
	if len(found) == 0 {
		t.Fatal(tried)
	}
	return startRaw(t, append([]string{found[0].Path}, found[0].Args...), s.root, initialize, s.spec)
}

// envelope is what all answers have.
type envelope struct {
	testkit.Envelope
	raw json.RawMessage
}

type warning = testkit.Warning

// excluded are the files that an answer says the build leaves out.
func (e envelope) excluded() []string {
	var out []string
	for _, w := range e.Warnings {
		if w.Kind == "unlisted_sources" {
			out = append(out, w.Files...)
		}
	}
	return out
}

// whole reports whether an answer has all that the loaded server has: if anything is missing, it is code outside of the
// build.
func (e envelope) whole() bool {
	return e.Completeness == "complete" || e.Completeness == "partial" &&
		!slices.ContainsFunc(e.Warnings, func(w warning) bool {
			return w.Kind != "unlisted_sources" && w.Kind != "unexplained" && w.Kind != "mentions" && (w.Kind != "not_built" || len(w.Files) == 0)
		})
}

// loaded repeats a call until its answer is that of a server which has read the project.
func (s *compared) loaded(t testing.TB, tool string, arguments map[string]any) envelope {
	t.Helper()
	loading := func(w warning) bool {
		return slices.Contains([]string{"indexing", "not_opened", "sync_incomplete"}, w.Kind)
	}
	for began := time.Now(); ; {
		if e := s.ask(t, tool, arguments); !slices.ContainsFunc(e.Warnings, loading) || time.Since(began) > askLimit {
			return e
		}
	}
}

// decided repeats a call whose answer says that something was not found out in time, as on a busy machine.
func (s *compared) decided(t testing.TB, tool string, arguments map[string]any, e envelope) envelope {
	t.Helper()
	undecided := func(w warning) bool { return strings.Contains(w.Message, " in time") }
	for began := time.Now(); slices.ContainsFunc(e.Warnings, undecided) && time.Since(began) < askLimit; {
		e = s.ask(t, tool, arguments)
	}
	return e
}

// decode reads the tool's own fields.
func (e envelope) decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(e.raw, into); err != nil {
		t.Fatalf("%v\n%s", err, e.raw)
	}
}

func (s *compared) ask(t testing.TB, tool string, arguments map[string]any) envelope {
	t.Helper()
	return s.start(t, tool, arguments).envelope(t)
}

// asked is a call that may still run.
type asked struct {
	tool string
	done chan tools.Result
	took time.Duration // set before done has the result
}

func (s *compared) start(t testing.TB, tool string, arguments map[string]any) *asked {
	t.Helper()
	raw, err := json.Marshal(arguments)
	testkit.Must(t, err)
	a := &asked{tool: tool, done: make(chan tools.Result, 1)}
	go func() {
		began := time.Now()
		r := tools.Run(context.Background(), s.session, nil, answer.Request{Tool: tool, Arguments: raw})
		a.took = time.Since(began)
		a.done <- r
	}()
	return a
}

// envelope waits for the answer.
func (a *asked) envelope(t testing.TB) envelope {
	t.Helper()
	r := <-a.done
	e := envelope{raw: r.Structured}
	if err := json.Unmarshal(r.Structured, &e); err != nil {
		t.Fatalf("%s: %v\n%s", a.tool, err, r.Structured)
	}
	if e.OK != r.OK || e.OK != (e.Error == nil) {
		t.Fatalf("%s: ok is %v and %v\n%s", a.tool, e.OK, r.OK, r.Structured)
	}
	return e
}

// at are the arguments that mean a position.
func (s spot) at(root string) map[string]any {
	rel, err := filepath.Rel(root, s.path)
	if err != nil {
		panic(err)
	}
	return map[string]any{"file_path": rel, "line": s.line, "character": s.column}
}

// with adds arguments.
func with(arguments map[string]any, more map[string]any) map[string]any {
	for k, v := range more {
		arguments[k] = v
	}
	return arguments
}
