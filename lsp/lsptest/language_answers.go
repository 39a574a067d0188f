package lsptest

import (
	"encoding/json"
	"strings"

	"go.lsp.dev/uri"
)

// kindFunction is the symbol kind of every definition (LSP 3.18, SymbolKind.Function).
const kindFunction = 12

// wordsAnswers are the answers of the words language, by method.
var wordsAnswers = map[string]func(*Server, json.RawMessage) (any, error){
	"textDocument/definition":           answerBy((*documents).define),
	"textDocument/declaration":          answerBy((*documents).define),
	"textDocument/typeDefinition":       answerBy((*documents).define),
	"textDocument/implementation":       answerBy((*documents).implement),
	"textDocument/references":           answerBy((*documents).refer),
	"textDocument/hover":                answerBy((*documents).hover),
	"textDocument/prepareRename":        answerBy((*documents).prepareRename),
	"textDocument/rename":               answerBy((*documents).rename),
	"textDocument/prepareCallHierarchy": answerBy((*documents).prepareCalls),
	"callHierarchy/incomingCalls":       answerBy((*documents).incoming),
	"callHierarchy/outgoingCalls":       answerBy((*documents).outgoing),
	"textDocument/documentSymbol":       answerBy((*documents).symbols),
	"textDocument/diagnostic":           answerBy((*documents).pull),
	"workspace/symbol":                  answerBy((*documents).search),
}

// asked holds the parameters of all these requests.
type asked struct {
	TextDocument textDocument
	Position     position
	Context      struct{ IncludeDeclaration bool }
	NewName      string
	Query        string
	Item         symbol
}

func answerBy(answer func(*documents, asked) any) func(*Server, json.RawMessage) (any, error) {
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
	return d.locations(occurrencesOf(d.words(), w.name, func(w word) bool { return w.role == implementation }))
}

func (d *documents) refer(p asked) any {
	w, _ := d.wordAt(p.TextDocument.URI, p.Position)
	return d.locations(occurrencesOf(d.words(), w.name, func(w word) bool {
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
	for _, use := range occurrencesOf(d.words(), w.name, nil) {
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
