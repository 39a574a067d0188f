package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
	"lspi/tools/session"
)

// Flags are the switches of lspi mcp that have a key of the same meaning; they win over every file. "" and nil mean not
// given.
type Flags struct {
	Context  string // --context
	Mode     string // --mode
	ReadOnly *bool  // --read-only, --read-write
	Warmup   *bool  // --warmup
	LogLevel string // --log-level
	LogFile  string // --log-file
	Trust    string // --trust
	Share    string // --share
	Preset   string // --preset
	NoPreset bool   // no preset is in use, whatever the configuration says; there is no such flag
}

// flag is a flag whose value is one of an enumeration, with the key of the same meaning.
type flag struct{ name, key, value string }

func (f Flags) enumerations() []flag {
	return []flag{{"--context", "mcp.context", session.OriginalContext(f.Context)}, {"--mode", "mcp.mode", f.Mode},
		{"--log-level", "logging.level", f.LogLevel}, {"--trust", "trust", f.Trust},
		{"--share", "mcp.share", f.Share}}
}

// check refuses a value that is not in its list: a misspelt --mode must not mean that writing is allowed.
func (f Flags) check() error {
	for _, flag := range f.enumerations() {
		values := byName[flag.key].holds.values
		if flag.value == "" || slices.Contains(values, flag.value) {
			continue
		}
		hint := ""
		if near := nearest(flag.value, values); near != "" {
			hint = fmt.Sprintf(": did you mean %q?", near)
		}
		return fmt.Errorf("%s must be one of %s, not %s%s", flag.name, strings.Join(values, ", "), quoted(flag.value),
			hint)
	}
	return nil
}

// Variables with the meaning of a flag, which wins over them.
const (
	trustVariable = "LSPI_TRUST"
	shareVariable = "LSPI_SHARE"

	presetVariable = "LSPI_PRESET"
)

// values are the flags, and the variables, as a file would set them.
func (o *Options) values() map[string]any {
	values, f := map[string]any{}, o.Flags
	if policy := o.Getenv(trustVariable); slices.Contains(trust.Policies, policy) {
		put(values, "trust", policy)
	}
	if share := o.Getenv(shareVariable); slices.Contains(Shares, share) {
		put(values, "mcp.share", share)
	}
	for _, flag := range f.enumerations() {
		if flag.value != "" {
			put(values, flag.key, flag.value)
		}
	}
	if preset := cmp.Or(f.Preset, o.Getenv(presetVariable)); f.NoPreset {
		put(values, "mcp.preset", "")
	} else if preset != "" {
		put(values, "mcp.preset", preset)
	}
	if f.ReadOnly != nil {
		put(values, "mcp.read_only", *f.ReadOnly)
	}
	if f.Warmup != nil {
		put(values, "mcp.warmup", *f.Warmup)
	}
	if f.LogFile != "" {
		put(values, "logging.file", source.Absolute(o.WorkDir, f.LogFile))
	}
	return values
}
