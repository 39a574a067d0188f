package testkit

import (
	"os"
	"slices"
	"testing"
)

// All reports whether the full matrix of tests runs: LSPI_TESTS=all, which make test-all sets.
func All() bool { return os.Getenv("LSPI_TESTS") == "all" }

// Always skips a part of a test over several servers (or projects, …) unless it is one of parts, which always run, or
// the full matrix runs. Without parts it runs in the full matrix only.
func Always(t testing.TB, part string, parts ...string) {
	t.Helper()
	if !All() && !slices.Contains(parts, part) {
		t.Skip("runs with make test-all (LSPI_TESTS=all)")
	}
}

// Times returns how often to repeat what fails only now and then: all in the full matrix, else few.
func Times(few, all int) int {
	if All() {
		return all
	}
	return few
}
