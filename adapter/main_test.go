package adapter

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/lsp/watch"
	"lspi/source"
)

// playVariable makes the test binary a scripted server.
const playVariable = "LSPI_TEST_FAKELS"

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) != "" {
		os.Exit(lsptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	// The thread that starts processes lives as long as lspi.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("lspi/lsp/process.startSpawner.func1"))
}

// scripted is a server of a script, as a real process, with the files of a project (path, text, path, text, …). adjust changes its row;
// seen are the messages that it received.
func scripted(t *testing.T, script *lsptest.Script, adjust func(*lsp.Spec), files ...string) (s *lsp.Server, path func(rel string) string, seen func(method string) int) {
	t.Helper()
	must := func(err error) {
		if t.Helper(); err != nil {
			t.Fatal(err)
		}
	}
	dir, own := testkit.Folder(t), t.TempDir()
	path = func(rel string) string { return filepath.Join(dir, filepath.FromSlash(rel)) }
	for i := 0; i < len(files); i += 2 {
		must(os.MkdirAll(filepath.Dir(path(files[i])), 0o755))
		must(os.WriteFile(path(files[i]), []byte(files[i+1]), 0o644))
	}
	exe, err := os.Executable()
	must(err)
	script.Language, script.EventsFile = "words", filepath.Join(own, "events")
	must(os.WriteFile(filepath.Join(own, "script.json"), lsptest.Raw(script), 0o600))
	spec := &lsp.Spec{
		ID: "fake", Languages: []lsp.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:  []lsp.Command{{Name: exe, Args: []string{filepath.Join(own, "script.json"), "--stdio"}}},
		Env:       map[string]string{playVariable: "1", "GORACE": "atexit_sleep_ms=0"},
		Readiness: lsp.Readiness{Sign: lsp.SignWaits}, Freshness: lsp.Freshness{Watched: true},
	}
	adjust(spec)
	journal := watch.Open(dir, watch.Options{})
	t.Cleanup(func() { _ = journal.Close() })
	s, err = lsp.Start(t.Context(), lsp.Options{Spec: spec, Root: dir, Journal: journal, Texts: source.NewCache(1 << 20), Log: slog.New(slog.DiscardHandler), Adapter: New})
	must(err)
	t.Cleanup(s.Close)
	return s, path, func(method string) int {
		all, err := lsptest.ReadEvents(script.EventsFile)
		must(err)
		return len(lsptest.Messages(all, method))
	}
}
