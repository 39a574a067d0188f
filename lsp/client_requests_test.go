package lsp

import (
	"encoding/json"
	"errors"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
	"lspi/lsp/wire"
)

func TestAnswers(t *testing.T) {
	settings := map[string]any{
		"gopls": map[string]any{"build": map[string]any{"flags": []any{"-tags=x"}}, "symbolScope": "workspace",
			"off": false},
		"dotted.key":  map[string]any{"sub": 1, "deep.er": 2},
		"dotted":      map[string]any{"other": 3, "key": map[string]any{"sub": "shadowed", "own": 4}},
		"scalar":      7,
		"exact.match": "e",
	}
	s := silent(&spec.Spec{ID: "fake", Settings: settings})
	s.folders.list = []string{"/w/a b"}
	all := string(mustJSON(t, settings))
	for _, c := range []struct{ method, params, want string }{
		{"workspace/configuration", `{"items":[]}`, `[]`},
		{"workspace/configuration", `{"items":[{}]}`, `[` + all + `]`},
		{"workspace/configuration", `{"items":[{"section":null},{"section":""}]}`, `[` + all + `,` + all + `]`},
		{"workspace/configuration",
			`{"items":[{"section":"gopls.symbolScope","scopeUri":"file:///w"},{"section":"gopls.build.flags"}]}`,
			`["workspace",["-tags=x"]]`},
		{"workspace/configuration",
			`{"items":[{"section":"gopls.none"},{"section":"none"},{"section":"scalar.x"},{"section":"gopls."}]}`,
			`[null,null,null,` + string(mustJSON(t, settings["gopls"])) + `]`},
		{"workspace/configuration",
			`{"items":[{"section":"gopls.off"},{"section":"scalar"},{"section":"exact.match"}]}`, `[false,7,"e"]`},
		{"workspace/configuration",
			`{"items":[{"section":"dotted.key.sub"},{"section":"dotted.key.deep.er"},{"section":"dotted.other"},{"section":"dotted.key.own"}]}`, `[1,2,3,4]`},
		{"workspace/workspaceFolders", ``, `[{"uri":"file:///w/a%20b","name":"a b"}]`},
		{"window/workDoneProgress/create", `{"token":1}`, `null`},
		{"window/showMessageRequest", `{"type":1,"message":"x","actions":[{"title":"Yes"}]}`, `null`},
		{"window/showDocument", `{"uri":"file:///x"}`, `{"success":false}`},
		{"workspace/applyEdit", `{"edit":{}}`,
			`{"applied":false,"failureReason":"lspi applies no edits on a server's own request"}`},
		{"workspace/diagnostic/refresh", ``, `null`},
		{"workspace/inlayHint/refresh", ``, `null`},
		{"client/registerCapability", `{"registrations":[]}`, `null`},
	} {
		got, err := s.requests.answer(t.Context(), c.method, raw(c.params))
		if err != nil || string(mustJSON(t, got)) != c.want {
			t.Errorf("%s %s: %s %v, want %s", c.method, c.params, mustJSON(t, got), err, c.want)
		}
	}
	for _, c := range []struct {
		method, params string
		code           int64
	}{
		{"workspace/configuration", ``, wire.CodeInvalidParams},
		{"workspace/configuration", `[]`, wire.CodeInvalidParams},
		{"client/registerCapability", `7`, wire.CodeInvalidParams},
		{"client/unregisterCapability", `7`, wire.CodeInvalidParams},
		{"x/unknown", `{}`, wire.CodeMethodNotFound},
		{"", ``, wire.CodeMethodNotFound},
	} {
		_, err := s.requests.answer(t.Context(), c.method, raw(c.params))
		var response *wire.ResponseError
		if !errors.As(err, &response) || response.Code != c.code {
			t.Errorf("%s %s: %v, want code %d", c.method, c.params, err, c.code)
		}
	}
	got, err := silent(nil).requests.answer(t.Context(), "workspace/configuration",
		raw(`{"items":[{},{"section":"a.b"}]}`))
	if err != nil || string(mustJSON(t, got)) != `[null,null]` {
		t.Errorf("without settings: %v %v", got, err)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	testkit.Must(t, err)
	return b
}

// Nothing that a server says may hurt: notifications of wrong forms, unknown ones, empty ones.
func TestHearsAnything(t *testing.T) {
	s := silent(&spec.Spec{ID: "fake", Readiness: spec.Readiness{Sign: spec.SignMessage,
		Tokens: []string{"m", "part"}}})
	for _, method := range []string{"$/progress", "experimental/serverStatus", "textDocument/publishDiagnostics",
		"window/logMessage", "window/showMessage", "m", "unknown", ""} {
		for _, params := range []string{"", "null", "7", "[]", "{}", `{"uri":7}`, `{"uri":"http://x"}`,
			`{"token":null,"value":null}`,
			`{"uri":"file:///x","diagnostics":7}`, `"`} {
			s.requests.hear(method, raw(params))
		}
	}
	if s.Status().Ready {
		t.Error("ready by nonsense")
	}
}
