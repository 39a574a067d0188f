package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp"
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
}

// check refuses a value that is not in its list: a misspelt --mode must not mean that writing is allowed.
func (f Flags) check() error {
	for _, flag := range []struct {
		name, value string
		values      []string
	}{{"--context", f.Context, Contexts}, {"--mode", f.Mode, Modes}, {"--log-level", f.LogLevel, logLevels}, {"--trust", f.Trust, trust.Policies}} {
		if flag.value == "" || slices.Contains(flag.values, flag.value) {
			continue
		}
		hint := ""
		if near := nearest(flag.value, flag.values); near != "" {
			hint = fmt.Sprintf(": did you mean %q?", near)
		}
		return fmt.Errorf("%s must be one of %s, not %s%s", flag.name, strings.Join(flag.values, ", "), quoted(flag.value), hint)
	}
	return nil
}

// trustVariable has the meaning of --trust.
const trustVariable = "LSPI_TRUST"

// policy is the flag, else the variable, else the key.
func (l *loader) policy() string {
	for _, given := range []string{l.Flags.Trust, l.Getenv(trustVariable), lookup[string](l.merged, "trust")} {
		if slices.Contains(trust.Policies, given) {
			return given
		}
	}
	return "owned"
}

// mcp reads [mcp] and lays the flags over it.
func (l *loader) mcp() MCP {
	m := MCP{
		Context:     lookup[string](l.merged, "mcp.context"),
		Mode:        lookup[string](l.merged, "mcp.mode"),
		CallTimeout: time.Duration(lookup[int64](l.merged, "mcp.call_timeout_ms")) * time.Millisecond,
		Warmup:      lookup[bool](l.merged, "mcp.warmup"),
		Text:        lookup[string](l.merged, "mcp.text"),
		Output: Output{
			MaxTotalCharsDefault: int(lookup[int64](l.merged, "mcp.output.max_total_chars_default")),
			MaxTotalCharsHard:    int(lookup[int64](l.merged, "mcp.output.max_total_chars_hard")),
			EchoInput:            lookup[string](l.merged, "mcp.output.echo_input"),
		},
		Tools: Tools{
			Allow:   lookup[[]string](l.merged, "mcp.tools.allow"),
			Exclude: lookup[[]string](l.merged, "mcp.tools.exclude"),
			Raw:     l.rawMethods(),
		},
	}
	m.Output.MaxTotalCharsDefault = l.capped(m.Output)
	if l.Flags.Context != "" {
		m.Context = l.Flags.Context
	}
	if l.Flags.Mode != "" {
		m.Mode = l.Flags.Mode
	}
	if l.Flags.Warmup != nil {
		m.Warmup = *l.Flags.Warmup
	}
	m.ReadOnly = l.readOnly(m)
	return m
}

// rawMethods are those of mcp.tools.lsp_request, one by one.
func (l *loader) rawMethods() []string {
	given := lookup[[]string](l.merged, "mcp.tools.lsp_request")
	if slices.Contains(given, allMethods) {
		return lsp.RawMethods(l.Catalogue)
	}
	return given
}

// readOnly: the flag, else the key, else the mode, else the context.
func (l *loader) readOnly(m MCP) bool {
	switch {
	case l.Flags.ReadOnly != nil:
		return *l.Flags.ReadOnly
	case l.given["mcp.read_only"]:
		return lookup[bool](l.merged, "mcp.read_only")
	case m.Mode != "":
		return m.Mode == "navigation"
	}
	return m.Context == "codex" || m.Context == "navigation"
}

// capped is the default cap, at most the hard one. A file that sets both against each other gets a finding; two files
// that do are no mistake of either.
func (l *loader) capped(o Output) int {
	const key = "mcp.output.max_total_chars_default"
	if o.MaxTotalCharsDefault <= o.MaxTotalCharsHard {
		return o.MaxTotalCharsDefault
	}
	for _, layer := range l.layers {
		n, ok := find[int64](layer.values, key)
		if hard, both := find[int64](layer.values, "mcp.output.max_total_chars_hard"); ok && both && n > hard {
			layer.findAt(SeverityError, FindingBadValue, key, "", `"max_total_chars_default" is %d, above "max_total_chars_hard", which is %d`, n, hard)
		}
	}
	return o.MaxTotalCharsHard
}

func (l *loader) limits() Limits {
	return Limits{
		MaxServers:      int(lookup[int64](l.merged, "limits.max_servers")),
		MaxServerMemory: int(lookup[int64](l.merged, "limits.max_server_memory_mb")),
	}
}

func (l *loader) logging() Logging {
	log := Logging{Level: lookup[string](l.merged, "logging.level"), File: lookup[string](l.merged, "logging.file")}
	if l.Flags.LogLevel != "" {
		log.Level = l.Flags.LogLevel
	}
	if l.Flags.LogFile != "" {
		log.File = folders.Absolute(l.WorkDir, l.Flags.LogFile)
	}
	return log
}
