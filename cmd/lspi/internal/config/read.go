package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"lspi/cmd/lspi/internal/folders"
	"lspi/cmd/lspi/internal/trust"
	"lspi/lang"
)

// layer is one configuration file on its way into a Config. Load owns it; nothing of it outlives Load but Source and
// findings.
type layer struct {
	Source
	real     string // Path with symbolic links resolved; what trust is keyed by
	base     string // folder that its relative paths count from
	without  string // the workspace if the file did not choose one
	values   map[string]any
	at       *places
	findings []Finding
	changed  bool                // it was trusted with another content
	narrowed []string            // keys by which it takes something away, while it is not trusted
	stripped map[string][]string // by server id: keys that were taken out because the file is not trusted
}

func newLayer(kind SourceKind, path string) *layer {
	return &layer{
		Source: Source{Path: path, Kind: kind, Trusted: true}, base: baseOf(path),
		values: map[string]any{}, at: locate(""), stripped: map[string][]string{},
	}
}

// read reads and decodes the file. A file that cannot be decoded leaves values empty and a finding.
func (l *layer) read() {
	content, err := folders.ReadFile(l.Path, trust.MaxFile)
	if err != nil {
		l.find(Finding{Severity: SeverityError, Kind: FindingUnreadable, Message: err.Error()})
		return
	}
	l.SHA256 = trust.Sum(content)
	if l.real, err = filepath.EvalSymlinks(l.Path); err != nil {
		l.real = l.Path
	}
	l.decode(strings.TrimPrefix(string(content), "\ufeff"))
}

func (l *layer) decode(text string) {
	l.at = locate(text)
	if l.at.tooLong >= 0 {
		line, column := l.at.at(l.at.tooLong)
		l.find(Finding{Severity: SeverityError, Kind: FindingSyntax, Line: line, Column: column,
			Message: fmt.Sprintf("the key with its tables is longer than %d bytes", maxPath)})
		return
	}
	values := map[string]any{}
	if _, err := lang.DecodeTOML(text, &values); err != nil {
		l.find(syntaxFinding(l.at, err))
		return
	}
	l.values = values
}

// syntaxFinding tells the place of a syntax error. Below env the decoder's words may quote a value, so they are left out.
func syntaxFinding(at *places, err error) Finding {
	f := Finding{Severity: SeverityError, Kind: FindingSyntax, Message: "not valid TOML: " + err.Error()}
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		return f
	}
	f.Line, f.Column = at.at(parse.Position.Start)
	f.Key = parse.LastKey
	f.Message = "not valid TOML: " + parse.Message
	if strings.Contains(parse.LastKey, "env") {
		f.Message = "not valid TOML"
	}
	return f
}

// find adds a finding about this file.
func (l *layer) find(f Finding) {
	f.File = l.Path
	l.findings = append(l.findings, f)
}

// findAt adds a finding about a key, at its place.
func (l *layer) findAt(severity Severity, kind FindingKind, path, fix, format string, args ...any) {
	line, column := l.at.of(path)
	l.find(Finding{Severity: severity, Kind: kind, Line: line, Column: column, Key: path, Fix: fix,
		Message: fmt.Sprintf(format, args...)})
}
