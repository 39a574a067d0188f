//go:build unix

package tools

import (
	"testing"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// An answer of a server that no test has run claims nothing, however sure the server is of itself, and one warning
// says why.
func TestAnswersOfUnprovenRows(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*spec.Spec)
		want   string
	}{
		{"proven", func(*spec.Spec) {}, "fake1 complete 2"},
		{"unproven", func(s *spec.Spec) { s.Unproven = true }, "fake1 unknown 2 unverified_server"},
		{"proven, without a sign", func(s *spec.Spec) {
			s.Readiness = spec.Readiness{}
		}, "fake1 unknown 2 no_readiness_sign"},
		{"unproven, without a sign", func(s *spec.Spec) {
			s.Unproven, s.Readiness = true, spec.Readiness{}
		}, "fake1 unknown 2 unverified_server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScripted(t, func(specs []spec.Spec) { c.change(&specs[0]) }, playing(), two...)
			s.want(s.references(), c.want)
			found := run(t, s.Session, "get_diagnostics", map[string]any{"file_path": "a.w"})
			testkit.Equal(t, found["completeness"] == string(contract.Complete), c.name == "proven", "diagnostics are",
				found["completeness"])
		})
	}
}
