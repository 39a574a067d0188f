//go:build unix

package lsp

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/wire"
)

// A method that the server offers and does not know yet is asked for again; one that it never knows is not supported.
func TestUnknownMethodsInTheFirstMoments(t *testing.T) {
	unknown := lsptest.Action{Error: &lsptest.Error{Code: wire.CodeMethodNotFound, Message: "Unhandled method"}}
	first := rule(MethodHover, unknown)
	first.Nth = 1
	later := rule(MethodHover, result(map[string]any{"contents": "here"}))
	f := newFake(t, &lsptest.Script{CapabilitiesPatch: raw(`{"declarationProvider":null}`),
		Rules: []lsptest.Rule{first, later, rule(MethodDefinition, unknown), rule(MethodDeclaration, unknown)}}, "a.w",
		sample)
	s := f.start()
	path, at := f.path("a.w"), contract.Position{Line: 1, Character: 1}
	h, err := s.Unverified().Hover(t.Context(), path, at)
	f.must(err)
	testkit.Equal(t, h.Text, "here")
	params := map[string]any{"textDocument": map[string]any{"uri": "file://" + path},
		"position": map[string]any{"line": 0, "character": 0}}
	for _, method := range []string{MethodDefinition, MethodDeclaration} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var answer json.RawMessage
		if err := s.requestUnoffered(ctx, method, params, &answer); kindOf(err) != contract.KindRequestUnsupported {
			t.Errorf("%s: %v", method, err)
		}
	}
	testkit.Equal(t, len(lsptest.Messages(f.seen(), MethodDeclaration)), 1, "asked for what is not offered")
	if n := len(lsptest.Messages(f.seen(), MethodDefinition)); n < 2 || n > 30 {
		t.Errorf("asked %d times", n)
	}
}
