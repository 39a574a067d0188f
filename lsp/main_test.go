package lsp

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.lsp.dev/protocol"
	"go.uber.org/goleak"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	// The thread that starts processes lives as long as lspi.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1"))
}

// everywhere lets every file be read.
var everywhere = source.NewReach("/")

// fake is a project and a scripted server for it, as a real process. A zero field of Spec gets a default.
type fake struct {
	testing.TB
	dir    string // of the project; the script is elsewhere
	server lsptest.Program
	texts  *source.Cache
	spec   *spec.Spec
	watch  watch.Options
	log    *slog.Logger
	j      *watch.Journal
}

// newFake writes the script and the files of the project (path, text, path, text, …).
func newFake(t testing.TB, script *lsptest.Script, files ...string) *fake {
	t.Helper()
	f := &fake{TB: t, dir: testkit.Project(t, testkit.Pairs(files...)), server: lsptest.NewProgram(t, script),
		texts: source.NewCache(1 << 20), log: slog.New(slog.DiscardHandler)}
	if testing.Verbose() {
		f.log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	f.spec = &spec.Spec{
		ID: "fake", Languages: []spec.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:  []spec.Command{{Name: f.server.Path, Args: []string{f.server.Script, "--stdio"}}},
		Env:       f.server.Env,
		Readiness: spec.Readiness{Sign: spec.SignWaits},
		Freshness: spec.Freshness{Watched: true},
	}
	return f
}

func (f *fake) must(err error) {
	f.Helper()
	testkit.Must(f, err)
}

func (f *fake) path(rel string) string { return filepath.Join(f.dir, filepath.FromSlash(rel)) }

func (f *fake) write(rel, text string) {
	f.Helper()
	testkit.Write(f, f.path(rel), text)
}

// journal is the journal of the project, opened once.
func (f *fake) journal() *watch.Journal {
	if f.j == nil {
		f.j = watch.Open(f.dir, f.watch)
		f.Cleanup(func() { _ = f.j.Close() })
	}
	return f.j
}

func (f *fake) options() Options {
	return Options{Spec: f.spec, Root: f.dir, Journal: f.journal(), Texts: f.texts, Log: f.log}
}

// start starts the server; it ends with the test.
func (f *fake) start() *Server {
	f.Helper()
	s, err := Start(f.Context(), f.options())
	f.must(err)
	f.Cleanup(s.Close)
	return s
}

func (f *fake) seen() []lsptest.Event {
	f.Helper()
	return f.server.Seen(f)
}

// got lists the methods of what the server received, handshake and end left out.
func (f *fake) got() []string {
	f.Helper()
	var out []string
	for _, e := range lsptest.Messages(f.seen(), "") {
		if !slices.Contains([]string{"initialize", "initialized", "shutdown", "exit"}, e.Method) {
			out = append(out, e.Method)
		}
	}
	return out
}

var kindOf, facts, wait = testkit.KindOf, testkit.FactsOf, testkit.Wait

// message is a notification or request of a scripted server.
func message(method string, params any) *lsptest.Message {
	return &lsptest.Message{Method: method, Params: lsptest.Raw(params)}
}

func progress(token any, kind, title string, more ...any) lsptest.Action {
	value := map[string]any{"kind": kind}
	if title != "" {
		value["title"] = title
	}
	for i := 0; i < len(more); i += 2 {
		value[more[i].(string)] = more[i+1]
	}
	return lsptest.Action{Notify: message("$/progress", map[string]any{"token": token, "value": value})}
}

func rule(method string, actions ...lsptest.Action) lsptest.Rule {
	return lsptest.Rule{Method: method, Actions: actions}
}

func result(v any) lsptest.Action { return lsptest.Action{Result: lsptest.Raw(v)} }

func refusal(code int, message string) lsptest.Action {
	return lsptest.Action{Error: &lsptest.Error{Code: code, Message: message}}
}

// silent is a server that runs nowhere, to feed it what a server says.
func silent(sp *spec.Spec) *Server {
	if sp == nil {
		sp = &spec.Spec{ID: "fake"}
	}
	s := newServer(Options{Spec: sp, Log: slog.New(slog.DiscardHandler), Texts: source.NewCache(1 << 20),
		options: sp.InitializationOptions, settings: sp.Settings}, nil, "")
	s.docs.reach = everywhere
	return s
}

// inside is a server whose process is a scripted one in this process: for what it says, not for how it lives.
func inside(t testing.TB, spec *spec.Spec, script *lsptest.Script) *Server {
	t.Helper()
	fake, err := lsptest.Start(script)
	testkit.Must(t, err)
	s := silent(spec)
	s.folders.root = t.TempDir() // a scripted server reads all of it
	s.folders.list = []string{s.folders.root}
	s.wire = wire.New(fake.Client(), wire.Options{Request: s.requests.answer, Notification: s.requests.hear})
	t.Cleanup(func() {
		_ = s.wire.Close()
		fake.Close()
	})
	testkit.Must(t, s.handshake(t.Context()))
	return s
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func at(line, character int) contract.Position {
	return contract.Position{Line: line, Character: character}
}

func server(line, character int) protocol.Position {
	return protocol.Position{Line: uint32(line), Character: uint32(character)}
}
