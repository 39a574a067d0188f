package pool

import (
	"context"
	"errors"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
)

// errStopped ends a start that somebody stopped ([Pool.Stop]). Who waits for it asks for a new one.
var errStopped = errors.New("the start was stopped")

// startSlot begins to start the server of a slot, in a goroutine of the pool, unless it crashed too often or took too much memory;
// that is its error. Group.mu is held.
func (p *Pool) startSlot(sl *slot) error {
	now := time.Now()
	if err := sl.memoryError(now); err != nil {
		return err
	}
	if err := sl.failures.disabled(sl.spec.ID, now); err != nil {
		return err
	}
	sl.err = nil
	p.makeRoom()
	sl.starting = newEvent()
	var ctx context.Context
	ctx, sl.abort = context.WithCancelCause(p.ctx)
	delay, after := sl.failures.backOff(now), sl.exited
	p.work.Go(func() { p.start(ctx, sl, delay, after) })
	return nil
}

// start runs in its own goroutine for as long as the start takes; whoever waits for the server waits for the event sl.starting. ctx
// ends with the pool, or when the start is stopped ([Pool.Stop]).
func (p *Pool) start(ctx context.Context, sl *slot, delay time.Duration, after <-chan struct{}) {
	s, err := p.startAfter(ctx, sl, delay, after)
	if err == nil && !p.enter(ctx, sl, s) {
		s.Close()
		err = context.Cause(ctx)
	}
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if err != nil && !errors.Is(err, errStopped) {
		sl.err = err
		sl.failures.add(err, time.Now())
	}
	starting := sl.starting
	sl.abort(nil)
	sl.starting, sl.abort = nil, nil
	starting.finish(err)
}

// enter makes a server that has started the one of its slot; false when its start was ended meanwhile.
func (p *Pool) enter(ctx context.Context, sl *slot, s *lsp.Server) bool {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	exit := newEvent()
	sl.server, sl.exit, sl.evicted = s, exit, ""
	sl.startedAt, sl.lastUsed = time.Now(), time.Now()
	sl.starts++
	p.work.Go(func() { p.watchExit(sl, s, exit) })
	return true
}

// startAfter starts the server when the back-off is over and the process before it is gone: two of one project may fight
// for its index (jdtls locks it).
func (p *Pool) startAfter(ctx context.Context, sl *slot, delay time.Duration, after <-chan struct{}) (*lsp.Server, error) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for _, wait := range []func() bool{
		func() bool { return receives(timer.C, ctx.Done()) },
		func() bool { return after == nil || receives(after, ctx.Done()) },
	} {
		if !wait() {
			return nil, context.Cause(ctx)
		}
	}
	o := p.options(sl.spec, sl.root)
	o.Launcher = sl.launcher
	s, err := lsp.Start(ctx, o)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s, err
}

// options are what a server of the pool is started with.
func (p *Pool) options(spec *spec.Spec, root string) lsp.Options {
	o := lsp.Options{Spec: spec, Root: root, Journal: p.Journal(root), JournalOf: p.Journal, JournalBeyond: p.journal, Readable: p.opt.Table.Allowed(),
		Texts: p.opt.Texts, Log: p.opt.Log, Cache: p.opt.Cache}
	if o.Journal == nil {
		o.Journal = p.journal(root)
	}
	o.Folders = append([]string{root}, slices.DeleteFunc(slices.Clone(spec.Folders), func(f string) bool {
		return f == root || !spec.SharedFolders
	})...)
	if p.opt.Trace != nil {
		o.Trace = func(sent bool, message []byte) { p.opt.Trace(spec.ID, sent, message) }
	}
	return o
}

// closeBehind ends a server behind its caller, unless the pool ends.
func (p *Pool) closeBehind(s *lsp.Server) {
	p.group.mu.Lock()
	open := p.ctx.Err() == nil // the end of the pool takes the lock behind the end of ctx, and then waits for all work
	if open {
		p.work.Go(s.Close)
	}
	p.group.mu.Unlock()
	if !open {
		s.Close()
	}
}

// launcher is a new launcher for a server; nil for one that behaves as LSP says.
func (p *Pool) launcher(sp *spec.Spec) lsp.Launcher {
	if p.opt.Launcher == nil {
		return nil
	}
	return p.opt.Launcher(sp)
}

// receives waits for c; false when ended comes first.
func receives[T any](c <-chan T, ended <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ended:
		return false
	}
}
