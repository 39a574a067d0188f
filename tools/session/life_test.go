package session_test

import (
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// life is a process over one folder. Journals compare, because fake time stands still while anybody waits for
// events of the system.
type life struct {
	t testing.TB
	*session.Process
	dir   string
	specs []spec.Spec
}

const linger = 10 * time.Minute

func newLife(t testing.TB, specs ...spec.Spec) *life {
	l := &life{t: t, Process: toolstest.NewProcess(t),
		dir: testkit.Project(t, map[string]string{"a.w": "def alpha\n"}), specs: specs}
	l.Linger = linger
	return l
}

func (l *life) open(key string) *session.Session {
	l.t.Helper()
	w, err := l.Open(key, &router.Table{Workspace: l.dir, Specs: slices.Clone(l.specs), SkipDirs: []string{"made"}},
		router.PoolOptions{Launcher: servers.Launcher, Watch: watch.Compare})
	testkit.Must(l.t, err)
	return &session.Session{Workspace: w}
}

// one is the only open workspace.
func (l *life) one() session.Status {
	l.t.Helper()
	all := l.Status()
	if len(all) != 1 || all[0].Root != l.dir {
		l.t.Fatalf("open: %+v", all)
	}
	return all[0]
}

// Behind its last session a workspace stays for the time of Linger, which begins anew with each session that had it
// meanwhile.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t)
		defer l.Close()
		first, second := l.open("k"), l.open("k")
		first.Close()
		time.Sleep(2 * linger)
		if st := l.one(); st.Sessions != 1 || !st.Unused.IsZero() {
			t.Errorf("with a session: %+v", st)
		}
		second.Close()
		left := time.Now()
		time.Sleep(linger - time.Nanosecond)
		if st := l.one(); st.Sessions != 0 || !st.Unused.Equal(left) {
			t.Errorf("without a session: %+v", st)
		}
		third := l.open("k")
		if third.Workspace != first.Workspace {
			t.Error("another workspace")
		}
		time.Sleep(2 * linger)
		synctest.Wait()
		third.Close()
		third.Close()
		time.Sleep(linger - time.Nanosecond)
		synctest.Wait()
		l.one()
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		testkit.Equal(t, len(l.Status()), 0)
		next := l.open("k")
		if next.Workspace == first.Workspace {
			t.Error("the workspace that has ended")
		}
		next.Close()
	})
}

// Nobody can come back for a workspace that is shared with nobody, nor for one whose root is gone.
func TestLingerForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t)
		defer l.Close()
		l.open("").Close()
		testkit.Equal(t, len(l.Status()), 0)
		session := l.open("k")
		testkit.Must(t, os.RemoveAll(l.dir))
		time.Sleep(linger)
		testkit.Equal(t, l.one().Sessions, 1)
		session.Close()
		time.Sleep(time.Minute)
		synctest.Wait()
		testkit.Equal(t, len(l.Status()), 0)
	})
}

// With another key at the same root (trust has changed) the one that lingers ends, and one that a session has goes on.
func TestLingerOutdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLife(t)
		defer l.Close()
		used, left := l.open("used"), l.open("left")
		left.Close()
		testkit.Equal(t, l.one().Sessions, 1)
		next := l.open("next")
		synctest.Wait()
		testkit.Equal(t, l.one().Sessions, 2)
		if again := l.open("left"); again.Workspace == left.Workspace {
			t.Error("the outdated one was taken over")
		}
		if again := l.open("used"); again.Workspace != used.Workspace || next.Workspace == used.Workspace {
			t.Error("the one that a session has was ended")
		}
	})
}

// Close ends the servers of all workspaces, with a session or without, and then none is opened any more. A session
// may be closed later.
func TestProcessClose(t *testing.T) {
	l := newLife(t, toolstest.Fake(t, "words", `{"language":"words"}`))
	used := l.open("used")
	server := l.server(used)
	l.open("").Close()
	l.Close()
	if !server.Ended() || len(l.Status()) != 0 {
		t.Errorf("the server has ended: %v; open: %+v", server.Ended(), l.Status())
	}
	used.Close()
	_, err := l.Open("used", &router.Table{Workspace: l.dir}, router.PoolOptions{})
	testkit.Equal(t, testkit.KindOf(err), contract.KindCancelled)
	l.Close()
}

// server is the first one of a session, started when it is not.
func (l *life) server(s *session.Session) *lsp.Server {
	l.t.Helper()
	return l.nth(s, 0)
}

// nth is a server of a session by its place in the table, started when it is not.
func (l *life) nth(s *session.Session, n int) *lsp.Server {
	l.t.Helper()
	server, release, err := s.Workspace.Pool.NewCaller().Get(l.t.Context(),
		router.Route{Spec: &s.Workspace.Table.Specs[n], Root: l.dir})
	testkit.Must(l.t, err)
	release()
	return server
}

// A session that is followed by one with fewer servers, as by another preset, leaves it those that both have, and
// no others, also where another session goes on with all of them.
func TestFewerServers(t *testing.T) {
	stays, goes := toolstest.Fake(t, "words", `{"language":"words"}`), toolstest.Fake(t, "more", `{"language":"words"}`)
	goes.SkipDirs = []string{"made"}
	l := newLife(t, stays, goes)
	defer l.Close()
	first, host := l.open("both"), l.open("both")
	one, two := l.nth(first, 0), l.nth(first, 1)
	l.specs = l.specs[:1]
	next := l.open("fewer")
	first.Discard()()
	if two.Ended() || len(next.Workspace.Pool.Running()) != 1 {
		t.Errorf("the server of another host has ended: %v; running for this one: %v", two.Ended(),
			next.Workspace.Pool.Running())
	}
	host.Discard()()
	if l.server(next) != one || one.Ended() || !two.Ended() {
		t.Errorf("what both have has ended: %v, what only the first had: %v", one.Ended(), two.Ended())
	}
	l.specs = append([]spec.Spec{goes}, l.specs...)
	last := l.open("both again, in another order")
	next.Discard()()
	if l.nth(last, 1) != one || one.Ended() {
		t.Error("another server")
	}
	last.Close()
}

// The session that takes a lingering workspace over finds the server that the one before has started, and the
// status tells of it meanwhile.
func TestLingeringServer(t *testing.T) {
	l := newLife(t, toolstest.Fake(t, "words", `{"language":"words"}`))
	defer l.Close()
	first := l.open("k")
	server := l.server(first)
	first.Close()
	if st := l.one(); len(st.Servers) != 1 || st.Servers[0].Server != server || st.Servers[0].State != "running" ||
		st.Unused.IsZero() {
		t.Errorf("%+v", st)
	}
	second := l.open("k")
	if l.server(second) != server || server.Ended() {
		t.Error("another server")
	}
	second.Close()
	// What is configured otherwise ends the workspace, and not what is the same for both.
	third := l.open("another key")
	if l.server(third) != server || server.Ended() || third.Workspace == first.Workspace {
		t.Error("another server, or the outdated workspace")
	}
	if st := l.one(); len(st.Servers) != 1 || st.Sessions != 1 {
		t.Errorf("%+v", st)
	}
	third.Close()
}
