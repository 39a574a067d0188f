package tools

import (
	"testing"

	"lspi/contract"
)

// The step about trust is that of the warning about trust: of more warnings than are shown that one stays.
func TestTheFirstRestrictedWarningIsShown(t *testing.T) {
	c := &Call{env: &Env{Settings: Settings{Trust: &Trust{Why: "nobody trusted it"}}}}
	for _, kind := range []contract.WarningKind{contract.WarnUnlistedSources, contract.WarnLinkedProjects, contract.WarnNotCompiled} {
		c.warn(kind, nil, string(kind))
	}
	c.warnRestricted(contract.Facts{}, "build scripts are not run")
	shown := contract.Shown(c.warnings)
	if shown[0].Kind != contract.WarnRestricted || shown[0].Message != "build scripts are not run (nobody trusted it)" || len(c.steps) != 1 {
		t.Errorf("%v, %v", shown, c.steps)
	}
}
