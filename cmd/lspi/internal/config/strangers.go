package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// What becomes of a file with mistakes that a repository brings and the user does not trust.

// strangersMistakes is the file of the workspace that is not trusted and has errors, with nothing left of it but a
// warning; nil when there is none. Of a file that is wrong nothing is applied, because half of what it says may
// mean something else than the whole. What it may have said and nobody could read, that lspi is read-only, is
// [loader.config]'s to assume.
func (l *loader) strangersMistakes() *layer {
	i := slices.IndexFunc(l.layers, func(l *layer) bool {
		return l.Kind == SourceWorkspace && !l.Trusted && len(l.errors()) > 0
	})
	if i < 0 {
		return nil
	}
	broken := l.layers[i]
	out := newLayer(SourceWorkspace, broken.Path)
	out.Trusted, out.SHA256 = false, broken.SHA256
	out.findings = slices.DeleteFunc(slices.Clone(broken.findings), func(f Finding) bool {
		return f.Kind != FindingTwoFiles && f.Kind != FindingTrustStore
	})
	first, readOnly := broken.errors()[0], ", and lspi is read-only,"
	if l.Flags.ReadOnly != nil && !*l.Flags.ReadOnly { // --read-write wins
		readOnly = ""
	}
	out.find(Finding{Severity: SeverityWarning, Kind: FindingNotApplied, Line: first.Line, Column: first.Column,
		Key: first.Key,
		Fix: cmp.Or(first.Fix, "mend the file"),
		Message: "nothing of this file, which is not trusted, is applied" + readOnly + " until it is mended: " +
			strings.Join(some(broken.errors(), errorsShown, placed), "; ")})
	return out
}

// errors are those of one file, in the order of its lines.
func (l *layer) errors() []Finding {
	return slices.DeleteFunc(slices.Clone(l.sorted()), func(f Finding) bool { return f.Severity != SeverityError })
}

// placed is the message of a finding with its line, for a text that names the file.
func placed(f Finding) string {
	if f.Line == 0 {
		return f.Message
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Message)
}
