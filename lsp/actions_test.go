package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/spec"
)

// dataBytes is what a store holds of diagnostics' data, counted anew.
func (d *diagnosticStore) dataBytes() int {
	n := 0
	for path, p := range d.files {
		if path == "/full" {
			n += p.data
		}
		for _, i := range p.items {
			n += len(i.Data)
		}
	}
	return n
}

// pushData pushes so many diagnostics of a file, each with so many bytes of data.
func pushData(d *diagnosticStore, file string, items, bytes int) {
	all := make([]any, items)
	for i := range all {
		all[i] = map[string]any{"message": fmt.Sprint(i), "data": strings.Repeat("d", bytes-2),
			"range": map[string]any{"start": map[string]any{"line": 0, "character": 0},
				"end": map[string]any{"line": 0, "character": 0}}}
	}
	d.publish(lsptest.Raw(map[string]any{"uri": "file:///" + file, "diagnostics": all}))
}

// The data that a server keeps in diagnostics is bounded, all of it and that of each; the diagnostics stay.
func TestPublishedDataIsBounded(t *testing.T) {
	d := newDiagnosticStore()
	const room = 10 * maxData
	d.files["/full"], d.data = published{data: maxAllData - room}, maxAllData-room
	count := func(file string) (items, with int) {
		p, _ := d.get("/" + file)
		for _, i := range p.items {
			if i.Data != nil {
				with++
			}
		}
		return len(p.items), with
	}
	for n, c := range []struct {
		file         string
		items, bytes int
		with         int // diagnostics whose data is kept
	}{
		{"a", 3, maxData + 1, 0},
		{"a", 6, maxData, 6},
		{"b", 6, maxData, 4},
		{"c", 2, 10, 0},
		{"a", 2, maxData, 2}, // makes room, which is not for what came before
		{"c", 2, 10, 2},
		{"b", 6, maxData, 6},
		{"d", 6, maxData, 1}, // c has some of the last
		{"b", 0, 0, 0},
		{"d", 9, maxData, 7},
		{"e", 40, 1000, 16},
	} {
		pushData(d, c.file, c.items, c.bytes)
		if items, with := count(c.file); items != c.items || with != c.with {
			t.Errorf("push %d: %d diagnostics, %d with data, want %d and %d", n, items, with, c.items, c.with)
		}
		if d.data != d.dataBytes() || d.data > maxAllData {
			t.Fatalf("push %d: %d bytes, counted %d, at most %d", n, d.dataBytes(), d.data, maxAllData)
		}
	}
	for path := range d.files {
		d.forget(path)
	}
	d.forget("/nothing")
	testkit.Equal(t, d.data, 0)
}

// A diagnostic comes back to the server as it was said, in the context of the question for actions.
func TestActionsAreAskedForWithTheDiagnosticsData(t *testing.T) {
	said := map[string]any{"message": " no X\n", "severity": 2, "code": "E1", "source": "words", "tags": []any{1},
		"data": map[string]any{"fix": []any{1, "Y"}},
		"range": map[string]any{"start": map[string]any{"line": 0, "character": 4},
			"end": map[string]any{"line": 0, "character": 5}}}
	bare := map[string]any{"message": "bare", "data": nil, "code": nil, "range": said["range"]}
	// No language, in which the server would push diagnostics of its own.
	f := newFake(t, &lsptest.Script{CapabilitiesPatch: raw(`{"codeActionProvider":true,"diagnosticProvider":null}`),
		Rules: []lsptest.Rule{rule(MethodCodeAction, result([]any{}))}}, "a.w", "def X\n")
	f.spec.Diagnostics = spec.Diagnostics{Versioned: true}
	s := f.start()
	path := f.path("a.w")
	f.must(s.Sync(t.Context()))
	_, err := s.docs.Open(t.Context(), path)
	f.must(err)
	s.requests.hear(MethodPublishDiag,
		lsptest.Raw(map[string]any{"uri": "file://" + path, "version": 1, "diagnostics": []any{said, bare}}))
	d, err := s.diagnostics.Of(t.Context(), []string{path})
	f.must(err)
	findings := d.Reports[0].Findings
	if len(findings) != 2 || findings[0].Message != "no X" {
		t.Fatalf("%v", findings)
	}
	where := contract.Range{Start: contract.Position{Line: 1, Character: 5},
		End: contract.Position{Line: 1, Character: 6}}
	actions, err := s.Unverified().Actions(t.Context(),
		ActionQuery{Path: path, Range: where, Only: []string{"quickfix"}, About: findings})
	if err != nil || len(actions) > 0 {
		t.Fatal(actions, err)
	}
	delete(bare, "data")
	delete(bare, "code")
	want := map[string]any{"diagnostics": []any{said, bare}, "only": []any{"quickfix"}, "triggerKind": 1}
	var got struct{ Context map[string]any }
	f.must(json.Unmarshal(lsptest.Messages(f.seen(), MethodCodeAction)[0].Params, &got))
	testkit.Equal(t, string(lsptest.Raw(got.Context)), string(lsptest.Raw(want)), "asked with")
}
