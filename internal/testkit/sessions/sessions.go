// Package sessions opens a workspace with servers in the process of a test, as cmd/lspi does it for a host. What the tests of tools,
// compare, faults and bench put around it is their own.
package sessions

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lspi/catalogue"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/lsptest"
	"lspi/router"
	"lspi/source"
)

// Session is a workspace with its servers, none of which runs yet. Who takes the pool closes it.
type Session struct {
	Workspace string // without symbolic links
	Table     *router.Table
	Texts     *source.Cache
	Pool      *router.Pool
	Log       *slog.Logger
	EditDir   string // where edits are remembered while they are applied
}

// Open opens a workspace with the servers of specs. change adapts how the pool is made.
func Open(t testing.TB, workspace string, specs []lsp.Spec, change ...func(*router.PoolOptions)) *Session {
	t.Helper()
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Workspace: real, Table: &router.Table{Workspace: real, Specs: specs}, Texts: source.NewCache(8 << 20), Log: Log(),
		EditDir: filepath.Join(t.TempDir(), "edit")}
	o := router.PoolOptions{Table: s.Table, Log: s.Log, Texts: s.Texts}
	for _, c := range change {
		c(&o)
	}
	s.Pool = router.NewPool(o)
	return s
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
