package router

import (
	"context"
	"errors"
	"slices"
	"time"

	"lspi/lsp"
	"lspi/lsp/spec"
)

// errStopped is the cause with which [Pool.Stop] ends a start. Callers that waited for the start ask for a new one.
var errStopped = errors.New("the start was stopped")

// startSlot begins to start the server of a slot in the background. It returns an error, and starts nothing, while
// the server is kept off for its crashes or its memory. Group.mu is held.
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
	delay, after := sl.failures.backOff(now), sl.endingProcesses()
	// What was short of memory then may have ended since.
	if n := len(sl.memoryEnds); n > 0 && now.Sub(sl.memoryEnds[n-1]) > sparingFor {
		sl.maxFolders = 0
	}
	folders := sl.maxFolders
	sl.work.Go(func() { sl.start(ctx, delay, after, folders) })
	return nil
}

// endingProcesses returns channels that are closed when the processes which are ending at the same project are gone:
// the slot's last one, and those of slots with other settings that no pool uses any more. The next start waits for
// them, because two servers of one project may fight for its index (jdtls locks it). Group.mu is held.
func (sl *slot) endingProcesses() (all []<-chan struct{}) {
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

// start runs in a goroutine of its own for as long as the start takes; callers wait for the event sl.starting. ctx
// ends with the slot, or by [Pool.Stop]. A start that was stopped by order counts for no budget.
func (sl *slot) start(ctx context.Context, delay time.Duration, after []<-chan struct{}, maxFolders int) {
	s, err := sl.startAfter(ctx, delay, after, maxFolders)
	if err == nil && !sl.publish(ctx, s) {
		s.Close()
		err = context.Cause(ctx)
	}
	sl.group.mu.Lock()
	defer sl.group.mu.Unlock()
	if err != nil && !errors.Is(err, errStopped) {
		sl.err = err
		sl.failures.record(err, time.Now())
	}
	starting := sl.starting
	sl.abort(nil)
	sl.starting, sl.abort = nil, nil
	starting.finish(err)
}

// publish makes a started server that of its slot, so that callers get it. It returns false when the start was ended
// meanwhile; then the caller has to close the server.
func (sl *slot) publish(ctx context.Context, s *lsp.Server) bool {
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

// startAfter starts the server after the back-off and after the processes before it are gone.
func (sl *slot) startAfter(ctx context.Context, delay time.Duration, after []<-chan struct{}, maxFolders int) (
	*lsp.Server, error) {
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
	o.Launcher, o.Trace, o.MaxFolders, o.Sparing = sl.launcher, sl.forwardTrace, maxFolders, maxFolders > 0
	s, err := lsp.Start(ctx, o)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx) // what the server said while it was ended is no failure of its own
	}
	return s, err
}

// setup is what servers are started with. A pool has one for its separate processes, and each slot a copy.
type setup struct {
	opt      PoolOptions
	journals *journalRefs
}

// fork returns the setup for a slot, with references to journals of its own.
func (p *setup) fork() setup {
	opt := p.opt
	opt.Trace = nil // it belongs to a session that may end before the server; see trace.go
	return setup{opt, p.journals.fork()}
}

// options returns what a server is started with. A root that no allowed root holds, as a configured folder may be,
// has a journal of its own.
func (p *setup) options(spec *spec.Spec, root string) lsp.Options {
	o := lsp.Options{Spec: spec, Root: root, Journal: p.journals.forPath(root), JournalOf: p.journals.forPath,
		JournalBeyond: p.journals.forRoot, Readable: p.opt.Table.Allowed(),
		Texts: p.opt.Texts, Log: p.opt.Log, Cache: p.opt.Cache}
	if o.Journal == nil {
		o.Journal = p.journals.forRoot(root)
	}
	o.Folders = append([]string{root}, slices.DeleteFunc(slices.Clone(spec.Folders), func(f string) bool {
		return f == root || !spec.SharedFolders
	})...)
	if p.opt.Trace != nil {
		o.Trace = func(sent bool, message []byte) { p.opt.Trace(spec.ID, sent, message) }
	}
	return o
}

// closeAsync closes a server in the background, or waits for its end when the pool is closing: Close may already wait
// for p.work, to which nothing may be added then.
func (p *Pool) closeAsync(s *lsp.Server) {
	p.group.mu.Lock()
	open := p.ctx.Err() == nil // Detach cancels ctx and then takes Group.mu; only after that Close waits for p.work
	if open {
		p.work.Go(s.Close)
	}
	p.group.mu.Unlock()
	if !open {
		s.Close()
	}
}

// newLauncher returns a new launcher for a server; nil for one that behaves as LSP says.
func (p *Pool) newLauncher(sp *spec.Spec) lsp.Launcher {
	if p.opt.Launcher == nil {
		return nil
	}
	return p.opt.Launcher(sp)
}

// receives waits for c and returns true; false when ended is closed first.
func receives[T any](c <-chan T, ended <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-ended:
		return false
	}
}
