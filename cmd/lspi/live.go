package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"lspi/cmd/lspi/internal/config"
	"lspi/contract"
	"lspi/tools/session"
)

// live is what a session that runs knows of its configuration, which may change: a file that is edited, a preset
// that lspi preset use chooses, trust that the user gives or takes.
type live struct {
	chosen  atomic.Pointer[config.Flags] // the preset of lspi preset use: Preset or NoPreset; nil for none
	choices atomic.Int64                 // how often that has changed

	mu    sync.Mutex
	now   *config.Config       // the last configuration that was read; guarded by mu
	good  *config.Config       // the last one without an error; guarded by mu
	last  *reading             // what the last session was opened with, or could not be; guarded by mu
	paths []string             // of the files that decided last; guarded by mu
	turn  int                  // how many sessions were opened, or tried to be; guarded by mu
	next  *reading             // what the next session is opened with; nil when it reads for itself; guarded by mu
	sub   *config.Subscription // nil where nobody watches; guarded by mu
	fresh func()               // has the service follow what has changed; nil where nobody watches; guarded by mu
}

// choose is lspi preset use: "" is what the configuration says.
func (l *live) choose(preset string, none bool) {
	if preset == "" && !none {
		l.chosen.Store(nil)
	} else {
		l.chosen.Store(&config.Flags{Preset: preset, NoPreset: none})
	}
	l.choices.Add(1)
}

// choice is what lspi preset use has chosen for a session, as the host's own process keeps it for the next shared
// process.
type choice struct {
	Preset   string `json:"preset,omitempty"`
	NoPreset bool   `json:"no_preset,omitempty"`
}

// kept is the choice that counts now.
func (l *live) kept() json.RawMessage {
	var c choice
	if chosen := l.chosen.Load(); chosen != nil {
		c = choice{chosen.Preset, chosen.NoPreset}
	}
	out, _ := json.Marshal(c) // of text and a truth value
	return out
}

// goOn begins with the choice that was kept for a session whose process has ended; nothing for nil.
func (l *live) goOn(kept json.RawMessage) error {
	if kept == nil {
		return nil
	}
	var c choice
	if err := json.Unmarshal(kept, &c); err != nil {
		return fmt.Errorf("reading which preset was chosen: %w", err)
	}
	l.choose(c.Preset, c.NoPreset)
	return nil
}

// flags are those of the command line, with the preset that was chosen since.
func (l *live) flags(f config.Flags) config.Flags {
	if chosen := l.chosen.Load(); chosen != nil {
		f.Preset, f.NoPreset = chosen.Preset, chosen.NoPreset
	}
	return f
}

// note remembers a configuration that is in use, and which files decided about it.
func (l *live) note(c *config.Config, paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now = c; c.Err() == nil {
		l.good = c
	}
	l.follow(paths)
}

// follow has these files decide from now on. It needs mu.
func (l *live) follow(paths []string) {
	l.paths = paths
	if l.sub != nil {
		l.sub.Set(paths)
	}
}

// remember keeps what a session is opened with, or cannot be, and which files decided about it.
func (l *live) remember(r *reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = r
	l.follow(r.paths)
}

// lastReading is what the last session was opened with, or could not be; nil before the first one.
func (l *live) lastReading() *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// lastGood is the last configuration without an error; nil when there was none.
func (l *live) lastGood() *config.Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good
}

// lastPaths are those of the files that decided last.
func (l *live) lastPaths() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paths
}

// propose has the next session opened with what was read, when that is the turn behind the one of who proposes.
func (l *live) propose(turn int, r *reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if turn == l.turn {
		l.next = r
	}
}

// take begins the turn of a session, with what was proposed for it; nil when nothing was.
func (l *live) take() (turn int, next *reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, l.next = l.next, nil
	l.turn++
	return l.turn, next
}

// later has the service look again, at a change that does not rest yet.
func (l *live) later() {
	l.mu.Lock()
	sub := l.sub
	l.mu.Unlock()
	if sub != nil {
		sub.Later()
	}
}

// watch has changed called when one of the files changes that decide, until stop.
func (l *live) watch(w *config.Watcher, changed func()) (stop func()) {
	sub := w.Watch(changed)
	l.mu.Lock()
	l.sub, l.fresh = sub, changed
	sub.Set(l.paths)
	l.mu.Unlock()
	return sub.Stop
}

// refreshNow has the service follow what has changed.
func (l *live) refreshNow() {
	l.mu.Lock()
	fresh := l.fresh
	l.mu.Unlock()
	if fresh != nil {
		fresh()
	}
}

// root is the workspace; "" while none is known.
func (l *live) root() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		return ""
	}
	return l.now.Workspace
}

// preset is the one in use; "" for none.
func (l *live) preset() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || l.now.Preset == nil {
		return ""
	}
	return l.now.Preset.Name
}

// goesOn is what a session has while its configuration cannot be used: the last one that could be, which says what
// is wrong with the new one.
func goesOn(good, broken *config.Config) session.Settings {
	s := settingsOf(good)
	conf := *s.Configuration
	conf.Findings = configurationOf(broken).Findings
	s.Configuration = &conf
	s.Warnings = slices.Clone(s.Warnings)
	for _, f := range broken.Errors() {
		facts := contract.Facts{"file": f.File, "line": f.Line, "finding": f.Kind}
		if fix := fixOf(f); fix != "" {
			facts["fix"] = fix
		}
		s.Warnings = append(s.Warnings, contract.Warning{Kind: contract.WarnConfig, Facts: facts,
			Message: "the changed configuration is not used, and the one before goes on: " + f.String()})
	}
	return s
}
