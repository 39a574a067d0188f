package main

import (
	"os"
	"slices"
	"sync/atomic"
	"time"

	"lspi/cmd/lspi/internal/config"
	"lspi/cmd/lspi/internal/trust"
)

// outdated tells a session whether trust in its workspace is another than when it was opened. It looks at the times of the
// files that decide, and decides anew only when one changed. It may be called concurrently.
func (s *session) outdated(c *config.Config, hostRoots []string) func() bool {
	paths := trust.Paths(s.options.User())
	var last atomic.Pointer[[]time.Time]
	first := stamps(paths)
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
