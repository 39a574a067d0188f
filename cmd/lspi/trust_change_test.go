package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools"
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
		session, err := s.open(t.Context(), nil)
		testkit.Must(t, err)
		t.Cleanup(session.Close)
		return session.Outdated
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

const disguise = "\u202e\u200b\x1b[31m\u009b31m\u2028\U000e0041"

// The log keeps a text as it is, in a form that a terminal does not obey.
func TestLogHoldsNoControls(t *testing.T) {
	var b bytes.Buffer
	newLogs(&b).log.Warn("skipped", "text", disguise)
	var line struct{ Text string }
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line.Text != disguise {
		t.Errorf("%q, %v", line.Text, err)
	}
	if strings.ContainsAny(b.String(), "\u202e\u200b\x1b\u009b\u2028\U000e0041") {
		t.Errorf("raw characters in %q", b.String())
	}
}

// What stands in an envelope exactly is printed without its controls.
func TestCallPrintsNoControls(t *testing.T) {
	raw, err := contract.Marshal(contract.Envelope{Tool: "check_edit", NextSteps: []contract.NextStep{{Kind: contract.StepTool,
		Message: "Apply.", Tool: "check_edit", Arguments: map[string]any{"new_text": disguise}}}, Body: map[string]string{"symbol": disguise}})
	testkit.Must(t, err)
	for _, asJSON := range []bool{true, false} {
		var out bytes.Buffer
		testkit.Must(t, tell(&out, &out, tools.Result{OK: true, Structured: raw}, asJSON))
		if at := strings.IndexAny(out.String(), "\u202e\u200b\x1b\u009b\u2028\U000e0041"); at >= 0 {
			t.Errorf("raw characters at %d of %q", at, out.String())
		}
	}
}
