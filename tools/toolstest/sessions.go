// Package sessions opens lspi on a workspace in the process of a test, as cmd/lspi does it for a host, for the
// tests of tools, compare, faults and bench.
package toolstest

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lspi/internal/source"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
)

// Real opens a session on a folder with the whole catalogue, or with the rows that are named. Servers start as
// [testkit.ServerEnv] has it, and keep their caches in a folder of the test.
func Real(t testing.TB, folder string, rows ...string) *session.Session {
	t.Helper()
	return RealWith(t, folder, nil, rows...)
}

// callTimeout is what a user of a busy machine would set (mcp.call_timeout_ms). Of it, audits have their share: with
// the default, an answer beside other work is partial because the server could not be asked about every place in time.
const callTimeout = 3 * session.DefaultCallTimeout

// RealWith is [Real] with more variables in the environment of the servers, before those of [testkit.ServerEnv]; the
// environment of the test is that of all tests that run in parallel.
func RealWith(t testing.TB, folder string, env map[string]string, rows ...string) *session.Session {
	t.Helper()
	specs := Catalogue(rows...)
	for i := range specs {
		all := maps.Clone(specs[i].Env)
		if all == nil {
			all = map[string]string{}
		}
		maps.Copy(all, env)
		specs[i].Env = all
	}
	session := OpenWith(t, folder, func(o *router.PoolOptions) {
		o.Cache = filepath.Join(t.TempDir(), "cache")
	}, specs...)
	session.Settings.CallTimeout = callTimeout
	return session
}

// Open opens a session on a folder with the servers of specs, none of which runs yet. It ends with the test.
func Open(t testing.TB, folder string, specs ...spec.Spec) *session.Session {
	t.Helper()
	return OpenWith(t, folder, func(*router.PoolOptions) {}, specs...)
}

// OpenWith is [Open] with a pool whose options the test changes.
func OpenWith(t testing.TB, folder string, change func(*router.PoolOptions), specs ...spec.Spec) *session.Session {
	t.Helper()
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	o := router.PoolOptions{Launcher: servers.Launcher}
	change(&o)
	w, err := NewProcess(t).Open("", &router.Table{Workspace: real, Specs: specs}, o)
	if err != nil {
		t.Fatal(err)
	}
	session := &session.Session{Workspace: w}
	t.Cleanup(session.Close)
	return session
}

// NewProcess is what the sessions of one process of lspi share in a test.
func NewProcess(t testing.TB) *session.Process {
	t.Helper()
	return &session.Process{Log: Log(), Texts: source.NewCache(8 << 20), Files: source.OS{},
		EditDir: filepath.Join(t.TempDir(), "edit")}
}

// Log is where lspi logs in a test: to stderr with LSPI_TEST_LOG, else nowhere.
func Log() *slog.Logger {
	if os.Getenv("LSPI_TEST_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

// Catalogue are the rows of the catalogue with the given ids, all of them without any, each with the environment of
// [testkit.ServerEnv].
func Catalogue(rows ...string) []spec.Spec {
	specs := servers.Servers()
	if len(rows) > 0 {
		specs = slices.DeleteFunc(specs, func(s spec.Spec) bool { return !slices.Contains(rows, s.ID) })
	}
	for i := range specs {
		specs[i].Env = testkit.ServerEnv(specs[i].ID)
	}
	return specs
}

// WholeStd has rust-analyzer, the first server of a session, read the real standard library, not [testkit.SmallStd].
func WholeStd(session *session.Session) *session.Session {
	delete(session.Workspace.Table.Specs[0].Env, "RUST_SRC_PATH")
	return session
}

// Fake is the row of a server that plays a script, for files that end in .w. changes adapt it.
func Fake(t testing.TB, id, script string, changes ...func(*spec.Spec)) spec.Spec {
	t.Helper()
	parsed, err := lsptest.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return Scripted(id, lsptest.NewProgram(t, parsed), changes...)
}

// Scripted is [Fake] for a program that the test holds.
func Scripted(id string, server lsptest.Program, changes ...func(*spec.Spec)) spec.Spec {
	spec := spec.Spec{
		ID: id, Languages: []spec.Language{{ID: "words", Extensions: []string{"w"}}},
		Commands:    []spec.Command{{Name: server.Path, Args: []string{server.Script}}},
		Env:         server.Env,
		Readiness:   spec.Readiness{Sign: spec.SignWaits},
		Freshness:   spec.Freshness{Watched: true},
		Diagnostics: spec.Diagnostics{Pull: true},
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}
