package catalogue

import (
	"os"
	"regexp"
	"testing"
)

// A row is verified in the version that the tests install, and in no other.
func TestVerifiedVersionsAreThePinnedOnes(t *testing.T) {
	script, err := os.ReadFile("../scripts/servers.sh")
	if err != nil {
		t.Fatal(err)
	}
	for id, version := range verified {
		pin := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(id) + `\s*\|\s*` + regexp.QuoteMeta(version) + `\s*\|`)
		if !pin.Match(script) {
			t.Errorf("scripts/servers.sh does not pin %s at %s", id, version)
		}
	}
}
