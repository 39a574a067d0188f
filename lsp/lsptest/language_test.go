package lsptest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/uri"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// open starts a words server on a project.
func open(t *testing.T, script string, files map[string]string) (*session, string) {
	dir := project(t, files)
	c := start(t, parse(t, script))
	c.call(t, "initialize", map[string]any{"rootUri": uri.File(dir)})
	return c, dir
}

// at is the parameters of a request for a position.
func at(path string, line, character int) map[string]any {
	return map[string]any{
		"textDocument": map[string]any{"uri": uri.File(path)},
		"position":     map[string]int{"line": line, "character": character},
		"context":      map[string]bool{"includeDeclaration": true},
		"newName":      "New",
	}
}

// places shortens an answer: each range becomes name:line:from-to.
func places(t *testing.T, answer string) string {
	t.Helper()
	var all []struct {
		URI   string
		Range struct{ Start, End struct{ Line, Character int } }
	}
	if strings.HasPrefix(answer, "{") {
		answer = "[" + answer + "]"
	}
	if err := json.Unmarshal([]byte(answer), &all); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	var out []string
	for _, p := range all {
		out = append(out, fmt.Sprintf("%s:%d:%d-%d", filepath.Base(p.URI), p.Range.Start.Line, p.Range.Start.Character,
			p.Range.End.Character))
	}
	return strings.Join(out, " ")
}

var sample = map[string]string{
	"a.w": "def Load\n  Parse Load\n\n  LoadMode Parse\nimpl Load\n",
	"b.w": "use Load\n\ndef Parse\n  BAD WARN\ndef LoadMode\n\tParse",
}

func TestWords(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, dir := open(t, `{"language":"words"}`, sample)
		a, b := filepath.Join(dir, "a.w"), filepath.Join(dir, "b.w")
		ask := func(method, path string, line, character int) string {
			return c.call(t, "textDocument/"+method, at(path, line, character))
		}
		equal(t, "references", places(t, ask("references", b, 0, 5)), "a.w:0:4-8 a.w:1:8-12 a.w:4:5-9 b.w:0:4-8")
		equal(t, "references at the end of the word", places(t, ask("references", b, 0, 8)),
			"a.w:0:4-8 a.w:1:8-12 a.w:4:5-9 b.w:0:4-8")
		equal(t, "references of nothing", ask("references", b, 1, 0), "[]")
		equal(t, "definition", places(t, ask("definition", b, 0, 5)), "a.w:0:4-8")
		equal(t, "no definition", ask("definition", b, 0, 0), "null")
		equal(t, "implementation", places(t, ask("implementation", b, 0, 5)), "a.w:4:5-9")
		equal(t, "hover", ask("hover", a, 1, 3), `{"contents":{"kind":"markdown","value":"`+
			"```words\\ndef Parse\\n```"+
			`"},"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":7}}}`)
		equal(t, "prepareRename", ask("prepareRename", b, 0, 0),
			`{"placeholder":"use","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}}}`)
		equal(t, "documentSymbol", ask("documentSymbol", a, 0, 0),
			`[{"name":"Load","kind":12,"range":{"start":{"line":0,"character":0},"end":{"line":3,"character":16}},"selectionRange":{"start":{"line":0,"character":4},"end":{"line":0,"character":8}}}]`)
		if got := c.call(t, "workspace/symbol", map[string]string{"query": "load"}); strings.Count(got, `"name"`) != 2 {
			t.Error(got)
		}
		if got := ask("rename", a, 0, 5); strings.Count(got, `"newText":"New"`) != 4 {
			t.Error(got)
		}
		if got := ask("diagnostic", b, 0, 0); strings.Count(got, `"severity"`) != 2 {
			t.Error(got)
		}
	})
}

func TestWordsCalls(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, dir := open(t, `{"language":"words"}`, sample)
		prepared := c.call(t, "textDocument/prepareCallHierarchy", at(filepath.Join(dir, "a.w"), 1, 2))
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(prepared), &items); err != nil || len(items) != 1 {
			t.Fatalf("%s: %v", prepared, err)
		}
		names := func(answer, side string) string {
			var calls []map[string]json.RawMessage
			json.Unmarshal([]byte(answer), &calls)
			var out []string
			for _, call := range calls {
				var item struct{ Name string }
				var ranges []any
				json.Unmarshal(call[side], &item)
				json.Unmarshal(call["fromRanges"], &ranges)
				out = append(out, fmt.Sprint(item.Name, len(ranges)))
			}
			return strings.Join(out, " ")
		}
		equal(t, "incoming of Parse", names(c.call(t, "callHierarchy/incomingCalls", map[string]any{"item": items[0]}),
			"from"), "Load2 LoadMode1")
		load := json.RawMessage(strings.ReplaceAll(string(items[0]), `"Parse"`, `"Load"`))
		equal(t, "outgoing of Load", names(c.call(t, "callHierarchy/outgoingCalls", map[string]any{"item": load}),
			"to"), "Parse2 Load1 LoadMode1")
	})
}

// The server learns of changes only by what it is told.
func TestWordsStaleness(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		c, dir := open(t, `{"language":"words"}`, map[string]string{"a.w": "def X\n", "b.w": "X\n"})
		a, b := filepath.Join(dir, "a.w"), filepath.Join(dir, "b.w")
		refs := func() string { return places(t, c.call(t, "textDocument/references", at(a, 0, 4))) }
		tell := func(path string, kind int) {
			c.Notify(t.Context(), "workspace/didChangeWatchedFiles",
				map[string]any{"changes": []any{map[string]any{"uri": uri.File(path), "type": kind}}})
		}
		document := func(method, path, text string, changes ...any) {
			c.Notify(t.Context(), "textDocument/"+method,
				map[string]any{"textDocument": map[string]any{"uri": uri.File(path), "version": 7, "text": text},
					"contentChanges": changes})
		}
		write(t, b, "X X\n")
		equal(t, "not told", refs(), "a.w:0:4-5 b.w:0:0-1")
		tell(b, 2)
		equal(t, "told", refs(), "a.w:0:4-5 b.w:0:0-1 b.w:0:2-3")
		document("didOpen", b, "é😀 X")
		equal(t, "open", refs(), "a.w:0:4-5 b.w:0:4-5")
		tell(b, 2)
		equal(t, "open and changed on disk", refs(), "a.w:0:4-5 b.w:0:4-5")
		document("didChange", b, "", map[string]any{"text": "Y", "range": map[string]any{
			"start": map[string]int{"line": 0, "character": 4}, "end": map[string]int{"line": 0, "character": 5}}},
			map[string]any{"text": "X\nX BAD", "range": map[string]any{
				"start": map[string]int{"line": 0, "character": 0}, "end": map[string]int{"line": 0, "character": 1}}})
		equal(t, "edited", refs(), "a.w:0:4-5 b.w:0:0-1 b.w:1:0-1")
		if text, open, known := c.server.Document(b); text != "X\nX BAD😀 Y" || !open || !known {
			t.Errorf("document %q %v %v", text, open, known)
		}
		document("didClose", b, "")
		equal(t, "closed", refs(), "a.w:0:4-5 b.w:0:0-1 b.w:0:2-3")
		os.Remove(b)
		tell(b, 3)
		equal(t, "deleted", refs(), "a.w:0:4-5")
		synctest.Wait()
		var pushed []string
		for _, line := range strings.Split(c.heard(), "\n") {
			pushed = append(pushed, fmt.Sprint(strings.Contains(line, `"version":7`), strings.Count(line, "severity")))
		}
		equal(t, "pushed diagnostics", strings.Join(pushed, ", "), "true 0, true 1, false 0")
	})
}

func TestWordsEncodings(t *testing.T) {
	for encoding, want := range map[string]string{"utf-8": "a.w:0:7-8", "utf-16": "a.w:0:4-5", "utf-32": "a.w:0:3-4"} {
		lsptest.Bubble(t, func(t *testing.T) {
			c, dir := open(t, `{"language":"words","position_encoding":"`+encoding+`"}`,
				map[string]string{"a.w": "é😀 X\n"})
			column := strings.Split(strings.TrimPrefix(want, "a.w:0:"), "-")[0]
			var n int
			fmt.Sscan(column, &n)
			equal(t, encoding, places(t, c.call(t, "textDocument/references", at(filepath.Join(dir, "a.w"), 0, n))),
				want)
		})
	}
}

func TestWordsFolders(t *testing.T) {
	lsptest.Bubble(t, func(t *testing.T) {
		one := project(t, map[string]string{"a.w": "def X\n"})
		two := project(t, map[string]string{"b.w": "X\n"})
		c := start(t, parse(t, `{"language":"words"}`))
		c.call(t, "initialize",
			map[string]any{"workspaceFolders": []any{map[string]any{"uri": uri.File(one), "name": "one"}}})
		refs := func() string {
			return places(t, c.call(t, "textDocument/references", at(filepath.Join(one, "a.w"), 0, 4)))
		}
		equal(t, "one", refs(), "a.w:0:4-5")
		change := func(kind, dir string) {
			event := map[string]any{"added": []any{}, "removed": []any{}}
			event[kind] = []any{map[string]any{"uri": uri.File(dir)}}
			c.Notify(t.Context(), "workspace/didChangeWorkspaceFolders", map[string]any{"event": event})
		}
		change("added", two)
		testkit.Holds(t, refs(), "b.w:0:0-1")
		change("removed", two)
		equal(t, "removed", refs(), "a.w:0:4-5")
	})
}
