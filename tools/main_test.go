package tools

import (
	"os"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestMain(m *testing.M) {
	if code, played := lsptest.Play(); played {
		os.Exit(code)
	}
	// an environment of Python of whoever runs the tests is none of their projects
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		_ = os.Unsetenv(name)
	}
	signaturePatience = time.Minute // on a busy machine, too, an answer is what servers say and not how fast they do
	os.Exit(testkit.Run(m))
}
