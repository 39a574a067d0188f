package lsp

import (
	"context"
	"os"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/internal/source"
	"lspi/lsp/watch"
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
//
// The steps keep this order:
//
//  1. The barriers of all journals give their marks, without the document lock: what changed before the call is then in
//     the journals.
//  2. Under the document lock, the changes are read that the server was not told of yet.
//  3. The projects, the code and the hooks are given every change ([Server.noteChanges]), also those that the
//     server itself need not hear of.
//  4. The server is told ([Server.tellTogether]).
//  5. Only then the marks move. When a step before fails, the next sync finds the same changes again, so that none is
//     lost.
//
// Of two callers at a time the second finds the marks moved, and has nothing to tell.
func (s *Server) Sync(ctx context.Context) error {
	began := time.Now()
	if before := s.hooks.BeforeSync; before != nil {
		if err := before(ctx); err != nil {
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
	if err == nil {
		err = s.openAll(ctx)
	}
	if err != nil {
		return err
	}
	s.noteChanges(changes)
	s.docs.syncing = len(changes) > 0
	defer func() { s.docs.syncing = false }()
	if s.docs.news > 0 && s.diagnostics.store.lostImports() != "" {
		return ErrRestartNeeded // a process that has seen no news would lose them again
	}
	changes = s.relevant(s.elsewhere.before(ctx, changes))
	if err := s.tellTogether(ctx, changes); err != nil {
		return err
	}
	s.elsewhere.after(ctx)
	for t, mark := range marks {
		// max, because a mark was taken before the lock: another caller may have told more meanwhile.
		t.synced = max(t.synced, mark)
	}
	if len(changes) > 0 {
		// What is cached of symbols may be of the texts before.
		s.symbols.clear()
		s.setSyncReport(SyncReport{At: began, Changed: len(changes), Took: time.Since(began)})
	}
	return nil
}

// noteChanges gives all changes that a sync found to whatever keeps something of the files, before the server is told
// of them. These are all changes, and not the relevant ones alone: what is kept of project files may depend on a file
// that the server does not serve. It needs the document lock.
func (s *Server) noteChanges(changes []watch.Change) {
	s.projects.changed(changes)
	s.code.changed(changes)
	s.tree.changed(changes)
	if s.hooks.Changed != nil {
		s.hooks.Changed(changes)
	}
	if len(changes) == 0 {
		return
	}
	s.diagnostics.swept.note(changes)
	// news counts for each document whether others changed since it was sent ([Documents.current]); edits leaves
	// out what builds write, so that the checker is not started anew by its own output.
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	s.docs.tell(paths)
	s.docs.newEdition()
	if slices.ContainsFunc(changes, func(c watch.Change) bool { return !s.folders.InBuild(c.Path) }) {
		s.docs.edits++
	}
}

// tellTogether is [Server.tell] for the changes of one sync. It needs the document lock.
func (s *Server) tellTogether(ctx context.Context, changes []watch.Change) error {
	// A text that changes together with other files must not count as an edit of that text alone
	// ([Documents.sendText]).
	s.docs.mixed = len(changes) > 1
	defer func() { s.docs.mixed = false }()
	if err := s.tell(ctx, changes); err != nil {
		return err
	}
	// The server announces only some time after the notification that it loads its projects anew. Until then its
	// readiness sign would still be that of the projects before, so it counts as not ready.
	if slices.ContainsFunc(changes, func(c watch.Change) bool {
		return slices.Contains(s.spec.Readiness.Reloads, baseName(c.Path))
	}) {
		s.health.ready.expect(s.spec.Readiness.Announces)
	}
	return nil
}

// openAll opens the files of the project before the first question, where the server needs that
// ([spec.Freshness].OpenAll); of many only the first. It needs the document lock.
func (s *Server) openAll(ctx context.Context) error {
	if !s.spec.Freshness.OpenAll || s.docs.openedAll {
		return nil
	}
	var files []string
	for path := range s.folders.journal.Files() {
		if s.spec.Serves(baseName(path)) && s.folders.Inside(path) {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	for _, path := range files[:min(len(files), maxOpenedBySync)] {
		if _, err := s.docs.OpenLocked(ctx, path); UnlessGone(err) != nil {
			return err
		}
	}
	s.docs.openedAll = true
	return nil
}

// relevant keeps the changes of files that the server serves, that its row names, or that it registered for, and of
// open documents. The rest (a picture, a log) would only cost the server time. A path that no URI can hold is left
// out ([sayable]). changes is not modified.
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
		// The server may have registered for files that its row does not name; a watcher has a bit for each kind of
		// change.
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

// tell tells the server of changes, or says with [ErrRestartNeeded] that only a new process would see them. It
// needs the document lock.
//
// All reasons for a new process come first: whatever was told to a process that is given up would be in vain. The
// notification of watched files comes before the documents, in one message, so that a server that reads the disk on
// it sees all files of a change together. [SyncHooks].AfterTell comes last, because its requests are to
// be answered from what the server was told before.
func (s *Server) tell(ctx context.Context, changes []watch.Change) error {
	// Counted before anything is sent: half of the files opened at a process that is then given up would be work
	// for nothing.
	opened := 0
	for _, c := range changes {
		if s.folders.restartsOn(c.Path) {
			return ErrRestartNeeded
		}
		if s.mustOpen(c) && s.docs.sentText(c.Path) == nil {
			opened++
		}
	}
	if needs := s.hooks.NeedsRestart; opened > maxOpenedBySync || needs != nil && needs(changes) {
		return ErrRestartNeeded
	}
	if err := s.TellWatched(ctx, changes); err != nil {
		return err
	}
	for _, c := range changes {
		if err := s.tellDocument(ctx, c); err != nil {
			return err
		}
	}
	if f := s.hooks.AfterTell; f != nil {
		return f(ctx, changes)
	}
	return nil
}

// mustOpen reports whether a changed file counts only when it is opened. One that is followed by itself
// ([SyncHooks].MayInclude) may be a file that lspi does not read; one of another root may mean something else to the
// server ([spec.RootRule].Views).
func (s *Server) mustOpen(c watch.Change) bool {
	f := s.spec.Freshness
	return c.Kind != watch.Deleted && s.spec.Serves(baseName(c.Path)) &&
		(f.Open || f.OpenNew && c.Kind == watch.Created) && s.folders.follows(c.Path) &&
		(!s.spec.Roots.Views || s.folders.Inside(c.Path))
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
	// The journal tells what was. What is there now may be gone, a folder, or larger than lspi reads; an open
	// document of such a file is closed, so that the server does not go on with its old text.
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

// TellWatched sends workspace/didChangeWatchedFiles (LSP 3.17) for all changes in one notification. [Server.Sync]
// does it for each change; a hook whose server has to be told twice does it again, under the document lock.
func (s *Server) TellWatched(ctx context.Context, changes []watch.Change) error {
	if len(changes) == 0 || !s.spec.Freshness.Watched {
		return nil
	}
	events := make([]protocol.FileEvent, len(changes))
	for i, c := range changes {
		events[i] = protocol.FileEvent{URI: uri.File(c.Path), Type: fileChangeType(c.Kind)}
	}
	sent := time.Now()
	if err := s.wire.Notify(ctx, MethodDidChangeWatched,
		protocol.DidChangeWatchedFilesParams{Changes: events}); err != nil {
		return s.Failure(ctx, MethodDidChangeWatched, err)
	}
	// That it does not come in time is no error: what follows is asked all the same.
	if words := s.spec.Readiness.Watches; words != "" {
		s.health.ready.awaitWords(ctx, words, sent, s.life.Done())
	}
	return nil
}

// fileChangeType is LSP's FileChangeType; a change of any other kind is a changed file.
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
