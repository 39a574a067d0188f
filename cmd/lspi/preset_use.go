package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/daemon"
	"lspi/contract"
)

// The side of lspi preset use and lspi daemon reload that is in the shared process.

// presetUse is what came of lspi preset use.
type presetUse struct {
	Error string       `json:"error,omitempty"`
	Root  string       `json:"root"`
	Used  []hostStatus `json:"sessions"` // that have the preset now
}

// reloaded is what came of lspi daemon reload.
type reloaded struct {
	Sessions int `json:"sessions"`
}

// usePreset switches the sessions of the workspace that a command line is about: to the preset of its flags, to
// none, or back to what the configuration says.
func (d *shared) usePreset(h *daemon.Hello) presetUse {
	defer d.forgetLog(h.Session) // nobody is served
	asked := d.open(h).session
	defer asked.close()
	wanted := asked.options.Flags
	asked.options.Flags.Preset, asked.options.Flags.NoPreset = "", false
	c, err := asked.load(nil)
	if err != nil {
		return presetUse{Error: err.Error()}
	}
	out := presetUse{Root: c.Workspace, Used: []hostStatus{}}
	if out.Error = missingPreset(c, wanted.Preset); out.Error != "" {
		return out
	}
	status := d.status()
	var keeping sync.WaitGroup
	defer keeping.Wait()
	for _, s := range d.running() {
		if s.root() != c.Workspace {
			continue
		}
		s.live.choose(wanted.Preset, wanted.NoPreset)
		keeping.Go(s.keep)
		s.live.refreshNow()
		one := hostStatus{Host: "a host over HTTP", Root: c.Workspace}
		if i := slices.IndexFunc(status.Sessions, func(h hostStatus) bool {
			return h.id == s.id
		}); s.id != "" && i >= 0 {
			one = status.Sessions[i]
		}
		out.Used = append(out.Used, one)
	}
	return out
}

// missingPreset is what is wrong with the name of a preset; "" when there is one of that name.
func missingPreset(c *config.Config, name string) string {
	if name == "" || c.Presets[name] != nil {
		return ""
	}
	if why := c.UnreadablePreset(name); why != "" {
		return fmt.Sprintf("the preset %q cannot be read: %s", name, why)
	}
	known := slices.Sorted(maps.Keys(c.Presets))
	message := fmt.Sprintf("there is no preset %q", name)
	if near := contract.Closest(name, known); near != "" {
		return fmt.Sprintf("%s: did you mean %q?", message, near)
	}
	return message + "; lspi preset list shows those that there are"
}

// reload has all sessions read their configuration anew.
func (d *shared) reload() reloaded {
	all := d.running()
	for _, s := range all {
		s.live.choices.Add(1)
		s.live.refreshNow()
	}
	return reloaded{len(all)}
}

// runningSession is a session of the shared process, whichever way its host came.
type runningSession struct {
	id   string // "" over HTTP
	live *live
	root func() string // of its workspace, as far as it is known
	keep func()        // has the host's own process keep what was chosen, for the next shared process
}

// running are all sessions of the process.
func (d *shared) running() []runningSession {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out []runningSession
	for id, s := range d.served {
		if s.left {
			continue
		}
		out = append(out, runningSession{id, s.session.live, s.session.live.root, s.keep})
	}
	for b := range d.bound {
		// it ends with the process
		out = append(out, runningSession{"", b.session.live, b.session.live.root, func() {}})
	}
	return out
}
