package lsptest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

func TestParseRefuses(t *testing.T) {
	for script, want := range map[string]string{
		`{"rulez":[]}`:               `unknown field "rulez"`,
		`{} {}`:                      "text behind it",
		`{"language":"go"}`:          `unknown language "go"`,
		`{"rules":[{"actions":[]}]}`: "rules[0] has no method",
		`{"rules":[{"method":"m","actions":[{}]}]}`:                       "rules[0].actions[0] has 0 kinds",
		`{"rules":[{"method":"m","actions":[{"hang":true,"exit":0}]}]}`:   "rules[0].actions[0] has 2 kinds",
		`{"on_start":[{"hangs":true}]}`:                                   `unknown field "hangs"`,
		`{"position_encoding":"utf-7"}`:                                   `unknown position encoding "utf-7"`,
		`{"rules":[{"method":"m","actions":[{"notify":{"metod":"x"}}]}]}`: `unknown field "metod"`,
	} {
		if _, err := lsptest.Parse([]byte(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
}

// A script written in Go means the same when it went through a file.
func TestScriptAsJSON(t *testing.T) {
	zero := 0
	s := &lsptest.Script{Rules: []lsptest.Rule{{Method: "m", Actions: []lsptest.Action{
		{Result: lsptest.Raw(nil)}, {Exit: &zero}, {Notify: &lsptest.Message{Method: "n"}},
		{Error: &lsptest.Error{Code: 1}},
	}}}}
	text, err := json.Marshal(s)
	testkit.Must(t, err)
	equal(t, "script", string(text),
		`{"rules":[{"method":"m","actions":[{"result":null},{"exit":0},{"notify":{"method":"n"}},{"error":{"code":1,"message":""}}]}]}`)
	parse(t, string(text))
}
