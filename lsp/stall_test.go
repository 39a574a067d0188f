//go:build unix

package lsp

import (
	"strings"
	"testing"
	"time"

	"lspi/contract"
	"lspi/lsp/lsptest"
)

// A server that announces more bytes than it sends is ended after seconds, and the error says why.
func TestWrongLengthIsTold(t *testing.T) {
	t.Parallel()
	script := words()
	script.Rules = append(script.Rules, rule("textDocument/hover",
		lsptest.Action{Stdout: "Content-Length: 1000\r\n\r\n" + `{"jsonrpc":"2.0","id":${id},"result":null}`},
		lsptest.Action{Hang: true}))
	f := newFake(t, script, "a.w", sample)
	s := f.start()
	began := time.Now()
	_, err := s.Unverified().Hover(t.Context(), f.path("a.w"), load)
	if took := time.Since(began); kindOf(err) != contract.KindServerCrashed || took > 15*time.Second {
		t.Fatalf("after %v: %v", took, err)
	}
	if exit, _ := facts(t, err)["exit"].(string); !strings.Contains(exit, "announced with 1000") {
		t.Errorf("exit: %q", exit)
	}
	gone(t, f.starts()...)
}
