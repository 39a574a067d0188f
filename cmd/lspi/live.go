package main

import (
	"crypto/sha256"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/reload"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/workspace"
)

// live is what a session that runs knows of its configuration, which may change: a file that is edited, a preset that lspi preset use
// chooses, trust that the user gives or takes.
type live struct {
	chosen  atomic.Pointer[config.Flags] // the preset of lspi preset use: Preset or NoPreset; nil for none
	choices atomic.Int64                 // how often that has changed

	mu    sync.Mutex
	now   *config.Config       // the last configuration that was read; guarded by mu
	good  *config.Config       // the last one without an error; guarded by mu
	paths []string             // of the files that decided last; guarded by mu
	sub   *reload.Subscription // nil where nobody watches; guarded by mu
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

// flags are those of the command line, with the preset that was chosen since.
func (l *live) flags(f config.Flags) config.Flags {
	if chosen := l.chosen.Load(); chosen != nil {
		f.Preset, f.NoPreset = chosen.Preset, chosen.NoPreset
	}
	return f
}

// note remembers a configuration that was read, and which files decided about it.
func (l *live) note(c *config.Config, paths []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now = c; c.Err() == nil {
		l.good = c
	}
	l.paths = paths
	if l.sub != nil {
		l.sub.Set(paths)
	}
}

// lastGood is the last configuration without an error; nil when there was none.
func (l *live) lastGood() *config.Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.good
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
func (l *live) watch(w *reload.Watcher, changed func()) (stop func()) {
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

// watched are the files and folders that decide about a configuration: those that were read, those that would be, and what the user trusts.
func (s *session) watched(c *config.Config) []string {
	out := append(trust.Paths(s.options.User()), config.WorkspaceFiles(c.Workspace)...)
	if dir := config.PresetFolder(s.options); dir != "" {
		out = append(out, dir)
	}
	for _, source := range c.Sources {
		out = append(out, source.Path)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(path string) bool { return !filepath.IsAbs(path) })
}

// effect stands for all that a configuration decides: two with the same one are the same for a session.
func effect(c *config.Config) string {
	settings := settingsOf(c)
	raw, err := json.Marshal([]any{c.ServersKey(), settings, c.MCPServers, c.Logging, c.Trust})
	if err != nil { // no value of a configuration file; then every change of a file counts
		return ""
	}
	sum := sha256.Sum256(raw)
	return string(sum[:])
}

// outdated tells a session whether what decides about it is another than when it was opened. It looks at the times of the files
// that decide, and reads them only when one changed and has been left alone for a moment. It may be called concurrently.
func (s *session) outdated(c *config.Config, hostRoots []string) func() bool {
	paths := s.watched(c)
	was, before, choices := effect(c), reload.Stamps(paths), s.live.choices.Load()
	var mu sync.Mutex // guards before, judged and settled
	var settled reload.Settled
	judged := before // when trust was last decided about
	return func() bool {
		if s.live.choices.Load() != choices {
			return true
		}
		now := reload.Stamps(paths)
		mu.Lock()
		defer mu.Unlock()
		if slices.Equal(now, before) {
			return false
		}
		rests := settled.Look(paths, before, now)
		if !rests {
			s.live.later()
		}
		if !rests && slices.Equal(now, judged) {
			return false
		}
		fresh, err := s.load(hostRoots)
		switch judged = now; {
		case err != nil:
			return false
		case !rests: // trust that is taken back counts at once; all else when nobody writes any more
			return fresh.Err() == nil && fresh.Trust.Trusted != c.Trust.Trusted
		case was == "" || effect(fresh) != was:
			return true
		}
		before = now
		return false
	}
}

// goesOn is what a session has while its configuration cannot be used: the last one that could be, which says what is wrong with the
// new one.
func goesOn(good, broken *config.Config) workspace.Settings {
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
