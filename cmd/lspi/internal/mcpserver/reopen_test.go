package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/internal/testkit"
	"lspi/lsp/servers"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// reopening is a session that is opened again and again: each time another one, which is outdated when the test
// says so.
type reopening struct {
	lazySession
	all  []*session.Session
	old  map[int]bool          // those that are outdated, by their place in all
	meet map[int]chan struct{} // what the opening of each waits for
}

func newReopening(t *testing.T) *reopening {
	process := toolstest.NewProcess(t)
	r := &reopening{old: map[int]bool{}, meet: map[int]chan struct{}{}}
	r.lazySession = lazySession{ctx: t.Context(), log: slog.New(slog.DiscardHandler),
		open: func(context.Context, []string) (*session.Session, error) {
			n := len(r.all)
			w, err := process.Open(fmt.Sprint(n), &router.Table{Workspace: "/w", Specs: []spec.Spec{{ID: "x"}}},
				router.PoolOptions{Launcher: servers.Launcher})
			session := &session.Session{Workspace: w, Outdated: func() bool { return r.old[n] }}
			r.all = append(r.all, session)
			if r.meet[n] != nil {
				<-r.meet[n]
			}
			return session, err
		}}
	return r
}

// call is a call that ends at once.
func (r *reopening) call(t *testing.T) *session.Session {
	s, giveBack, err := r.use(t.Context(), func(context.Context) []string { return nil })
	giveBack()
	testkit.Must(t, err)
	return s
}

// No call has a session before the list of tools is that of the session, and what is outdated meanwhile takes
// nothing along: every session that was left ends.
func TestSessionIsOutdatedBeforeItsToolsAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReopening(t)
		listed := make(chan struct{})
		var shown sync.Map // the sessions whose tools are listed
		r.opened = func(s *session.Session) {
			if len(r.all) == 2 {
				<-listed
			}
			shown.Store(s, true)
		}
		r.call(t)
		r.old[0] = true
		done := make(chan struct{})
		for range 2 {
			go func() {
				if _, ok := shown.Load(r.call(t)); !ok {
					t.Error("a call has a session whose tools are not listed")
				}
				done <- struct{}{}
			}()
		}
		synctest.Wait()
		r.old[1] = true // it is opened, and not listed
		close(listed)
		<-done
		<-done
		r.call(t)
		r.mu.Lock()
		r.ending.Wait()
		left, past := len(r.left), r.past
		r.mu.Unlock()
		if left > 0 || past != nil {
			t.Errorf("%d sessions are left, %v", left, past)
		}
		for i, s := range r.all[:len(r.all)-1] {
			if _, _, err := s.Workspace.Pool.NewCaller().Get(t.Context(),
				router.Route{Spec: &s.Workspace.Table.Specs[0], Root: "/w"}); testkit.KindOf(err) != "cancelled" {
				t.Errorf("session %d has not ended: %v", i, err)
			}
		}
		r.close()
	})
}

// A call that comes while the session is being opened does not make do with what that opening read before the call
// came.
func TestCallJoinsAnOpeningThatIsOutdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReopening(t)
		r.meet[0] = make(chan struct{})
		first := make(chan *session.Session)
		go func() { first <- r.call(t) }()
		synctest.Wait()
		r.old[0] = true // it has been read, and then something changed
		got := make(chan *session.Session)
		go func() { got <- r.call(t) }()
		synctest.Wait()
		close(r.meet[0])
		if s := <-got; s != r.all[len(r.all)-1] || len(r.all) != 2 {
			t.Errorf("the call has a session that was outdated when it came; %d were opened", len(r.all))
		}
		<-first // closing cancels a call that has no session yet
		r.close()
	})
}

// A host hears of each change of the list once, however often the SDK tells of it, and not of the first list, nor
// of one that it has read since.
func TestChangeOfTheListIsToldOnce(t *testing.T) {
	l := &toolList{server: mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)}
	heard := 0
	tell := l.oncePerChange(func(context.Context, string, mcp.Request) (mcp.Result, error) {
		heard++
		return nil, nil
	})
	for i, s := range []*session.Settings{{}, {ReadOnly: true}, {ReadOnly: true}, {}} {
		l.set(s, nil)
		for range 3 {
			_, err := tell(t.Context(), "notifications/tools/list_changed", nil)
			testkit.Must(t, err)
		}
		testkit.Equal(t, heard, []int{0, 1, 1, 2}[i], "told")
	}
	l.set(&session.Settings{ReadOnly: true}, nil)
	_, err := l.read(&session.HostRow{}, func() (mcp.Result, error) { return &mcp.ListToolsResult{}, nil })
	testkit.Must(t, err)
	_, err = tell(t.Context(), "notifications/tools/list_changed", nil)
	testkit.Must(t, err)
	testkit.Equal(t, heard, 2, "told of what the host has read since")
}
