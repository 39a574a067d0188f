package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools"
	"lspi/tools/session"
)

// A running session follows when the user trusts its workspace, and when they take that back.
func TestTrustChangesWhileASessionRuns(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	root := filepath.Join(home, "ws")
	testkit.Must(t, os.MkdirAll(filepath.Join(root, ".git"), 0o755))
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home + "/.config",
		"XDG_STATE_HOME": home + "/.state",
		"LSPI_TRUST":     "", "LSPI_CONFIG_PATH": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": "",
		"GEMINI_CLI_TRUSTED_FOLDERS_PATH": ""} {
		t.Setenv(name, value)
	}
	s := newWiring(&sessionFlags{workspaceRoot: root}, io.Discard)
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
	store := trust.Open(trust.User{})
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

// trustHome is a home with a workspace, and a session there that is not open yet.
func trustHome(t *testing.T, files map[string]string) (s *wiring, root string, store trust.Store) {
	t.Helper()
	files["ws/.git/x"] = ""
	home := testkit.Project(t, files)
	s = newWiring(&sessionFlags{workspaceRoot: filepath.Join(home, "ws")}, io.Discard)
	s.options.Environ = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/.config", "XDG_STATE_HOME=" + home +
		"/.state", "PATH=" + os.Getenv("PATH")}
	s.process.EditDir = filepath.Join(home, "edit")
	return s, filepath.Join(home, "ws"), trust.Open(s.options.User())
}

// opened opens a session anew.
func opened(t *testing.T, s *wiring) *session.Session {
	t.Helper()
	session, err := s.open(t.Context(), nil)
	testkit.Must(t, err)
	t.Cleanup(session.Close)
	return session
}

// age makes files look as if they had not been written for a while.
func age(t *testing.T, session *session.Session) {
	t.Helper()
	testkit.Wait(t, "a moment of rest", session.Outdated)
}

// A running session follows when the user trusts a configuration file of its workspace, and when they take that back.
func TestTrustInAFileChangesWhileASessionRuns(t *testing.T) {
	s, root, store := trustHome(t,
		map[string]string{
			"ws/lspi.toml":                   "mcp.tools.exclude = [\"hover\"]\n[[servers]]\nid = \"own\"\ncommand = \"own\"\nextensions = [\"own\"]\n",
			".state/lspi/trust/workspaces/x": ""})
	file := filepath.Join(root, "lspi.toml")
	has := func(session *session.Session) bool {
		_, err := session.Workspace.Table.Server("own")
		return err == nil
	}
	session := opened(t, s)
	testkit.Equal(t, has(session), false, "the server of a file that nobody trusts")
	_, err := store.TrustFile(file)
	testkit.Must(t, err)
	testkit.Equal(t, session.Outdated(), true, "outdated when the file is trusted")
	session = opened(t, s)
	testkit.Equal(t, has(session), true, "the server of a file that is trusted")
	testkit.Equal(t, session.Outdated(), false, "outdated right after it was opened")

	// While another file is broken the session goes on, but not with what is trusted no more.
	testkit.Write(t, s.options.User().ConfigFile(), "no key = of this table\n")
	age(t, session)
	session = opened(t, s)
	testkit.Equal(t, has(session), true, "the server while a file is broken")
	_, err = store.Untrust(file)
	testkit.Must(t, err)
	testkit.Equal(t, session.Outdated(), true, "outdated when the file is trusted no more")
	if _, err := s.open(t.Context(), nil); testkit.KindOf(err) != contract.KindConfigInvalid {
		t.Errorf("%v", err)
	}
}

// After a session could not be opened, the next call reads the files again once they are at rest.
func TestFilesAreMendedInParts(t *testing.T) {
	s, _, _ := trustHome(t, map[string]string{".config/lspi/config.toml": "no key = of this table\n"})
	file := s.options.User().ConfigFile()
	if _, err := s.open(t.Context(), nil); testkit.KindOf(err) != contract.KindConfigInvalid {
		t.Fatalf("%v", err)
	}
	_, err := s.listing() // as a session has it before
	testkit.Must(t, err)
	f, err := os.Create(file)
	testkit.Must(t, err)
	opened := make(chan bool)
	go func() {
		session, err := s.open(t.Context(), nil)
		if err != nil {
			t.Error(err)
			opened <- false
			return
		}
		opened <- session.Settings.ReadOnly
		session.Close()
	}()
	_, err = f.WriteString("mcp.read_only = true\n")
	testkit.Must(t, errors.Join(err, f.Close()))
	testkit.Equal(t, <-opened, true, "read-only")
}

// Taking back trust in a workspace counts at once, even while the configuration has errors, and while a file is being
// written, which is then not read.
func TestTrustIsTakenBackInTheMeantime(t *testing.T) {
	for name, meanwhile := range map[string]string{"broken": "no key = of this table\n", "half written": ""} {
		t.Run(name, func(t *testing.T) {
			s, root, store := trustHome(t, map[string]string{".config/lspi/config.toml": "mcp.read_only = true\n"})
			e, err := trust.DescribeWorkspace(root, false)
			if err == nil {
				err = store.TrustWorkspace(e)
			}
			testkit.Must(t, err)
			session := opened(t, s)
			testkit.Equal(t, session.Settings.Trust.Trusted, true, "trusted")
			testkit.Write(t, s.options.User().ConfigFile(), meanwhile)
			if meanwhile != "" {
				age(t, session)
				session = opened(t, s)
				testkit.Equal(t, session.Settings.Trust.Trusted, true, "trusted while a file is broken")
			}
			_, err = store.Untrust(root)
			testkit.Must(t, err)
			testkit.Equal(t, session.Outdated(), true, "outdated when it is trusted no more")
			testkit.Equal(t, session.Outdated(), true, "outdated for a call that looks before the session is left")
			session = opened(t, s)
			testkit.Equal(t, session.Settings.Trust.Trusted, false, "trusted behind it")
			testkit.Equal(t, session.Settings.ReadOnly, true, "read-only behind it")

			testkit.Write(t, s.options.User().ConfigFile(), "no other key = of this table\n")
			age(t, session)
			session = opened(t, s)
			testkit.Equal(t, session.Settings.Trust.Trusted, false, "trusted while a file is broken")
			testkit.Must(t, store.TrustWorkspace(e))
			testkit.Equal(t, session.Outdated(), true, "outdated when it is trusted again")
			session = opened(t, s)
			testkit.Equal(t, session.Settings.Trust.Trusted, true, "trusted in the end")
		})
	}
}

// It also counts at once when, just before, trust in a configuration file was taken back, which counts only after a
// moment of rest.
func TestTrustIsTakenBackTwice(t *testing.T) {
	s, root, store := trustHome(t, map[string]string{"ws/lspi.toml": "mcp.tools.exclude = [\"hover\"]\n",
		".config/lspi/config.toml": "mcp.read_only = true\n"})
	e, err := trust.DescribeWorkspace(root, false)
	testkit.Must(t, err)
	file := filepath.Join(root, "lspi.toml")
	_, err = store.TrustFile(file)
	testkit.Must(t, err)
	testkit.Must(t, store.TrustWorkspace(e))
	session := opened(t, s)
	testkit.Equal(t, session.Settings.Trust.Trusted, true, "trusted")
	testkit.Write(t, s.options.User().ConfigFile(), "") // somebody writes it just now
	for _, path := range []string{file, root} {
		_, err := store.Untrust(path)
		testkit.Must(t, err)
	}
	testkit.Equal(t, session.Outdated(), true, "outdated when it is trusted no more")
	testkit.Equal(t, opened(t, s).Settings.Trust.Trusted, false, "trusted behind it")
}

const disguise = "\u202e\u200b\x1b[31m\u009b31m\u2028\U000e0041"

// The log keeps a text, escaped so that it cannot control a terminal.
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

// A text that an envelope has exactly is printed without control characters.
func TestCallPrintsNoControls(t *testing.T) {
	raw, err := contract.Marshal(contract.Envelope{Tool: "check_edit",
		NextSteps: []contract.NextStep{{Kind: contract.StepTool,
			Message: "Apply.", Tool: "check_edit", Arguments: map[string]any{"new_text": disguise}}},
		Body: map[string]string{"symbol": disguise}})
	testkit.Must(t, err)
	for _, asJSON := range []bool{true, false} {
		var out bytes.Buffer
		testkit.Must(t, printResult(&out, &out, tools.Result{OK: true, Structured: raw}, asJSON))
		if at := strings.IndexAny(out.String(), "\u202e\u200b\x1b\u009b\u2028\U000e0041"); at >= 0 {
			t.Errorf("raw characters at %d of %q", at, out.String())
		}
	}
}
