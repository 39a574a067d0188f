package main

import "testing"

// A build makes room for another unless it is known to be later.
func TestBuilds(t *testing.T) {
	older := build{Version: "v1.0.0", Time: "2026-01-01T00:00:00Z"}
	newer := build{Version: "v1.1.0", Time: "2026-02-01T00:00:00Z"}
	dirty := build{Version: "v1.1.0+dirty", Time: "2026-02-01T00:00:00Z", Modified: true}
	unknown := build{Version: devel}
	for _, c := range []struct {
		name          string
		starts, runs  build
		same, retires bool
	}{
		{"the same build in another sandbox", newer, newer, true, false},
		{"an update", newer, older, false, true},
		{"a host of the older build starts its process again", older, newer, false, false},
		{"two builds while lspi is changed", dirty, dirty, false, true},
		{"builds without a version", unknown, unknown, false, true},
	} {
		same := c.starts.sameAs(c.runs)
		if retires := !same && c.starts.newerThan(c.runs); same != c.same || retires != c.retires {
			t.Errorf("%s: same %v, retires %v", c.name, same, retires)
		}
	}
}
