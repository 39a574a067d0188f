package lsp

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// SwitchSourceHeader answers clangd's textDocument/switchSourceHeader: the header of a source file or the other way
// round; "" when the server knows none.
func (s *Server) SwitchSourceHeader(ctx context.Context, path string) (string, error) {
	if _, err := s.Open(ctx, path); err != nil {
		return "", err
	}
	raw, err := s.RequestRaw(ctx, MethodSwitchHeader, protocol.TextDocumentIdentifier{URI: uri.File(path)})
	if err != nil || len(raw) == 0 {
		return "", err
	}
	var answer string
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", s.Undecodable(MethodSwitchHeader, raw, err)
	}
	paired, _ := URIToPath(answer)
	return paired, nil
}
