package main

import (
	"os"
	"slices"
	"sync/atomic"
	"time"

	"lspi/cmd/lspi/internal/config"
)

// outdated tells a session whether trust in its workspace is another than when it was opened. It looks at the times of the
// files that decide, and decides anew only when one changed; first are these from before the configuration was read, so that a change
// in between is none that was read. It may be called concurrently.
func (s *session) outdated(c *config.Config, hostRoots []string, first []time.Time) func() bool {
	paths := config.TrustPaths(s.options)
	var last atomic.Pointer[[]time.Time]
	last.Store(&first)
	return func() bool {
		now := stamps(paths)
		if slices.Equal(now, *last.Load()) {
			return false
		}
		o := s.options
		o.HostRoots = hostRoots
		fresh, err := config.Load(o)
		if err != nil || fresh.Trust.Trusted != c.Trust.Trusted {
			return err == nil
		}
		last.Store(&now)
		return false
	}
}

// trusted are the stamps of the files that decide whether the workspace is trusted.
func (s *session) trusted() []time.Time { return stamps(config.TrustPaths(s.options)) }

// stamps are when files and folders changed; the zero time for one that is not there.
func stamps(paths []string) []time.Time {
	out := make([]time.Time, len(paths))
	for i, path := range paths {
		if info, err := os.Stat(path); err == nil {
			out[i] = info.ModTime()
		}
	}
	return out
}
