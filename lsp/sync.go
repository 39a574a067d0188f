package lsp

import (
	"context"
	"os"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/lsp/watch"
	"lspi/source"
)

// SyncReport tells what a sync found and did.
type SyncReport struct {
	At      time.Time
	Changed int // files of the server that changed since the last sync
	Took    time.Duration
}

// Sync makes the server see every change that anyone made to its files before the call: changed documents that are
// open get their new text, the rest is told by workspace/didChangeWatchedFiles, and a server that reads neither gets
// the changed files opened. Its errors are those of the barrier, [ErrRestartNeeded], and a crash.
func (s *Server) Sync(ctx context.Context) error {
	began := time.Now()
	if a, ok := s.adapter.(Preparer); ok {
		if err := a.BeforeSync(ctx); err != nil {
			return err
		}
	}
	marks, err := s.folders.barriers(ctx)
	if err != nil {
		return s.interrupted(ctx, "waiting for file changes", err)
	}
	if s.projects.came() || s.projects.ListChanged() {
		return ErrRestartNeeded
	}
	release, err := s.docs.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	changes, err := since(marks)
	if err != nil {
		return err
	}
	s.projects.changed(changes)
	s.code.changed(changes)
	s.adapter.Changed(changes)
	if len(changes) > 0 {
		s.docs.news++
	}
	if slices.ContainsFunc(changes, func(c watch.Change) bool { return !s.folders.InBuild(c.Path) }) {
		s.docs.edits++
	}
	if s.docs.news > 0 && s.diagnostics.store.lostImports() != "" {
		return ErrRestartNeeded // a process that has seen no news would lose them again
	}
	changes = s.relevant(changes)
	s.docs.mixed = len(changes) > 1
	defer func() { s.docs.mixed = false }()
	if err := s.tell(ctx, changes); err != nil {
		return err
	}
	if slices.ContainsFunc(changes, func(c watch.Change) bool { return slices.Contains(s.spec.Readiness.Reloads, baseName(c.Path)) }) {
		s.health.ready.expect(s.spec.Readiness.Announces)
	}
	for t, mark := range marks {
		t.synced = max(t.synced, mark)
	}
	if len(changes) > 0 {
		s.symbols.clear()
		s.setSyncReport(SyncReport{At: began, Changed: len(changes), Took: time.Since(began)})
	}
	return nil
}

// relevant keeps the changes of files that the server serves, that its row names, or that it registered for.
func (s *Server) relevant(changes []watch.Change) []watch.Change {
	if len(changes) == 0 {
		return nil
	}
	watchers := s.capabilities.watchers()
	return slices.DeleteFunc(slices.Clone(changes), func(c watch.Change) bool {
		if !sayable(c) {
			return true
		}
		if s.docs.sentText(c.Path) != nil || s.cares(c.Path) {
			return false
		}
		for _, list := range watchers {
			for _, w := range list {
				if w.kind&kindBit(c.Kind) != 0 && w.matches(c.Path) {
					return false
				}
			}
		}
		return true
	})
}

// cares reports whether the row itself names the file.
func (s *Server) cares(path string) bool {
	base := baseName(path)
	if s.spec.Serves(base) || s.folders.restartsOn(path) {
		return true
	}
	return s.spec.LoadsBy(base)
}

// maxOpenedBySync is how many changed files are opened at a server that sees changes by no other means; beyond it a new
// process is cheaper, and half of what may be open at all stays for the questions.
const maxOpenedBySync = maxOpenDocuments / 2

func (s *Server) tell(ctx context.Context, changes []watch.Change) error {
	opened := 0
	for _, c := range changes {
		if s.folders.restartsOn(c.Path) {
			return ErrRestartNeeded
		}
		if s.mustOpen(c) && s.docs.sentText(c.Path) == nil {
			opened++
		}
	}
	if a, ok := s.adapter.(Restarter); opened > maxOpenedBySync || ok && a.NeedsRestart(changes) {
		return ErrRestartNeeded
	}
	if err := s.tellWatched(ctx, changes); err != nil {
		return err
	}
	for _, c := range changes {
		if err := s.tellDocument(ctx, c); err != nil {
			return err
		}
	}
	if a, ok := s.adapter.(Reloader); ok {
		return a.AfterTell(ctx, changes)
	}
	return nil
}

// mustOpen reports whether a changed file counts only when it is opened.
func (s *Server) mustOpen(c watch.Change) bool {
	f := s.spec.Freshness
	return c.Kind != watch.Deleted && s.spec.Serves(baseName(c.Path)) && (f.Open || f.OpenNew && c.Kind == watch.Created)
}

// tellDocument brings one changed file to the server as a document: when it is open, or must be.
func (s *Server) tellDocument(ctx context.Context, c watch.Change) error {
	doc := s.docs.get(c.Path)
	gone := c.Kind == watch.Deleted
	switch {
	case doc != nil && gone:
		return s.docs.sendClose(ctx, doc)
	case gone, doc == nil && !s.mustOpen(c):
		return nil
	}
	if info, err := os.Stat(c.Path); err != nil || !info.Mode().IsRegular() || info.Size() > source.MaxBytes {
		if doc != nil {
			return s.docs.sendClose(ctx, doc)
		}
		return nil // gone again already: the next sync tells
	}
	if _, err := s.docs.OpenLocked(ctx, c.Path); err != nil {
		return UnlessGone(err)
	}
	s.docs.awaitParse(c.Path)
	return nil
}

// tellWatched sends workspace/didChangeWatchedFiles (LSP 3.17) for all changes in one notification.
func (s *Server) tellWatched(ctx context.Context, changes []watch.Change) error {
	if len(changes) == 0 || !s.spec.Freshness.Watched {
		return nil
	}
	events := make([]protocol.FileEvent, len(changes))
	for i, c := range changes {
		events[i] = protocol.FileEvent{URI: uri.File(c.Path), Type: fileChangeType(c.Kind)}
	}
	if err := s.wire.Notify(ctx, MethodDidChangeWatched, protocol.DidChangeWatchedFilesParams{Changes: events}); err != nil {
		return s.Failure(ctx, MethodDidChangeWatched, err)
	}
	return nil
}

func fileChangeType(k watch.Kind) protocol.FileChangeType {
	switch k {
	case watch.Created:
		return protocol.FileChangeTypeCreated
	case watch.Deleted:
		return protocol.FileChangeTypeDeleted
	default:
		return protocol.FileChangeTypeChanged
	}
}

// kindBit is the bit of LSP's WatchKind.
func kindBit(k watch.Kind) uint32 {
	switch k {
	case watch.Created:
		return 1
	case watch.Deleted:
		return 4
	default:
		return 2
	}
}
