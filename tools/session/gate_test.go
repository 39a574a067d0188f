package session

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"lspi/internal/testkit"
)

// Any number pass at once; who shuts the gate waits for them, and they for it, also those that come while somebody
// waits to shut it.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		var passed, shut atomic.Int32
		hold := func() (release func()) {
			release, err := g.hold(t.Context())
			testkit.Must(t, err)
			passed.Add(1)
			return release
		}
		first, second := hold(), hold()
		opens := make(chan func(), 2)
		for range 2 {
			go func() {
				open, err := g.shut(t.Context())
				if err != nil {
					t.Error(err)
				}
				shut.Add(1)
				opens <- open
			}()
		}
		synctest.Wait()
		late := make(chan func(), 1)
		go func() { late <- hold() }()
		first()
		first()
		synctest.Wait()
		testkit.Equal(t, shut.Load(), 0, "shut")
		second()
		synctest.Wait()
		testkit.Equal(t, shut.Load(), 1, "shut")
		(<-opens)()
		synctest.Wait()
		testkit.Equal(t, shut.Load(), 2, "shut")
		testkit.Equal(t, passed.Load(), 2, "passed")
		(<-opens)()
		(<-late)()
		testkit.Equal(t, passed.Load(), 3, "passed")
		hold()()
	})
}

// Who gives up waiting keeps nobody out.
func TestGateGivenUp(t *testing.T) {
	var g gate
	gone, leave := context.WithCancelCause(t.Context())
	leave(errors.New("gone"))
	release, err := g.hold(t.Context())
	testkit.Must(t, err)
	if _, err := g.shut(gone); err == nil || err.Error() != "gone" {
		t.Errorf("%v", err)
	}
	again, err := g.hold(t.Context())
	testkit.Must(t, err)
	again()
	release()
	open, err := g.shut(t.Context())
	testkit.Must(t, err)
	if _, err := g.hold(gone); err == nil || err.Error() != "gone" {
		t.Errorf("%v", err)
	}
	open()
}
