package config

import (
	"fmt"
	"strings"

	"lspi/contract"
)

// Severity says what a finding means for the session.
type Severity string

const (
	// SeverityError: the file is wrong there; tools refuse to work until it is repaired, see [Config.Err]. A file
	// of the workspace that is not trusted has a warning instead, see strangers.go.
	SeverityError Severity = "error"
	// SeverityWarning: part of a file was not applied; everything else works.
	SeverityWarning Severity = "warning"
)

// FindingKind is what is wrong, a closed list.
type FindingKind string

// The kinds of findings.
const (
	FindingUnreadable  FindingKind = "unreadable" // missing, not a regular file, too large, no permission
	FindingSyntax      FindingKind = "syntax"
	FindingUnknownKey  FindingKind = "unknown_key"
	FindingWrongType   FindingKind = "wrong_type"
	FindingBadValue    FindingKind = "bad_value"
	FindingMissingKey  FindingKind = "missing_key"
	FindingDuplicateID FindingKind = "duplicate_id"
	// a folder that a key names is not there, or a program that a variable names
	FindingNotFound   FindingKind = "not_found"
	FindingUnwritable FindingKind = "unwritable"    // a file that a key names cannot be written
	FindingTwoFiles   FindingKind = "two_files"     // .lspi/config.toml and lspi.toml
	FindingTrustStore FindingKind = "trust_store"   // what was trusted cannot be told
	FindingMore       FindingKind = "more_findings" // the rest, counted
	FindingUntrusted  FindingKind = "config_untrusted"
	// an untrusted file takes something away, or has answers be of another server or folder
	FindingNarrowed   FindingKind = "config_narrowed"
	FindingNotApplied FindingKind = "config_not_applied" // an untrusted file is wrong, so nothing of it holds
)

// Finding is one thing that is wrong with the configuration.
type Finding struct {
	Severity Severity    `json:"severity"`
	Kind     FindingKind `json:"kind"`
	File     string      `json:"file,omitempty"`
	Line     int         `json:"line,omitempty"`   // 1-based; 0 when it is about the whole file
	Column   int         `json:"column,omitempty"` // 1-based, in code points
	Key      string      `json:"key,omitempty"`    // such as servers[0].command; several are joined by ", "
	Message  string      `json:"message"`
	Fix      string      `json:"fix,omitempty"` // what to do: a command, or one sentence

	// OtherPreset: it is about a preset that is not in use, so that it concerns no answer but those about presets.
	OtherPreset bool `json:"-"`
}

// Facts are where the finding is, as facts of a warning or an error: a file and a line only where they are known.
func (f Finding) Facts() contract.Facts {
	facts := contract.Facts{}
	if f.File != "" {
		facts["file"] = f.File
	}
	if f.Line > 0 {
		facts["line"] = f.Line
	}
	return facts
}

// String is file:line:column: message.
func (f Finding) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
		}
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// Errors returns the findings that stop tools from working.
func (c *Config) Errors() []Finding {
	var out []Finding
	for _, f := range c.Findings {
		if f.Severity == SeverityError {
			out = append(out, f)
		}
	}
	return out
}

// errorsShown bounds the message of Err: a model that repairs a file works from the top anyway.
const errorsShown = 5

// Err is nil when the configuration is sound, else one error for every tool call to answer with: it names file,
// line and what is valid there, so that the model can tell the user. The server starts all the same.
func (c *Config) Err() *contract.Error {
	errs := c.Errors()
	if len(errs) == 0 {
		return nil
	}
	first := errs[0]
	facts := first.Facts()
	if first.Key != "" {
		facts["key"] = first.Key
	}
	if first.Fix != "" {
		facts["fix"] = first.Fix
	}
	return contract.Errorf(contract.KindConfigInvalid, facts, "reading the configuration: %s",
		strings.Join(some(errs, errorsShown, Finding.String), "; "))
}

// ErrOrNil is [Config.Err] as an error.
func (c *Config) ErrOrNil() error {
	if err := c.Err(); err != nil {
		return err
	}
	return nil
}

// NamedErr is the error of a file that --config or LSPI_CONFIG_PATH names and that cannot be read; nil when there
// is none. Such a start is wrong, and no repair of a file can mend it, so lspi must not start.
func (c *Config) NamedErr() error {
	by := map[SourceKind]string{SourceFlag: "--config", SourceEnv: "LSPI_CONFIG_PATH"}
	for _, s := range c.Sources {
		for _, f := range c.Findings {
			if by[s.Kind] != "" && f.File == s.Path && f.Kind == FindingUnreadable {
				return fmt.Errorf("reading the configuration that %s names: %s", by[s.Kind], f)
			}
		}
	}
	return nil
}

// quoted shows a word of a file in a message. A file may be hostile and the message is read by a model: it is escaped
// and short.
func quoted(word string) string {
	const most = 60
	if r := []rune(word); len(r) > most {
		word = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", word)
}

// some are the first of all as show gives them, with the number of those beyond most.
func some[T any](all []T, most int, show func(T) string) (out []string) {
	for _, one := range all[:min(len(all), most)] {
		out = append(out, show(one))
	}
	if more := len(all) - most; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}
