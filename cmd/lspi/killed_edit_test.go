//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lspi/cmd/lspi/internal/mcpserver"
	"lspi/internal/testkit"
	"lspi/lsp/edit"
	"lspi/tools"
	"lspi/tools/answer"
)

// killedEdit is a workspace with many files in which an lspi applies a rename and is killed.
type killedEdit struct {
	root, state string
	files       int
}

func newKilledEdit(t *testing.T, rules string) *killedEdit {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	testkit.Must(t, err)
	k := &killedEdit{root: filepath.Join(dir, "ws"), state: filepath.Join(dir, "state", "lspi", "edit"), files: 40}
	testkit.Must(t, os.Mkdir(k.root, 0o777))
	for name, value := range map[string]string{"HOME": dir, "XDG_CONFIG_HOME": filepath.Join(dir, "config"),
		"XDG_STATE_HOME": filepath.Join(dir, "state"), "GORACE": "atexit_sleep_ms=0"} {
		t.Setenv(name, value)
	}
	k.write(t, "../config.toml",
		"catalogue = false\n[[servers]]\nid = \"fake\"\nextensions = [\"w\"]\ncommand = \"fakels\"\nargs = [\"../script.json\"]\n")
	k.write(t, "../script.json", `{"language": "words", "events_file": `+strconv.Quote(filepath.Join(dir, "events"))+
		`, "rules": [`+rules+`]}`)
	for i := range k.files {
		k.write(t, k.name(i), k.text("two"))
	}
	return k
}

func (k *killedEdit) name(i int) string { return fmt.Sprintf("f%02d.w", i) }

// text is that of each file: every one holds the name, so that all of them change.
func (k *killedEdit) text(name string) string { return "def " + name + "\n  " + name + "\n" }

func (k *killedEdit) write(t *testing.T, rel, text string) {
	t.Helper()
	testkit.Must(t, os.WriteFile(filepath.Join(k.root, rel), []byte(text), 0o666))
}

// renamed counts the files with the old and with the new name; any other text fails the test, and so does anything
// else in the folder.
func (k *killedEdit) renamed(t *testing.T) (before, after int) {
	t.Helper()
	for i := range k.files {
		raw, err := os.ReadFile(filepath.Join(k.root, k.name(i)))
		testkit.Must(t, err)
		switch string(raw) {
		case k.text("two"):
			before++
		case k.text("deux"):
			after++
		default:
			t.Errorf("%s: %q", k.name(i), raw)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(k.root, edit.Prefix+"*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	return before, after
}

// renaming are the arguments of the call, with those that agree to a preview.
func renaming(agreement string) string {
	return `{"file_path": "f00.w", "line": 1, "symbol_name": "two", "new_name": "deux"` + agreement + `}`
}

// call starts an lspi, previews, and has it rename; the answer is not waited for.
func (k *killedEdit) call(t *testing.T, id string) (h *host, arguments string) {
	t.Helper()
	h = &host{answers: map[string]json.RawMessage{}}
	testkit.Must(t,
		h.start([]string{"lspi", "mcp", "--workspace-root", k.root, "--config",
			filepath.Join(k.root, "../config.toml")}))
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	testkit.Must(t, h.initialize("2025-11-25"))
	testkit.Must(t, h.call("1 rename_symbol "+renaming("")))
	testkit.Must(t, h.expect(`1 {"result": {"structuredContent": {"ok": true, "applied": false}}}`))
	var preview struct {
		Result struct {
			StructuredContent struct {
				PreviewID string `json:"preview_id"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	testkit.Must(t, json.Unmarshal(h.answers["1"], &preview))
	arguments = renaming(fmt.Sprintf(`, "dry_run": false, "preview_id": %q`,
		preview.Result.StructuredContent.PreviewID))
	testkit.Must(t, h.call(fmt.Sprintf("2 rename_symbol %s {%q: %q}", arguments, mcpserver.CallKey, id)))
	return h, arguments
}

// When lspi is killed in the middle of a rename, another process can tell what became of the rename.
func TestOutcomeOfAKilledProcess(t *testing.T) {
	someJournal := func(k *killedEdit, _ *host) error {
		return eventually(func() (bool, error) {
			found, err := filepath.Glob(filepath.Join(k.state, "journals", "*"))
			return len(found) > 0, err
		})
	}
	oneChanged := func(k *killedEdit, _ *host) error {
		return eventually(func() (bool, error) {
			raw, err := os.ReadFile(filepath.Join(k.root, k.name(0)))
			return strings.Contains(string(raw), "deux"), err
		})
	}
	heard := func(method string) func(*killedEdit, *host) error {
		return func(k *killedEdit, h *host) error { return h.heard(filepath.Join(k.root, "../events") + " " + method) }
	}
	for _, c := range []struct {
		name, rules string
		until       func(*killedEdit, *host) error
		want        edit.CallState // "" where the instant decides
	}{
		{"before it begins", `{"run": 1, "method": "textDocument/rename", "nth": 2, "actions": [{"hang": true}]}`,
			heard("textDocument/rename"), edit.CallUnchanged},
		{"while it writes", "", someJournal, ""},
		{"while it exchanges", "", oneChanged, ""},
		// The server reads nothing more once it hears of the change, so that the errors after it are waited for.
		{"before it answers", `{"run": 1, "method": "textDocument/didChange", "actions": [{"stop_reading": true}]}`,
			heard("textDocument/didChange"), edit.CallApplied},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKilledEdit(t, c.rules)
			h, arguments := k.call(t, "first")
			testkit.Must(t, c.until(k, h))
			testkit.Must(t, h.signal("KILL"))
			testkit.Must(t, h.exit("-1"))
			o, err := edit.NewWriter(k.state).Outcome(t.Context(), "first")
			testkit.Must(t, err)
			before, after := k.renamed(t)
			t.Logf("%s: %d files as before, %d renamed", o.State, before, after)
			switch o.State {
			case edit.CallUnchanged:
				testkit.Equal(t, before, k.files, "files with the old name")
			case edit.CallApplied:
				testkit.Equal(t, after, k.files, "files with the new name")
			}
			if o.State == edit.CallMixed || c.want != "" && o.State != c.want {
				t.Fatalf("%s with %d files before and %d behind the rename", o.State, before, after)
			}
			r := tools.Interrupted(answer.Request{Tool: "rename_symbol", Arguments: json.RawMessage(arguments)}, o, nil)
			testkit.Equal(t, r.OK, o.State == edit.CallApplied, "ok")
			if o.State == edit.CallApplied {
				testkit.Must(t,
					checkWithin(r.Structured, fmt.Sprintf(`{"applied": true, "edits": %d, "files_left_out": %d}`,
						2*k.files, k.files-5)))
				return
			}
			// The same call made again is what the answer advises.
			testkit.Must(t,
				checkWithin(r.Structured,
					`{"error": {"data": {"lspi_error": {"kind": "call_interrupted", "changed": "nothing"}}}}`))
			h, _ = k.call(t, "second")
			testkit.Must(t, h.expect(`2 {"result": {"structuredContent": {"ok": true, "applied": true}}}`))
			testkit.Must(t, h.finish())
			_, after = k.renamed(t)
			testkit.Equal(t, after, k.files, "files with the new name in the end")
		})
	}
}
