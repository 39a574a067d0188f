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

// What the shared process does for lspi preset use and lspi daemon reload.

// presetUse is the result of lspi preset use.
type presetUse struct {
	Error string       `json:"error,omitempty"`
	Root  string       `json:"root"`
	Used  []hostStatus `json:"sessions"` // that have the preset now
}

// reloaded is the result of lspi daemon reload.
type reloaded struct {
	Sessions int `json:"sessions"`
}

// usePreset switches the sessions of the command line's workspace to the preset of its flags, to none, or back to what
// the configuration says.
func (d *shared) usePreset(h *daemon.Hello) presetUse {
	defer d.forgetLog(h.Session) // the session is only for this command
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

// missingPreset says what is wrong with the name of a preset; "" when a preset has that name.
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

// reload makes all sessions read their configuration again.
func (d *shared) reload() reloaded {
	all := d.running()
	for _, s := range all {
		s.live.choices.Add(1)
		s.live.refreshNow()
	}
	return reloaded{len(all)}
}

// runningSession is a session of the shared process, over a socket or HTTP.
type runningSession struct {
	id   string // "" over HTTP
	live *live
	root func() string // returns the root of its workspace; "" while that is not known
	keep func()        // sends the chosen preset to the host's own process, which keeps it for the next shared process
}

// running returns all sessions of the process whose hosts have not left.
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
		// A session over HTTP ends with this process, so nothing has to be kept.
		out = append(out, runningSession{"", b.session.live, b.session.live.root, func() {}})
	}
	return out
}
