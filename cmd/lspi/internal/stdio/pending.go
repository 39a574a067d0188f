package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// pending knows which answers the host is still owed: those to its requests, and those to lines that are no message.
type pending struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]*batch // requests without an answer, with the batch that they came in or nil; guarded by mu
	gone map[jsonrpc.ID]bool   // those of them that the host has cancelled; guarded by mu
	// answers that are not written yet, those to open requests among them, and lines that Read has not taken yet;
	// guarded by mu
	owed int
	none chan struct{} // closed and replaced when nothing is owed any more; guarded by mu

	// Of the open requests those that waitForOpen waits for; answered is closed when there are none any more. Both
	// guarded by mu.
	awaited  map[jsonrpc.ID]bool
	answered chan struct{}
}

func newPending() pending {
	return pending{open: map[jsonrpc.ID]*batch{}, gone: map[jsonrpc.ID]bool{}, none: make(chan struct{})}
}

// add counts an answer that belongs to no request.
func (p *pending) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed++
}

// admit counts the answer to a request. One whose id is still in use is refused: the SDK would never answer it.
func (p *pending) admit(m jsonrpc.Message, b *batch) *refusal {
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, twice := p.open[r.ID]; twice {
		// Without the id, or it would be taken for the answer to the first one.
		return invalidRequest(nil, "the id %.100q is that of a request that is not answered yet",
			fmt.Sprint(r.ID.Raw()))
	}
	p.open[r.ID] = b
	p.owed++
	if b != nil {
		b.open++
	}
	return nil
}

// inUse reports whether a request with that id, as it stands in a message, is not answered yet.
func (p *pending) inUse(raw json.RawMessage) bool {
	var given any
	if json.Unmarshal(raw, &given) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(given)
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, open := p.open[id]
	return open
}

// cancel notes that the host does not wait for the answer to a request any more. One that is answered, or never was
// there, stays so.
func (p *pending) cancel(id jsonrpc.ID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, open := p.open[id]; open {
		p.gone[id] = true
	}
}

// isCancelled reports whether the host does not wait for the answer to a request any more.
func (p *pending) isCancelled(id jsonrpc.ID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone[id]
}

// answer takes a request off the open ones, before the host can hear of it and use its id again. It returns what is
// to be written now: the answer, or those of its whole batch, or nothing. With quiet a request that the host has
// cancelled has no answer.
func (p *pending) answer(id jsonrpc.ID, line []byte, quiet bool) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.open[id]
	delete(p.open, id)
	if p.awaited[id] {
		if delete(p.awaited, id); len(p.awaited) == 0 {
			close(p.answered)
		}
	}
	if quiet && p.gone[id] {
		line = nil
	}
	delete(p.gone, id)
	if b == nil {
		return line
	}
	return b.add(line)
}

// complete tells that all messages of a batch have been read. It returns its answers if there are all of them already.
func (p *pending) complete(b *batch) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return b.add(nil)
}

// written takes one off the answers that are owed.
func (p *pending) written() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed--
	if p.owed == 0 {
		close(p.none)
		p.none = make(chan struct{})
	}
}

// waitForOpen returns when the requests that are open now have an answer, whatever comes meanwhile, at the latest
// when ctx ends. It is called once.
func (p *pending) waitForOpen(ctx context.Context) {
	p.mu.Lock()
	p.awaited, p.answered = make(map[jsonrpc.ID]bool, len(p.open)), make(chan struct{})
	for id := range p.open {
		p.awaited[id] = true
	}
	answered, none := p.answered, len(p.awaited) == 0
	p.mu.Unlock()
	if none {
		return
	}
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

// wait returns when nothing is owed any more, at the latest when ctx ends.
func (p *pending) wait(ctx context.Context) {
	for {
		p.mu.Lock()
		owed, none := p.owed, p.none
		p.mu.Unlock()
		if owed == 0 {
			return
		}
		select {
		case <-none:
		case <-ctx.Done():
			return
		}
	}
}
