//go:build linux

package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/toolstest"
)

// What this user has no right to read does not become readable by another call: the step names it, and says that a
// right is missing.
func TestStepsWithoutTheRightToRead(t *testing.T) {
	t.Parallel()
	if !asUser(t) {
		return
	}
	h := recalling(t,
		toolstest.Open(t, testkit.Project(t, map[string]string{"a.w": "def alpha\n", "closed/b.w": "def beta\n",
			"list/c.w": "def gamma\n"}),
			toolstest.Fake(t, "words", `{"language":"words"}`)))
	transcript := h.claude(1, h.Workspace.Root, time.Hour, "only this")
	for path, mode := range map[string]os.FileMode{"a.w": 0, "closed": 0, "list": 0o444} {
		path = filepath.Join(h.Workspace.Root, path)
		testkit.Must(t, os.Chmod(path, mode))
		t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
	}
	testkit.Must(t, os.Chmod(transcript, 0))
	check := func(tool, arguments, kind, path string) {
		t.Helper()
		a := h.from(claudeHost, answer.Origin{}, tool, arguments)
		first := fmt.Sprint(firstOf(a, "next_steps")["message"])
		if a["ok"] != false || !strings.HasPrefix(a.fault(), kind) ||
			!strings.Contains(first, "has no right to read "+path+", ") {
			t.Errorf("%s %s: %v", tool, arguments, a)
		}
		for _, step := range a["next_steps"].([]any) {
			if step.(map[string]any)["tool"] == any(tool) {
				t.Errorf("%s %s is to be repeated: %v", tool, arguments, step)
			}
		}
	}
	for path, arguments := range map[string]string{"a.w": `{"file_path":"a.w"}`, "closed": `{"file_path":"closed"}`,
		"closed/b.w": `{"file_path":"closed/b.w"}`, "list": `{"file_path":"list"}`} {
		check("get_document_symbols", arguments, "file_unreadable", path)
	}
	check("get_first_request", `{"session_id":"`+chatID(1)+`"}`, "chat_data_unavailable", transcript)
	projects := filepath.Join(h.dir, "claude", "projects")
	testkit.Must(t, os.Chmod(projects, 0))
	t.Cleanup(func() { _ = os.Chmod(projects, 0o755) })
	check("get_first_request", `{}`, "recall_unavailable", projects)
}
