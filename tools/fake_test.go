package tools

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"lspi/disk"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/router"
	"lspi/source"
)

// playVariable makes the test binary play a scripted server.
const playVariable = "LSPI_TOOLS_PLAY"

func init() {
	if os.Getenv(playVariable) != "" {
		os.Exit(lsptest.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
}

// fake is a scripted server's spec: the test binary plays script for files that end in .w. changes adapt it.
func fake(t testing.TB, id, script string, changes ...func(*lsp.Spec)) lsp.Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), id+".json")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	spec := lsp.Spec{
		ID: id, Languages: []lsp.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:    []lsp.Command{{Name: exe, Args: []string{path}}},
		Env:         map[string]string{playVariable: "1", "GORACE": "atexit_sleep_ms=0"}, // else it takes a second longer to end
		Readiness:   lsp.Readiness{Sign: lsp.SignWaits},
		Freshness:   lsp.Freshness{Watched: true},
		Diagnostics: lsp.Diagnostics{Pull: true},
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}

// fakeEnv is a session with scripted servers.
func fakeEnv(t testing.TB, workspace string, specs ...lsp.Spec) *Env {
	t.Helper()
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	if os.Getenv("LSPI_TEST_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	table, texts := &router.Table{Workspace: real, Specs: specs}, source.NewCache(8<<20)
	env := &Env{Settings: Settings{Workspace: real}, Table: table, Texts: texts, Files: disk.OS{}, Log: log,
		EditDir: filepath.Join(t.TempDir(), "edit")}
	env.Pool = router.NewPool(router.PoolOptions{Table: table, Log: log, Texts: texts})
	t.Cleanup(env.Close)
	return env
}
