package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/lang"
)

// layer is one configuration file on its way into a Config. Load owns it; nothing of it outlives Load but Source and
// findings.
type layer struct {
	Source
	settings
	real      string // Path with symbolic links resolved; what trust is keyed by
	workspace string // the workspace if this file did not choose one
	at        positions
	findings  []Finding
	preset    string              // the file is that of one preset; "" for every other file
	changed   bool                // it was trusted with another content
	narrowed  []string            // keys by which it takes something away, while it is not trusted
	within    []string            // the only tools that it leaves, while it is not trusted; nil leaves all
	stripped  map[string][]string // by server id: keys that were taken out because the file is not trusted
}

func newLayer(kind SourceKind, path string) *layer {
	return &layer{Source: Source{Path: path, Kind: kind, Trusted: true}, stripped: map[string][]string{}}
}

// base is the folder that relative paths of the file count from: its own, but the workspace for .lspi/config.toml,
// so that a file may move between its two places unchanged.
func (l *layer) base() string { return baseOf(l.Path) }

func baseOf(path string) string {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == ".lspi" {
		return filepath.Dir(dir)
	}
	return dir
}

// read reads and decodes the file. One that cannot be decoded leaves no values, and a finding.
func (l *layer) read() {
	content, err := trust.ReadFile(l.Path, trust.MaxFile)
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
	if strings.EqualFold(filepath.Ext(l.Path), ".json") {
		values, at, err := decodeJSON(text)
		if err != nil {
			l.find(jsonFinding(text, err))
			return
		}
		l.values, l.at = values, at
	} else {
		values := map[string]any{}
		if _, err := lang.DecodeTOML(text, &values); err != nil {
			l.find(syntaxFinding(text, err))
			return
		}
		l.values, l.at = values, locate(text)
	}
	l.ofPreset()
	l.modernize()
}

// ofPreset puts the values of a preset's own file where other files have them.
func (l *layer) ofPreset() {
	if l.preset == "" || l.values == nil {
		return
	}
	at := positions{}
	for key, place := range l.at {
		at[join(join("presets", l.preset), key)] = place
	}
	l.values, l.at = map[string]any{"presets": map[string]any{l.preset: l.values}}, at
}

// maxKeyShown bounds the key that a finding names, in bytes: a stranger chooses its length.
const maxKeyShown = 512

// find adds a finding about this file.
func (l *layer) find(f Finding) {
	f.File = l.Path
	if len(f.Key) > maxKeyShown {
		f.Key = strings.ToValidUTF8(f.Key[:maxKeyShown], "") + "…"
	}
	l.findings = append(l.findings, f)
}

// findAt adds a finding about a key, at its place.
func (l *layer) findAt(severity Severity, kind FindingKind, path, fix, format string, args ...any) {
	at := l.at.of(path)
	l.find(Finding{Severity: severity, Kind: kind, Line: at.line, Column: at.column, Key: path, Fix: fix,
		Message: fmt.Sprintf(format, args...)})
}

// warn adds a finding about the whole file that stops nothing.
func (l *layer) warn(kind FindingKind, fix, format string, args ...any) {
	l.find(Finding{Severity: SeverityWarning, Kind: kind, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

// failed reports whether a key was left out because of an error that has its finding.
func (l *layer) failed(path string) bool {
	return slices.ContainsFunc(l.findings, func(f Finding) bool {
		return f.Severity == SeverityError && (f.Key == path || strings.HasPrefix(f.Key, path+"["))
	})
}

// strip notes a key that is not applied because the file is not trusted.
func (l *layer) strip(key, id string) { l.stripped[id] = append(l.stripped[id], key) }

// maxFindings bounds what is told about one file.
const maxFindings = 100

// sorted are the findings of the file in the order of its lines.
func (l *layer) sorted() []Finding {
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return position{a.Line, a.Column}.compare(position{b.Line, b.Column})
	})
	if more := len(l.findings) - maxFindings; more > 0 {
		rest := Finding{Severity: SeverityError, Kind: FindingMore, File: l.Path,
			Message: fmt.Sprintf("%d more findings", more)}
		return append(slices.Clone(l.findings[:maxFindings]), rest)
	}
	return l.findings
}

// inOrder sorts keys as they stand in the file.
func (l *layer) inOrder(keys []string) []string {
	slices.SortStableFunc(keys, func(a, b string) int { return l.at.of(a).compare(l.at.of(b)) })
	return keys
}

// keysShown bounds the keys that one finding names.
const keysShown = 12

// listed names keys with their lines.
func (l *layer) listed(keys []string) string {
	return strings.Join(some(keys, keysShown, func(key string) string {
		return fmt.Sprintf("%s (line %d)", key, l.at.of(key).line)
	}), ", ")
}

// reportStripped makes one finding of everything that is not applied, with the command that trusts the file.
func (l *layer) reportStripped() {
	var all []string
	for _, id := range slices.Sorted(maps.Keys(l.stripped)) {
		all = append(all, l.stripped[id]...)
	}
	if len(all) == 0 {
		return
	}
	state := "is not trusted"
	if l.changed {
		state = "changed since it was trusted"
	}
	l.reportKeys(FindingUntrusted, l.inOrder(all), trust.Command(l.Path), "this file "+state+
		"; not applied: %s; the rest is")
}

// reportNarrowed makes one finding of what an untrusted file takes away or changes: a repository that hides a tool,
// cuts answers or has another server asked must not look as if there were nothing more.
func (l *layer) reportNarrowed() {
	if len(l.narrowed) > 0 {
		l.reportKeys(FindingNarrowed, l.inOrder(l.narrowed), "",
			"this file of the workspace, which is not trusted, narrows or changes what lspi does: %s")
	}
}

func (l *layer) reportKeys(kind FindingKind, keys []string, fix, format string) {
	at := l.at.of(keys[0])
	l.find(Finding{Severity: SeverityWarning, Kind: kind, Line: at.line, Column: at.column,
		Key: strings.Join(keys, ", "), Fix: fix,
		Message: fmt.Sprintf(format, l.listed(keys))})
}
