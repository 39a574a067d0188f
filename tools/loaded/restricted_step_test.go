package loaded

import (
	"testing"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// The step about trust is that of the warning about trust: of more warnings than are shown that one stays.
func TestTheFirstRestrictedWarningIsShown(t *testing.T) {
	c := answer.NewCall(session.Unopened(session.Settings{Trust: &session.Trust{Why: "nobody trusted it"}}, nil), nil,
		answer.Request{})
	for _, kind := range []contract.WarningKind{contract.WarnUnlistedSources, contract.WarnLinkedProjects,
		contract.WarnNotCompiled} {
		c.Warn(kind, nil, string(kind))
	}
	WarnRestricted(c, contract.Facts{}, "build scripts are not run")
	shown := contract.Shown(c.Warnings())
	if shown[0].Kind != contract.WarnRestricted ||
		shown[0].Message != "build scripts are not run (nobody trusted it)" || len(c.Envelope(nil).NextSteps) != 1 {
		t.Errorf("%v, %v", shown, c.Envelope(nil).NextSteps)
	}
}
