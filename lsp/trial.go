package lsp

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"time"

	"lspi/contract"
	"lspi/lsp/wire"
	"lspi/source"
)

// A trial shows the server texts that are not on disk, as an editor would that has them unsaved, asks for diagnostics, and
// puts everything back. While it lasts [Server.load] gives the tried texts, so that all that opens and updates documents
// does so with them. Nobody else may ask the server meanwhile; the caller sees to that.

// trial is the texts that are tried, by path.
type trial map[string]*source.Text

// Tried is what a server says of its files before a trial and during it.
type Tried struct {
	Before, After *Diagnosis
	Near          []string // files that were looked at besides those of the trial, at a server that has to be asked for each
	All           bool     // nothing else in the server's folders can be broken by the trial
	// Unbuilt are the first lines, one for each file, that the trial changes in code that the server does not build.
	Unbuilt   []UnbuiltLine
	Links     *Links        // what it changes for the linker; nil where the server does not tell of that
	Noticed   bool          // a file that was not looked at holds a name that the trial adds, so that All is false
	NoticedBy string        // that file, where it is known
	Heads     []ChangedHead // what it changes for those who use it by its name, where the language is dynamic
	// HeadsKnown is false where the server did not tell of the declarations.
	HeadsKnown bool
}

// Covers reports whether all of these users were looked at.
func (t *Tried) Covers(users Users) bool {
	return !slices.ContainsFunc(users.Files, func(path string) bool { return !slices.Contains(t.Near, path) })
}

// putBackTime bounds the end of a trial, which happens also when nobody waits any more.
const putBackTime = 10 * time.Second

// errReadsDisk is why the findings of an external checker are no part of a trial.
var errReadsDisk = errors.New("it reads the disk")

// Try asks for the diagnostics of the files of a trial and of those near to them, as they are on disk and with the given
// texts by path, which may be of files that do not exist. The caller has synchronised and has the server alone. When it
// returns the server has been told of the texts on disk, also after an error; [ErrRestartNeeded] means that this did not
// succeed, and that the server must not be asked anything else. known are the files that use what changes, where another
// process found them; nil lets this one find them.
func (s *Server) Try(ctx context.Context, texts map[string]string, known *Users) (tried *Tried, err error) {
	changed := trial{}
	var there []string
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		text := source.New(path, texts[path])
		if s.spec.IgnoresMark {
			text = text.WithoutMark()
		}
		changed[path] = text
		if _, err := os.Stat(path); err == nil {
			there = append(there, path)
		}
	}
	tried = &Tried{}
	near, all := s.near(ctx, changed, known)
	tried.Near, tried.All = near, all
	before, shaped := s.textsBefore(changed), map[string]shape(nil)
	if !all {
		shaped, _ = s.shapes(ctx, changed, before, false)
	}
	var added *addition
	if !s.tellsAll() && s.answersAnew() {
		added = s.addition(ctx, before)
	}
	declared := heads(ctx, s, before)
	half, cancel := halfOf(ctx)
	tried.Before, err = s.lookSteadily(half, slices.Concat(there, near))
	cancel()
	if err != nil {
		return nil, err
	}
	linked := linkTableOf(ctx, s, slices.Sorted(maps.Keys(before)))
	defer func() {
		if back := s.putBack(ctx, changed); back != nil {
			tried, err = nil, back
		}
	}()
	if err := s.show(ctx, changed); err != nil {
		return nil, err
	}
	if shaped != nil {
		now, ok := s.shapes(ctx, changed, before, true)
		tried.All = ok && keepShapes(shaped, now, before, added != nil)
	}
	tried.Heads, tried.HeadsKnown = changedHeads(s.spec.Dynamic, declared, heads(ctx, s, before))
	if added != nil {
		tried.Noticed = added.noticed(ctx, changed, before, near)
		tried.NoticedBy = added.holder
		tried.All = tried.All && !tried.Noticed
	}
	tried.After, err = s.lookSteadily(ctx, slices.Concat(slices.Sorted(maps.Keys(texts)), near))
	if err == nil {
		tried.Links = linked.compared(ctx, s, slices.Sorted(maps.Keys(changed)), tried.After)
		tried.Unbuilt = unbuiltLines(s.spec, tried, before, changed)
	}
	return tried, err
}

// halfOf is half of the time that is left.
func halfOf(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// maxLooks bounds how often is looked again because the server began to load anew meanwhile: a text that is tried may make
// it do so.
const maxLooks = 3

// lookSteadily looks while the server does not load.
func (s *Server) lookSteadily(ctx context.Context, paths []string) (d *Diagnosis, err error) {
	for range maxLooks {
		before := s.Ready(ctx, DefaultWarmup, nil)
		if d, err = s.look(ctx, paths); err != nil {
			return nil, err
		}
		if after := s.Status(); after.Generation == before.Generation && after.Ready == before.Ready {
			break
		}
	}
	return d, nil
}

// look asks for the diagnostics of files as the server has them, and of all files from one that tells of these.
func (s *Server) look(ctx context.Context, paths []string) (*Diagnosis, error) {
	d := &Diagnosis{}
	if s.check != nil {
		d.Check = errReadsDisk
	}
	if len(paths) == 0 { // of a new file; what is known besides may be of the trial before
		paths = s.anyPaths()
	}
	parts := [][]string{paths}
	if s.spec.Diagnostics.Rebuild { // one after the other: each is opened anew, which must not happen while others read it
		parts = slices.Collect(slices.Chunk(paths, 1))
	}
	for _, part := range parts {
		if err := s.diagnose(ctx, part, d); err != nil {
			return nil, err
		}
	}
	d.Check = nil
	if !s.tellsAll() || len(d.Silent) > 0 {
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

// anyPaths are files to ask about at a server that tells of all files when it is asked about some; none at others.
func (s *Server) anyPaths() []string {
	if !s.tellsAll() {
		return nil
	}
	return s.anyOfEachFolder()
}

// tellsAll reports whether the server tells of all files when it is asked about some.
func (s *Server) tellsAll() bool {
	means := s.spec.Diagnostics
	return means.Workspace && s.check == nil && means.Command != "" && s.offers.executes(means.Command)
}

// show brings the texts of a trial to the server.
func (s *Server) show(ctx context.Context, texts trial) error {
	release, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.trial.Store(&texts)
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		if _, err := s.openDocument(ctx, path); err != nil {
			return err
		}
	}
	s.news++ // each of them was told before others that it may be about
	if s.spec.Freshness.AskNew {
		return s.askNew(ctx, slices.Sorted(maps.Keys(texts)))
	}
	return nil
}

// tried is the text of a file in the trial that lasts; nil when there is none.
func (s *Server) tried(path string) *source.Text {
	if t := s.trial.Load(); t != nil {
		return (*t)[path]
	}
	return nil
}

// putBack ends a trial, also when ctx has ended. Nothing needs to be put back at a server that has ended.
func (s *Server) putBack(ctx context.Context, texts trial) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(putBackTime, s.requestLimit(methodFence)))
	defer cancel()
	err := s.restore(ctx, texts)
	var closed *wire.ClosedError
	var failed *contract.Error
	ended := errors.As(err, &closed) || errors.As(err, &failed) && failed.Kind == contract.KindServerCrashed
	if err == nil || ended || s.life.Err() != nil {
		return nil
	}
	s.log.Warn("putting texts back after a trial", "error", err)
	return ErrRestartNeeded
}

// restore tells the server of the texts on disk and waits until it has them: its answer to a request that follows shows
// that it read what came before, and a server that counts only what it parsed is waited for like after an edit.
func (s *Server) restore(ctx context.Context, texts trial) error {
	release, err := s.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.trial.Store(nil)
	s.symbols.clear()
	during := s.news
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		doc := s.docs.get(path)
		if doc == nil {
			continue
		}
		if _, err := s.openDocument(ctx, path); err == nil {
			s.awaitParse(path)
		} else if unlessGone(err) != nil {
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

// rebuild makes a server that builds each document by itself build those anew that it built during the trial, with what
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

// methodFence is unknown to every server.
const methodFence = "lspi/fence"

// caughtUp waits until the server has read everything that it was sent. No server knows the request; each refuses it in its
// turn.
func (s *Server) caughtUp(ctx context.Context) error {
	var refused *wire.ResponseError
	if err := s.conn.Call(ctx, methodFence, nil, nil); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}
