//go:build unix

package router

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lspi/contract"
	"lspi/internal/testkit"
	"lspi/lsp/lsptest"
)

// taken gets the server and gives it back in a goroutine of its own; the channel closes when that is done.
func (p *fixture) taken() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, release, err := p.Get(p.Context(), p.route())
		if err != nil {
			p.Error(err)
			return
		}
		release()
	}()
	return done
}

func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Who has a server exclusively waited for those before, and those after wait; parts of one call are one caller.
func TestExclusive(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	mine, other := p.NewCaller(), p.NewCaller()
	s, release, err := mine.Get(t.Context(), p.route())
	testkit.Must(t, err)
	defer release()
	_, otherDone, err := other.Get(t.Context(), p.route())
	testkit.Must(t, err)
	alone := make(chan func())
	go func() {
		end, err := mine.Exclusive(t.Context(), s)
		if err != nil {
			t.Error(err)
		}
		alone <- end
	}()
	slot := p.slot(p.route())
	wait(t, "the one who waits", func() bool {
		p.group.mu.Lock()
		defer p.group.mu.Unlock()
		return len(slot.lock.upgrading) == 1
	})
	late := p.taken()
	// Who has it already gets it again: the first would otherwise wait for one who waits for it.
	_, again, err := other.Get(t.Context(), p.route())
	testkit.Must(t, err)
	again()
	if over(late) {
		t.Error("a late one came in while somebody waited")
	}
	otherDone()
	end := <-alone
	if over(late) {
		t.Error("a late one came in while somebody had it alone")
	}
	limited, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := p.Get(limited, p.route()); kindOf(err) != contract.KindRequestTimeout {
		t.Errorf("%v", err)
	}
	if _, done, err := mine.Get(t.Context(), p.route()); err != nil {
		t.Errorf("its own part: %v", err)
	} else {
		done()
	}
	end()
	end()
	<-late
	if n := len(slot.lock.shared); n != 1 || slot.inUse != 1 {
		t.Errorf("%d users, %d in use", n, slot.inUse)
	}
}

// Several who want it alone have it one after the other, though each has it already.
func TestExclusiveInTurn(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	p.get(p.route())
	var group sync.WaitGroup
	var inside, most atomic.Int32
	for range 8 {
		group.Go(func() {
			caller := p.NewCaller()
			s, release, err := caller.Get(t.Context(), p.route())
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			end, err := caller.Exclusive(t.Context(), s)
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			inside.Add(-1)
			end()
		})
	}
	group.Wait()
	testkit.Equal(t, most.Load(), 1)
}

// One who gives up waiting, and one whose server ends, are told, and the next call is not held up.
func TestExclusiveGivenUp(t *testing.T) {
	p := newFixture(t, &lsptest.Script{}, nil)
	_, release, err := p.Get(t.Context(), p.route())
	testkit.Must(t, err)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	caller := p.NewCaller()
	s, mine, err := caller.Get(ctx, p.route())
	testkit.Must(t, err)
	defer mine()
	cancel()
	if _, err := caller.Exclusive(ctx, s); kindOf(err) != contract.KindCancelled {
		t.Errorf("%v", err)
	}
	p.get(p.route())
	ended := make(chan error)
	go func() {
		_, err := p.NewCaller().Exclusive(t.Context(), s)
		ended <- err
	}()
	p.Restart(s, true)
	if err := <-ended; kindOf(err) != contract.KindServerCrashed {
		t.Errorf("%v", err)
	}
	p.get(p.route())
}
