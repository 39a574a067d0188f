package lsptest

import (
	"encoding/json"
	"strings"

	"go.lsp.dev/uri"
)

// kindFunction is the symbol kind of every definition (LSP 3.18, SymbolKind.Function).
const kindFunction = 12

// wordsAnswers is the requests that the words language serves.
var wordsAnswers = map[string]func(*Server, json.RawMessage) (any, error){
	"textDocument/definition":           at((*documents).define),
	"textDocument/declaration":          at((*documents).define),
	"textDocument/typeDefinition":       at((*documents).define),
	"textDocument/implementation":       at((*documents).implement),
	"textDocument/references":           at((*documents).refer),
	"textDocument/hover":                at((*documents).hover),
	"textDocument/prepareRename":        at((*documents).prepareRename),
	"textDocument/rename":               at((*documents).rename),
	"textDocument/prepareCallHierarchy": at((*documents).prepareCalls),
	"callHierarchy/incomingCalls":       at((*documents).incoming),
	"callHierarchy/outgoingCalls":       at((*documents).outgoing),
	"textDocument/documentSymbol":       at((*documents).symbols),
	"textDocument/diagnostic":           at((*documents).pull),
	"workspace/symbol":                  at((*documents).search),
}

// asked is the parameters of all these requests.
type asked struct {
	TextDocument textDocument
	Position     position
	Context      struct{ IncludeDeclaration bool }
	NewName      string
	Query        string
	Item         symbol
}

func at(answer func(*documents, asked) any) func(*Server, json.RawMessage) (any, error) {
	return func(s *Server, params json.RawMessage) (any, error) {
		var p asked
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return answer(&s.docs, p), nil
	}
}

func (d *documents) define(p asked) any {
	if w, ok := d.wordAt(p.TextDocument.URI, p.Position); ok {
		if def, ok := definitionOf(d.words(), w.name); ok {
			return d.location(def)
		}
	}
	return nil
}

func (d *documents) implement(p asked) any {
	w, _ := d.wordAt(p.TextDocument.URI, p.Position)
	return d.locations(named(d.words(), w.name, func(w word) bool { return w.role == implementation }))
}

func (d *documents) refer(p asked) any {
	w, _ := d.wordAt(p.TextDocument.URI, p.Position)
	return d.locations(named(d.words(), w.name, func(w word) bool {
		return p.Context.IncludeDeclaration || w.role != definition
	}))
}

func (d *documents) hover(p asked) any {
	w, ok := d.wordAt(p.TextDocument.URI, p.Position)
	if !ok {
		return nil
	}
	shown := w
	if def, ok := definitionOf(d.words(), w.name); ok {
		shown = def
	}
	return map[string]any{
		"contents": map[string]string{"kind": "markdown", "value": "```words\n" + shown.text + "\n```"},
		"range":    d.span(w),
	}
}

func (d *documents) prepareRename(p asked) any {
	if w, ok := d.wordAt(p.TextDocument.URI, p.Position); ok {
		return map[string]any{"range": d.span(w), "placeholder": w.name}
	}
	return nil
}

func (d *documents) rename(p asked) any {
	w, ok := d.wordAt(p.TextDocument.URI, p.Position)
	if !ok {
		return nil
	}
	changes := make(map[string][]map[string]any)
	for _, use := range named(d.words(), w.name, nil) {
		at := d.location(use)
		changes[at.URI] = append(changes[at.URI], map[string]any{"range": at.Range, "newText": p.NewName})
	}
	return map[string]any{"changes": changes}
}

func (d *documents) symbols(p asked) any {
	path := pathOf(p.TextDocument.URI)
	_, texts := d.snapshot()
	out := []symbol{}
	for _, w := range wordsIn(path, texts[path]) {
		if w.role == definition {
			one := d.item(w, texts)
			one.URI = ""
			out = append(out, one)
		}
	}
	return out
}

func (d *documents) search(p asked) any {
	out := []map[string]any{}
	for _, w := range d.words() {
		if w.role == definition && strings.Contains(strings.ToLower(w.name), strings.ToLower(p.Query)) {
			out = append(out, map[string]any{"name": w.name, "kind": kindFunction, "location": d.location(w)})
		}
	}
	return out
}

func uriOf(path string) string { return string(uri.File(path)) }
