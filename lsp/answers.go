package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"lspi/contract"
)

// answers are the requests of one question about texts, and what the server answered: several parts of an answer rest
// on the same ones. Each is sent once while the server is sent no other text and does not load its project anew;
// whoever asks for one that is under way waits for the same answer. A request belongs to all who wait for it, and not
// to who sent it: it ends when the last of them is gone.
type answers struct {
	mu        sync.Mutex
	byRequest map[answerKey]*sharedAnswer // guarded by mu
}

// answerKey is a request, and the state of the server in which it was made.
type answerKey struct {
	method, params string
	texts          textsSent
	generation     uint64 // of the project, as [Status] has it
	ready          bool
}

// sharedAnswer is a request that was sent.
type sharedAnswer struct {
	askers int // who wait for it, or have sent it ahead; guarded by answers.mu
	cancel context.CancelFunc
	raw    json.RawMessage // written before done is closed
	err    error           // written before done is closed
	done   chan struct{}   // closed when the server has answered
}

// ask is [Connection.RequestRaw] for a request that only reads and whose answer rests on texts and positions in them.
// An answer that an earlier part of the question got is taken. An error is told to those who wait for it, and not
// kept.
func (s *Snapshot) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	began := time.Now()
	key := s.answerKey(method, params)
	lasting := key
	lasting.texts.version = 0 // see [memory]
	recalls := s.settled && (s.recalls || method == s.hooks.SymbolInfo.Method)
	if recalls {
		if raw, ok := s.memory.recall(lasting); ok {
			return raw, nil
		}
	}
	a, leave := s.join(ctx, key, method, params)
	defer leave()
	select {
	case <-a.done:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also when both are true, as for a request that is made now
		return nil, timed(ctx, s.explain(ctx, method, context.Cause(ctx)), began, 0)
	}
	if now := s.answerKey(method, params); recalls && a.err == nil && key.ready &&
		now.texts.edition == key.texts.edition && now.generation == key.generation {
		s.memory.keep(lasting, a.raw)
	}
	return a.raw, a.err
}

// answerKey is that of a request in the state that the server has now.
func (s *Snapshot) answerKey(method string, params any) answerKey {
	written, _ := json.Marshal(params) // what cannot be written fails when it is sent
	status := s.health.ready.status()
	return answerKey{method, string(written), s.docs.textsSent(), status.Generation, status.Ready}
}

// join makes the caller one of those who wait for a request, which is sent if nobody has. leave may be called more
// than once.
func (s *Snapshot) join(ctx context.Context, key answerKey, method string, params any) (a *sharedAnswer,
	leave func()) {
	s.answers.mu.Lock()
	defer s.answers.mu.Unlock()
	a = s.answers.byRequest[key]
	if a == nil {
		a = &sharedAnswer{done: make(chan struct{})}
		s.answers.byRequest[key] = a
		// The limit is what the first asker has by the configuration; the time of its call ends its own wait alone.
		limit := s.requestLimit(ctx, method)
		ctx, a.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go func() {
			defer close(a.done)
			defer a.cancel()
			a.raw, a.err = s.requestRawWithin(ctx, limit, method, params)
		}()
	}
	a.askers++
	return a, sync.OnceFunc(func() { s.answers.leave(key, a) })
}

// leave takes one asker away. The last one ends a request that is under way, and waits for its end.
func (kept *answers) leave(key answerKey, a *sharedAnswer) {
	if kept.keeps(key, a) {
		return
	}
	a.cancel()
	<-a.done
}

// keeps takes one asker away; false when it was the last one and there is no answer to keep.
func (kept *answers) keeps(key answerKey, a *sharedAnswer) bool {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if a.askers--; a.askers > 0 {
		return true
	}
	select {
	case <-a.done:
		if a.err == nil {
			return true
		}
	default:
	}
	if kept.byRequest[key] == a {
		delete(kept.byRequest, key) // whoever asks from here on sends another one
	}
	return false
}

// Forget drops the answers so far: the caller has waited until the server had parsed more, without sending it another
// text.
func (s *Snapshot) Forget() {
	s.answers.mu.Lock()
	defer s.answers.mu.Unlock()
	clear(s.answers.byRequest)
	s.memory.forget()
}

// Turn asks about the beginning of a file, not for the answer, and each time: a server that searches one project at a
// time searches the one of that file from then on.
func (s *Snapshot) Turn(ctx context.Context, path string) error {
	params, err := s.position(ctx, path, contract.Position{Line: 1, Character: 1})
	if err == nil {
		_, err = s.RequestRaw(ctx, MethodHover, params)
	}
	return err
}

// aboutPositions are the requests that have no parameters but a position.
var aboutPositions = []string{MethodDefinition, MethodDeclaration, MethodTypeDefinition, MethodImplementation,
	MethodHover, MethodCallHierarchy, MethodTypeHierarchy}

// Ahead sends a request about a position that the question is going to make, so that the server works on it while the
// caller waits for something else. Other requests are not sent. end has to be called: it cancels the request unless
// another part of the question waits for it.
func (s *Snapshot) Ahead(ctx context.Context, method, path string, at contract.Position) (end func()) {
	if !slices.Contains(aboutPositions, method) || !s.Offers(method) {
		return func() {}
	}
	params, err := s.position(ctx, path, at)
	if err != nil { // which who makes the request finds, too
		return func() {}
	}
	_, end = s.join(ctx, s.answerKey(method, params), method, params)
	return end
}
