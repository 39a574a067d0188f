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

// live is what a running session knows about its configuration, which may change: a file is edited, lspi preset use
// chooses a preset, the user gives or takes back trust.
type live struct {
	chosen  atomic.Pointer[config.Flags] // the choice of lspi preset use: Preset or NoPreset; nil for none
	choices atomic.Int64                 // how often chosen has changed

	mu      sync.Mutex
	now     *config.Config       // the last configuration that was read; guarded by mu
	good    *config.Config       // the last one without an error; guarded by mu
	last    *reading             // what the last session was opened with, or could not be; guarded by mu
	paths   []string             // the files that decided about the last reading; guarded by mu
	turn    int                  // how many sessions were opened, failed attempts included; guarded by mu
	next    *reading             // what the next session is opened with; nil when it reads the files; guarded by mu
	sub     *config.Subscription // nil where nobody watches; guarded by mu
	changed func()               // tells the service that a file has changed; nil where nobody watches; guarded by mu
}

// choose sets the choice of lspi preset use: a preset, none, or, with "" and false, what the configuration says.
func (l *live) choose(preset string, none bool) {
	if preset == "" && !none {
		l.chosen.Store(nil)
	} else {
		l.chosen.Store(&config.Flags{Preset: preset, NoPreset: none})
	}
	l.choices.Add(1)
}

// choice is the choice of lspi preset use in the form in which the host's own process (lspi mcp) keeps it for the next
// shared process.
type choice struct {
	Preset   string `json:"preset,omitempty"`
	NoPreset bool   `json:"no_preset,omitempty"`
}

// choice returns the present choice as JSON.
func (l *live) choice() json.RawMessage {
	var c choice
	if chosen := l.chosen.Load(); chosen != nil {
		c = choice{chosen.Preset, chosen.NoPreset}
	}
	out, _ := json.Marshal(c) // cannot fail: a string and a boolean
	return out
}

// restore sets the choice that was kept for a session whose shared process has ended; nil changes nothing.
func (l *live) restore(kept json.RawMessage) error {
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

// flags returns the flags of the command line with the preset that was chosen since.
func (l *live) flags(f config.Flags) config.Flags {
	if chosen := l.chosen.Load(); chosen != nil {
		f.Preset, f.NoPreset = chosen.Preset, chosen.NoPreset
	}
	return f
}

// note records the configuration in use and the files that decided about it.
func (l *live) note(c *config.Config, paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now = c; c.Err() == nil {
		l.good = c
	}
	l.follow(paths)
}

// follow makes paths the files that decide and that are watched. The caller holds mu.
func (l *live) follow(paths []string) {
	l.paths = paths
	if l.sub != nil {
		l.sub.Set(paths)
	}
}

// remember records what a session is opened with, or could not be.
func (l *live) remember(r *reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = r
	l.follow(r.paths)
}

// lastReading returns what the last session was opened with, or could not be; nil before the first one.
func (l *live) lastReading() *reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// lastGood returns the last configuration without an error; nil when there was none.
func (l *live) lastGood() *config.Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good
}

// lastPaths returns the files that decided about the last reading.
func (l *live) lastPaths() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.paths
}

// propose sets what the next session is opened with. turn is that of the session that proposes it; a proposal of an
// older session is ignored.
func (l *live) propose(turn int, r *reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if turn == l.turn {
		l.next = r
	}
}

// take begins the turn of a session and returns what was proposed for it; nil when nothing was.
func (l *live) take() (turn int, next *reading) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, l.next = l.next, nil
	l.turn++
	return l.turn, next
}

// later makes the watcher report once more, for a change that is still going on.
func (l *live) later() {
	l.mu.Lock()
	sub := l.sub
	l.mu.Unlock()
	if sub != nil {
		sub.Later()
	}
}

// watch calls changed when one of the files that decide changes, until stop is called.
func (l *live) watch(w *config.Watcher, changed func()) (stop func()) {
	sub := w.Watch(changed)
	l.mu.Lock()
	l.sub, l.changed = sub, changed
	sub.Set(l.paths)
	l.mu.Unlock()
	return sub.Stop
}

// refreshNow makes the service look at its configuration now; nothing where nobody watches.
func (l *live) refreshNow() {
	l.mu.Lock()
	changed := l.changed
	l.mu.Unlock()
	if changed != nil {
		changed()
	}
}

// root returns the root of the workspace; "" while none is known.
func (l *live) root() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil {
		return ""
	}
	return l.now.Workspace
}

// preset returns the name of the preset in use; "" for none.
func (l *live) preset() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == nil || l.now.Preset == nil {
		return ""
	}
	return l.now.Preset.Name
}

// settingsWhileBroken returns the settings of a session whose configuration has errors: those of the last good
// configuration, with the errors as warnings.
func settingsWhileBroken(good, broken *config.Config) session.Settings {
	s := settingsOf(good)
	conf := *s.Configuration
	conf.Findings = configurationOf(broken).Findings
	s.Configuration = &conf
	s.Warnings = slices.Clone(s.Warnings)
	for _, f := range broken.Errors() {
		facts := f.Facts()
		facts["finding"] = f.Kind
		if fix := fixOf(f); fix != "" {
			facts["fix"] = fix
		}
		s.Warnings = append(s.Warnings, contract.Warning{Kind: contract.WarnConfig, Facts: facts,
			Message: "the changed configuration is not used, and the one before goes on: " + f.String()})
	}
	return s
}
