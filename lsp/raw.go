package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// RawField is a textDocument among the parameters, RawWhole parameters that are the document's identifier themselves, and
// RawNone a request about no document.
const (
	RawField RawDocument = iota
	RawWhole
	RawNone
)

// rawRequests are those of the specification; a server's own are in its row ([Spec].Raw).
var rawRequests = []RawRequest{
	{MethodHover, RawField}, {MethodDefinition, RawField}, {MethodDeclaration, RawField}, {MethodTypeDefinition, RawField},
	{MethodImplementation, RawField}, {MethodReferences, RawField}, {MethodDocumentSymbol, RawField},
	{MethodWorkspaceSymbol, RawNone}, {MethodSignatureHelp, RawField}, {MethodDocumentHighlight, RawField},
	{MethodFoldingRange, RawField},
}

// RawRequests lists every request that may be passed on to one of these servers.
func RawRequests(specs []Spec) []RawRequest {
	out := slices.Clone(rawRequests)
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
func RawMethods(specs []Spec) []string {
	var out []string
	for _, r := range RawRequests(specs) {
		out = append(out, r.Method)
	}
	return out
}

// Raw passes a request on with its parameters as they are, but for the document, which is path; it is opened before
// where the server needs that. The answer is what the server wrote, nil for null.
func (s *Server) Raw(ctx context.Context, r RawRequest, path string, params map[string]json.RawMessage) (json.RawMessage, error) {
	all := make(map[string]any, len(params)+1)
	for name, value := range params {
		all[name] = value
	}
	if r.Names != RawNone {
		if _, err := s.Open(ctx, path); err != nil {
			return nil, err
		}
	}
	switch r.Names {
	case RawField:
		all["textDocument"] = protocol.TextDocumentIdentifier{URI: uri.File(path)}
	case RawWhole:
		all["uri"] = uri.File(path)
	}
	return s.RequestRaw(ctx, r.Method, all)
}

// URIPath is the path of a file URI; ok is false for any other.
func URIPath(raw string) (path string, ok bool) { return URIToPath(raw) }
