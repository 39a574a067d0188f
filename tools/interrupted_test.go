//go:build unix

package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/edit"
	"lspi/tools/answer"
)

// interrupted is the answer of Interrupted to a call, for the host in whose text the whole answer stands.
func interrupted(t *testing.T, tool string, arguments map[string]any, o edit.CallOutcome, err error) (reply, string) {
	t.Helper()
	r := Interrupted(answer.Request{Tool: tool, Arguments: json.RawMessage(mustJSON(t, arguments))}, o, err)
	validAnswer(t, tool, r.Structured)
	var a reply
	testkit.Must(t, json.Unmarshal(r.Structured, &a))
	equal(t, "ok", a["ok"], any(r.OK))
	onlyLooks(t, tool, arguments, a)
	return a, r.Text
}

// An edit whose process ended before it answered is answered as it would have been, as far as its record goes.
func TestInterruptedAfterApplying(t *testing.T) {
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		fields    []string
	}{
		"a rename": {"rename_symbol", renameX(map[string]any{"apply": "if_safe"}),
			[]string{"applied", "edits", "paths", "files", "totals"}},
		"a checked one": {"check_edit", applying(tried("a.w", "body", "rest")), []string{"applied", "totals"}},
		"with a backup": {"rename_symbol", renameX(map[string]any{"apply": "if_safe", "backup_suffix": ".orig"}),
			[]string{"applied", "backups"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, playing(), "a.w", "def X\n  body\n", "b.w", "use X\nX X\n")
			raw := json.RawMessage(mustJSON(t, c.arguments))
			r := Run(t.Context(), s.Session, nil, answer.Request{Tool: c.tool, Arguments: raw, ID: "one"})
			var done reply
			testkit.Must(t, json.Unmarshal(r.Structured, &done))
			equal(t, "applied", done["applied"], any(true))
			o, err := edit.NewWriter(s.Workspace.Process.EditDir).Outcome(t.Context(), "one")
			testkit.Must(t, err)
			a, text := interrupted(t, c.tool, c.arguments, o, nil)
			for _, field := range c.fields {
				testkit.Diff(t, a[field], done[field], field)
			}
			equal(t, "completeness", a["completeness"], any("unknown"))
			equal(t, "warnings", fmt.Sprint(a.kinds()), "[answered_after_restart]")
			step := firstOf(a, "next_steps")
			equal(t, "step", step["tool"], any("get_diagnostics"))
			if next := run(t, s.Session, "get_diagnostics", step["arguments"].(map[string]any)); next["ok"] != true {
				t.Errorf("the step: %v", next)
			}
			if !strings.Contains(text, "all of it is on disk, so do not repeat the call") ||
				!strings.Contains(text, "a.w") {
				t.Error(text)
			}
			// Somebody goes on, and the answer says so.
			testkit.Must(t, os.WriteFile(filepath.Join(s.dir, "a.w"), []byte("mine\n"), 0o666))
			o, err = edit.NewWriter(s.Workspace.Process.EditDir).Outcome(t.Context(), "one")
			testkit.Must(t, err)
			a, _ = interrupted(t, c.tool, c.arguments, o, nil)
			equal(t, "changed since", fmt.Sprint(warningOf(a, "changed_since")["files"]), "[a.w]")
		})
	}
}

// What a call took back is not told as applied, and a preview leaves no trace.
func TestInterruptedWithNothingChanged(t *testing.T) {
	for name, more := range map[string]map[string]any{"taken back": {"apply": "if_safe", "new_name": "BAD"},
		"a preview": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, nil, playing(), two...)
			arguments := renameX(more)
			Run(t.Context(), s.Session, nil,
				answer.Request{Tool: "rename_symbol", Arguments: json.RawMessage(mustJSON(t, arguments)), ID: "one"})
			s.holds(two...)
			o, err := edit.NewWriter(s.Workspace.Process.EditDir).Outcome(t.Context(), "one")
			testkit.Must(t, err)
			equal(t, "record", len(o.Files) > 0, name == "taken back")
			a, text := interrupted(t, "rename_symbol", arguments, o, nil)
			equal(t, "fault", a.fault(), "call_interrupted")
			equal(t, "category", a["error"].(map[string]any)["kind"], any("unavailable"))
			if !strings.Contains(text, "it changed nothing, and you can make the same call again") ||
				!strings.Contains(text, "Make the same call again.") {
				t.Error(text)
			}
		})
	}
	a, _ := interrupted(t, "find_references", map[string]any{"symbol_name": "X"}, edit.CallOutcome{}, nil)
	equal(t, "step of a read", firstOf(a, "next_steps")["message"], any("Make the same call again."))
}

// What is not whole, or not known, is an error that sends nobody to the same call at once.
func TestInterruptedInTheMiddle(t *testing.T) {
	mixed := edit.CallOutcome{State: edit.CallMixed, Kept: []edit.Kept{{Path: "/w/b.w", Kept: "/s/kept/b.w"}},
		Files: []edit.ChangedFile{
			{Label: "a.w", Kind: edit.Change, Now: edit.ContentOld},
			{Label: "b.w", Kind: edit.Change, Now: edit.ContentOther}}}
	a, text := interrupted(t, "rename_symbol", renameX(map[string]any{"dry_run": false}), mixed, nil)
	equal(t, "fault", a.fault(), "call_interrupted")
	facts := a["error"].(map[string]any)["data"].(map[string]any)["lspi_error"].(map[string]any)
	equal(t, "facts", fmt.Sprint(facts["changed"], " ", facts["files"], facts["kept"]), "part [b.w] [/s/kept/b.w]")
	if !strings.Contains(text, "b.w") || strings.Contains(text, "Make the same call again") {
		t.Error(text)
	}
	a, text = interrupted(t, "check_edit", applying(tried("a.w", "body", "rest")), edit.CallOutcome{},
		contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "unfinished_edits"}, "the disk is full"))
	equal(t, "fault", a.fault(), "call_interrupted the disk is full")
	if !strings.Contains(text, "Do not repeat the call before") || strings.Contains(text, "Make the same call again") {
		t.Error(text)
	}
	a, _ = interrupted(t, "rename_symbols", nil, edit.CallOutcome{}, errors.New("nothing"))
	equal(t, "of no tool", a.fault(), "unknown_tool")
}

// Of every tool it is known which calls may change files.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		tool, arguments string
		edits           bool
	}{
		{"rename_symbol", `{"new_name":"Y"}`, false},
		{"rename_symbol", `{"dry_run":true,"apply":null}`, false},
		{"rename_symbol", `{"dry_run":null}`, false},
		{"rename_symbol", `{ "dry_run" : false }`, true},
		{"rename_symbol", `{"dry_run":"false"}`, true}, // it is refused; who repeats it would repeat a refusal
		{"rename_symbol", `{"apply":"if_safe"}`, true},
		{"code_actions", `{"action":"fake1:1"}`, false},
		{"code_actions", `{"action":"fake1:1","dry_run":false}`, true},
		{"edit_symbol", `{"operation":"delete"}`, false},
		{"edit_symbol", `{"operation":"delete","apply":"if_safe"}`, true},
		{"check_edit", `{"edits":[]}`, false},
		{"check_edit", `{"apply_if_clean":false}`, false},
		{"check_edit", `{"apply_if_clean":true}`, true},
		{"find_references", `{"apply":"if_safe","dry_run":false,"apply_if_clean":true}`, false},
		{"restart_server", `{}`, false},
		{"no_such_tool", `{"dry_run":false}`, false},
		{"rename_symbol", `[]`, false},
		{"rename_symbol", ``, false},
	} {
		equal(t, c.tool+" "+c.arguments, Edits(c.tool, json.RawMessage(c.arguments)), c.edits)
	}
	var agreements []string
	for _, tool := range All() {
		for _, name := range []string{"dry_run", "apply", "apply_if_clean"} {
			if tool.Input.Properties[name] != nil {
				agreements = append(agreements, tool.Name+":"+name)
				value := map[string]string{"dry_run": "false", "apply": `"if_safe"`, "apply_if_clean": "true"}[name]
				equal(t, tool.Name+" with "+name, Edits(tool.Name, json.RawMessage(`{"`+name+`":`+value+`}`)), true)
			}
		}
		// A tool that changes files has one of them, so that it is not forgotten here.
		if tool.Class == answer.Write && (tool.Input.Properties["dry_run"] == nil ||
			tool.Input.Properties["apply"] == nil) {
			t.Errorf("%s changes files, and Edits does not know when", tool.Name)
		}
		equal(t, tool.Name+" is a control", Controls(tool.Name), tool.Class == answer.Control)
	}
	equal(t, "arguments that agree", len(agreements), 7)
}
