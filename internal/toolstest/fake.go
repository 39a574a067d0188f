package toolstest

import (
	"testing"

	"lspi/internal/testkit/sessions"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/workspace"
)

// Fake is a scripted server's spec: the test binary plays script for files that end in .w. changes adapt it.
func Fake(t testing.TB, id, script string, changes ...func(*lsp.Spec)) lsp.Spec {
	t.Helper()
	parsed, err := lsptest.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return sessions.Scripted(id, lsptest.NewProgram(t, parsed), changes...)
}

// FakeEnv is a session with scripted servers.
func FakeEnv(t testing.TB, folder string, specs ...lsp.Spec) *workspace.Env {
	t.Helper()
	return sessions.Open(t, folder, specs)
}
