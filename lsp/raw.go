package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lsp/spec"
)

// rawMethods are the requests of the specification that only read; a server's own are in its row ([spec.Spec].Raw).
var rawMethods = []string{MethodHover, MethodDefinition, MethodDeclaration, MethodTypeDefinition, MethodImplementation, MethodReferences,
	MethodDocumentSymbol, MethodWorkspaceSymbol, MethodSignatureHelp, MethodDocumentHighlight, MethodFoldingRange}

// RawRequests lists every request that may be passed on to one of these servers.
func RawRequests(specs []spec.Spec) []spec.RawRequest {
	var out []spec.RawRequest
	for _, method := range rawMethods {
		r := spec.RawRequest{Method: method}
		if method == MethodWorkspaceSymbol {
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

// URIPath is the path of a file URI; ok is false for any other.
func URIPath(raw string) (path string, ok bool) { return URIToPath(raw) }
