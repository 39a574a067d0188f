package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"lspi/contract"
	"lspi/disk"
	"lspi/router"
)

// What is told once is told by the first answer that is returned and shows it: not by one that was cancelled, nor by one that has
// no room for it.
func TestToldByAnAnswerThatIsReturned(t *testing.T) {
	env := &Env{Table: &router.Table{Workspace: "/w"}, Files: disk.OS{},
		Settings: Settings{Workspace: "/w", Warnings: []contract.Warning{{Kind: contract.WarnConfig, Message: "look at this"}}}}
	tells := func(ctx context.Context) bool {
		r := Run(ctx, env, nil, Request{Tool: "hover", Arguments: json.RawMessage(`{"file_path":"a.zz","symbol_name":"A"}`)})
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
	env := &Env{Settings: Settings{Trust: &Trust{Why: "nobody trusts it"}}}
	restricted := func(before int) (first bool) {
		c := &Call{env: env}
		for range before { // of kinds that come before, with steps
			c.addWarning(contract.Warning{Kind: contract.WarnTimeLimit, Step: true, Message: strings.Repeat("x", len(c.warnings)+1)})
		}
		c.warnRestricted(nil, "code did not run")
		shown := contract.Envelope{Warnings: contract.Shown(c.warnings)}
		env.told.returned(t.Context(), c, shown)
		return strings.Contains(c.warnings[len(c.warnings)-1].Message, "nobody trusts it")
	}
	if !restricted(contract.MaxWarnings) || !restricted(0) {
		t.Error("an answer that did not show it used it up")
	}
	if restricted(0) {
		t.Error("it is told again")
	}
	c := &Call{env: &Env{Settings: env.Settings}}
	c.warnRestricted(nil, "code did not run")
	c.warnRestricted(nil, "other code did not run")
	if strings.Contains(c.warnings[1].Message, "nobody trusts it") {
		t.Error("one answer tells it twice")
	}
}
