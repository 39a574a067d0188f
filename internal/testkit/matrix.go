package testkit

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// All reports whether the full matrix of tests runs: LSPI_TESTS=all, which make test-all sets.
func All() bool { return os.Getenv("LSPI_TESTS") == "all" }

// OwnServers reports whether the tests run that start real servers for one rule each: LSPI_TESTS=own, which .ci/run
// sets, or the full matrix.
func OwnServers() bool { return All() || os.Getenv("LSPI_TESTS") == "own" }

// OwnServer begins a test that starts a real server for one rule, which takes half a second of a processor or more.
// make test skips it, so that it ends in five minutes: there the scripts on warm servers hold the rules of answers, and
// one test of each feature starts a server of its own.
func OwnServer(t testing.TB) {
	t.Helper()
	if !OwnServers() {
		t.Skip("starts a server for one rule; runs with .ci/run (LSPI_TESTS=own)")
	}
}

// Condition is that of scripts (testscript.Params): [own] holds where tests run that work a real server for one rule
// ([OwnServer]).
func Condition(name string) (bool, error) {
	if name != "own" {
		return false, fmt.Errorf("unknown condition %s", name)
	}
	return OwnServers(), nil
}

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
