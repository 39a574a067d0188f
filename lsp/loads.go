package lsp

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// LoadFailure is a load of a project that failed.
type LoadFailure struct {
	Reason string // the server's words, or lspi's where it has none
	Cures  []spec.Cure
}

// excerpt is a line in which a compiler draws source (rustc and cargo: "4 | edition =", "  |        ^").
var excerpt = source.LazyRegexp(`(?m)^\s*\d*\s*\|.*$`)

// WithoutExcerpt is what a server says without the lines of source that it shows, in one line: they say nothing
// once they stand in one with the rest, and the place is named beside them.
func WithoutExcerpt(said string) string {
	return strings.Join(strings.Fields(excerpt.ReplaceAllString(said, "")), " ")
}

// loads follows what a server says of its loads. A nil loads hears nothing.
// gopls tells of a load that failed by window/logMessage alone, before its progress ends as if all was well
// (0.23.0); without this an answer without the project would be called complete.
type loads struct {
	paths                 source.PathPairs // of a server that names folders as they are elsewhere
	failed, loaded, empty []*regexp.Regexp
	unwritten             []*regexp.Regexp
	broken, whole         []*regexp.Regexp

	mu       sync.Mutex
	failedBy map[string]string // folder ("" for all projects) → reason; guarded by mu
	nothing  map[string]bool   // folders in which the last load found nothing; guarded by mu
}

// maxLoadMessage bounds the part of a message that is looked at: go list says a line for each module, and gopls
// puts the folders behind them. maxLoadReason bounds what is kept of a reason, in bytes, and maxLoadFolders the
// folders that are remembered.
const (
	maxLoadMessage = 1 << 20
	maxLoadReason  = 16 << 10
	maxLoadFolders = 1000
)

// newLoads knows of no failure: a load that was not told to fail is taken to be well, since most servers tell nothing.
func newLoads(rule spec.Loads) *loads {
	return &loads{failed: compiledPatterns(rule.Failed), loaded: compiledPatterns(rule.Loaded),
		broken: compiledPatterns(rule.Broken), whole: compiledPatterns(rule.Whole),
		empty: compiledPatterns(rule.Empty), unwritten: compiledPatterns(rule.Unwritten),
		failedBy: map[string]string{}, nothing: map[string]bool{}}
}

// compiledPatterns panics on a pattern that does not compile: a test goes over those of the catalogue.
func compiledPatterns(all []string) (out []*regexp.Regexp) {
	for _, p := range all {
		out = append(out, regexp.MustCompile(p))
	}
	return out
}

// message takes a window/logMessage or window/showMessage.
func (l *loads) message(params json.RawMessage) {
	// Most rows have no such words, and logs may be long.
	if len(l.failed)+len(l.empty) == 0 {
		return
	}
	var p struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	// Failed comes before Empty, and Empty before Loaded: a message may match several of them, and the first one
	// decides.
	text := p.Message[:min(len(p.Message), maxLoadMessage)]
	l.mu.Lock()
	defer l.mu.Unlock()
	if reason, folders, ok := l.matched(l.failed, text); ok {
		// Cloned: a substring would keep the whole message.
		reason = strings.TrimSpace(strings.Clone(reason[:min(len(reason), maxLoadReason)]))
		for _, folder := range folders {
			if len(l.failedBy) < maxLoadFolders {
				l.failedBy[folder] = reason
			}
		}
		return
	}
	if _, folders, ok := l.matched(l.empty, text); ok {
		for _, folder := range folders {
			// A load that ran and found nothing did not fail; what it means is decided later, by whether the folder
			// has sources ([Health.LoadFailed]).
			delete(l.failedBy, folder)
			if len(l.nothing) < maxLoadFolders {
				l.nothing[folder] = true
			}
		}
		return
	}
	if _, folders, ok := l.matched(l.loaded, text); ok {
		for _, folder := range folders {
			delete(l.failedBy, folder)
			delete(l.nothing, folder)
		}
	}
}

// buildBroken is the reason where a server only tells that a build has errors.
const buildBroken = "the description of its build has errors"

// status takes the notification that has the sign of readiness. A reason that the server gave in words stays.
func (l *loads) status(params json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	said := l.failedBy[""]
	if _, _, ok := l.matched(l.broken, string(params)); ok && said == "" {
		l.failedBy[""] = buildBroken
	}
	if _, _, ok := l.matched(l.whole, string(params)); ok && said == buildBroken {
		delete(l.failedBy, "")
	}
}

// matched is the first of the patterns that a text matches: its reason, and its folders, [""] when it names none.
func (l *loads) matched(patterns []*regexp.Regexp, text string) (reason string, folders []string, ok bool) {
	for _, p := range patterns {
		m := p.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		reason, folders = m[0], []string{""}
		if i := p.SubexpIndex("reason"); i >= 0 {
			reason = m[i]
		}
		if i := p.SubexpIndex("folders"); i >= 0 {
			folders = nil
			// gopls writes the folders as patterns of the go command, one behind the other.
			for _, folder := range strings.Split(m[i], "/...") {
				if folder = strings.TrimSpace(folder); folder == "" {
					continue
				}
				if len(l.paths) > 0 { // "" for a folder that has no name here: it may hold any project
					folder, _ = l.paths.Here(folder)
				}
				folders = append(folders, strings.Clone(folder))
			}
		}
		return reason, folders, true
	}
	return "", nil, false
}

// about is the reason of a failure that matters for an answer about the projects below or around root, apart from
// those of folders that are aside. A project that is gone has none, and no load of it tells that.
func (l *loads) about(root string, aside func(folder string) bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.failedBy, func(folder, _ string) bool { return folder != "" && !source.Exists(folder) })
	// Sorted, so that of several reasons the same one is told each time.
	for _, folder := range slices.Sorted(maps.Keys(l.failedBy)) {
		if folder == "" || related(folder, root) && !aside(folder) {
			return l.failedBy[folder]
		}
	}
	return ""
}

// any reports whether any load failed, or found nothing.
func (l *loads) any() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.failedBy)+len(l.nothing) > 0
}

// without are the folders below or around root in which the last load found nothing.
func (l *loads) without(root string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, folder := range slices.Sorted(maps.Keys(l.nothing)) {
		if related(folder, root) {
			out = append(out, folder)
		}
	}
	return out
}

// related reports whether one folder is the other one, or lies in it.
// Both directions matter: a load of a folder above holds the project, and a question about a workspace includes the
// loads below.
func related(a, b string) bool {
	_, below := source.RelativeTo(a, b)
	_, above := source.RelativeTo(b, a)
	return below || above
}

// healthPart is a [spec.HealthPart] that is ready to be looked for.
type healthPart struct {
	spec.HealthPart
	begins, stderr *regexp.Regexp
}

// healthParts compiles the patterns once for a process; like [compiledPatterns] it panics on one that is wrong.
func healthParts(all []spec.HealthPart) (out []healthPart) {
	for _, p := range all {
		part := healthPart{HealthPart: p, begins: regexp.MustCompile(p.Begins)}
		if p.Stderr != "" {
			part.stderr = regexp.MustCompile(p.Stderr)
		}
		out = append(out, part)
	}
	return out
}

// said is one part of a status message.
type said struct {
	part *healthPart // nil for words that the row does not know
	text string
}

// takeApart cuts a status message at what its parts begin with.
func takeApart(parts []healthPart, message string) (out []said) {
	type cutAt struct {
		at   int
		part *healthPart
	}
	cuts := []cutAt{{0, nil}}
	// The message is several sentences of several subjects in one string; only their beginnings tell them apart.
	for i := range parts {
		for _, m := range parts[i].begins.FindAllStringIndex(message, -1) {
			cuts = append(cuts, cutAt{m[0], &parts[i]})
		}
	}
	slices.SortStableFunc(cuts, func(a, b cutAt) int { return a.at - b.at })
	for i, c := range cuts {
		end := len(message)
		if i+1 < len(cuts) {
			end = cuts[i+1].at
		}
		if text := strings.TrimSpace(message[c.at:end]); text != "" {
			out = append(out, said{c.part, text})
		}
	}
	return out
}

// about joins the parts of one kind. Those whose kind depends on what the project holds are about health.
func about(all []said, what spec.Complaint) string {
	var out []string
	for _, one := range all {
		if one.about(func([]spec.ProjectText) bool { return false }) == what {
			out = append(out, one.text)
		}
	}
	return strings.Join(out, "\n")
}

// about is what one part means in a project of which holds tells whether it has any of some texts.
func (one said) about(holds func([]spec.ProjectText) bool) spec.Complaint {
	if one.part == nil || len(one.part.Where) > 0 && !holds(one.part.Where) {
		return spec.ComplaintHealth
	}
	return one.part.About
}

// reasoned is one part with the reason that stderr gives for it.
func (one said) reasoned(stderr func() string) string {
	if one.part == nil || one.part.stderr == nil {
		return one.text
	}
	reason := ""
	for _, m := range one.part.stderr.FindAllStringSubmatch(stderr(), -1) {
		reason = m[one.part.stderr.SubexpIndex("reason")] // of the last load
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		return one.text
	}
	return strings.TrimSuffix(firstLine(one.text), ".") + ": " + reason
}
