package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"lspi/answer"
	"lspi/contract"
	"lspi/coverage"

	"lspi/router"
	"lspi/workspace"
)

// What is told once is told by the first answer that is returned and shows it: not by one that was cancelled, nor by one that has
// no room for it.
func TestToldByAnAnswerThatIsReturned(t *testing.T) {
	env := workspace.Unopened(workspace.Settings{Warnings: []contract.Warning{{Kind: contract.WarnConfig, Message: "look at this"}}},
		&router.Table{Workspace: "/w"})
	tells := func(ctx context.Context) bool {
		r := Run(ctx, env, nil, answer.Request{Tool: "hover", Arguments: json.RawMessage(`{"file_path":"a.zz","symbol_name":"A"}`)})
		return strings.Contains(string(r.Structured), "look at this")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	tells(gone)
	if !tells(t.Context()) {
		t.Error("an answer that nobody got used it up")
	}
	if tells(t.Context()) {
		t.Error("it is told again")
	}
}

func TestToldByAnAnswerThatShowsIt(t *testing.T) {
	env := workspace.Unopened(workspace.Settings{Trust: &workspace.Trust{Why: "nobody trusts it"}}, nil)
	restricted := func(before int) (first bool) {
		c := answer.NewCall(env, registry{}, answer.Request{})
		for range before { // of kinds that come before, with steps
			c.AddWarning(contract.Warning{Kind: contract.WarnTimeLimit, Step: true, Message: strings.Repeat("x", len(c.Warnings())+1)})
		}
		coverage.WarnRestricted(c, nil, "code did not run")
		shown := contract.Envelope{Warnings: contract.Shown(c.Warnings())}
		answer.Returned(t.Context(), &env.Told, c, shown)
		return strings.Contains(c.Warnings()[len(c.Warnings())-1].Message, "nobody trusts it")
	}
	if !restricted(contract.MaxWarnings) || !restricted(0) {
		t.Error("an answer that did not show it used it up")
	}
	if restricted(0) {
		t.Error("it is told again")
	}
	c := answer.NewCall(workspace.Unopened(env.Settings, nil), registry{}, answer.Request{})
	coverage.WarnRestricted(c, nil, "code did not run")
	coverage.WarnRestricted(c, nil, "other code did not run")
	if strings.Contains(c.Warnings()[1].Message, "nobody trusts it") {
		t.Error("one answer tells it twice")
	}
}
