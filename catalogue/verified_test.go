package catalogue

import (
	"lspi/internal/testkit"
	"os"
	"regexp"
	"testing"
)

// A row is verified in the version that the tests install, and in no other.
func TestVerifiedVersionsAreThePinnedOnes(t *testing.T) {
	script, err := os.ReadFile("../scripts/servers.sh")
	testkit.Must(t, err)
	for id, version := range verified {
		pin := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(id) + `\s*\|\s*` + regexp.QuoteMeta(version) + `\s*\|`)
		if !pin.Match(script) {
			t.Errorf("scripts/servers.sh does not pin %s at %s", id, version)
		}
	}
}
