package lsp

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
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
	marks, err := s.barriers(ctx)
	if err != nil {
		return s.interrupted(ctx, "waiting for file changes", err)
	}
	if s.projectCame() || s.ListChanged() {
		return ErrRestartNeeded
	}
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	changes, err := since(marks)
	if err != nil {
		return err
	}
	s.projectChanged(changes)
	s.code.changed(changes)
	s.adapter.Changed(changes)
	if len(changes) > 0 {
		s.news++
	}
	if slices.ContainsFunc(changes, func(c watch.Change) bool { return !s.InBuildFolder(c.Path) }) {
		s.edits++
	}
	if s.news > 0 && s.diagnostics.lostImports() != "" {
		return ErrRestartNeeded // a process that has seen no news would lose them again
	}
	changes = s.relevant(changes)
	s.mixed = len(changes) > 1
	defer func() { s.mixed = false }()
	if err := s.tell(ctx, changes); err != nil {
		return err
	}
	if slices.ContainsFunc(changes, func(c watch.Change) bool { return slices.Contains(s.spec.Readiness.Reloads, baseName(c.Path)) }) {
		s.ready.expect(s.spec.Readiness.Announces)
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

// barriers waits, without the document lock, so that callers share a barrier instead of queueing for one each.
func (s *Server) barriers(ctx context.Context) (map[*tracked]watch.Mark, error) {
	s.foldersMu.Lock()
	all := slices.Clone(s.tracked)
	s.foldersMu.Unlock()
	marks := make(map[*tracked]watch.Mark, len(all))
	for _, t := range all {
		mark, err := t.journal.Barrier(ctx)
		if err != nil {
			return nil, err
		}
		marks[t] = mark
	}
	return marks, nil
}

// since is what changed up to the marks and was not told yet. It needs the document lock.
func since(marks map[*tracked]watch.Mark) ([]watch.Change, error) {
	var all []watch.Change
	for t, mark := range marks {
		if mark <= t.synced { // another caller was quicker
			continue
		}
		changes, ok := t.journal.Since(t.synced)
		if !ok {
			return nil, ErrRestartNeeded
		}
		all = append(all, changes...)
	}
	return all, nil
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
		if s.docs.text(c.Path) != nil || s.cares(c.Path) {
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
	if s.spec.Serves(base) || s.restartsOn(path) {
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
		if s.restartsOn(c.Path) {
			return ErrRestartNeeded
		}
		if s.mustOpen(c) && s.docs.text(c.Path) == nil {
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
		return s.closeDocument(ctx, doc)
	case gone, doc == nil && !s.mustOpen(c):
		return nil
	}
	if info, err := os.Stat(c.Path); err != nil || !info.Mode().IsRegular() || info.Size() > source.MaxBytes {
		if doc != nil {
			return s.closeDocument(ctx, doc)
		}
		return nil // gone again already: the next sync tells
	}
	if _, err := s.OpenLocked(ctx, c.Path); err != nil {
		return UnlessGone(err)
	}
	s.awaitParse(c.Path)
	return nil
}

// awaitParse makes [Server.AwaitParsed] wait for an open document, at a server that counts only what it has parsed. It
// needs the document lock.
func (s *Server) awaitParse(path string) {
	if version, open := s.docs.version(path); open && s.spec.Freshness.Open && s.spec.Diagnostics.Versioned {
		s.unparsed[path] = version // only a push with its version tells when it was parsed
	}
}

// UnlessGone leaves out that a file cannot be read, which is no error of a sync: who asks about that file is told.
func UnlessGone(err error) error {
	var e *contract.Error
	if errors.As(err, &e) {
		switch e.Kind {
		case contract.KindFileNotFound, contract.KindFileUnreadable, contract.KindFileTooLarge, contract.KindNotAFile:
			return nil
		}
	}
	return err
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

// AwaitParsed waits until the server has parsed the documents that a sync opened because it sees changes by no other
// means. It returns how many are still being parsed when ctx ends, with what a sync told and the server did not read.
func (s *Server) AwaitParsed(ctx context.Context) int {
	release, err := s.Lock(ctx)
	if err != nil {
		return 1
	}
	waiting, left := maps.Clone(s.unparsed), 0
	if a, ok := s.adapter.(Pending); ok && a.Unread() {
		left++
	}
	release()
	for path, version := range waiting {
		if _, open := s.docs.version(path); open && !s.diagnostics.await(ctx, path, version, s.life.Done()) {
			left++
			delete(waiting, path)
		}
	}
	if len(waiting) == 0 {
		return left
	}
	if release, err := s.Lock(context.WithoutCancel(ctx)); err == nil {
		for path, version := range waiting {
			if s.unparsed[path] == version { // else a later sync opened it anew
				delete(s.unparsed, path)
			}
		}
		release()
	}
	return left
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

// Skips reports whether a path lies in a build or dependency folder of the row, or in a dot folder.
func (s *Server) Skips(root, path string) bool {
	below, _ := source.RelativeTo(root, filepath.Dir(path))
	for _, part := range strings.Split(filepath.ToSlash(below), "/") {
		if slices.Contains(s.spec.SkipDirs, part) || len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return false
}

// InBuildFolder reports whether a file lies in a build or dependency folder of a server's root.
func InBuildFolder(s *Server, path string) bool { return s.InBuildFolder(path) }
