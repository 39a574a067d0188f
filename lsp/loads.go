package lsp

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"lspi/source"
)

// LoadFailure is a load of a project that failed.
type LoadFailure struct {
	Reason string // the server's words, or lspi's where it has none
	Cures  []Cure
}

// loads follows what a server says of its loads. A nil loads hears nothing.
type loads struct {
	rule                  Loads
	failed, loaded, empty []*regexp.Regexp
	unwritten             []*regexp.Regexp

	mu       sync.Mutex
	failedBy map[string]string // folder ("" for all projects) → reason; guarded by mu
	nothing  map[string]bool   // folders in which the last load found nothing; guarded by mu
}

// maxLoadMessage bounds the part of a message that is looked at: go list says a line for each module, and gopls puts the folders
// behind them. maxLoadReason bounds what is kept of a reason, in bytes, and maxLoadFolders the folders that are remembered.
const (
	maxLoadMessage = 1 << 20
	maxLoadReason  = 16 << 10
	maxLoadFolders = 1000
)

func newLoads(rule Loads) *loads {
	return &loads{rule: rule, failed: compiledPatterns(rule.Failed), loaded: compiledPatterns(rule.Loaded),
		empty: compiledPatterns(rule.Empty), unwritten: compiledPatterns(rule.Unwritten), failedBy: map[string]string{}, nothing: map[string]bool{}}
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
	if len(l.failed)+len(l.empty) == 0 {
		return
	}
	var p struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	text := p.Message[:min(len(p.Message), maxLoadMessage)]
	l.mu.Lock()
	defer l.mu.Unlock()
	if reason, folders, ok := matched(l.failed, text); ok {
		reason = strings.TrimSpace(strings.Clone(reason[:min(len(reason), maxLoadReason)]))
		for _, folder := range folders {
			if len(l.failedBy) < maxLoadFolders {
				l.failedBy[folder] = reason
			}
		}
		return
	}
	if _, folders, ok := matched(l.empty, text); ok {
		for _, folder := range folders {
			delete(l.failedBy, folder)
			if len(l.nothing) < maxLoadFolders {
				l.nothing[folder] = true
			}
		}
		return
	}
	if _, folders, ok := matched(l.loaded, text); ok {
		for _, folder := range folders {
			delete(l.failedBy, folder)
			delete(l.nothing, folder)
		}
	}
}

// matched is the first of the patterns that a text matches: its reason, and its folders, [""] when it names none.
func matched(patterns []*regexp.Regexp, text string) (reason string, folders []string, ok bool) {
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
			for _, folder := range strings.Split(m[i], "/...") {
				if folder = strings.TrimSpace(folder); folder != "" {
					folders = append(folders, strings.Clone(folder))
				}
			}
		}
		return reason, folders, true
	}
	return "", nil, false
}

// about is the reason of a failure that matters for an answer about the projects below or around root.
func (l *loads) about(root string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, folder := range sortedKeys(l.failedBy) {
		if folder == "" || related(folder, root) {
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

// LoadFailing reports whether the last load of any folder failed, or found nothing.
func (s *Server) LoadFailing() bool { return s.loads.any() }

// without are the folders below or around root in which the last load found nothing.
func (l *loads) without(root string) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, folder := range sortedKeys(l.nothing) {
		if related(folder, root) {
			out = append(out, folder)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func related(a, b string) bool {
	_, below := source.RelativeTo(a, b)
	_, above := source.RelativeTo(b, a)
	return below || above
}

// LoadFailed is the failed load that limits an answer about the project at a root; ok is false when none does, as far as
// the server tells.
func (s *Server) LoadFailed(ctx context.Context, root string) (f LoadFailure, ok bool) {
	f.Reason = s.loads.about(root)
	if f.Reason == "" {
		f.Reason = s.unhealthyLoad()
	}
	if f.Reason == "" && s.missedAll(ctx, root) {
		f.Reason = s.foundNothing()
	}
	if f.Reason == "" {
		f.Reason = s.brokenProject(root)
	}
	if f.Reason == "" {
		f.Reason = s.unwritten()
	}
	if file := s.diagnostics.lostImports(); f.Reason == "" && file != "" {
		f.Reason = "packages import each other in a cycle, so that the imports of " + baseName(file) + " are unknown to it"
	}
	if f.Reason == "" {
		return f, false
	}
	for _, cure := range s.spec.Readiness.Loads.Cures {
		if regexp.MustCompile(cure.Said).MatchString(f.Reason) {
			f.Cures = append(f.Cures, cure)
			break
		}
	}
	return f, true
}

// missedAll reports whether a load found nothing in a project that holds sources. One that holds none is loaded as well as it
// can be, and what comes later is no matter of that load: so the first question after it decides.
func (s *Server) missedAll(ctx context.Context, root string) bool {
	for _, folder := range s.loads.without(root) {
		if s.holdsSources(ctx, folder) {
			return true
		}
		s.loads.mu.Lock()
		delete(s.loads.nothing, folder)
		s.loads.mu.Unlock()
	}
	return false
}

// foundNothing is the reason of a load that found nothing, as far as lspi can tell.
func (s *Server) foundNothing() string {
	if name := s.unwritable(); name != "" {
		return "it found no package, and " + name + " names a folder that is not there or cannot be written"
	}
	return "it found no package, though the folder holds source files"
}

// unwritten is the reason when the server said that it could not write what it needs, and cannot now.
func (s *Server) unwritten() string {
	if len(s.loads.unwritten) == 0 {
		return ""
	}
	text := s.proc.Stderr.Text()
	for _, p := range s.loads.unwritten {
		if said := p.FindString(text); said != "" {
			if name := s.unwritable(); name != "" {
				return name + " names a folder that is not there or cannot be written: " + said
			}
		}
	}
	return ""
}

// unwritable is the first of the row's variables that names a folder which cannot be written; "" when all can.
func (s *Server) unwritable() string {
	env := s.spec.environment()
	for _, name := range s.spec.Readiness.Loads.Writes {
		if dir := valueOf(env, name); dir != "" && !writable(dir) {
			return name
		}
	}
	return ""
}

// valueOf is a variable in an environment, of which the last entry counts.
func valueOf(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// writable reports whether a file can be made in a folder, and holds something.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".lspi-*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4096))
	return f.Close() == nil && err == nil
}
