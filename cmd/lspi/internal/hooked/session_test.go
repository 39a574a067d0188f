package hooked

import (
	"testing"
	"time"

	"lspi/tools/hooks"
)

// The start of a session and its first edit come at once where no shared process ran: what the edit changed is noted in
// the session that later events have.
func TestTwoEventsAtOnceHaveOneSession(t *testing.T) {
	var k Sessions
	closed := 0
	w := Wiring{Close: func() { closed++ }, Lasts: time.Hour}
	e := &hooks.Event{Host: "claude", Session: "1", Dir: "/p"}
	first, second := k.Add(e, "/p", w), k.Add(e, "/p", w)
	if n, _ := k.Count(); n != 1 || first != second || closed != 1 {
		t.Errorf("%d sessions, the same: %v, %d wirings closed", n, first == second, closed)
	}
	other := k.Add(&hooks.Event{Host: "claude", Session: "2", Dir: "/p"}, "/p", w)
	if other == first {
		t.Error("the session of another one of the host")
	}
	k.remove(first)
	k.remove(other)
	if closed != 3 {
		t.Errorf("%d wirings closed", closed)
	}
}
