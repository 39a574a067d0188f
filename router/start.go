package router

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

// startSlot begins to start the server of a slot, in a goroutine of the pool, unless it crashed too often or took
// too much memory; that is its error. Group.mu is held.
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
	ctx, sl.abort = context.WithCancelCause(sl.ctx)
	delay, after := sl.failures.backOff(now), sl.before()
	sl.work.Go(func() { sl.start(ctx, delay, after) })
	return nil
}

// before are closed when the processes at the same project that are ending are gone: the last one of the slot, and
// those with other settings that no pool sees any more. Two of one project may fight for its index (jdtls locks
// it). Group.mu is held.
func (sl *slot) before() (all []<-chan struct{}) {
	if sl.exited != nil {
		all = append(all, sl.exited)
	}
	for _, other := range sl.group.ending {
		if other.key.Key == sl.key.Key && other.root == sl.root {
			all = append(all, other.gone)
		}
	}
	return all
}

// start runs in its own goroutine for as long as the start takes; whoever waits for the server waits for the event
// sl.starting. ctx ends with the slot, or when the start is stopped ([Pool.Stop]).
func (sl *slot) start(ctx context.Context, delay time.Duration, after []<-chan struct{}) {
	s, err := sl.startAfter(ctx, delay, after)
	if err == nil && !sl.enter(ctx, s) {
		s.Close()
		err = context.Cause(ctx)
	}
	sl.group.mu.Lock()
	defer sl.group.mu.Unlock()
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
func (sl *slot) enter(ctx context.Context, s *lsp.Server) bool {
	sl.group.mu.Lock()
	defer sl.group.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	exit := newEvent()
	sl.server, sl.exit, sl.evicted = s, exit, ""
	sl.startedAt, sl.lastUsed = time.Now(), time.Now()
	sl.starts++
	sl.work.Go(func() { sl.watchExit(s, exit) })
	return true
}

// startAfter starts the server when the back-off is over and the processes before it are gone.
func (sl *slot) startAfter(ctx context.Context, delay time.Duration, after []<-chan struct{}) (*lsp.Server, error) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	waited := receives(timer.C, ctx.Done())
	for _, gone := range after {
		waited = waited && receives(gone, ctx.Done())
	}
	if !waited {
		return nil, context.Cause(ctx)
	}
	o := sl.setup.options(sl.spec, sl.root)
	o.Launcher, o.Trace = sl.launcher, sl.trace
	s, err := lsp.Start(ctx, o)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s, err
}

// setup is what servers are started with: that of a pool for its separate processes, and a slot's own.
type setup struct {
	opt      PoolOptions
	journals *looker
}

// fork is the same setup for a slot, which looks at the journals for itself.
func (p *setup) fork() setup {
	opt := p.opt
	opt.Trace = nil // of a session that may leave before the server ends
	return setup{opt, p.journals.fork()}
}

// options are what a server is started with.
func (p *setup) options(spec *spec.Spec, root string) lsp.Options {
	o := lsp.Options{Spec: spec, Root: root, Journal: p.journals.of(root), JournalOf: p.journals.of,
		JournalBeyond: p.journals.at, Readable: p.opt.Table.Allowed(),
		Texts: p.opt.Texts, Log: p.opt.Log, Cache: p.opt.Cache}
	if o.Journal == nil {
		o.Journal = p.journals.at(root)
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
