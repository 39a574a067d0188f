package launch

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/spec"
)

// A server that was ended for its memory is started to need less, but for what the user has set.
func TestSparing(t *testing.T) {
	by := &spec.Sparing{Sets: map[string]string{"GC": "25"}, Options: map[string]any{"ahead.enable": false},
		Settings: map[string]any{"fake.ahead.enable": false, "fake.cache": 16}}
	p := &Plan{Environment: []string{"PATH=/bin"}}
	p.spare(by)
	testkit.Diff(t, []any{p.Environment, p.Options, p.Settings}, []any{[]string{"PATH=/bin", "GC=25"},
		map[string]any{"ahead": map[string]any{"enable": false}},
		map[string]any{"fake": map[string]any{"ahead": map[string]any{"enable": false}, "cache": 16}}})
	p = &Plan{Environment: []string{"GC=off"}, Settings: map[string]any{"fake": map[string]any{"cache": 64}}}
	p.spare(by)
	testkit.Diff(t, []any{p.Environment, p.Settings}, []any{[]string{"GC=off"},
		map[string]any{"fake": map[string]any{"ahead": map[string]any{"enable": false}, "cache": 64}}})
}
