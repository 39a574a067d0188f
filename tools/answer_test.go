package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/loaded"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// ready is the step of an answer that applies, nil when there is none.
func (a reply) ready() map[string]any {
	for _, step := range a["next_steps"].([]any) {
		arguments, _ := step.(map[string]any)["arguments"].(map[string]any)
		if arguments["dry_run"] == false {
			return arguments
		}
	}
	return nil
}

// digests are those of the files of a preview with diffs.
func (a reply) digests() map[string]any {
	out := map[string]any{}
	for _, f := range a["files"].([]any) {
		out[f.(map[string]any)["file_path"].(string)] = f.(map[string]any)["before_sha256"]
	}
	return out
}

// kinds are those of the warnings.
func (a reply) kinds() []string {
	var out []string
	for _, w := range a["warnings"].([]any) {
		out = append(out, fmt.Sprint(w.(map[string]any)["kind"]))
	}
	return out
}

// fault is the precise reason of an error with its fact reason.
func (a reply) fault() string {
	e, ok := a["error"].(map[string]any)
	if !ok {
		return ""
	}
	fault := e["data"].(map[string]any)["lspi_error"].(map[string]any)
	return strings.TrimSuffix(fmt.Sprint(fault["kind"], " ", fault["reason"]), " <nil>")
}

// onlyLooks makes sure that no step makes the call that failed again, and that none writes when it is run as it is, but
// for the one that agrees to the very preview that it stands in. Every answer of this package's tests goes through it.
func onlyLooks(t testing.TB, tool string, arguments map[string]any, a reply) {
	t.Helper()
	steps, _ := a["next_steps"].([]any)
	for _, s := range steps {
		step := s.(map[string]any)
		given, _ := step["arguments"].(map[string]any)
		// Only what waits for a server may ask the same again, as an answer that has what is known by now.
		if step["kind"] == "tool" && step["tool"] == tool && sameArguments(arguments, given) &&
			(a["ok"] != true || a["completeness"] == "complete") {
			t.Errorf("%s %v: a step repeats the call: %v, after %v", tool, arguments, step, a["error"])
		}
		if step["kind"] != "tool" || !(given["dry_run"] == false || given["apply_if_clean"] == true ||
			given["apply"] != nil) {
			continue
		}
		switch {
		case a["ok"] != true:
			t.Errorf("%s %v: the error offers to write: %v", tool, arguments, step)
		case step["tool"] != tool || arguments["dry_run"] == false && a["preview_id"] == nil ||
			arguments["apply_if_clean"] == true ||
			a["applied"] == true:
			t.Errorf("%s %v: what was no preview offers to write: %v", tool, arguments, step)
		case tool == "rename_symbol" && slices.ContainsFunc(a.kinds(), func(k string) bool {
			return k != "truncated" && contract.WarningKind(k).Effect() == contract.Partial
		}):
			t.Errorf("%s %v: a partial preview offers to write: %v", tool, arguments, step)
		}
	}
}

// sameArguments reports whether two calls have the same arguments; those that are null are not given.
func sameArguments(a, b map[string]any) bool {
	plain := func(arguments map[string]any) string {
		arguments = maps.Clone(arguments)
		maps.DeleteFunc(arguments, func(_ string, v any) bool { return v == nil })
		raw, err := json.Marshal(arguments)
		return fmt.Sprint(string(raw), err)
	}
	return plain(a) == plain(b)
}

// warningOf is the first warning of a kind; nil when there is none.
func warningOf(a reply, kind string) map[string]any {
	for _, w := range a["warnings"].([]any) {
		if one := w.(map[string]any); one["kind"] == kind {
			return one
		}
	}
	return nil
}

// warningAbout is the message of the first warning of a kind; "" without one.
func warningAbout(a reply, kind string) string {
	message, _ := warningOf(a, kind)["message"].(string)
	return message
}

// What is told once is told by the first answer that is returned and shows it: not by one that was cancelled, nor
// by one that has no room for it.
func TestToldByAnAnswerThatIsReturned(t *testing.T) {
	session := session.Unopened(
		session.Settings{Warnings: []contract.Warning{{Kind: contract.WarnConfig, Message: "look at this"}}},
		&router.Table{Workspace: "/w"})
	tells := func(ctx context.Context) bool {
		r := Run(ctx, session, nil,
			answer.Request{Tool: "hover", Arguments: json.RawMessage(`{"file_path":"a.zz","symbol_name":"A"}`)})
		return strings.Contains(string(r.Structured), "look at this")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	tells(gone)
	if !tells(t.Context()) {
		t.Error("an answer that nobody got used it up")
	}
	if tells(t.Context()) {
		t.Error("it is told again")
	}
}

func TestToldByAnAnswerThatShowsIt(t *testing.T) {
	opened := session.Unopened(session.Settings{Trust: &session.Trust{Why: "nobody trusts it"}}, nil)
	restricted := func(before int) (first bool) {
		c := answer.NewCall(opened, known{}, answer.Request{})
		for range before { // of kinds that come before, with steps
			c.AddWarning(contract.Warning{Kind: contract.WarnTimeLimit, Step: true,
				Message: strings.Repeat("x", len(c.Warnings())+1)})
		}
		loaded.WarnRestricted(c, nil, "code did not run")
		shown := contract.Envelope{Warnings: contract.Shown(c.Warnings())}
		answer.CountTold(t.Context(), &opened.Told, c, shown)
		return strings.Contains(c.Warnings()[len(c.Warnings())-1].Message, "nobody trusts it")
	}
	if !restricted(contract.MaxWarnings) || !restricted(0) {
		t.Error("an answer that did not show it used it up")
	}
	if restricted(0) {
		t.Error("it is told again")
	}
	c := answer.NewCall(session.Unopened(opened.Settings, nil), known{}, answer.Request{})
	loaded.WarnRestricted(c, nil, "code did not run")
	loaded.WarnRestricted(c, nil, "other code did not run")
	if strings.Contains(c.Warnings()[1].Message, "nobody trusts it") {
		t.Error("one answer tells it twice")
	}
}

func TestAPanicInAJobIsAnEnvelope(t *testing.T) {
	broken := &answer.Tool{Name: "broken", Check: func(json.RawMessage) error { return nil },
		Run: func(context.Context, *answer.Call, json.RawMessage) (any, error) {
			answer.Parallel(3, 0, func(i int) {
				if i == 1 {
					panic("by mistake")
				}
			})
			return nil, nil
		}}
	table = append(table, broken)
	defer func() { table = table[:len(table)-1] }()
	r := Run(t.Context(), session.Unopened(session.Settings{}, nil), nil, answer.Request{Tool: "broken"})
	if r.OK || !strings.Contains(r.Text, "internal_error (panic)") ||
		strings.Contains(string(r.Structured), "goroutine") {
		t.Errorf("%s", r.Structured)
	}
}

// A panic in any other goroutine would end the process with the session of its host.
func TestToolsStartGoroutinesOnlyTogether(t *testing.T) {
	files, err := filepath.Glob("*.go")
	testkit.Must(t, err)
	own := []string{"together.go", "mcp.go", "mcp_warmup.go"} // the last two guard theirs
	for _, file := range files {
		raw, err := os.ReadFile(file)
		testkit.Must(t, err)
		for _, start := range []string{"go func(", ".Go("} {
			if strings.Contains(string(raw), start) && !slices.Contains(own, file) &&
				!strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s has %q; use together", file, start)
			}
		}
	}
}

// The text beside an envelope that the host shows counts what is there and what of it is shown, as the answer
// itself does, and says why it is not complete.
func TestSummariesCountWhatIsShown(t *testing.T) {
	many := &strings.Builder{}
	for n := range 100 {
		fmt.Fprintf(many, "def word_%d\n", n)
	}
	host := toolstest.Open(t, project(t, map[string]string{"a.w": "def alpha\n  alpha\n", "b.w": "def beta\n  alpha\n",
		"c.w": many.String()}),
		toolstest.Fake(t, "w", `{"language":"words"}`))
	for _, c := range []struct{ tool, arguments, want string }{
		{"find_references", `{"file_path":"a.w","symbol_name":"alpha"}`, "3 references in 2 files."},
		{"find_references", `{"file_path":"a.w","symbol_name":"alpha","max_results":1}`,
			"3 references in 2 files; 1 shown. Completeness: partial (truncated)."},
		{"find_references", `{"file_path":"b.w","symbol_name":"beta"}`, "1 reference in 1 file."},
		{"get_document_symbols", `{"file_path":"a.w"}`, "1 symbol."},
		{"get_document_symbols", `{"file_path":"c.w","max_total_chars":1000}`,
			"100 symbols, RETURNED shown. Completeness: partial (truncated)."},
		{"search_workspace_symbols", `{"query":"alpha"}`, "1 matching symbol."},
		{"symbol_bundle", `{"file_path":"b.w","symbol_name":"beta"}`,
			"beta: 1 reference, 0 implementations, 0 callers."},
	} {
		r := Run(t.Context(), host, nil, answer.Request{Tool: c.tool, Arguments: json.RawMessage(c.arguments),
			Host: session.Host{Name: "claude-code"}})
		var out struct{ Returned int }
		testkit.Must(t, json.Unmarshal(r.Structured, &out))
		equal(t, c.arguments, r.Text, strings.Replace(c.want, "RETURNED", fmt.Sprint(out.Returned), 1))
	}
}
