package tools

import (
	"fmt"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// walk follows an answer's own steps to its end and returns every string that its lists hold, in order.
func walk(t *testing.T, session *session.Session, tool string, arguments map[string]any,
	items func(reply) []string) []string {
	t.Helper()
	var all []string
	for range 200 {
		a := run(t, session, tool, arguments)
		if a["ok"] != true {
			t.Fatalf("%v: %v", arguments, a["message"])
		}
		found := items(a)
		all = append(all, found...)
		equal(t, "returned", a["returned"], any(float64(len(found))))
		steps := a["next_steps"].([]any)
		if a["completeness"] == "complete" {
			equal(t, "steps at the end", len(steps), 0)
			return all
		}
		equal(t, "truncated", a["truncated"], any(true))
		if len(steps) != 1 {
			t.Fatalf("%d ways to continue: %v", len(steps), steps)
		}
		arguments = steps[0].(map[string]any)["arguments"].(map[string]any)
	}
	t.Fatal("no end")
	return nil
}

// grouped are the places of an answer as path:place.
func grouped(list string) func(reply) []string {
	return func(a reply) []string {
		var out []string
		for _, f := range a["files"].([]any) {
			file := f.(map[string]any)
			for _, s := range file[list].([]any) {
				out = append(out, fmt.Sprintf("%v:%v", file["file_path"], s))
			}
		}
		return out
	}
}

func TestFindImplementationsPages(t *testing.T) {
	files := map[string]string{"a.w": "def target\n"}
	var want []string
	for i := range 6 {
		name := fmt.Sprintf("b%d.w", i)
		files[name] = strings.Repeat("impl target with a line that is not short at all, so that few of them fit\n", 7)
		for n := range 7 {
			want = append(want, fmt.Sprintf("%s:%d:6", name, n+1))
		}
	}
	session := toolstest.Open(t, project(t, files), toolstest.Fake(t, "words", `{"language":"words"}`))
	for _, limits := range []map[string]any{
		{"max_results": 5}, {"max_results": 20, "max_total_chars": 1100}, {"max_total_chars": 900},
		{"max_results": 42}, {},
	} {
		limits["file_path"], limits["symbol_name"] = "a.w", "target"
		got := walk(t, session, "find_implementations", limits, grouped("implementations"))
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], " ")
		}
		equal(t, fmt.Sprint(limits), got, want)
	}
}

func TestFindImplementationsUnsupported(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def target\n"}),
		toolstest.Fake(t, "words", `{"language":"words","capabilities_patch":{"implementationProvider":null}}`))
	a := run(t, session, "find_implementations", map[string]any{"file_path": "a.w", "symbol_name": "target"})
	equal(t, "kind", a["error"].(map[string]any)["kind"], any("unsupported"))
	step := a["next_steps"].([]any)[0].(map[string]any)
	equal(t, "instead", step["tool"], any("find_references"))
	equal(t, "its arguments", step["arguments"], any(map[string]any{"file_path": "a.w", "symbol_name": "target"}))
	a = run(t, session, step["tool"].(string), step["arguments"].(map[string]any))
	equal(t, "ok", a["ok"], any(true))
}

// A name that one server finds is asked about at the next one, when the first has no implementations: the answer is
// that of the next one.
func TestFindImplementationsNamesWhoAnswers(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def target\nimpl target\n"}),
		toolstest.Fake(t, "first", `{"language":"words","capabilities_patch":{"implementationProvider":null}}`),
		toolstest.Fake(t, "second", `{"language":"words"}`))
	a := run(t, session, "find_implementations", map[string]any{"symbol_name": "target"})
	equal(t, "implementations", len(grouped("implementations")(a)), 1)
	equal(t, "server", a["server_id"], any("second"))
}

// A server that is asked after the others, and is not installed, is missing and has not failed.
func TestServerThatIsNotThereIsMissing(t *testing.T) {
	session := toolstest.Open(t, project(t, map[string]string{"a.w": "def target\n"}),
		toolstest.Fake(t, "first", `{"language":"words","capabilities_patch":{"implementationProvider":null}}`),
		toolstest.Fake(t, "second", `{"language":"words"}`, func(s *spec.Spec) {
			s.Commands = []spec.Command{{Name: "lspi-no-such-program"}}
		}))
	a := run(t, session, "find_implementations", map[string]any{"file_path": "a.w", "symbol_name": "target"})
	equal(t, "ok", a["ok"], any(false))
	for _, tool := range []string{"list_servers", "get_server_status"} {
		servers := run(t, session, tool, nil)["servers"].([]any)
		equal(t, tool, servers[1].(map[string]any)["state"], any("missing"))
	}
}

// A class or method is no implementation of itself, asked about where it is declared and where it is used.
func TestNothingImplementsItself(t *testing.T) {
	for _, c := range []struct {
		server, program, file string
		files                 map[string]string
		places                [][2]int // where to ask
		want                  []string
	}{
		{"basedpyright", "basedpyright-langserver", "a.py", map[string]string{"pyproject.toml": "",
			"a.py": "class Base: ...\nclass Sub(Base): ...\nb = Base()\n"}, [][2]int{{1, 7}, {2, 11}, {3, 5}},
			[]string{"a.py:2:7"}},
		{"rust-analyzer", "rust-analyzer", "src/lib.rs", map[string]string{"rust-project.json": crateWithoutStd,
			"src/lib.rs": "trait Base {}\nstruct Sub;\nimpl Base for Sub {}\n"}, [][2]int{{1, 7}, {3, 6}},
			[]string{"src/lib.rs:3:15"}},
	} {
		t.Run(c.server, func(t *testing.T) {
			testkit.Always(t, c.server) // scripts/*/not_itself.txtar ask the others
			t.Parallel()
			needServer(t, c.program)
			session := toolstest.Real(t, project(t, c.files), c.server)
			for _, at := range c.places {
				a := run(t, session, "find_implementations", map[string]any{"file_path": c.file, "line": at[0],
					"character": at[1], "include_snippet": false})
				equal(t, fmt.Sprint("asked at ", at), fmt.Sprint(grouped("implementations")(a)), fmt.Sprint(c.want))
			}
		})
	}
}
