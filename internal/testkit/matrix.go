package testkit

import (
	"os"
	"slices"
	"testing"
)

// All reports whether the full matrix runs: LSPI_TESTS=all, which "make test-all" sets.
func All() bool { return os.Getenv("LSPI_TESTS") == "all" }

// Always skips one part of a test over several servers (or projects, …) unless it is one of those that always run,
// or the full matrix runs. Without any the whole part belongs to the full matrix.
func Always(t testing.TB, part string, parts ...string) {
	t.Helper()
	if !All() && !slices.Contains(parts, part) {
		t.Skip("runs with make test-all (LSPI_TESTS=all)")
	}
}

// Times is how often a test repeats what goes wrong now and then: few times, or all in the full matrix.
func Times(few, all int) int {
	if All() {
		return all
	}
	return few
}
