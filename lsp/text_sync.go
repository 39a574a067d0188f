package lsp

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
)

// OpenLocked makes the document open at the server with the text that is on disk, and returns that text as it was
// sent (LSP 3.17, textDocument/didOpen and didChange). It needs the document lock.
func (d *Documents) OpenLocked(ctx context.Context, path string) (*source.Text, error) {
	if err := unsayable(path); err != nil {
		return nil, err
	}
	// Read under the document lock: of two calls at a time the later one would otherwise send the text that it read
	// before, which is older.
	text, err := d.Load(path)
	if err != nil {
		return nil, err
	}
	text = text.Sendable()
	if d.spec.OpensOwn && !d.spec.Serves(baseName(path)) {
		return text, nil
	}
	// Already open: a second didOpen of the same document is an error in LSP (3.17, didOpen notification), so it is
	// changed instead.
	if doc := d.get(path); doc != nil {
		doc.swept = doc.swept && sweeps(ctx)
		// An equal text keeps its object, and nothing is sent ([Documents.update]).
		if doc.text.Content() == text.Content() {
			text = doc.text // read anew: what is kept by the object goes on counting
		}
		// A new text is sent as a change where that is enough ([Documents.sendText]).
		same := doc.text == text
		if (d.spec.Freshness.OpenAnew || d.spec.Diagnostics.Rebuild && same) && !d.current(ctx, doc) {
			err = d.reopen(ctx, doc, text)
			d.awaitParse(path)
			return text, err
		}
		return text, d.update(ctx, doc, text)
	}
	// news and sent are taken before the notification leaves: what changes while it is on its way then counts as
	// later, never as known.
	doc := &document{path: path, uri: uri.File(path), lang: d.languageID(path), version: d.next(), text: text,
		news: d.news, sent: time.Now(), swept: sweeps(ctx)}
	return text, d.sendOpen(ctx, doc)
}

// sendingTexts is what opening, changing and closing documents is called where it fails: these are notifications,
// which no server answers and whose time no setting of a method bounds.
const sendingTexts = "sending texts"

// sendOpen opens a document, and closes another where there are too many. It needs the document lock.
func (d *Documents) sendOpen(ctx context.Context, doc *document) error {
	d.followIncludes(doc.path)
	err := d.conn.wire.Notify(ctx, "textDocument/didOpen", protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{
			URI: doc.uri, LanguageID: protocol.LanguageKind(doc.lang), Version: doc.version, Text: doc.text.Content(),
		},
	})
	if err != nil {
		return d.conn.interrupted(ctx, sendingTexts, err)
	}
	// The new one is entered before the old one is closed, so that the document that was just opened is never the
	// one that gets evicted.
	old := d.add(doc)
	if d.spec.Freshness.ParsedBy != "" {
		// asked before, a server may answer with nothing instead of an error (perlnavigator 0.6.3)
		d.awaitParse(doc.path)
	}
	if old != nil {
		return d.sendClose(ctx, old)
	}
	return nil
}

// followIncludes has what a file includes followed, before the server reads it: what changes afterwards is told. It
// needs the document lock.
func (d *Documents) followIncludes(path string) {
	if d.hooks.FollowIncludes != nil {
		d.hooks.FollowIncludes(path)
	}
}

// update sends the whole new text when it differs from what the server has, and a save, on which servers check
// what only the disk shows, unless that has another text. It needs the document lock.
func (d *Documents) update(ctx context.Context, doc *document, text *source.Text) error {
	// A change to the same content would cost the server a parse, and would make it push nothing new, which a
	// caller might then wait for.
	if doc.text == text || doc.text.Content() == text.Content() {
		return nil
	}
	// An overlay's text is not on disk: a save would make servers run checkers and read the file, and find the
	// other text there.
	if err := d.sendText(ctx, doc, text); err != nil || d.overlaid(doc.path) != nil {
		return err
	}
	// A save has clangd build all open documents again, of which each is built anew anyway when it is asked about. One
	// that is closed while that is to come behind the first build of the document keeps a worker of clangd for good, and
	// without workers, of which there are as many as cores, nothing is built any more (22.1.8, PreambleThread::update
	// waits for a thread that has ended).
	if d.spec.Diagnostics.Rebuild {
		return nil
	}
	err := d.conn.wire.Notify(ctx, "textDocument/didSave", protocol.DidSaveTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: doc.uri},
	})
	if err != nil {
		return d.conn.interrupted(ctx, sendingTexts, err)
	}
	return nil
}

// buildsAnew reports whether the server builds a document with what others were when it was sent.
func (d *Documents) buildsAnew() bool { return d.spec.Diagnostics.Rebuild || d.spec.Freshness.OpenAnew }

// sendText sends the whole text as the document's next version, in the way in which the server reports on it for
// certain ([spec.Diagnostics].Rebuild): a change alone, of a document whose version before was reported, is built
// with what is included as it was. It needs the document lock.
func (d *Documents) sendText(ctx context.Context, doc *document, text *source.Text) error {
	last, _ := d.store.get(doc.path)
	// A plain change is enough only when five things hold: no file that it includes changed with it, nor since the
	// document was sent last, the server has reported on the version before, the text is really another, and the
	// head, which the server builds ahead, is the same. Otherwise the server might keep silent about the new
	// version, or report it first with what it included before, and whoever waits for that push would wait in vain
	// or believe it too early.
	told := d.news
	if d.syncing {
		told--
	}
	alone := (!d.mixed && doc.news == told || d.current(ctx, doc)) && last.version >= doc.version &&
		doc.text.Content() != text.Content() &&
		Head(doc.text.Content()) == Head(text.Content())
	if d.buildsAnew() && !alone {
		return d.reopen(ctx, doc, text)
	}
	// The whole text, because an incremental change would be wrong for good once one was computed against a text
	// that the server has not.
	version := d.next()
	d.followIncludes(doc.path)
	err := d.conn.wire.Notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": doc.uri, "version": version},
		"contentChanges": []protocol.TextDocumentContentChangeEvent{d.wholeChange(doc.text, text)},
	})
	if err != nil {
		return d.conn.interrupted(ctx, sendingTexts, err)
	}
	d.replace(doc, text, version, d.news) // not before it is on its way: what was given up must be sent again
	return nil
}

// wholeChange replaces a text as a whole (LSP 3.17, TextDocumentContentChangeEvent). A server of incremental
// changes gets the range of the text that it has: all editors send one, and some servers do not read a change
// without (ruby-lsp 0.26.11 keeps the old text). It gets none where it may count lines in another way than lspi and
// would keep a part of the old text.
func (d *Documents) wholeChange(old, text *source.Text) protocol.TextDocumentContentChangeEvent {
	if !d.conn.capabilities.incremental() || hasOddLineEnds(old.Content()) {
		return &protocol.TextDocumentContentChangeWholeDocument{Text: text.Content()}
	}
	all := protocol.Range{End: old.Encode(d.conn.encoding, len(old.Content()))}
	return &protocol.TextDocumentContentChangePartial{Range: all, Text: text.Content()}
}

// hasOddLineEnds reports whether others may see more lines in a text than lspi: at a \r alone, which ends a line by
// the specification of LSP, or where Python's str.splitlines and Unicode see one.
func hasOddLineEnds(text string) bool {
	return strings.Count(text, "\r") != strings.Count(text, "\r\n") || strings.ContainsFunc(text, func(r rune) bool {
		return r == '\v' || r == '\f' || r >= '\x1c' && r <= '\x1e' || r == '\u0085' || r == '\u2028' || r == '\u2029'
	})
}

// reopen sends the whole text in a document that is closed and opened again. It needs the document lock.
func (d *Documents) reopen(ctx context.Context, doc *document, text *source.Text) error {
	// The close makes the server drop the tree that it would patch. It also takes the document out of the list, so
	// sendOpen enters it anew.
	if err := d.sendClose(ctx, doc); err != nil {
		return err
	}
	doc.version, doc.text, doc.news, doc.sent = d.next(), text, d.news, time.Now() // nobody else has it now
	return d.sendOpen(ctx, doc)
}

// sendClose needs the document lock.
func (d *Documents) sendClose(ctx context.Context, doc *document) error {
	err := d.conn.wire.Notify(ctx, "textDocument/didClose", protocol.DidCloseTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: doc.uri},
	})
	if err != nil {
		return d.conn.interrupted(ctx, sendingTexts, err)
	}
	// Not before the notification is on its way: a document that is still open at the server must stay in the list,
	// so that it is updated.
	d.remove(doc)
	if !d.spec.Diagnostics.Workspace { // which go on being true of the file on disk
		d.store.forget(doc.path)
	}
	return nil
}

// Close closes a document that was opened for a question of lspi's own; one that is not open is left alone.
func (d *Documents) Close(ctx context.Context, path string) error {
	release, err := d.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Nothing is sent for a document that is not open: a didClose without a didOpen is an error in LSP.
	if doc := d.get(path); doc != nil {
		return d.sendClose(ctx, doc)
	}
	return nil
}

// Open makes sure that a position request on path can be answered: the document is opened where the server needs that.
// It returns the text as the server sees it. A text that is not UTF-8 is always opened: on disk gopls 0.23.0 refuses it
// ("buffer contains invalid UTF-8 text") and rust-analyzer 1.97.1 does not load it.
func (d *Documents) Open(ctx context.Context, path string) (*source.Text, error) {
	if err := unsayable(path); err != nil {
		return nil, err
	}
	// The server reads closed files from the disk by itself. Not opening them saves the parse, a slot among the
	// open documents, and the document lock: many questions at a time need not queue for it.
	if d.spec.Freshness.QueryClosed && d.get(path) == nil {
		if text, err := d.Load(path); err != nil || text.Valid {
			return text, err
		}
	}
	release, err := d.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return d.OpenLocked(ctx, path)
}

// OpenDocument opens path also at a server that would not need it, for diagnostics.
func (d *Documents) OpenDocument(ctx context.Context, path string) (*source.Text, error) {
	release, err := d.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return d.OpenLocked(ctx, path)
}

// Lock takes the turn to tell the server of texts. The release function must be called once.
func (d *Documents) Lock(ctx context.Context) (release func(), err error) {
	// select takes any case that is possible: without this check a free turn could be taken at a server that has ended.
	if d.conn.life.Err() == nil {
		select {
		case d.turn <- struct{}{}:
			return func() { <-d.turn }, nil
		// The lock is a channel and no mutex, so that a caller whose time is over, or whose server has ended,
		// leaves the queue.
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-d.conn.life.Done():
		}
	}
	if err == nil {
		err = &wire.ClosedError{Cause: errEnded}
	}
	// Whoever waits here is held up by a server that does not take what it is sent, so that interrupted suspects
	// the server.
	return nil, d.conn.interrupted(ctx, "waiting for changes of other calls to be told", err)
}

// ParseAnew has the server build a document anew as it is now, also when its text is the one that was sent, and
// makes [Documents.AwaitParsed] wait for it. The caller holds the document lock.
func (d *Documents) ParseAnew(ctx context.Context, path string) error {
	before, open := d.version(path)
	text, err := d.OpenLocked(ctx, path)
	if now, _ := d.version(path); err == nil && open && now == before { // nothing was sent
		err = d.sendText(ctx, d.get(path), text)
	}
	if err == nil {
		d.awaitParse(path)
	}
	return err
}

// sendTwice sends the text of an open document again behind another one, for a server that looks at a text only
// when it differs from the last.
func (d *Documents) sendTwice(ctx context.Context, path string) error {
	release, err := d.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	text, err := d.OpenLocked(ctx, path)
	doc := d.get(path)
	if err != nil || doc == nil {
		return err
	}
	if err := d.sendText(ctx, doc, source.New(path, text.Content()+"\n")); err != nil {
		return err
	}
	return d.sendText(ctx, doc, text)
}

// Blank shows the server a file as an empty text for a moment, so that it derives anew what it had from its text. It
// needs the document lock.
func (d *Documents) Blank(ctx context.Context, path string) error {
	doc := d.get(path)
	if doc == nil {
		doc = &document{path: path, uri: uri.File(path), lang: d.languageID(path), version: d.next(),
			text: source.New(path, ""), news: d.news, sent: time.Now()}
		if err := d.sendOpen(ctx, doc); err != nil {
			return err
		}
		return d.sendClose(ctx, doc)
	}
	text := doc.text
	if err := d.sendText(ctx, doc, source.New(path, "")); err != nil {
		return err
	}
	return d.sendText(ctx, doc, text)
}

// sayable reports whether a path can be written as a URI: one that is not UTF-8 comes out as another file, and gopls
// then refuses every request because that does not exist.
func sayable(c watch.Change) bool { return utf8.ValidString(c.Path) }

// unsayable is why no server is told of a path that [sayable] refuses: under the other name pyright 1.1.414 keeps
// the text in its answers and its edits.
func unsayable(path string) error {
	if utf8.ValidString(path) {
		return nil
	}
	const reason = "its name is not UTF-8"
	return contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": reason},
		"reading %s: %s", path, reason)
}

// Head is the beginning of a text, up to the first line with code; it may be the whole text, or empty. It is the
// part that servers of C and C++ build ahead and keep while the rest is edited: blank lines, comments and
// directives before the first code. While it is built anew, answers come from a tree in which the old one is
// patched: positions were wrong, and inactive code was active, after a line was put before the first #include
// (clangd 22.1.8).
func Head(text string) string {
	comment, directive := false, false // of several lines
	end := 0
	// Preprocessor directives and comments may go on over several lines; such a line is not recognised by its
	// beginning, so the state is kept.
	for line := range strings.Lines(text) {
		t := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		switch {
		case comment:
			comment = !strings.Contains(t, "*/")
		case directive:
			directive = strings.HasSuffix(t, `\`)
		case t == "", strings.HasPrefix(t, "//"):
		case strings.HasPrefix(t, "/*"):
			comment = !strings.Contains(t, "*/")
		case strings.HasPrefix(t, "#"):
			directive = strings.HasSuffix(t, `\`)
		default:
			return text[:end]
		}
		end += len(line)
	}
	return text
}

// maxShown bounds the files that are opened for that in one go; aliases in more files than that are believed when they
// proved right in these.
const maxShown = maxOpenDocuments / 2

// Include makes the server know sources that its project file does not list, by opening them: how they are compiled
// it takes from the listed file that is most like them (clangd 22.1.8), or guesses. It reports whether the server
// has parsed all of them before ctx ends.
func (d *Documents) Include(ctx context.Context, files []string) bool {
	// More files than that would evict each other: the first would be closed again before the question is asked.
	if len(files) > maxShown || d.OpenAll(ctx, files) != nil {
		return false
	}
	for _, path := range files {
		version, open := d.version(path)
		// A push with the version says that the file was parsed and that its symbols are in the index: the request
		// right after didOpen is still answered from the index before (clangd 22.1.8).
		if open && d.spec.Diagnostics.Versioned && !d.store.await(ctx, path, version, d.conn.life.Done()) {
			return false
		}
	}
	return true
}

// OpenAll opens files with the texts that are on disk, but for those that are gone.
func (d *Documents) OpenAll(ctx context.Context, files []string) error {
	release, err := d.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	for _, path := range files {
		if _, err := d.OpenLocked(ctx, path); UnlessGone(err) != nil {
			return err
		}
	}
	return nil
}

// awaitParse makes [Documents.AwaitParsed] wait for an open document, at a server that counts only what it has
// parsed. It needs the document lock.
func (d *Documents) awaitParse(path string) {
	if version, open := d.version(path); open && (d.spec.Freshness.Open || d.spec.Freshness.OpenAnew) &&
		(d.spec.Diagnostics.Versioned || d.spec.Freshness.ParsedBy != "") {
		d.unparsed[path] = version // only a push with its version, or an answer about it, tells when it was parsed
	}
}

// takenIn waits until the server has parsed a version of a document; false when ctx ends before.
func (d *Documents) takenIn(ctx context.Context, path string, version int32) bool {
	method := d.spec.Freshness.ParsedBy
	sent := d.sentAt(path)
	after := func(p published) bool { return p.at.After(sent) }
	switch {
	case method == "":
		return d.store.await(ctx, path, version, d.conn.life.Done())
	case d.spec.Readiness.Parses+d.spec.Readiness.Opens != "" &&
		d.ready.awaitParse(ctx, path, sent, d.conn.life.Done()):
		return true
	case d.spec.Freshness.PushTells && !d.store.until(ctx, path, d.conn.life.Done(), after):
		return false
	}
	// What it answers does not matter, be it an error.
	_ = d.conn.send(ctx, method, map[string]any{"textDocument": protocol.TextDocumentIdentifier{URI: uri.File(path)}},
		nil)
	return ctx.Err() == nil
}

// UnlessGone leaves out that a file cannot be read, which is no error of a sync: who asks about that file is told.
// A sync tells of hundreds of files, and one that was deleted or made unreadable a moment later must not fail the
// question about another.
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

// AwaitParsed waits until the server has parsed the documents that a sync opened because it sees changes by no other
// means. It returns how many are still being parsed when ctx ends, with what a sync told and the server did not read.
func (d *Documents) AwaitParsed(ctx context.Context) int {
	release, err := d.Lock(ctx)
	if err != nil {
		return 1
	}
	// The lock is given back while the parsing is waited for; others may tell more meanwhile.
	waiting, left := maps.Clone(d.unparsed), 0
	// Some servers read a file that they were told of only later; what they have not read counts like a document
	// that is not parsed.
	if lacks := d.hooks.LacksTold; lacks != nil && lacks() {
		left++
	}
	release()
	if len(waiting) > 0 {
		defer d.conn.waits(ctx, "files that changed")()
	}
	for path, version := range waiting {
		// A document that was closed meanwhile is not waited for: no push of it will come.
		if _, open := d.version(path); open && !d.takenIn(ctx, path, version) {
			left++
			delete(waiting, path)
		}
	}
	if len(waiting) == 0 {
		return left
	}
	// What was parsed is taken from the list also when ctx has ended, so that the next question does not wait for
	// it again. What was not parsed in time stays in it.
	if release, err := d.Lock(context.WithoutCancel(ctx)); err == nil {
		for path, version := range waiting {
			if d.unparsed[path] == version { // else a later sync opened it anew
				delete(d.unparsed, path)
			}
		}
		release()
	}
	return left
}
