package mcpserver

import (
	"os"
	"testing"

	"lspi/internal/mcptest"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestMain(m *testing.M) {
	if mcptest.Play(otherServers) {
		return
	}
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	os.Exit(testkit.Run(m))
}
