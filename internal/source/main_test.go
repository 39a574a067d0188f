package source

import (
	"lspi/internal/testkit"
)

// everywhere lets every file be read, for tests of how it is.
var everywhere = NewReach("/")

var kindOf, facts = testkit.KindOf, testkit.FactsOf
