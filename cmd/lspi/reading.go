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

// reading is a configuration that was read, with the state of its files at that time.
type reading struct {
	read *config.Config
	// used is what a session uses: read, or the last good configuration while read has errors, without the trust that
	// was taken back since; nil when there is neither.
	used    *config.Config
	paths   []string       // the files that decide
	stamps  []config.Stamp // of paths, taken before reading, so that a file written during the reading counts as changed
	choices int64          // live.choices at that time
	roots   []string       // the host's
}

// readings bounds how often a configuration is read until the set of files that decide is stable: a file may name
// another workspace, which has files of its own.
const readings = 3

// read reads the configuration with the files that decide about it.
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
	if r.used = s.usable(r.read); r.used != nil {
		r.used.UseContainer()
	}
	return r, nil
}

// readAtRest waits until the files have not changed for config.Quiet and reads them: a half-written file may give more
// rights than the finished one. When they do not come to rest, it returns the last reading without the trust that was
// taken back since. It blocks for about 2*config.Quiet at most.
func (s *wiring) readAtRest(ctx context.Context, hostRoots []string) (*reading, error) {
	const looks = 10
	tick := time.NewTicker(2 * config.Quiet / looks)
	defer tick.Stop()
	paths, last := s.live.lastPaths(), s.live.lastReading()
	before := make([]config.Stamp, len(paths))
	if last != nil { // the stamps of the last reading: a file that is gone now then counts as changed
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

// again returns the last reading without the trust that was taken back since. When that reading was for other roots or
// another preset, it reads the files as they are.
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

// readUnchanged reads the configuration whose files have the stamps now; it returns nil when a file changed before all
// was read, or a file that did not decide before is too young to be at rest.
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

// err returns why a reading whose used is nil cannot be used.
func (r *reading) err() error {
	if err := r.read.Err(); err != nil {
		return err
	}
	return contract.Errorf(contract.KindConfigInvalid, nil,
		"trust in the configuration was taken back, and its files are being changed: call again in a second")
}

// usable returns c if it has no errors, else the last good configuration without the trust that was taken back since;
// nil when there was none.
func (s *wiring) usable(c *config.Config) *config.Config {
	if c.Err() == nil {
		return c
	}
	if good := s.live.lastGood(); good != nil {
		return good.Now(s.options)
	}
	return nil
}

// settings returns the settings of a session that is opened with this reading.
func (r *reading) settings() session.Settings {
	switch {
	case r.used == nil:
		return settingsOf(r.read)
	case r.read.Err() != nil:
		return settingsWhileBroken(r.used, r.read)
	}
	return settingsOf(r.used)
}

// effect returns a hash of all that a reading decides: readings with the same hash are the same for a session. It
// returns "" when there is none; then every change of a file counts.
func (r *reading) effect() string {
	c := cmp.Or(r.used, r.read)
	raw, err := json.Marshal([]any{r.used == nil, r.settings(), c.ServersKey(), c.MCPServers, c.Logging, c.Trust})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return string(sum[:])
}

// sessionError turns the error of reading a configuration into the one that calls return.
func sessionError(err error) error {
	var missing *trust.NoWorkspaceError
	if errors.As(err, &missing) {
		return contract.Errorf(contract.KindWorkspaceNotFound, contract.Facts{"from": missing.From}, "%w", err)
	}
	return contract.Errorf(contract.KindConfigInvalid, nil, "%w", err)
}

// watched returns the files and folders that decide about a configuration: those that were read, those that would be if
// they existed, and the user's list of trust.
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

// changeCheck finds out whether the configuration that a session was opened with has changed.
type changeCheck struct {
	session *wiring
	opened  *reading
	turn    int    // of the session
	effect  string // of opened

	mu      sync.Mutex
	before  []config.Stamp // of the files when they were last read; guarded by mu
	settled config.Settled // guarded by mu
	judged  []config.Stamp // of the files when trust was last checked; guarded by mu
	// takenBack says that trust was taken back when it was last checked; calls until the session ends get that result
	// without another check. Guarded by mu.
	takenBack bool
}

func (s *wiring) changeCheck(r *reading, turn int) *changeCheck {
	return &changeCheck{session: s, opened: r, turn: turn, effect: r.effect(), before: r.stamps}
}

// outdated reports whether the session's configuration has changed since it was opened, and proposes the new one for
// the next session. It compares the stamps of the files, and reads them only when one has changed and they are at
// rest. Trust that the user takes back counts at once. It may be called concurrently.
func (o *changeCheck) outdated() bool {
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
	if slices.Equal(now, o.before) { // the files cannot be read, so the session stays as it is
		return false
	}
	l.later()
	if used := o.opened.used; !slices.Equal(now, o.judged) {
		o.judged = now
		// Judged looks at trust in the workspace. Trust in a file of the configuration waits, like every other change,
		// until the files are at rest.
		kept := used.Judged(o.session.options)
		if o.takenBack = kept != used; o.takenBack {
			l.propose(o.turn, o.opened.distrusted(kept, o.before))
		}
	}
	return o.takenBack
}

// distrusted returns the reading with kept, which has less trust, in use. before are the stamps of the files that kept
// was read from; they have changed since.
func (r *reading) distrusted(kept *config.Config, before []config.Stamp) *reading {
	out := *r // keeps read: while a file has errors, trust that is given again counts
	out.used, out.stamps = kept, before
	return &out
}

// rested reads the files when they are at rest; nil while they are being written. The caller holds mu.
func (o *changeCheck) rested(now []config.Stamp) *reading {
	if !o.settled.Look(o.opened.paths, o.before, now) && !o.trustAlone(now) {
		return nil
	}
	next, err := o.session.readUnchanged(o.opened.roots, o.opened.paths, now)
	if err != nil {
		o.before = now
	}
	return next
}

// trustAlone reports whether only files of lspi trust have changed. Those are written in one step each, so they need no
// rest. The caller holds mu.
func (o *changeCheck) trustAlone(now []config.Stamp) bool {
	store := trust.Open(o.session.options.User()).Folders()
	for i, path := range o.opened.paths {
		if now[i] != o.before[i] && !slices.Contains(store, path) {
			return false
		}
	}
	return true
}
