package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

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
	raw, err := s.requestAt(ctx, MethodHover, params)
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

// hoverText reads MarkupContent, MarkedString or an array of MarkedStrings; ok is false for anything else. Nothing at all
// is a text as well.
// The three forms are those of LSP 3.17 (Hover.contents); MarkedString is deprecated there, and servers still send it.
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

// ahead are requests about a position that were sent before anyone waits for their answers, and what the server sees at the position that
// the question is about: several parts of an answer rest on it.
type ahead struct {
	mu    sync.Mutex
	sent  []*sentAhead // guarded by mu; each is taken once
	sight *Sight       // guarded by mu; nil until the server was asked
	at    sightPlace   // of sight; guarded by mu
	uses  *askedUses   // the first references that were asked for; nil until then; guarded by mu
}

// usesPlace is where references are asked for, after which texts were sent.
type usesPlace struct {
	sightPlace
	declaration bool
	edition     uint64
	pushes      int // of diagnostics, which follow each parse
}

type askedUses struct {
	usesPlace
	places []Place       // written before done is closed
	err    error         // written before done is closed
	done   chan struct{} // closed when the server has answered
}

// sightPlace is where a server is asked what it sees, in which text.
type sightPlace struct {
	path    string
	at      contract.Position
	version int32
}

type sentAhead struct {
	method string
	params protocol.TextDocumentPositionParams
	cancel context.CancelFunc // of whoever has the request: who sent it, until another takes it
	raw    json.RawMessage    // written before done is closed
	err    error              // written before done is closed
	done   chan struct{}
}

// aboutPositions are the requests that have no parameters but a position.
var aboutPositions = []string{MethodDefinition, MethodDeclaration, MethodTypeDefinition, MethodImplementation, MethodHover, MethodCallHierarchy,
	MethodTypeHierarchy}

// Ahead sends a request about a position that the question is going to make, so that the server works on it while the caller waits for
// something else: the method for it then takes its answer. Other requests are not sent. end has to be called: it cancels the request if
// nobody took it. Who took it may be another part of the answer than the one that sent it, so the request does not end with ctx.
func (s *Snapshot) Ahead(ctx context.Context, method, path string, at contract.Position) (end func()) {
	if !slices.Contains(aboutPositions, method) || !s.Offers(method) {
		return func() {}
	}
	params, err := s.position(ctx, path, at)
	if err != nil { // which who makes the request finds, too
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &sentAhead{method: method, params: params, cancel: cancel, done: make(chan struct{})}
	s.ahead.mu.Lock()
	s.ahead.sent = append(s.ahead.sent, r)
	s.ahead.mu.Unlock()
	go func() {
		defer close(r.done)
		r.raw, r.err = s.RequestRaw(ctx, method, params)
	}()
	return func() {
		if s.ahead.take(func(other *sentAhead) bool { return other == r }) != nil {
			r.end()
		}
	}
}

// take gives the caller a request that was sent, which is then the caller's to wait for and to end; nil when there is none.
func (a *ahead) take(wanted func(*sentAhead) bool) *sentAhead {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.sent, wanted)
	if i < 0 {
		return nil
	}
	r := a.sent[i]
	a.sent = slices.Delete(a.sent, i, i+1)
	return r
}

// end cancels the request and waits for its end.
func (r *sentAhead) end() {
	r.cancel()
	<-r.done
}

// requestAt is [Connection.RequestRaw] for a request about a position, which may have been sent already.
func (s *Snapshot) requestAt(ctx context.Context, method string, params protocol.TextDocumentPositionParams) (json.RawMessage, error) {
	r := s.ahead.take(func(r *sentAhead) bool { return r.method == method && r.params == params })
	if r == nil {
		return s.RequestRaw(ctx, method, params)
	}
	defer r.end()
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also when both are true, as for a request that is made now
		return nil, s.explain(ctx, method, context.Cause(ctx))
	}
	return r.raw, r.err
}

// rawMethods are the requests of the specification that only read; a server's own are in its row ([spec.Spec].Raw).
var rawMethods = []string{MethodHover, MethodDefinition, MethodDeclaration, MethodTypeDefinition, MethodImplementation, MethodReferences,
	MethodDocumentSymbol, MethodWorkspaceSymbol, MethodSignatureHelp, MethodDocumentHighlight, MethodFoldingRange}

// RawRequests lists every request that may be passed on to one of these servers.
func RawRequests(specs []spec.Spec) []spec.RawRequest {
	var out []spec.RawRequest
	for _, method := range rawMethods {
		r := spec.RawRequest{Method: method}
		if method == MethodWorkspaceSymbol {
			// The search of the workspace is the only one of these that is about no document, so that none is opened for it.
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

// Raw passes a request on with its parameters as they are, but for the document, which is path; it is opened before
// where the server needs that. The answer is what the server wrote, nil for null.
func (s *Snapshot) Raw(ctx context.Context, r spec.RawRequest, path string, params map[string]json.RawMessage) (json.RawMessage, error) {
	all := make(map[string]any, len(params)+1)
	// A copy, because the document is written into it: params belongs to the caller. It is written last, so that parameters cannot name
	// another document than path, which was checked.
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
