// Package sessions opens lspi on a workspace in the process of a test, as cmd/lspi does it for a host, for the tests of tools, compare,
// faults and bench.
package sessions

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lspi/catalogue"
	"lspi/disk"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/pool"
	"lspi/router"
	"lspi/source"
	"lspi/workspace"
)

// Open opens a session on a folder with the servers of specs, none of which runs yet. It ends with the test. change adapts how its pool is
// made.
func Open(t testing.TB, folder string, specs []lsp.Spec, change ...func(*pool.Options)) *workspace.Env {
	t.Helper()
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	env := &workspace.Env{Settings: workspace.Settings{Workspace: real}, Table: &router.Table{Workspace: real, Specs: specs},
		Texts: source.NewCache(8 << 20), Files: disk.OS{}, Log: Log(), EditDir: filepath.Join(t.TempDir(), "edit")}
	o := pool.Options{Table: env.Table, Log: env.Log, Texts: env.Texts}
	for _, c := range change {
		c(&o)
	}
	env.Pool = pool.New(o)
	t.Cleanup(env.Close)
	return env
}

// Log is where lspi logs in a test: to stderr with LSPI_TEST_LOG, else nowhere.
func Log() *slog.Logger {
	if os.Getenv("LSPI_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// Catalogue are the rows of the catalogue with the given ids, all of them without any, each with the environment of [testkit.ServerEnv].
func Catalogue(rows ...string) []lsp.Spec {
	specs := catalogue.Servers()
	if len(rows) > 0 {
		specs = slices.DeleteFunc(specs, func(s lsp.Spec) bool { return !slices.Contains(rows, s.ID) })
	}
	for i := range specs {
		specs[i].Env = testkit.ServerEnv(specs[i].ID)
	}
	return specs
}

// Scripted is the row of a scripted server for files that end in .w. changes adapt it.
func Scripted(id string, server lsptest.Program, changes ...func(*lsp.Spec)) lsp.Spec {
	spec := lsp.Spec{
		ID: id, Languages: []lsp.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:    []lsp.Command{{Name: server.Path, Args: []string{server.Script}}},
		Env:         server.Env,
		Readiness:   lsp.Readiness{Sign: lsp.SignWaits},
		Freshness:   lsp.Freshness{Watched: true},
		Diagnostics: lsp.Diagnostics{Pull: true},
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}
