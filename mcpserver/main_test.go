package mcpserver

import (
	"os"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	os.Exit(testkit.Run(m))
}
