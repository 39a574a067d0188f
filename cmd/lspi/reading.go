package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
	"lspi/contract"
	"lspi/tools/session"
)

// reading is a configuration with what its files were when they were read.
type reading struct {
	read *config.Config
	// used is what a session has: read, or what goes on while that is broken, less the trust that was taken back
	// since; nil for nothing.
	used    *config.Config
	paths   []string       // of the files that decide
	stamps  []config.Stamp // of paths, taken before they were read: what is written meanwhile is seen as a change
	choices int64          // of [live] at that time
	roots   []string       // of the host
}

// readings bounds how often a configuration is read until it is known which files decide about it: one may name
// another workspace.
const readings = 3

// read reads the configuration.
func (s *wiring) read(hostRoots []string) (*reading, error) {
	r := &reading{paths: s.live.lastPaths(), roots: hostRoots}
	for range readings {
		var err error
		r.choices, r.stamps = s.live.choices.Load(), config.Stamps(r.paths)
		if r.read, err = s.load(hostRoots); err != nil {
			return nil, err
		}
		paths := s.watched(r.read)
		if slices.Equal(paths, r.paths) {
			break
		}
		r.paths, r.stamps = paths, config.Stamps(paths)
	}
	r.used = s.usable(r.read)
	return r, nil
}

// readAtRest reads the configuration when its files are left alone: what is half written may mean more rights.
// While somebody writes them all the time, it is what was read last, less the trust that was taken back since.
func (s *wiring) readAtRest(ctx context.Context, hostRoots []string) (*reading, error) {
	const looks = 10
	tick := time.NewTicker(2 * config.Quiet / looks)
	defer tick.Stop()
	paths, last := s.live.lastPaths(), s.live.lastReading()
	before := make([]config.Stamp, len(paths))
	if last != nil { // a file that is gone since has no time of its own: it is one that has changed
		paths, before = last.paths, last.stamps
	}
	var settled config.Settled
	for range looks {
		now := config.Stamps(paths)
		if settled.Look(paths, before, now) {
			if r, err := s.readUnchanged(hostRoots, paths, now); r != nil || err != nil {
				return r, err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return s.again(last, hostRoots)
		}
	}
	return s.again(last, hostRoots)
}

// again is what was read last, less the trust that was taken back since; what the files say now where that was for
// another host or preset.
func (s *wiring) again(last *reading, hostRoots []string) (*reading, error) {
	if last != nil && slices.Equal(last.roots, hostRoots) && last.choices == s.live.choices.Load() {
		again := *last
		if again.used != nil {
			again.used = again.used.Now(s.options)
		}
		return &again, nil
	}
	return s.read(hostRoots)
}

// readUnchanged reads the configuration whose files have been as now for a moment; nil when that was not so until
// all was read.
func (s *wiring) readUnchanged(hostRoots, paths []string, now []config.Stamp) (*reading, error) {
	r, err := s.read(hostRoots)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(config.Stamps(paths), now) || !slices.Equal(config.Stamps(r.paths), r.stamps) {
		return nil, nil
	}
	for i, path := range r.paths { // one that did not decide before
		if !slices.Contains(paths, path) && config.Young(r.paths[i:i+1], r.stamps[i:i+1]) {
			return nil, nil
		}
	}
	return r, nil
}

// err is why nothing can be done with a reading whose used is nil.
func (r *reading) err() error {
	if err := r.read.Err(); err != nil {
		return err
	}
	return contract.Errorf(contract.KindConfigInvalid, nil,
		"trust in the configuration was taken back, and its files are being changed: call again in a second")
}

// usable is a configuration that was read, or while that is broken the last good one, less the trust that was taken
// back since; nil for none.
func (s *wiring) usable(c *config.Config) *config.Config {
	if c.Err() == nil {
		return c
	}
	if good := s.live.lastGood(); good != nil {
		return good.Now(s.options)
	}
	return nil
}

// settings are those of the session.
func (r *reading) settings() session.Settings {
	switch {
	case r.used == nil:
		return settingsOf(r.read)
	case r.read.Err() != nil:
		return goesOn(r.used, r.read)
	}
	return settingsOf(r.used)
}

// effect stands for all that a reading decides: two with the same one are the same for a session.
func (r *reading) effect() string {
	c := cmp.Or(r.used, r.read)
	raw, err := json.Marshal([]any{r.used == nil, r.settings(), c.ServersKey(), c.MCPServers, c.Logging, c.Trust})
	if err != nil { // no value of a configuration file; then every change of a file counts
		return ""
	}
	sum := sha256.Sum256(raw)
	return string(sum[:])
}

// sessionError is why a session without a workspace, or with files that say nothing, is not opened.
func sessionError(err error) error {
	var missing *trust.NoWorkspaceError
	if errors.As(err, &missing) {
		return contract.Errorf(contract.KindWorkspaceNotFound, contract.Facts{"from": missing.From}, "%w", err)
	}
	return contract.Errorf(contract.KindConfigInvalid, nil, "%w", err)
}

// watched are the files and folders that decide about a configuration: those that were read, those that would be,
// and what the user trusts.
func (s *wiring) watched(c *config.Config) []string {
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

// outlook is what tells a session that what decides about it has changed.
type outlook struct {
	session *wiring
	opened  *reading
	turn    int    // of the session
	effect  string // of opened

	mu      sync.Mutex
	before  []config.Stamp // of the files that were read last; guarded by mu
	settled config.Settled // guarded by mu
	judged  []config.Stamp // when it was last looked whether trust was taken back; guarded by mu
	// takenBack: it was, which calls that look before the session is left have to hear, too. Guarded by mu.
	takenBack bool
}

func (s *wiring) outlook(r *reading, turn int) *outlook {
	return &outlook{session: s, opened: r, turn: turn, effect: r.effect(), before: r.stamps}
}

// outdated reports whether what decides about the session is another than when it was opened, and has the next one
// opened with that. It looks at the times of the files that decide, and reads them only when one changed and has
// been left alone for a moment. Trust that the user takes back counts at once. It may be called concurrently.
func (o *outlook) outdated() bool {
	l := o.session.live
	if l.choices.Load() != o.opened.choices {
		return true
	}
	now := config.Stamps(o.opened.paths)
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Equal(now, o.before) {
		return false
	}
	if next := o.rested(now); next != nil {
		if o.effect != "" && next.effect() == o.effect {
			o.before = now
			return false
		}
		l.propose(o.turn, next)
		return true
	}
	if slices.Equal(now, o.before) { // it cannot be read, so that all stays as it is
		return false
	}
	l.later()
	if used := o.opened.used; !slices.Equal(now, o.judged) {
		o.judged = now
		// Trust in a file that used is made of counts with the others, behind a moment of rest, and that in the
		// workspace at once all the same.
		kept := used.Judged(o.session.options)
		if o.takenBack = kept != used; o.takenBack {
			l.propose(o.turn, o.opened.distrusted(kept, o.before))
		}
	}
	return o.takenBack
}

// distrusted is a reading with less trust. before are the stamps of the files that it was made of, which is not
// what they are now.
func (r *reading) distrusted(kept *config.Config, before []config.Stamp) *reading {
	out := *r // with what was read: while a file is broken, trust that is given again counts
	out.used, out.stamps = kept, before
	return &out
}

// rested is what the files say when nobody writes any of them any more; nil when somebody does. It needs mu.
func (o *outlook) rested(now []config.Stamp) *reading {
	if !o.settled.Look(o.opened.paths, o.before, now) && !o.trustAlone(now) {
		return nil
	}
	next, err := o.session.readUnchanged(o.opened.roots, o.opened.paths, now)
	if err != nil {
		o.before = now
	}
	return next
}

// trustAlone reports whether nothing has changed but what lspi trust writes, in one step for each entry. It needs mu.
func (o *outlook) trustAlone(now []config.Stamp) bool {
	store := trust.Open(o.session.options.User()).Folders()
	for i, path := range o.opened.paths {
		if now[i] != o.before[i] && !slices.Contains(store, path) {
			return false
		}
	}
	return true
}
