package session

import (
	"testing"

	"lspi/internal/testkit"
	"lspi/lsp/watch"
	"lspi/router"
)

// A guest takes the workspace that a host has, whatever its own key is, unless one of them trusts it and the other does
// not. Its own workspace ends when a host opens another one.
func TestGuests(t *testing.T) {
	p, dir := &Process{}, t.TempDir()
	defer p.Close()
	o := router.PoolOptions{Watch: watch.Compare}
	table := func(trusted bool) *router.Table { return &router.Table{Workspace: dir, Trusted: trusted} }
	guest := func(key string, trusted bool) *Session {
		w, err := p.OpenGuest(key, table(trusted), o, func(other *router.Table) bool { return other.Trusted == trusted })
		testkit.Must(t, err)
		return &Session{Workspace: w, Guest: true}
	}
	open := func(key string) *Session {
		w, err := p.Open(key, table(true), o)
		testkit.Must(t, err)
		return &Session{Workspace: w}
	}
	alone := guest("of the hook", true)
	if alone.Workspace.Attended() || alone.Workspace.Closed() {
		t.Error("a guest alone: attended or closed")
	}
	host := open("of the host")
	if testkit.Wait(t, "the end of the guest's workspace", alone.Workspace.Closed); host.Workspace == alone.Workspace {
		t.Error("the host has the guest's workspace")
	}
	alone.Close()
	second := guest("of the hook", true)
	if second.Workspace != host.Workspace || !second.Workspace.Attended() {
		t.Error("the guest does not have the host's workspace")
	}
	if stranger := guest("of the hook", false); stranger.Workspace == host.Workspace {
		t.Error("a guest that does not trust the workspace has one that is trusted")
	} else {
		stranger.Close()
	}
	testkit.Equal(t, p.Status()[0].Sessions, 1)
	host.Close()
	if second.Workspace.Attended() || second.Workspace.Closed() {
		t.Error("the guest has lost the workspace")
	}
	second.Close()
}
