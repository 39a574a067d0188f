package toolstest

import (
	"path/filepath"
	"testing"

	"lspi/internal/testkit/sessions"
	"lspi/pool"
	"lspi/workspace"
)

// NewEnv is a session on a workspace, with the whole catalogue unless rows names some of it. It ends with the test. The servers
// start as [testkit.ServerEnv] has it.
func NewEnv(t testing.TB, folder string, rows ...string) *workspace.Env {
	t.Helper()
	return sessions.Open(t, folder, sessions.Catalogue(rows...), func(o *pool.Options) { o.Cache = filepath.Join(t.TempDir(), "cache") })
}

// WholeStd has rust-analyzer read the real standard library, not [testkit.SmallStd].
func WholeStd(env *workspace.Env) *workspace.Env {
	delete(env.Table.Specs[0].Env, "RUST_SRC_PATH")
	return env
}
