package tools

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// crateWithoutStd is a rust-project.json: rust-analyzer starts several times faster with it than with a Cargo.toml,
// as it reads no standard library and asks cargo nothing. For tests that are about neither.
const crateWithoutStd = `{"crates":[{"root_module":"src/lib.rs","edition":"2021","deps":[]}]}`

// smallLib is a tsconfig.json without the types of browsers, which are most of what tsserver reads and binds when
// it opens a project (typescript 6.0.3: 0.8 s of CPU with them, 0.3 s without). For tests that are about none of
// them.
const smallLib = `{"compilerOptions":{"lib":["es2022"]}}`

// needServer makes sure that a real server is there.
func needServer(t testing.TB, program string) {
	t.Helper()
	testkit.Need(t, program)
}

var project, until = testkit.Project, testkit.Wait

// write writes a file of a project.
func write(t testing.TB, dir, name, text string) {
	t.Helper()
	testkit.Write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
}

// about are the arguments of a call about a name in a file; rename_symbol has a new name among them.
func about(tool, file, name string) map[string]any {
	out := map[string]any{"file_path": file, "symbol_name": name}
	if tool == "rename_symbol" {
		out["new_name"] = name + "2"
	}
	return out
}

// reply is a decoded envelope.
type reply map[string]any

// run calls a tool and decodes its envelope, as [call] does.
func run(t testing.TB, session *session.Session, tool string, arguments map[string]any) reply {
	t.Helper()
	_, a := call(t, session, tool, arguments)
	return a
}

// call calls a tool and decodes its envelope.
//
// A check of an edit waits for all users of what changes, and a search for servers that load, unless the arguments
// say otherwise: what fits into their time depends on the machine.
func call(t testing.TB, session *session.Session, tool string, arguments map[string]any) (Result, reply) {
	t.Helper()
	if tool == "check_edit" && arguments["wait"] == nil {
		arguments = maps.Clone(arguments)
		arguments["wait"] = "all"
	}
	if tool == "search_workspace_symbols" && arguments["wait_ms"] == nil {
		arguments = maps.Clone(arguments)
		arguments["wait_ms"] = 50_000
	}
	raw, err := json.Marshal(arguments)
	testkit.Must(t, err)
	r := Run(context.Background(), session, nil, answer.Request{Tool: tool, Arguments: raw})
	if session.Settings.Shape == "" { // of the original's shape hosts are told no schema
		validAnswer(t, tool, r.Structured)
	}
	var a reply
	if err := json.Unmarshal(r.Structured, &a); err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, r.Structured)
	}
	if a["ok"] != r.OK {
		t.Fatalf("%s: ok is %v and %v", tool, a["ok"], r.OK)
	}
	onlyLooks(t, tool, arguments, a)
	return r, a
}

// outputSchemas are those of the tools, whole and as hosts get them, ready to validate.
var outputSchemas = sync.OnceValue(func() map[string][]*jsonschema.Resolved {
	out := map[string][]*jsonschema.Resolved{}
	for _, tool := range All() {
		var advertised jsonschema.Schema
		err := json.Unmarshal(tool.ListedOutput(), &advertised)
		answer.Mustf(err == nil, "the advertised output schema of %s: %v", tool.Name, err)
		for _, s := range []*jsonschema.Schema{tool.Output(), &advertised} {
			resolved, err := s.Resolve(nil)
			answer.Mustf(err == nil, "the output schema of %s: %v", tool.Name, err)
			out[tool.Name] = append(out[tool.Name], resolved)
		}
	}
	return out
})

// validAnswer holds an answer against the output schema of its tool: several hosts replace one that breaks it by an
// error.
func validAnswer(t testing.TB, tool string, structured []byte) {
	t.Helper()
	var v any
	err := json.Unmarshal(structured, &v)
	for _, schema := range outputSchemas()[tool] {
		if err == nil {
			err = schema.Validate(v)
		}
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", tool, err, structured)
	}
}
