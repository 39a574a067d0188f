//go:build unix

package tools

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/tools/answer"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// What a host over HTTP is told before it has a workspace, when it chooses one, and when it may not have it: the
// texts are a golden.
func TestBindWorkspace(t *testing.T) {
	t.Parallel()
	host := toolstest.Open(t, testkit.Project(t, map[string]string{"a.w": "def alpha\n"}),
		toolstest.Fake(t, "words", `{"language":"words"}`))
	host.Settings.Configuration = &session.Configuration{Findings: []session.ConfigFinding{{Severity: "warning",
		Kind: "unknown_key", File: "lspi.toml", Line: 3, Message: "unknown key"}}}
	host.Settings.Allow = []string{"hover", "find_references"}
	settings := session.Settings{Binds: true, Allow: []string{"hover"}}
	known := []string{"/home/u/src", "/home/u/src/one"}
	refusal := map[string]error{
		"/etc": contract.Errorf(contract.KindWorkspaceNotMatched,
			contract.Facts{"given": "/etc", "reason": "not_allowed", "known": known},
			"finding the workspace: \"/etc\" is no folder within those that the user allows over HTTP (daemon.http_roots)"),
		"one": contract.Errorf(contract.KindWorkspaceNotMatched, contract.Facts{"given": "one", "reason": "ambiguous",
			"known": known, "candidates": known},
			"finding the workspace: \"one\" is the name of several workspaces: %s, %s", known[0], known[1]),
		"/two": contract.Errorf(contract.KindWorkspaceAlreadySet,
			contract.Facts{"given": "/two", "workspace_root": "/home/u/src/one"},
			"this session has the workspace /home/u/src/one, and can have no other"),
	}
	bind := func(_ context.Context, cwd string) (*session.Session, error) {
		if err := refusal[cwd]; err != nil {
			return nil, err
		}
		return host, nil
	}
	notSet := func(known ...string) error {
		return &session.SessionError{Settings: settings, Err: contract.Errorf(contract.KindWorkspaceNotSet,
			contract.Facts{"known": known},
			"this session has no workspace yet: over HTTP its host says which project it is about")}
	}
	texts := ""
	for _, c := range []struct {
		what, tool, arguments string
		broken                error
		ok                    bool
	}{
		{"not set", "hover", `{"file_path":"a.w","line":1,"character":5}`, notSet(known...), false},
		{"one is known", "hover", `{"file_path":"a.w","line":1,"character":5}`, notSet("/home/u/one"), false},
		{"tools that look at lspi", "get_server_status", `{}`, notSet(known...), false},
		{"success", "bind_workspace", `{"cwd":"/home/u/src/one/lib"}`, notSet(known...), true},
		{"not allowed", "bind_workspace", `{"cwd":"/etc"}`, notSet(known...), false},
		{"ambiguous", "bind_workspace", `{"cwd":"one"}`, notSet(known...), false},
		{"another", "bind_workspace", `{"cwd":"/two"}`, nil, false},
		{"nothing", "bind_workspace", `{}`, notSet(), false},
		{"empty", "bind_workspace", `{"cwd":""}`, notSet(), false},
	} {
		var have *session.Session
		if c.broken == nil {
			have = &session.Session{Workspace: host.Workspace, Settings: settings}
		}
		r := Run(t.Context(), have, c.broken, answer.Request{Tool: c.tool, Arguments: json.RawMessage(c.arguments),
			Host: textHost, Bind: bind})
		if r.OK != c.ok {
			t.Errorf("%s: %s", c.what, r.Text)
		}
		validAnswer(t, c.tool, r.Structured)
		texts += "== " + c.what + ": " + c.tool + " " + c.arguments + "\n" +
			strings.ReplaceAll(r.Text, host.Workspace.Root, "$DIR") + "\n"
	}
	golden(t, filepath.Join("testdata", "text", "bind_workspace.txt"), texts)
}
