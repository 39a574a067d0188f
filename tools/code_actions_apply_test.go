//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/tools/session"
)

func TestCodeActionPreviewAndApply(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		both := s.replacing("a.w", 4, 5, "Y")
		both["changes"].(map[string]any)[s.uriOf("b.w")] = []any{edited(4, 5, "Y")}
		return []any{s.titled("Fix", "refactor", "edit", both)}
	})
	preview := s.preview("Fix")
	s.holds(threeLines...)
	equal(t, "applied", preview["applied"], any(false))
	equal(t, "action", fmt.Sprint(preview["action"]), "map[id:"+s.named("Fix", map[string]any{"line": 1})+
		" kind:refactor title:Fix]")
	equal(t, "totals", fmt.Sprint(preview["totals"]), "map[changed:2 edits:2 lines_added:2 lines_removed:2]")
	for _, f := range preview["files"].([]any) {
		if changes := fmt.Sprint(f.(map[string]any)["changes"]); changes != "[1:5 def Y]" && changes != "[1:5 use Y]" {
			t.Errorf("%v", f)
		}
	}
	given := preview.ready()
	done := run(t, s.Session, "code_actions", given)
	equal(t, "applied", done["applied"], any(true))
	s.holds("a.w", "def Y\n  BAD word\nuse X\n", "b.w", "use Y\n")
	equalStrings(t, "warnings", done.kinds())
	left, _ := filepath.Glob(filepath.Join(s.Workspace.Process.EditDir, "journals", "*"))
	equal(t, "journals", len(left), 0)
}

func TestCodeActionIfSafe(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		return []any{s.titled("Fix", "refactor"),
			s.titled("Break", "refactor", "edit", s.replacing("a.w", 4, 5, "BAD"))}
	})
	call := func(title string) reply {
		return s.actions(map[string]any{"line": 1, "action": s.named(title, map[string]any{"line": 1}),
			"apply": "if_safe"})
	}
	a := call("Break")
	equal(t, "an action that breaks", fmt.Sprintln(a["applied"], a["not_applied"]),
		"false it introduced new errors, and lspi undid it\n")
	s.holds(threeLines...)
	equal(t, "without an action", s.actions(map[string]any{"line": 1, "apply": "if_safe"}).fault(), "missing_argument")
	a = call("Fix")
	equal(t, "answer", fmt.Sprintln(a["applied"], a["edits"], a["paths"], a["action"], a["files"]),
		"true 1 [a.w] <nil> <nil>\n")
	s.holds("a.w", "def Y\n  BAD word\nuse X\n", "b.w", "use X\n")
}

func TestCodeActionDrift(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"the file":          {"a.w", "def X\nmore\n", "file_changed"},
		"the line":          {"a.w", "XXXXX\n", "file_changed"},
		"too short for it":  {"a.w", "\n", "file_changed"},
		"a file beside it":  {"b.w", "use X \n", ""},
		"a file that is on": {"c.w", "X\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, knowsFixIt, nil, threeLines...)
			s.offers(func() []any { return []any{s.titled("Fix", "refactor")} })
			given := s.preview("Fix").ready()
			s.write(c.file, c.text)
			before := s.texts()
			a := run(t, s.Session, "code_actions", given)
			equal(t, "fault", a.fault(), c.want)
			if c.want == "" {
				equal(t, "applied", a["applied"], any(true))
				return
			}
			testkit.Diff(t, s.texts(), before, "it wrote")
			step := a["next_steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)
			if again := run(t, s.Session, "code_actions", step); c.want == "file_changed" &&
				(again["ok"] != true || again["applied"] != false) {
				t.Errorf("the step: %v", again)
			}
		})
	}
}

// An edit that is left for later is asked for with the action as the server gave it.
func TestCodeActionResolved(t *testing.T) {
	lazy := map[string]any{"title": "Fix", "kind": "refactor", "data": map[string]any{"n": 7}}
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any { return []any{lazy} },
		on(lsp.MethodResolveAction,
			result(map[string]any{"title": "Fix", "kind": "refactor", "edit": s.replacing("a.w", 4, 5, "Y")})))
	a := s.preview("Fix")
	equal(t, "totals", fmt.Sprint(a["totals"]), "map[changed:1 edits:1 lines_added:1 lines_removed:1]")
	var sent any
	testkit.Must(t, json.Unmarshal(s.got(0, lsp.MethodResolveAction)[0].Params, &sent))
	equal(t, "resolved", sent,
		any(map[string]any{"title": "Fix", "kind": "refactor", "data": map[string]any{"n": 7.0}}))
	equal(t, "applied", run(t, s.Session, "code_actions", a.ready())["applied"], any(true))
	equal(t, "text", s.texts()["a.w"], "def Y\n  BAD word\nuse X\n")
}

// text is the message of an error.
func (a reply) text() string {
	e, _ := a["error"].(map[string]any)
	return fmt.Sprint(e["message"])
}

// calls is the command action of a title.
func calls(title, command string) map[string]any {
	return map[string]any{"title": title, "kind": "refactor", "command": map[string]any{"title": title,
		"command": command, "arguments": []any{1}}}
}

// What an action turns out not to be is an error that says so, and nothing is written.
func TestCodeActionsThatGiveNothing(t *testing.T) {
	lazy := map[string]any{"title": "Fix", "kind": "refactor", "data": 1}
	with := func(k string, v any) map[string]any { return map[string]any{"title": "Fix", "kind": "refactor", k: v} }
	resolved := func(v any) []lsptest.Rule { return []lsptest.Rule{on(lsp.MethodResolveAction, result(v))} }
	for name, c := range map[string]struct {
		action map[string]any
		rules  []lsptest.Rule
		fault  string
		text   string
	}{
		"resolves to null":   {lazy, resolved(nil), "request_failed", `fake1 offered "Fix", but it has no edit`},
		"resolves to itself": {lazy, resolved(lazy), "request_failed", "it has no edit"},
		"resolves to no changes": {lazy, resolved(with("edit", map[string]any{"changes": map[string]any{}})),
			"request_failed", "but the action changes nothing"},
		"resolves to a text": {lazy, resolved("Fix"), "request_failed",
			"reading the answer of fake1 to codeAction/resolve"},
		"resolves to nonsense": {lazy, resolved(with("edit", "text")), "edit_rejected malformed", ""},
		"is not resolved": {lazy,
			[]lsptest.Rule{on(lsp.MethodResolveAction,
				lsptest.Action{Error: &lsptest.Error{Code: -32803, Message: "not while it rains"}})},
			"request_failed", "not while it rains"},
		"resolves to a command": {lazy, resolved(calls("Fix", "fix.unknown")), "edit_rejected editor_only",
			"runs the command fix.unknown of fake1"},
		"an edit of no changes": {with("edit", map[string]any{}), nil, "request_failed",
			"but the action changes nothing"},
		"an edit of no edits": {with("edit",
			map[string]any{"documentChanges": []any{map[string]any{"edits": []any{},
				"textDocument": map[string]any{"uri": "file:///a.w", "version": nil}}}}), nil, "request_failed",
			"but the action changes nothing"},
		"an unknown operation": {with("edit", json.RawMessage(`{"documentChanges":[{"kind":"copy"}]}`)), nil,
			"edit_rejected unknown_member", ""},
		"a snippet": {with("edit",
			json.RawMessage(
				`{"changes":{"file:///a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"$0","insertTextFormat":2}]}}`)), nil, "edit_rejected snippet", ""},
		"no file": {with("edit",
			json.RawMessage(
				`{"changes":{"untitled:a":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"x"}]}}`)), nil, "edit_rejected not_a_file", ""},
		"a command for nothing": {calls("Fix", "fix.it"), []lsptest.Rule{on(lsp.MethodExecuteCommand, result(nil))},
			"request_failed", "the command fix.it of fake1 changes nothing"},
		"a command that refuses": {calls("Fix", "fix.it"),
			[]lsptest.Rule{on(lsp.MethodExecuteCommand, refuse(-32803))}, "request_failed", "file not found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withActions(t, []any{c.action}, c.rules...)
			a := s.preview("Fix")
			equal(t, "fault", a.fault(), c.fault)
			testkit.Holds(t, a.text(), c.text)
			s.holds(threeLines...)
		})
	}
}

// A text that is replaced by itself is no change.
func TestCodeActionThatIsDoneAlready(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any { return []any{s.titled("Sort", "refactor", "edit", s.replacing("a.w", 0, 5, "def X"))} })
	a := s.preview("Sort")
	equal(t, "fault", a.fault(), "request_failed")
	equal(t, "text", a.text(), `fake1 offered "Sort", but the action changes nothing`)
}

// Parts of an edit that name one version of a document are about that text; others may be about what the one before
// makes.
func TestCodeActionInParts(t *testing.T) {
	part := func(uri string, version any, line int, text string) any {
		at := map[string]any{"line": line, "character": 0}
		return map[string]any{"textDocument": map[string]any{"uri": uri, "version": version},
			"edits": []any{map[string]any{"newText": text, "range": map[string]any{"start": at, "end": at}}}}
	}
	for name, c := range map[string]struct {
		first, second any
		want          string
	}{"one version": {1, 1, ""}, "none": {nil, nil, "edit_rejected ambiguous"},
		"one": {1, nil, "edit_rejected ambiguous"},
		"0":   {0, 0, "edit_rejected ambiguous"}, "the next": {1, 2, "edit_rejected ambiguous"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, knowsFixIt, nil, threeLines...)
			s.offers(func() []any {
				return []any{s.titled("Fix all", "source.fixAll", "edit", map[string]any{"documentChanges": []any{
					part(s.uriOf("a.w"), c.first, 1, "one\n"), part(s.uriOf("a.w"), c.second, 2, "two\n")}})}
			})
			a := s.preview("Fix all")
			equal(t, "fault", a.fault(), c.want)
			if c.want == "" {
				equal(t, "applied", run(t, s.Session, "code_actions", a.ready())["applied"], any(true))
				equal(t, "text", s.texts()["a.w"], "def X\none\n  BAD word\ntwo\nuse X\n")
			}
		})
	}
}

// A command beside an edit is not run, and the answer says so, unless it is known to have nothing left to do.
func TestCodeActionWithACommandBesideItsEdit(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	beside := func(name string) any { return map[string]any{"title": name, "command": name} }
	s.offers(func() []any {
		return []any{s.titled("Unknown", "refactor", "command", beside("fix.unknown")),
			s.titled("Known", "refactor", "command", beside("fix.it")),
			s.titled("Done", "refactor", "command", beside("then.nothing"))}
	})
	for title, want := range map[string][]string{"Unknown": {"command_not_run"}, "Known": {"command_not_run"},
		"Done": nil} {
		a := s.preview(title)
		equalStrings(t, title, a.kinds(), want...)
		if a.ready() == nil || a["completeness"] != "complete" {
			t.Errorf("%s: %v", title, a)
		}
		for _, w := range a["warnings"].([]any) {
			equal(t, "command", w.(map[string]any)["command"],
				any(map[string]string{"Unknown": "fix.unknown", "Known": "fix.it"}[title]))
		}
	}
	done := run(t, s.Session, "code_actions", s.preview("Unknown").ready())
	equal(t, "applied", fmt.Sprint(done["applied"], done.kinds()), "true [command_not_run]")
	equal(t, "commands run", len(s.got(0, lsp.MethodExecuteCommand)), 0)
}

// wants makes the server ask for edits, one after the other.
func wants(edits ...any) []lsptest.Action {
	var out []lsptest.Action
	for _, e := range edits {
		out = append(out,
			lsptest.Action{Request: &lsptest.Message{Method: "workspace/applyEdit",
				Params: lsptest.Raw(map[string]any{"edit": e}), Await: true}})
	}
	return out
}

// answers are the client's answers to the requests of a server.
func (s *scripted) answers(server int) []string {
	s.Helper()
	var out []string
	for _, e := range s.server[server].Seen(s.TB) {
		if e.Kind == lsptest.EventResponse && strings.Contains(string(e.Result), "applied") {
			out = append(out, string(e.Result))
		}
	}
	return out
}

// A command that is known to change nothing by itself is run, and the edit that it wants applied is caught.
func TestCodeActionByACommand(t *testing.T) {
	for name, last := range map[string]lsptest.Action{"done": result(nil), "it minds": refuse(-32603)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, knowsFixIt, nil, threeLines...)
			s.offers(func() []any { return []any{calls("Fix", "fix.it")} },
				on(lsp.MethodExecuteCommand, append(wants(s.replacing("a.w", 4, 5, "Y")), last)...))
			a := s.preview("Fix")
			equal(t, "changes", fmt.Sprint(firstOf(a, "files")["changes"]), "[1:5 def Y]")
			s.holds(threeLines...)
			equalStrings(t, "ran", []string{string(s.got(0, lsp.MethodExecuteCommand)[0].Params)},
				`{"command":"fix.it","arguments":[1]}`)
			equalStrings(t, "answered", s.answers(0),
				`{"applied":false,"failureReason":"lspi shows the edit before it is applied"}`)
			done := run(t, s.Session, "code_actions", a.ready())
			equal(t, "applied", fmt.Sprint(done["applied"], done.kinds()), "true []")
			s.holds("a.w", "def Y\n  BAD word\nuse X\n", "b.w", "use X\n")
		})
	}
}

// Edits on top of each other cannot be shown as one; the same one, asked for again, is one.
func TestCodeActionByACommandOfSeveralEdits(t *testing.T) {
	for name, c := range map[string]struct {
		second string
		fault  string
	}{"another": {"Z", "edit_rejected several_edits"}, "the same": {"Y", ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, knowsFixIt, nil, threeLines...)
			s.offers(func() []any { return []any{calls("Fix", "fix.it")} },
				on(lsp.MethodExecuteCommand,
					append(wants(s.replacing("a.w", 4, 5, "Y"), s.replacing("a.w", 4, 5, c.second)), result(nil))...))
			a := s.preview("Fix")
			equal(t, "fault", a.fault(), c.fault)
			if c.fault == "" && a.ready() == nil {
				t.Errorf("%v", a)
			}
			s.holds(threeLines...)
		})
	}
}

// What a server wants applied while no command of it runs is refused, also while it is asked what could be done.
func TestEditsOnAServersOwnRequest(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	edit := s.replacing("a.w", 4, 5, "Y")
	s.play(acting(on(lsp.MethodCodeAction, append(wants(edit), result([]any{s.titled("Fix", "refactor")}))...),
		on(lsp.MethodReferences, append(wants(edit), none)...)))
	if a := s.preview("Fix"); a["applied"] != false || a.ready() == nil {
		t.Errorf("%v", a)
	}
	s.references()
	s.holds(threeLines...)
	answers := s.answers(0)
	if len(answers) < 3 {
		t.Errorf("answered %v", answers)
	}
	for _, one := range answers {
		equal(t, "answered", one, `{"applied":false,"failureReason":"lspi applies no edits on a server's own request"}`)
	}
}

// What is not in the list cannot be done.
func TestCodeActionsThatAreNotOffered(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		return []any{s.titled("Fix", "refactor"), s.titled("Inline", "refactor.inline", "disabled",
			map[string]any{"reason": "no call here"}),
			calls("Browse", "open.browser")}
	})
	known := s.named("Fix", map[string]any{"line": 1})
	for _, id := range []string{"fake1:00000000", "fake2:" + strings.TrimPrefix(known, "fake1:"), "fake1", "x"} {
		a := s.actions(map[string]any{"line": 1, "action": id})
		if !strings.HasPrefix(a.fault(), "invalid_argument") {
			t.Errorf("%s: %v", id, a)
		}
		step := a["next_steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)
		equal(t, id, run(t, s.Session, "code_actions", step).ids(), []string{known})
	}
	// Their ids are in no answer: they are made as those of the others are.
	equal(t, "listed", s.actions(map[string]any{"line": 1}).ids(), []string{known})
	for title, want := range map[string]string{"Inline": "edit_rejected disabled",
		"Browse": "edit_rejected editor_only"} {
		set := actionSet{all: []lsp.Action{{Title: title, Kind: map[string]string{"Inline": "refactor.inline",
			"Browse": "refactor"}[title]}}}
		a := s.actions(map[string]any{"line": 1, "action": set.named("fake1")[0].id})
		equal(t, title, a.fault(), want)
	}
	s.holds(threeLines...)
}

// A file outside of the workspace is named and nothing is applied.
func TestCodeActionOutsideOfTheWorkspace(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "far.w")
	testkit.Must(t, os.WriteFile(outside, []byte("X\n"), 0o600))
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		edit := s.replacing("a.w", 4, 5, "Y")
		edit["changes"].(map[string]any)["file://"+outside] = []any{edited(0, 1, "Y")}
		return []any{s.titled("Fix", "refactor", "edit", edit)}
	})
	a := s.preview("Fix")
	equalStrings(t, "warnings", a.kinds(), "outside_workspace")
	if a.ready() != nil {
		t.Errorf("a step to apply: %v", a)
	}
	if steps := fmt.Sprint(a["next_steps"]); !strings.Contains(steps, "workspace_folders") ||
		!strings.Contains(steps, "by hand") {
		t.Errorf("the steps of the preview: %s", steps)
	}
	a = s.actions(map[string]any{"line": 1, "action": s.named("Fix", map[string]any{"line": 1}), "dry_run": false,
		"preview_id": a["preview_id"]})
	equal(t, "fault", a.fault(), "outside_workspace")
	s.holds(threeLines...)
	if text, _ := os.ReadFile(outside); string(text) != "X\n" {
		t.Errorf("it wrote %q", text)
	}
}

// A server that dies is followed by another, which answers; one that always dies is an error. Nothing is written.
func TestCodeActionsOfAServerThatDies(t *testing.T) {
	for name, c := range map[string]struct {
		rule    func(method string, actions ...lsptest.Action) lsptest.Rule
		method  string
		fault   string
		warning []string
	}{
		"once, asked": {func(m string, a ...lsptest.Action) lsptest.Rule {
			return inRun(1, on(m, a...))
		}, lsp.MethodCodeAction, "", []string{"server_restarted"}},
		"once, in a command": {func(m string, a ...lsptest.Action) lsptest.Rule {
			return inRun(1, on(m, a...))
		}, lsp.MethodExecuteCommand, "", []string{"server_restarted"}},
		"ever, in a command": {on, lsp.MethodExecuteCommand, "server_crashed", nil},
		"once, in resolving": {func(m string, a ...lsptest.Action) lsptest.Rule {
			return inRun(1, on(m, a...))
		}, lsp.MethodResolveAction, "", []string{"server_restarted"}},
		"ever, in resolving":  {on, lsp.MethodResolveAction, "server_crashed", nil},
		"ever, when it edits": {on, "after the edit", "server_crashed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, knowsFixIt, nil, threeLines...)
			action, edit := calls("Fix", "fix.it"), s.replacing("a.w", 4, 5, "Y")
			if c.method == lsp.MethodResolveAction {
				action = map[string]any{"title": "Fix", "kind": "refactor", "data": 1}
			}
			death := c.rule(c.method, dies)
			if c.method == "after the edit" {
				death = on(lsp.MethodExecuteCommand, append(wants(edit), dies)...)
			}
			s.offers(func() []any { return []any{action} }, death,
				on(lsp.MethodExecuteCommand, append(wants(edit), result(nil))...),
				on(lsp.MethodResolveAction, result(map[string]any{"title": "Fix", "edit": edit})))
			set := actionSet{all: []lsp.Action{{Title: "Fix", Kind: "refactor"}}}
			a := s.actions(map[string]any{"line": 1, "action": set.named("fake1")[0].id})
			equal(t, "fault", a.fault(), c.fault)
			equalStrings(t, "warnings", a.kinds(), c.warning...)
			if c.fault == "" && a.ready() == nil {
				t.Errorf("%v", a)
			}
			s.holds(threeLines...)
		})
	}
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.play(acting(on(lsp.MethodCodeAction, dies)))
	s.want(s.brief(s.actions(map[string]any{"line": 1})), "fake1 server_crashed")
}

func TestCodeActionsAreNotReadOnly(t *testing.T) {
	if names := strings.Join(known{}.Names(&session.Settings{ReadOnly: true}), " "); strings.Contains(names,
		"code_actions") {
		t.Error(names)
	}
	s := withActions(t, []any{})
	s.Settings.ReadOnly = true
	for _, arguments := range []map[string]any{nil, {"line": 1, "action": "fake1:00000000", "dry_run": false}} {
		equal(t, "fault", s.actions(arguments).fault(), "read_only")
	}
	if len(s.Workspace.Pool.Running()) > 0 {
		t.Errorf("%v", s.Workspace.Pool.Running())
	}
}
