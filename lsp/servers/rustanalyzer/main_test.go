package rustanalyzer

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"lspi/lsp/lsptest"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	// The thread that starts processes lives as long as lspi.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1"))
}
