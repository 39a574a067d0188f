package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/spec"
)

// Hover is the answer to textDocument/hover as text.
type Hover struct {
	Text     string // Markdown, or plain text; "" when the server has nothing to say
	Markdown bool
}

// Hover answers textDocument/hover; nil when there is nothing at that position.
func (s *Snapshot) Hover(ctx context.Context, path string, at contract.Position) (*Hover, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	raw, err := s.ask(ctx, MethodHover, params)
	// null is an answer: the server has nothing to say here.
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var answer struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, s.Undecodable(ctx, MethodHover, raw, err)
	}
	h, ok := &Hover{}, false
	// Contents of an unknown form are an error and no empty hover: nothing to say and not understood are two answers.
	if h.Text, h.Markdown, ok = hoverText(answer.Contents); !ok {
		return nil, s.Undecodable(ctx, MethodHover, raw, errors.New("contents that are no text"))
	}
	if h.Text == "" {
		return nil, nil
	}
	return h, nil
}

// Documented is [Snapshot.Hover] with the documentation as the texts have it now.
func (s *Snapshot) Documented(ctx context.Context, path string, at contract.Position) (*Hover, error) {
	said, err := s.Hover(ctx, path, at)
	if confirm := s.hooks.Documented; confirm != nil && said != nil && err == nil {
		return confirm(ctx, s, path, at, said)
	}
	return said, err
}

// hoverText reads MarkupContent, MarkedString or an array of MarkedStrings; ok is false for anything else. Nothing
// at all is a text as well. The three forms are those of LSP 3.17 (Hover.contents); MarkedString is deprecated
// there, and servers still send it.
func hoverText(raw json.RawMessage) (text string, markdown, ok bool) {
	if len(raw) == 0 {
		return "", false, true
	}
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return strings.TrimSpace(plain), true, true
	}
	var many []json.RawMessage
	if json.Unmarshal(raw, &many) == nil {
		var parts []string
		for _, m := range many {
			t, _, ok := hoverText(m)
			if !ok {
				return "", false, false
			}
			if t != "" {
				parts = append(parts, t)
			}
		}
		return strings.Join(parts, "\n\n"), true, true
	}
	var marked struct {
		Kind     string  `json:"kind"`
		Language string  `json:"language"`
		Value    *string `json:"value"`
	}
	if json.Unmarshal(raw, &marked) != nil || marked.Value == nil {
		return "", false, false
	}
	value := strings.TrimSpace(*marked.Value)
	// A MarkedString with a language is code, and is shown as such; an empty block would only cost space.
	if marked.Language != "" && value != "" {
		return "```" + marked.Language + "\n" + value + "\n```", true, true
	}
	return value, marked.Kind != "plaintext" && value != "", true
}

// readOnlyMethods are the requests of the specification that only read; a server's own are in its row
// ([spec.Spec].Raw).
var readOnlyMethods = []string{MethodHover, MethodDefinition, MethodDeclaration, MethodTypeDefinition,
	MethodImplementation, MethodReferences, MethodDocumentSymbol, MethodWorkspaceSymbol,
	MethodSignatureHelp, MethodDocumentHighlight, MethodFoldingRange}

// RawRequests lists every request that may be passed on to one of these servers.
func RawRequests(specs []spec.Spec) []spec.RawRequest {
	var out []spec.RawRequest
	for _, method := range readOnlyMethods {
		r := spec.RawRequest{Method: method}
		if method == MethodWorkspaceSymbol {
			// The search of the workspace is the only one of these that is about no document, so that none is
			// opened for it.
			r.Names = spec.RawNone
		}
		out = append(out, r)
	}
	for _, s := range specs {
		for _, r := range s.Raw {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// RawMethods are the names of [RawRequests].
func RawMethods(specs []spec.Spec) []string {
	var out []string
	for _, r := range RawRequests(specs) {
		out = append(out, r.Method)
	}
	return out
}

// ClosestMethod returns the method among known that an unknown one most likely means; "" when none is near. What stands
// before the last slash does not count: most methods begin alike.
func ClosestMethod(method string, known []string) string {
	last := func(m string) string { return m[strings.LastIndexByte(m, '/')+1:] }
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = last(k)
	}
	if i := slices.Index(names, contract.Closest(last(method), names)); i >= 0 {
		return known[i]
	}
	return ""
}

// Raw passes a request on with its parameters as they are, but for the document, which is path; it is opened before
// where the server needs that. The answer is what the server wrote, nil for null.
func (s *Snapshot) Raw(ctx context.Context, r spec.RawRequest, path string,
	params map[string]json.RawMessage) (json.RawMessage, error) {
	all := make(map[string]any, len(params)+1)
	// A copy, because the document is written into it: params belongs to the caller. It is written last, so that
	// parameters cannot name another document than path, which was checked.
	for name, value := range params {
		all[name] = value
	}
	if r.Names != spec.RawNone {
		if _, err := s.docs.Open(ctx, path); err != nil {
			return nil, err
		}
	}
	switch r.Names {
	case spec.RawField:
		all["textDocument"] = protocol.TextDocumentIdentifier{URI: uri.File(path)}
	case spec.RawWhole:
		all["uri"] = uri.File(path)
	}
	return s.RequestRaw(ctx, r.Method, all)
}
