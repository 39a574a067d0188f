//go:build unix

package pool

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lspi/contract"
	"lspi/lsp/lsptest"
)

// taken gets the server and gives it back in a goroutine of its own; the channel closes when that is done.
func (p *pool) taken() <-chan struct{} {
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

// Who has a server alone waited for those before, and those after wait; parts of one call are one user.
func TestPoolAlone(t *testing.T) {
	p := newPool(t, &lsptest.Script{}, nil)
	mine, other := Holding(t.Context()), Holding(t.Context())
	s, release, err := p.Get(mine, p.route())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	_, otherDone, err := p.Get(other, p.route())
	if err != nil {
		t.Fatal(err)
	}
	alone := make(chan func())
	go func() {
		end, err := p.Alone(mine, s)
		if err != nil {
			t.Error(err)
		}
		alone <- end
	}()
	slot := p.slots[p.route().Key()]
	wait(t, "the one who waits", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(slot.turns.waiting) == 1
	})
	late := p.taken()
	// Who has it already gets it again: the first would otherwise wait for one who waits for it.
	_, again, err := p.Get(other, p.route())
	if err != nil {
		t.Fatal(err)
	}
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
	if _, done, err := p.Get(mine, p.route()); err != nil {
		t.Errorf("its own part: %v", err)
	} else {
		done()
	}
	end()
	end()
	<-late
	if n := len(slot.turns.users); n != 1 || slot.inUse != 1 {
		t.Errorf("%d users, %d in use", n, slot.inUse)
	}
}

// Several who want it alone have it one after the other, though each has it already.
func TestPoolAloneInTurn(t *testing.T) {
	p := newPool(t, &lsptest.Script{}, nil)
	p.get(p.route())
	var group sync.WaitGroup
	var inside, most atomic.Int32
	for range 8 {
		group.Go(func() {
			ctx := Holding(t.Context())
			s, release, err := p.Get(ctx, p.route())
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			end, err := p.Alone(ctx, s)
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
	if n := most.Load(); n != 1 {
		t.Errorf("%d at a time", n)
	}
}

// One who gives up waiting, and one whose server ends, are told, and the next call is not held up.
func TestPoolAloneGivenUp(t *testing.T) {
	p := newPool(t, &lsptest.Script{}, nil)
	_, release, err := p.Get(t.Context(), p.route())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(Holding(t.Context()))
	s, mine, err := p.Get(ctx, p.route())
	if err != nil {
		t.Fatal(err)
	}
	defer mine()
	cancel()
	if _, err := p.Alone(ctx, s); kindOf(err) != contract.KindCancelled {
		t.Errorf("%v", err)
	}
	p.get(p.route())
	ended := make(chan error)
	go func() {
		_, err := p.Alone(Holding(t.Context()), s)
		ended <- err
	}()
	p.Restart(s, true)
	if err := <-ended; kindOf(err) != contract.KindServerCrashed {
		t.Errorf("%v", err)
	}
	p.get(p.route())
}
