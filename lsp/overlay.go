package lsp

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp/wire"
	"lspi/source"
)

// NewOverlay is the overlay of texts by path, each as the server would read it from the disk.
func (s *Server) NewOverlay(texts map[string]string) Overlay {
	overlay := Overlay{}
	for path, content := range texts {
		text := source.New(path, content)
		if s.spec.IgnoresMark {
			text = text.WithoutMark()
		}
		overlay[path] = text
	}
	return overlay
}

// withdrawTime bounds the end of an overlay, which happens also when nobody waits any more.
const withdrawTime = 10 * time.Second

// ShowOverlay shows the server the texts of an overlay. Until [Server.WithdrawOverlay] all that opens and updates documents does so with
// them ([Server.Load]). Nobody else may ask the server meanwhile; the caller sees to that.
func (s *Server) ShowOverlay(ctx context.Context, overlay Overlay) error {
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.overlay.Store(&overlay)
	for _, path := range slices.Sorted(maps.Keys(overlay)) {
		if _, err := s.OpenLocked(ctx, path); err != nil {
			return err
		}
	}
	s.news++ // each of them was told before others that it may be about
	if a, ok := s.adapter.(Toucher); ok {
		return a.Touch(ctx, slices.Sorted(maps.Keys(overlay)))
	}
	return nil
}

// WithdrawOverlay ends an overlay, also when ctx has ended: when it returns nil the server has been told of the texts on disk.
// [ErrRestartNeeded] means that this did not succeed, and that the server must not be asked anything else. Nothing has to be told to a
// server that has ended.
func (s *Server) WithdrawOverlay(ctx context.Context, overlay Overlay) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(withdrawTime, s.requestLimit(methodFence)))
	defer cancel()
	err := s.restoreTexts(ctx, overlay)
	var closed *wire.ClosedError
	var failed *contract.Error
	ended := errors.As(err, &closed) || errors.As(err, &failed) && failed.Kind == contract.KindServerCrashed
	if err == nil || ended || s.life.Err() != nil {
		return nil
	}
	s.log.Warn("telling the texts on disk after an overlay", "error", err)
	return ErrRestartNeeded
}

// restoreTexts tells the server of the texts on disk and waits until it has them: its answer to a request that follows shows
// that it read what came before, and a server that counts only what it parsed is waited for like after an edit.
func (s *Server) restoreTexts(ctx context.Context, overlay Overlay) error {
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.overlay.Store(nil)
	s.symbols.clear()
	during := s.news
	for _, path := range slices.Sorted(maps.Keys(overlay)) {
		doc := s.docs.get(path)
		if doc == nil {
			continue
		}
		if _, err := s.OpenLocked(ctx, path); err == nil {
			s.awaitParse(path)
		} else if UnlessGone(err) != nil {
			return err
		} else if err := s.retract(ctx, doc); err != nil {
			return err
		}
	}
	s.news++
	if err := s.rebuild(ctx, during); err != nil {
		return err
	}
	return s.caughtUp(ctx)
}

// rebuild makes a server that builds each document by itself build those anew that it built during the overlay, with what
// others had in them then.
func (s *Server) rebuild(ctx context.Context, during uint64) error {
	if !s.spec.Diagnostics.Rebuild {
		return nil
	}
	for _, path := range s.docs.paths() {
		doc := s.docs.get(path)
		if doc.news != during {
			continue
		}
		if err := s.sendText(ctx, doc, doc.text); err != nil {
			return err
		}
		s.awaitParse(path)
	}
	return nil
}

// retract takes back a document whose file is not on disk. A server that counts what it has parsed forgets it only when
// it parses an empty text.
func (s *Server) retract(ctx context.Context, doc *document) error {
	if s.spec.Freshness.Open {
		if err := s.sendText(ctx, doc, source.New(doc.path, "")); err != nil {
			return err
		}
		if s.spec.Diagnostics.Versioned && !s.diagnostics.await(ctx, doc.path, doc.version, s.life.Done()) {
			return context.Cause(ctx)
		}
	}
	return s.closeDocument(ctx, doc)
}

// caughtUp waits until the server has read everything that it was sent. No server knows the request; each refuses it in its
// turn.
func (s *Server) caughtUp(ctx context.Context) error {
	var refused *wire.ResponseError
	if err := s.wire.Call(ctx, methodFence, nil, nil); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}

// errReadsDisk is why the findings of an external checker are no part of what a server says of texts.
var errReadsDisk = errors.New("it reads the disk")

// DiagnoseTexts asks for the diagnostics of files by the texts that the server has, an overlay included: without an external checker,
// which reads the disk. One that reports on all files when it is asked about some ([Server.ReportsAll]) tells of all.
func (s *Server) DiagnoseTexts(ctx context.Context, paths []string) (*Diagnosis, error) {
	d := &Diagnosis{}
	if s.check != nil {
		d.Check = errReadsDisk
	}
	if len(paths) == 0 { // of a new file; what is known besides may be of an overlay before
		paths = s.anyPaths()
	}
	parts := [][]string{paths}
	if s.spec.Diagnostics.Rebuild { // one after the other: each is opened anew, which must not happen while others read it
		parts = slices.Collect(slices.Chunk(paths, 1))
	}
	for _, part := range parts {
		if err := s.AddDiagnostics(ctx, part, d); err != nil {
			return nil, err
		}
	}
	d.Check = nil
	if !s.ReportsAll() || len(d.Silent) > 0 {
		return d, nil
	}
	known, lost := s.diagnostics.known()
	d.Lost = lost
	for _, path := range known {
		if !slices.ContainsFunc(d.Reports, func(r Report) bool { return r.Path == path }) {
			s.pushed(path, d)
		}
	}
	return d, nil
}

// MayReport reports whether a file is one that an edit of another may break, and that the server tells of: of its languages, in its
// folders, no build and no dependency. To a server that loads projects by the files that are open its folders mean nothing.
func (s *Server) MayReport(path string) bool {
	if !s.spec.Serves(baseName(path)) || s.InBuildFolder(path) {
		return false
	}
	_, below := source.RelativeTo(s.journal.Root(), path)
	return s.Inside(path) || s.loadsByFile() && below && !s.Skips(s.journal.Root(), path)
}

// Files are the files of the workspace that holds the server's root, as far as its journal follows them.
func (s *Server) Files() iter.Seq[string] { return s.journal.Files() }
