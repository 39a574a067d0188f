package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/testkit"
)

// A session that runs hears that the user trusts its workspace, and that they do no more.
func TestTrustChangesWhileASessionRuns(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	root := filepath.Join(home, "ws")
	testkit.Must(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/.config", "XDG_STATE_HOME": home + "/.state",
		"LSPI_TRUST": "", "LSPI_CONFIG_PATH": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "", "GEMINI_CLI_TRUSTED_FOLDERS_PATH": ""} {
		t.Setenv(name, value)
	}
	s := newSession(&sessionFlags{workspaceRoot: root}, io.Discard)
	open := func() func() bool {
		t.Helper()
		env, err := s.open(t.Context(), nil)
		testkit.Must(t, err)
		t.Cleanup(env.Close)
		return env.Outdated
	}
	outdated := open()
	if outdated() {
		t.Error("outdated though nothing changed")
	}
	store := trust.Open(folders.User{})
	e, err := trust.DescribeWorkspace(root, false)
	if err == nil {
		err = store.TrustWorkspace(e)
	}
	testkit.Must(t, err)
	if !outdated() {
		t.Error("not outdated though it is trusted now")
	}
	outdated = open()
	if outdated() {
		t.Error("outdated right after it was opened")
	}
	if _, err := store.Untrust(root); err != nil {
		t.Fatal(err)
	}
	if !outdated() {
		t.Error("not outdated though it is trusted no more")
	}
}
