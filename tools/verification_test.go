//go:build unix

package tools

import (
	"fmt"
	"path/filepath"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// at is an LSP location in a file of the session.
func (s *scripted) at(file string, line, from, to int) string {
	return fmt.Sprintf(
		`{"uri":"file://%s","range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}}`,
		filepath.Join(s.dir, file), line, from, line, to)
}

// Every place of an answer holds the name on disk, or the server was shown that text and still says so.
func TestUnverifiedPlaces(t *testing.T) {
	files := []string{"a.w", "def X\n", "b.w", "one\nX\nalias LongName\n"}
	for _, c := range []struct {
		name    string
		answers func(s *scripted) []string // to references in turn; after them the truth
		want    string
		asked   int
		opened  int
	}{
		{"right", func(*scripted) []string { return nil }, "fake1 complete 2", 1, 0},
		{"a line too high", func(s *scripted) []string {
			return []string{"[" + s.at("b.w", 0, 0, 1) + "]"}
		}, "fake1 complete 2", 2, 1},
		{"behind the end", func(s *scripted) []string {
			return []string{"[" + s.at("b.w", 9, 0, 1) + "]"}
		}, "fake1 complete 2", 2, 1},
		{"another name for it", func(s *scripted) []string {
			alias := "[" + s.at("a.w", 0, 4, 5) + "," + s.at("b.w", 2, 0, 5) + "]"
			return []string{alias, alias}
		}, "fake1 complete 3", 2, 1},
		{"no name at all", func(s *scripted) []string {
			half := "[" + s.at("a.w", 0, 4, 5) + "," + s.at("b.w", 1, 0, 1) + "," + s.at("b.w", 2, 8, 11) + "]"
			return []string{half, half}
		}, "fake1 partial 2 stale_dropped", 2, 1},
		{"outside of the project", func(s *scripted) []string {
			return []string{"[" + s.at("a.w", 0, 4, 5) +
				`,{"uri":"file:///etc/hostname","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}]`}
		}, "fake1 complete 3 outside_sources", 1, 0},
		{"without the place that was asked about", func(s *scripted) []string {
			return []string{"[" + s.at("b.w", 1, 0, 1) + "]", "[" + s.at("b.w", 1, 0, 1) + "]"}
		}, "fake1 partial 2 unresolved_name", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, func(specs []spec.Spec) { specs[0].Freshness.QueryClosed = true }, nil, files...)
			var rules []lsptest.Rule
			for _, a := range c.answers(s) {
				rules = append(rules, once(lsp.MethodReferences, lsptest.Action{Result: []byte(a)}))
			}
			s.play(playing(rules...)...)
			s.want(s.references(), c.want)
			testkit.Equal(t, len(s.got(0, lsp.MethodReferences)), c.asked, "asked")
			testkit.Equal(t, len(s.got(0, "textDocument/didOpen")), c.opened, "opened")
			if c.asked > 1 { // what was shown once stays shown
				s.references()
				testkit.Equal(t, len(s.got(0, "textDocument/didOpen")), c.opened, "opened again")
			}
		})
	}
}

// The symbols of a file by which a name is found are doubted as well, and not kept.
func TestUnverifiedSymbols(t *testing.T) {
	old := `[{"name":"X","kind":12,"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":5}},"selectionRange":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}]`
	s := newScripted(t, func(specs []spec.Spec) { specs[0].Freshness.QueryClosed = true },
		playing(once(lsp.MethodDocumentSymbol, lsptest.Action{Result: []byte(old)})), "a.w",
		"one two three\ndef X\nX\n")
	for range 2 {
		s.want(s.brief(run(t, s.Session, "find_references", map[string]any{"file_path": "a.w", "symbol_name": "X"})),
			"fake1 complete 2")
	}
	if asked, opened := len(s.got(0, lsp.MethodDocumentSymbol)), len(s.got(0, "textDocument/didOpen")); asked != 2 ||
		opened != 1 {
		t.Errorf("asked %d times, opened %d files", asked, opened)
	}
}

// A file that changes while the server answers: it hears of the change and is asked once more.
func TestUnverifiedTextChanges(t *testing.T) {
	s := newScripted(t, nil, playing(
		once(lsp.MethodReferences, lsptest.Action{Stderr: "asked\n"}, lsptest.Action{DelayMS: 300},
			lsptest.Action{Default: true}),
	), "a.w", "def X\n", "b.w", "X\n")
	done := make(chan string, 1)
	go func() { done <- s.references() }()
	until(t, "the question", func() bool { return len(s.got(0, lsp.MethodReferences)) == 1 })
	s.write("a.w", "def X\nX\n")
	s.want(<-done, "fake1 complete 3")
	testkit.Equal(t, len(s.got(0, lsp.MethodReferences)), 2, "asked")
}

// A server that never forgets deleted files: what it places in one may be a symbol that has moved, which is found by
// showing it the files that have its name.
func TestLostSymbols(t *testing.T) {
	definition := func(s *scripted) string {
		a := run(t, s.Session, "find_definition", map[string]any{"file_path": "a.w", "line": 1, "character": 1})
		out := fmt.Sprint(a["completeness"])
		for _, d := range a["definitions"].([]any) {
			out += fmt.Sprint(" ", d.(map[string]any)["file_path"])
		}
		for _, w := range a["warnings"].([]any) {
			out += fmt.Sprint(" ", w.(map[string]any)["kind"])
		}
		return out
	}
	many := []string{"a.w", "X\n", "new.w", "def X\n"}
	for i := range 40 {
		many = append(many, fmt.Sprintf("m%02d.w", i), "X\n")
	}
	for _, c := range []struct {
		name   string
		files  []string
		gone   int // answers that name the file that is gone
		want   string
		asked  int
		opened int // besides the file that is asked about
	}{
		{"moved", []string{"a.w", "X\n", "new.w", "def X\n", "c.w", "other\n"}, 1, "complete new.w", 2, 1},
		{"deleted", []string{"a.w", "X\n", "c.w", "other\n"}, 9, "complete", 1, 0},
		{"deleted, and mentioned", []string{"a.w", "X\n", "c.w", "X X\n"}, 9, "complete", 2, 1},
		{"in one of too many", many, 9, "partial new.w stale_dropped stale_dropped", 2, 33},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, func(specs []spec.Spec) { specs[0].Freshness.DeletedStay = true }, nil, c.files...)
			var rules []lsptest.Rule
			for range c.gone {
				rules = append(rules,
					once(lsp.MethodDefinition, lsptest.Action{Result: []byte("[" + s.at("gone.w", 0, 4, 5) + "]")}))
			}
			s.play(playing(rules...)...)
			s.want(definition(s), c.want)
			testkit.Equal(t, len(s.got(0, lsp.MethodDefinition)), c.asked, "asked")
			testkit.Equal(t, len(s.got(0, "textDocument/didOpen"))-1, c.opened, "opened")
		})
	}
}

// A document that another call opened a moment ago counts for nothing before it was parsed, at a server that needs
// that.
func TestUnverifiedBeforeItIsParsed(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Freshness = spec.Freshness{Open: true}
		specs[0].Diagnostics = spec.Diagnostics{Versioned: true}
	}, nil, "a.w", "X\n", "b.w", "one two\ndef X\n")
	push := func(file string, version int) lsptest.Action {
		return tell("textDocument/publishDiagnostics", map[string]any{
			"uri": "file://" + filepath.Join(s.dir, file), "version": version, "diagnostics": []any{}})
	}
	answer := func(result string) []lsptest.Action { return []lsptest.Action{{Result: []byte(result)}} }
	s.play(&lsptest.Script{Rules: []lsptest.Rule{
		{Method: "textDocument/didOpen", Contains: "b.w", Actions: []lsptest.Action{{DelayMS: 500}, push("b.w", 1)}},
		{Method: "textDocument/didOpen", Actions: []lsptest.Action{push("a.w", 2)}},
		{Method: lsp.MethodDocumentSymbol, Actions: answer("[]")},
		once(lsp.MethodDefinition, answer("["+s.at("b.w", 0, 4, 5)+"]")...),
		{Method: lsp.MethodDefinition, Actions: answer("[" + s.at("b.w", 1, 4, 5) + "]")},
	}})
	run(t, s.Session, "get_document_symbols", map[string]any{"file_path": "b.w"}) // opens it, and does not wait
	a := run(t, s.Session, "find_definition", map[string]any{"file_path": "a.w", "line": 1, "character": 1})
	d := a["definitions"].([]any)[0].(map[string]any)
	equal(t, "definition", fmt.Sprint(a["completeness"], d["file_path"], d["line"]), "complete"+"b.w"+"2")
	testkit.Equal(t, len(s.got(0, lsp.MethodDefinition)), 2, "asked")
}

// What the server was shown only while it was asked was not in its answer: by the call itself, that asks for the
// symbols of the file, or by another.
func TestUnverifiedWhileItIsShown(t *testing.T) {
	for _, c := range []struct {
		name   string
		stale  string // the file that the first answer names
		before bool   // another call has opened b.w, which is parsed while the server is asked
	}{
		{"by the call", "b.w", false},
		{"by another", "b.w", true},
		{"lost", "gone.w", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, func(specs []spec.Spec) {
				specs[0].Freshness = spec.Freshness{Open: true, DeletedStay: true}
				specs[0].Diagnostics = spec.Diagnostics{Versioned: true}
			}, nil, "a.w", "X\n", "b.w", "one two\ndef X\n")
			push := func(file string) lsptest.Action {
				return tell("textDocument/publishDiagnostics", map[string]any{
					"uri": "file://" + filepath.Join(s.dir, file), "version": 9, "diagnostics": []any{}})
			}
			answer := func(result string) lsptest.Action { return lsptest.Action{Result: []byte(result)} }
			opened := lsptest.Rule{Method: "textDocument/didOpen", Contains: "b.w",
				Actions: []lsptest.Action{push("b.w")}}
			stale := once(lsp.MethodDefinition, answer("["+s.at(c.stale, 0, 4, 5)+"]"))
			if c.before {
				opened.Actions = nil
				stale.Actions = append([]lsptest.Action{push("b.w")}, stale.Actions...)
			}
			s.play(&lsptest.Script{Rules: []lsptest.Rule{
				opened, {Method: "textDocument/didOpen", Actions: []lsptest.Action{push("a.w")}},
				{Method: lsp.MethodDocumentSymbol, Actions: []lsptest.Action{answer("[]")}},
				stale, {Method: lsp.MethodDefinition,
					Actions: []lsptest.Action{answer("[" + s.at("b.w", 1, 4, 5) + "]")}},
			}})
			if c.before {
				run(t, s.Session, "get_document_symbols", map[string]any{"file_path": "b.w"})
			}
			a := run(t, s.Session, "find_definition", map[string]any{"file_path": "a.w", "line": 1, "character": 1})
			found, _ := a["definitions"].([]any)
			if len(found) != 1 {
				t.Fatalf("definitions: %v", a)
			}
			d := found[0].(map[string]any)
			equal(t, "definition", fmt.Sprint(a["completeness"], d["file_path"], d["line"]), "complete"+"b.w"+"2")
			testkit.Equal(t, len(s.got(0, lsp.MethodDefinition)), 2, "asked")
			testkit.Equal(t, len(s.got(0, "textDocument/didOpen")), 2, "opened")
		})
	}
}

// A void attempt showed the server nothing: what its successor says is doubted afresh.
func TestUnverifiedAfterACrash(t *testing.T) {
	s := newScripted(t, func(specs []spec.Spec) {
		specs[0].Freshness.QueryClosed = true
	}, nil, "a.w", "def X\n", "b.w", "one\nX\n")
	stale := lsptest.Action{Result: []byte("[" + s.at("b.w", 0, 0, 1) + "]")}
	s.play(playing(inRun(1, on(lsp.MethodReferences, dies)), inRun(2, once(lsp.MethodReferences, stale)))...)
	s.want(s.references(), "fake1 complete 2 server_restarted")
}
