package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/disk"
	"lspi/internal/testkit"
	"lspi/internal/testkit/sessions"
	"lspi/lsp/lsptest"
	"lspi/router"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	os.Exit(testkit.Run(m))
}

// newEnv is a session on a workspace, with the whole catalogue unless rows names some of it. It ends with the test. The servers
// start as [testkit.ServerEnv] has it.
func newEnv(t testing.TB, folder string, rows ...string) *Env {
	t.Helper()
	return envOf(t, sessions.Open(t, folder, sessions.Catalogue(rows...), func(o *router.PoolOptions) { o.Cache = filepath.Join(t.TempDir(), "cache") }))
}

// envOf is a session with its tools, which ends with the test.
func envOf(t testing.TB, s *sessions.Session) *Env {
	env := &Env{Settings: Settings{Workspace: s.Workspace}, Table: s.Table, Texts: s.Texts, Files: disk.OS{}, Log: s.Log, EditDir: s.EditDir, Pool: s.Pool}
	t.Cleanup(env.Close)
	return env
}

// crateWithoutStd is a rust-project.json: rust-analyzer starts several times faster with it than with a Cargo.toml, as it
// reads no standard library and asks cargo nothing. For tests that are about neither.
const crateWithoutStd = `{"crates":[{"root_module":"src/lib.rs","edition":"2021","deps":[]}]}`

// wholeStd has rust-analyzer read the real standard library, not [testkit.SmallStd].
func wholeStd(env *Env) *Env {
	delete(env.Table.Specs[0].Env, "RUST_SRC_PATH")
	return env
}

// needServer makes sure that a real server is there.
func needServer(t testing.TB, program string) {
	t.Helper()
	testkit.Need(t, program)
}

var project, until = testkit.Project, testkit.Wait

// reply is a decoded envelope.
type reply map[string]any

// run calls a tool and decodes its envelope.
func run(t testing.TB, env *Env, tool string, arguments map[string]any) reply {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r := Run(context.Background(), env, nil, Request{Tool: tool, Arguments: raw})
	validAnswer(t, tool, r.Structured)
	var a reply
	if err := json.Unmarshal(r.Structured, &a); err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, r.Structured)
	}
	if a["ok"] != r.OK {
		t.Fatalf("%s: ok is %v and %v", tool, a["ok"], r.OK)
	}
	onlyLooks(t, tool, arguments, a)
	return a
}

// outputSchemas are those of the tools as hosts get them, ready to validate.
var outputSchemas = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	out := map[string]*jsonschema.Resolved{}
	for _, tool := range All() {
		resolved, err := tool.Output.Resolve(nil)
		mustf(err == nil, "the output schema of %s: %v", tool.Name, err)
		out[tool.Name] = resolved
	}
	return out
})

// validAnswer holds an answer against the output schema of its tool: several hosts replace one that breaks it by an error.
func validAnswer(t testing.TB, tool string, structured []byte) {
	t.Helper()
	schema := outputSchemas()[tool]
	if schema == nil {
		return
	}
	var v any
	err := json.Unmarshal(structured, &v)
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", tool, err, structured)
	}
}
