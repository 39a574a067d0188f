package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/tools/session"
)

// A configured default is shown in the schema of an argument, whatever schemas the server gives: none of them ends
// the process.
func TestWithDefaults(t *testing.T) {
	s := &session.Settings{Defaults: map[string]map[string]json.RawMessage{"x__find": {"limit": json.RawMessage("5")}}}
	for properties, want := range map[string]string{
		`{"limit":{"type":"integer"}}`: `{"limit":{"default":5,"type":"integer"}}`,
		`{"limit":{}}`:                 `{"limit":{"default":5}}`,
		`{"limit":null}`:               `{"limit":null}`,
		`{"limit":true}`:               `{"limit":true}`,
		`{"limit":7}`:                  `{"limit":7}`,
		`{"other":{}}`:                 `{"other":{}}`,
		`null`:                         `null`,
	} {
		shown := withDefaults(s,
			&mcp.Tool{Name: "x__find", InputSchema: json.RawMessage(`{"type":"object","properties":` + properties +
				`}`)})
		var got struct{ Properties json.RawMessage }
		testkit.Must(t, json.Unmarshal(shown.InputSchema.(json.RawMessage), &got))
		testkit.Equal(t, string(got.Properties), want, properties)
	}
}
