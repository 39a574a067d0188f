package toolstest

import (
	"path/filepath"
	"testing"

	"lspi/disk"
	"lspi/internal/testkit/sessions"
	"lspi/router"
	"lspi/workspace"
)

// NewEnv is a session on a workspace, with the whole catalogue unless rows names some of it. It ends with the test. The servers
// start as [testkit.ServerEnv] has it.
func NewEnv(t testing.TB, folder string, rows ...string) *workspace.Env {
	t.Helper()
	return envOf(t, sessions.Open(t, folder, sessions.Catalogue(rows...), func(o *router.PoolOptions) { o.Cache = filepath.Join(t.TempDir(), "cache") }))
}

// envOf is a session with its tools, which ends with the test.
func envOf(t testing.TB, s *sessions.Session) *workspace.Env {
	env := &workspace.Env{Settings: workspace.Settings{Workspace: s.Workspace}, Table: s.Table, Texts: s.Texts, Files: disk.OS{}, Log: s.Log, EditDir: s.EditDir, Pool: s.Pool}
	t.Cleanup(env.Close)
	return env
}

// WholeStd has rust-analyzer read the real standard library, not [testkit.SmallStd].
func WholeStd(env *workspace.Env) *workspace.Env {
	delete(env.Table.Specs[0].Env, "RUST_SRC_PATH")
	return env
}
