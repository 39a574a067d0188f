//go:build unix

package tools

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// actionPatch is what a scripted server says that it can do about actions.
const actionPatch = `{"codeActionProvider":{"codeActionKinds":["quickfix","refactor.extract","source.organizeImports"],"resolveProvider":true},
	"executeCommandProvider":{"commands":["fix.it","fix.unknown"]}}`

// acting is a server with these rules, whose row knows the command fix.it.
func acting(rules ...lsptest.Rule) *lsptest.Script {
	return &lsptest.Script{Language: "words", CapabilitiesPatch: json.RawMessage(actionPatch), Rules: rules}
}

func knowsFixIt(specs []spec.Spec) {
	for i := range specs {
		specs[i].Actions = spec.Actions{Commands: []string{"fix.it", "not.offered"}, Follow: []string{"then.nothing"}}
	}
}

// withActions is a session whose server offers these actions wherever it is asked, in three lines of which the
// second is wrong.
func withActions(t testing.TB, offered []any, more ...lsptest.Rule) *scripted {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.play(acting(append(more, on(lsp.MethodCodeAction, result(offered)))...))
	return s
}

var threeLines = []string{"a.w", "def X\n  BAD word\nuse X\n", "b.w", "use X\n"}

func result(v any) lsptest.Action { return lsptest.Action{Result: lsptest.Raw(v)} }

// uriOf is the URI of a file of the workspace.
func (s *scripted) uriOf(file string) string { return "file://" + filepath.Join(s.dir, file) }

// offers starts the server; what it offers may name files of the workspace.
func (s *scripted) offers(offered func() []any, more ...lsptest.Rule) *scripted {
	s.Helper()
	s.play(acting(append(more, on(lsp.MethodCodeAction, result(offered())))...))
	return s
}

// actions lists, previews or applies in a.w.
func (s *scripted) actions(more map[string]any) reply {
	s.Helper()
	arguments := map[string]any{"file_path": "a.w"}
	for k, v := range more {
		arguments[k] = v
	}
	return run(s.TB, s.Session, "code_actions", arguments)
}

// named is the id of the action with a title at a place.
func (s *scripted) named(title string, place map[string]any) string {
	s.Helper()
	a := s.actions(place)
	items, _ := a["actions"].([]any)
	for _, item := range items {
		if item := item.(map[string]any); item["title"] == title {
			return item["id"].(string)
		}
	}
	s.Fatalf("no %q in %v", title, a)
	return ""
}

// preview asks for the change of the action with a title in line 1.
func (s *scripted) preview(title string) reply {
	s.Helper()
	return s.actions(map[string]any{"line": 1, "action": s.named(title, map[string]any{"line": 1})})
}

// listed are the actions of an answer, one text each without its id.
func (a reply) listed() []string {
	var out []string
	items, _ := a["actions"].([]any)
	for _, item := range items {
		item := item.(map[string]any)
		one := fmt.Sprint(item["title"])
		for _, key := range []string{"kind", "preferred", "fixes"} {
			if item[key] != nil {
				one += fmt.Sprintf(" %s=%v", key, item[key])
			}
		}
		out = append(out, one)
	}
	return out
}

// ids are those of an answer's actions.
func (a reply) ids() []string {
	var out []string
	for _, item := range a["actions"].([]any) {
		out = append(out, item.(map[string]any)["id"].(string))
	}
	return out
}

// titled is an action that edits the first line of a.w, with more members.
func (s *scripted) titled(title, kind string, more ...any) map[string]any {
	out := map[string]any{"title": title, "edit": s.replacing("a.w", 4, 5, "Y")}
	if kind != "" {
		out["kind"] = kind
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

func ofBad() any {
	return []any{map[string]any{"message": "the word BAD", "severity": 1, "source": "words",
		"range": map[string]any{"start": map[string]any{"line": 1, "character": 2},
			"end": map[string]any{"line": 1, "character": 5}}}}
}

func TestCodeActionsList(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		return []any{
			s.titled("Extract", "refactor.extract"), s.titled("Extract", "refactor.extract"),
			s.titled("Fix\n BAD", "quickfix", "isPreferred", true, "diagnostics", ofBad()),
			s.titled("Sort", "source.organizeImports"),
			s.titled("Inline", "refactor.inline", "disabled", map[string]any{"reason": "no call\nhere"}),
			s.titled("Hopeless", "refactor.inline", "disabled", map[string]any{}),
			map[string]any{"title": "Run tests", "kind": "quickfix", "command": map[string]any{"title": "Run",
				"command": "fix.unknown"}},
			map[string]any{"title": "Open", "command": "open.browser", "arguments": []any{1}},
			map[string]any{"title": "Not offered", "command": "not.offered"},
			map[string]any{"title": "Known", "command": "fix.it"},
			map[string]any{"title": "Does nothing", "kind": "refactor.extract"},
			s.titled("  ", "quickfix"), s.titled("", ""), 17, nil, "text", []any{}, map[string]any{"title": 1},
		}
	})
	a := s.actions(map[string]any{"line": 2})
	equalStrings(t, "actions", a.listed(), "Fix BAD kind=quickfix preferred=true fixes=2:3 the word BAD",
		"Extract kind=refactor.extract", "Sort kind=source.organizeImports", "Known")
	equal(t, "disabled", a["disabled"], any([]any{"Inline: no call here", "Hopeless: the server gives no reason"}))
	equal(t, "editor_only", a["editor_only"], any([]any{"Run tests", "Open", "Not offered"}))
	equal(t, "totals", fmt.Sprint(a["total"], " ", a["returned"], " ", a["completeness"], " ", a["server_id"]),
		"4 4 complete fake1")
	for _, id := range a.ids() {
		if server, digest, _ := strings.Cut(id, ":"); server != "fake1" || len(digest) != 8 {
			t.Errorf("id %q", id)
		}
	}
	step := a["next_steps"].([]any)[0].(map[string]any)["arguments"].(map[string]any)
	equal(t, "first step", step, map[string]any{"file_path": "a.w", "line": 2.0, "action": a.ids()[0]})
	if preview := run(t, s.Session, "code_actions", step); preview["ok"] != true || preview.ready() == nil {
		t.Errorf("the step: %v", preview)
	}

	page := s.actions(map[string]any{"line": 2, "max_results": 3, "offset": 2})
	equal(t, "second page", page.ids(), a.ids()[2:])
	page = s.actions(map[string]any{"line": 2, "max_results": 1})
	equal(t, "first page", fmt.Sprint(page["total"], page["returned"], page["truncated"], page.kinds()),
		"4 1 true [truncated]")
	step = page["next_steps"].([]any)[1].(map[string]any)["arguments"].(map[string]any)
	equal(t, "the rest", run(t, s.Session, "code_actions", step).ids(), a.ids()[1:2])
	s.holds(threeLines...)
}

// An id means the same in the next answer, of a process that is new as well.
func TestCodeActionIDs(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		return []any{s.titled("Fix", "quickfix"), s.titled("Extract", "refactor.extract"),
			s.titled("Extract", "refactor.extract", "edit", s.replacing("a.w", 4, 5, "Z"))}
	})
	place := map[string]any{"line": 2}
	first := s.actions(place)
	equal(t, "the same", s.actions(place).ids(), first.ids())
	if ids := first.ids(); len(ids) != 3 || ids[1] == ids[2] {
		t.Errorf("ids %v", ids)
	}
	if a := run(t, s.Session, "restart_server", map[string]any{"server_id": "fake1"}); a["ok"] != true {
		t.Fatal(a)
	}
	equal(t, "of another process", s.actions(place).ids(), first.ids())
	equal(t, "processes", len(s.got(0, "initialize")), 2)
	last := s.actions(map[string]any{"line": 2, "action": first.ids()[2]})
	equal(t, "the second of a title", fmt.Sprint(firstOf(last, "files")["changes"]), "[1:5 def Z]")
}

// told are the ranges and kinds that the server was asked for.
func (s *scripted) told() []string {
	s.Helper()
	var out []string
	for _, e := range s.got(0, lsp.MethodCodeAction) {
		var p struct {
			Range struct {
				Start, End struct{ Line, Character int }
			}
			Context struct {
				Diagnostics []map[string]any
				Only        []string
			}
		}
		testkit.Must(s, json.Unmarshal(e.Params, &p))
		out = append(out, fmt.Sprintf("%d:%d-%d:%d %d %v", p.Range.Start.Line, p.Range.Start.Character,
			p.Range.End.Line, p.Range.End.Character,
			len(p.Context.Diagnostics), p.Context.Only))
	}
	return out
}

func TestCodeActionPlaces(t *testing.T) {
	const fix, source = "1:2-1:5 1 [quickfix]", " [source.organizeImports]"
	for name, c := range map[string]struct {
		place map[string]any
		asked []string
		fault string
	}{
		"a line": {map[string]any{"line": 2}, []string{fix, "1:2-1:10 1 []", "1:2-1:10 1" + source},
			""},
		"lines": {map[string]any{"line": 1, "end_line": 2},
			[]string{fix, "0:0-1:10 1 []", "0:0-1:10 1" + source}, ""},
		"an empty line": {map[string]any{"line": 4}, []string{"3:0-3:0 0 []", "3:0-3:0 0" + source}, ""},
		"a position": {map[string]any{"line": 2, "character": 4},
			[]string{fix, "1:3-1:3 1 []", "1:3-1:3 1" + source}, ""},
		"a range": {map[string]any{"line": 2, "character": 7, "end_line": 3, "end_character": 4},
			[]string{"1:6-2:3 0 []", "1:6-2:3 0" + source}, ""},
		"the end of a line": {map[string]any{"line": 3, "character": 6},
			[]string{"2:5-2:5 0 []", "2:5-2:5 0" + source}, ""},
		"the whole file": {nil, []string{fix, "0:0-3:0 1 [source.organizeImports source]"}, ""},
		"selected": {map[string]any{"selected_text": "BAD word"},
			[]string{fix, "1:2-1:10 1 []", "1:2-1:10 1" + source}, ""},
		"selected in a line": {map[string]any{"selected_text": "X", "line": 3},
			[]string{"2:4-2:5 0 []", "2:4-2:5 0" + source}, ""},
		"selected over lines": {map[string]any{"selected_text": "word\nuse", "line": 2},
			[]string{"1:6-2:3 0 []", "1:6-2:3 0" + source}, ""},
		"selected twice":          {map[string]any{"selected_text": "X"}, nil, "edit_rejected occurs_more_than_once"},
		"selected nowhere":        {map[string]any{"selected_text": "XX"}, nil, "edit_rejected not_found"},
		"selected in line 1 only": {map[string]any{"selected_text": "use", "line": 1}, nil, "edit_rejected not_found"},
		"a kind": {map[string]any{"line": 1, "kinds": []string{"refactor"}},
			[]string{"0:0-0:5 0 [refactor refactor.extract]"}, ""},
		"quick fixes": {map[string]any{"line": 2, "kinds": []string{"quickfix"}},
			[]string{fix, "1:2-1:10 1 [quickfix]"}, ""},
		"another line":      {map[string]any{"line": 9}, nil, "position_out_of_range"},
		"another end line":  {map[string]any{"line": 1, "end_line": 9}, nil, "position_out_of_range"},
		"another character": {map[string]any{"line": 1, "character": 9}, nil, "position_out_of_range"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withActions(t, []any{})
			a := s.actions(c.place)
			equal(t, "fault", a.fault(), c.fault)
			equalStrings(t, "asked", s.told(), c.asked...)
			if c.fault == "" {
				equal(t, "actions", fmt.Sprint(a["total"], " ", a["actions"], " ", a["completeness"]), "0 [] complete")
			}
		})
	}
}

// Kinds mean those below them; what a server gives beyond what it was asked for is left out.
func TestCodeActionKinds(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		return []any{s.titled("Fix", "quickfix"), s.titled("Extract", "refactor.extract"),
			s.titled("Extractor", "refactor.extractor"),
			s.titled("Sort", "source.organizeImports"), s.titled("Whatever", "")}
	})
	fix := "Fix kind=quickfix fixes=2:3 the word BAD"
	for name, c := range map[string]struct {
		place map[string]any
		want  []string
	}{
		"all": {map[string]any{"line": 2}, []string{fix, "Extract kind=refactor.extract",
			"Extractor kind=refactor.extractor",
			"Sort kind=source.organizeImports", "Whatever"}},
		"of a file": {nil, []string{fix, "Sort kind=source.organizeImports", "Whatever"}},
		"below": {map[string]any{"line": 2, "kinds": []string{"refactor"}},
			[]string{"Extract kind=refactor.extract", "Extractor kind=refactor.extractor"}},
		"exactly": {map[string]any{"line": 2, "kinds": []string{"refactor.extract"}},
			[]string{"Extract kind=refactor.extract"}},
		"two": {map[string]any{"kinds": []string{"source", "quickfix"}},
			[]string{fix, "Sort kind=source.organizeImports"}},
		"none":        {map[string]any{"line": 2, "kinds": []string{"refactor.inline"}}, nil},
		"elsewhere":   {map[string]any{"line": 1, "kinds": []string{"quickfix"}}, []string{"Fix kind=quickfix"}},
		"of one word": {map[string]any{"diagnostic": "BAD"}, []string{fix, "Whatever"}},
	} {
		equalStrings(t, name, s.actions(c.place).listed(), c.want...)
	}
}

// coded makes the server say these diagnostics of the second line.
func coded() lsptest.Rule {
	item := func(from, to int, code any, message string) any {
		return map[string]any{"message": message, "severity": 1, "code": code, "data": map[string]any{"of": message},
			"range": map[string]any{"start": map[string]any{"line": 1, "character": from},
				"end": map[string]any{"line": 1, "character": to}}}
	}
	return on(lsp.MethodDocumentDiag, result(map[string]any{"kind": "full", "items": []any{
		item(6, 10, 7, "what a word"), item(2, 5, "E1", "no BAD words"), item(2, 5, "E2", "no capitals")}}))
}

func TestCodeActionsOfADiagnostic(t *testing.T) {
	s := newScripted(t, knowsFixIt, nil, threeLines...)
	s.offers(func() []any {
		return []any{s.titled("Fix", "quickfix"), s.titled("Extract", "refactor.extract")}
	}, coded())
	for given, want := range map[string]string{
		"E1": "Fix kind=quickfix fixes=2:3 no BAD words", "7": "Fix kind=quickfix fixes=2:7 what a word",
		"capital": "Fix kind=quickfix fixes=2:3 no capitals",
	} {
		equalStrings(t, given, s.actions(map[string]any{"diagnostic": given}).listed(), want)
	}
	// The data that the server keeps in a diagnostic comes back to it.
	last := s.got(0, lsp.MethodCodeAction)
	testkit.Holds(t, string(last[len(last)-1].Params), `"data":{"of":`, "asked with")
	a := s.actions(map[string]any{"diagnostic": "E9"})
	if message := fmt.Sprint(a["message"]); !strings.HasPrefix(a.fault(), "invalid_argument") ||
		!strings.Contains(message, `"E9"`) || !strings.Contains(message, "3 others, such as what a word in line 2") {
		t.Errorf("%v", a)
	}
	a = s.actions(map[string]any{"diagnostic": "E1", "line": 1})
	if !strings.HasPrefix(a.fault(), "invalid_argument") || strings.Contains(fmt.Sprint(a["message"]), "others") {
		t.Errorf("in another line: %v", a)
	}
	id := s.named("Fix", map[string]any{"diagnostic": "E2"})
	equal(t, "preview",
		s.actions(map[string]any{"diagnostic": "E2", "action": id})["action"].(map[string]any)["fixes"],
		any("2:3 no capitals"))
}

// Answers that are no list are errors; what a server refuses at one place is missing from the list, and that is said.
func TestCodeActionsThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		rules []lsptest.Rule
		want  string
	}{
		"an object": {[]lsptest.Rule{on(lsp.MethodCodeAction, result(map[string]any{"title": "Fix"}))},
			"fake1 request_failed"},
		"a number": {[]lsptest.Rule{on(lsp.MethodCodeAction, result(7))}, "fake1 request_failed"},
		"null":     {[]lsptest.Rule{on(lsp.MethodCodeAction, result(nil))}, "fake1 complete 0"},
		"a flood": {[]lsptest.Rule{on(lsp.MethodCodeAction, lsptest.Action{ResultBytes: 1 << 20})},
			"fake1 request_failed"},
		"refused": {[]lsptest.Rule{on(lsp.MethodCodeAction, refuse(-32603))}, "fake1 partial 0 part_failed"},
		"in one part": {[]lsptest.Rule{{Method: lsp.MethodCodeAction, Contains: `"only":["quickfix"]`,
			Actions: []lsptest.Action{refuse(-32603)}}, on(lsp.MethodCodeAction, none)}, "fake1 partial 0 part_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, knowsFixIt, nil, threeLines...)
			s.play(acting(c.rules...))
			s.want(s.brief(s.actions(map[string]any{"line": 2})), c.want)
		})
	}
}

// Both of the servers of a file are asked; ids say which. One that offers no actions is not missed, one that fails is.
func TestCodeActionsOfTwoServers(t *testing.T) {
	session := func(t *testing.T, second *lsptest.Script) *scripted {
		s := newScripted(t, func(specs []spec.Spec) {
			knowsFixIt(specs)
			specs[1].Roles = spec.RoleDiagnostics
		}, nil, threeLines...)
		s.play(acting(on(lsp.MethodCodeAction, result([]any{s.titled("Fix", "refactor")}))), second)
		return s
	}
	t.Run("both", func(t *testing.T) {
		s := session(t, acting())
		a := s.actions(map[string]any{"line": 1})
		equalStrings(t, "without the second", append(a.listed(), a.kinds()...), "Fix kind=refactor", "not_offered")
		s = newScripted(t, s.change, nil, threeLines...)
		s.play(acting(on(lsp.MethodCodeAction, result([]any{s.titled("Fix", "refactor")}))),
			acting(on(lsp.MethodCodeAction,
				result([]any{s.titled("Fix", "refactor"),
					s.titled("Lint", "quickfix", "edit", s.replacing("a.w", 4, 5, "L"))}))))
		a = s.actions(map[string]any{"line": 1})
		equalStrings(t, "of both", append(a.listed(), a.kinds()...), "Lint kind=quickfix", "Fix kind=refactor",
			"Fix kind=refactor")
		for i, server := range []string{"fake2", "fake1", "fake2"} {
			if id := a.ids()[i]; !strings.HasPrefix(id, server+":") {
				t.Errorf("id %s, want one of %s", id, server)
			}
		}
		before := len(s.got(0, lsp.MethodCodeAction))
		preview := s.actions(map[string]any{"line": 1, "action": a.ids()[0]})
		equal(t, "server", preview["server_id"], any("fake2"))
		equal(t, "the other is asked", len(s.got(0, lsp.MethodCodeAction))-before, 0)
		equal(t, "applied", run(t, s.Session, "code_actions", preview.ready())["applied"], any(true))
		equal(t, "text", s.texts()["a.w"], "def L\n  BAD word\nuse X\n")
	})
	for name, c := range map[string]struct {
		second *lsptest.Script
		want   string
	}{
		"one offers none": {playing()[0], "fake1 complete 1 (1 steps)"},
		"one is not there": {&lsptest.Script{OnStart: []lsptest.Action{{Exit: new(int)}}},
			"<nil> partial 1 server_failed (1 steps)"},
		"one dies": {acting(on(lsp.MethodCodeAction, dies)), "<nil> partial 1 server_failed (1 steps)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session(t, c.second)
			s.want(s.brief(s.actions(map[string]any{"line": 1})), c.want)
		})
	}
	// Where one offers none, that the other fails is the answer.
	s := newScripted(t, func(specs []spec.Spec) { specs[1].Roles = spec.RoleDiagnostics }, nil, threeLines...)
	s.play(playing()[0], acting(on(lsp.MethodCodeAction, dies)))
	equal(t, "nobody is left", s.actions(map[string]any{"line": 1}).fault(), "server_crashed")
	s = newScripted(t, nil, playing(), threeLines...)
	equal(t, "nobody offers any", s.actions(map[string]any{"line": 1}).fault(), "request_unsupported")
	equal(t, "nobody can do it", s.actions(map[string]any{"line": 1, "action": "fake1:00000000"}).fault(),
		"request_unsupported")
}

// A diagnostic that one server knows is asked about there; that it is not another's is nothing to say.
func TestCodeActionsOfADiagnosticOfOneServer(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) { specs[1].Roles = spec.RoleDiagnostics }, nil, threeLines...)
	fix := on(lsp.MethodCodeAction, result([]any{s.titled("Fix", "quickfix")}))
	s.play(acting(fix), acting(coded(), fix))
	s.want(s.brief(s.actions(map[string]any{"diagnostic": "E1"})), "<nil> complete 1 (1 steps)")
	a := s.actions(map[string]any{"diagnostic": "E9"})
	if !strings.HasPrefix(a.fault(), "invalid_argument") {
		t.Errorf("%v", a)
	}
}

// A server for edits alone is asked, also for the fixes of what it finds.
func TestCodeActionsOfAServerForEdits(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Roles = spec.RoleNavigation | spec.RoleEdits
	}, nil, threeLines...)
	s.play(acting(coded(), on(lsp.MethodCodeAction, result([]any{s.titled("Fix", "quickfix")}))))
	s.want(s.brief(s.actions(map[string]any{"diagnostic": "E1"})), "fake1 complete 1 (1 steps)")
	equal(t, "another diagnostic", strings.HasPrefix(s.actions(map[string]any{"diagnostic": "E9"}).fault(),
		"invalid_argument"), true)
}

// A place that is said in half, or twice, is refused before any server is asked.
func TestCodeActionArguments(t *testing.T) {
	s := withActions(t, []any{})
	for name, c := range map[string]struct {
		given map[string]any
		want  string
	}{
		"end_line without line":  {map[string]any{"end_line": 2}, "missing_argument line"},
		"character without line": {map[string]any{"character": 2}, "missing_argument line"},
		"end_character alone":    {map[string]any{"line": 1, "end_character": 2}, "invalid_argument end_line"},
		"end without a beginning": {map[string]any{"line": 1, "end_line": 1, "end_character": 2},
			"invalid_argument end_line"},
		"beginning without an end": {map[string]any{"line": 1, "character": 1, "end_line": 2},
			"invalid_argument end_line"},
		"end before the beginning": {map[string]any{"line": 2, "end_line": 1}, "invalid_argument end_line"},
		"the same in one line": {map[string]any{"line": 2, "character": 4, "end_line": 2, "end_character": 3},
			"invalid_argument end_line"},
		"selection beside character": {map[string]any{"selected_text": "X", "line": 1, "character": 5},
			"invalid_argument selected_text"},
		"selection beside end_line": {map[string]any{"selected_text": "X", "line": 1, "end_line": 1},
			"invalid_argument selected_text"},
		"selection beside diagnostic": {map[string]any{"selected_text": "X", "diagnostic": "E1"},
			"invalid_argument diagnostic"},
		"to apply nothing": {map[string]any{"line": 1, "dry_run": false}, "missing_argument action"},
		"line 0":           {map[string]any{"line": 0}, "invalid_argument line"},
		"no file":          {map[string]any{"file_path": "z.w"}, "file_not_found <nil>"},
	} {
		a := s.actions(c.given)
		e, _ := a["error"].(map[string]any)
		if e == nil {
			t.Errorf("%s: %v", name, a)
			continue
		}
		fault := e["data"].(map[string]any)["lspi_error"].(map[string]any)
		equal(t, name, fmt.Sprint(fault["kind"], " ", fault["argument"]), c.want)
	}
	if len(s.Workspace.Pool.Running()) > 0 {
		t.Errorf("%v", s.Workspace.Pool.Running())
	}
}
