package lsp

import (
	"container/list"
	"context"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
	"lspi/source"
)

// maxOpenDocuments bounds what is open at one server; the least recently asked is closed first. clangd keeps a parsed
// file in memory for each.
const maxOpenDocuments = 64

// document is one text that the server holds open.
type document struct {
	path    string
	uri     uri.URI
	lang    string
	version int32
	text    *source.Text // as it was sent
	news    uint64       // Server.news when it was sent
	sent    time.Time
	place   *list.Element
}

// documents are the texts that are open at the server. What is sent is sent in turn (Server.documentLock), so that versions
// grow in the order in which the server hears of them.
type documents struct {
	mu    sync.Mutex
	open  map[string]*document // by path; guarded by mu
	order *list.List           // of *document, most recently used first; guarded by mu
	last  int32                // the last version that was given out; guarded by mu
}

func newDocuments() *documents {
	return &documents{open: map[string]*document{}, order: list.New()}
}

// get is the open document, or nil; using it makes it recent.
func (d *documents) get(path string) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.open[path]
	if doc != nil {
		d.order.MoveToFront(doc.place)
	}
	return doc
}

// text is what the server was sent for path, or nil when it is not open.
func (d *documents) text(path string) *source.Text {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.open[path]; doc != nil {
		return doc.text
	}
	return nil
}

func (d *documents) paths() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make([]string, 0, len(d.open))
	for p := range d.open {
		out = append(out, p)
	}
	return out
}

func (d *documents) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open)
}

// version is the version that the server was sent last; ok is false when the document is not open.
func (d *documents) version(path string) (v int32, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.open[path]; doc != nil {
		return doc.version, true
	}
	return 0, false
}

// sentAt is when the server was sent what it has of an open document; zero when it is not open.
func (d *documents) sentAt(path string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.open[path]; doc != nil {
		return doc.sent
	}
	return time.Time{}
}

// add enters a new document and names the one that has to be closed for it, if any.
func (d *documents) add(doc *document) (evicted *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.place = d.order.PushFront(doc)
	d.open[doc.path] = doc
	if d.order.Len() <= maxOpenDocuments {
		return nil
	}
	return d.order.Back().Value.(*document)
}

// next is the version of what is sent next. They grow over all documents, so that what a server says of a document
// that was closed is older than all of its later life.
func (d *documents) next() int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	return d.last
}

// replace enters what the server was sent.
func (d *documents) replace(doc *document, text *source.Text, version int32, news uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.version, doc.text, doc.news, doc.sent = version, text, news, time.Now()
}

func (d *documents) remove(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.order.Remove(doc.place)
	delete(d.open, doc.path)
}

// OpenLocked makes the document open at the server with the text that is on disk, and returns that text as it was
// sent (LSP 3.17, textDocument/didOpen and didChange). It needs the document lock.
func (s *Server) OpenLocked(ctx context.Context, path string) (*source.Text, error) {
	if err := unsayable(path); err != nil {
		return nil, err
	}
	text, err := s.Load(path)
	if err != nil {
		return nil, err
	}
	text = text.Sendable()
	if doc := s.docs.get(path); doc != nil {
		if doc.text.Content() == text.Content() {
			text = doc.text // read anew: what is kept by the object goes on counting
		}
		return text, s.updateDocument(ctx, doc, text)
	}
	doc := &document{path: path, uri: uri.File(path), lang: s.languageID(path), version: s.docs.next(), text: text,
		news: s.news, sent: time.Now()}
	return text, s.sendOpen(ctx, doc)
}

// sendingTexts is what opening, changing and closing documents is called where it fails: these are notifications, which no
// server answers and whose time no setting of a method bounds.
const sendingTexts = "sending texts"

// sendOpen opens a document, and closes another where there are too many. It needs the document lock.
func (s *Server) sendOpen(ctx context.Context, doc *document) error {
	err := s.wire.Notify(ctx, "textDocument/didOpen", protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{
			URI: doc.uri, LanguageID: protocol.LanguageKind(doc.lang), Version: doc.version, Text: doc.text.Content(),
		},
	})
	if err != nil {
		return s.interrupted(ctx, sendingTexts, err)
	}
	if old := s.docs.add(doc); old != nil {
		return s.closeDocument(ctx, old)
	}
	return nil
}

// updateDocument sends the whole new text when it differs from what the server has, and a save, on which servers check
// what only the disk shows, unless that has another text. It needs the document lock.
func (s *Server) updateDocument(ctx context.Context, doc *document, text *source.Text) error {
	if doc.text == text || doc.text.Content() == text.Content() {
		return nil
	}
	if err := s.sendText(ctx, doc, text); err != nil || s.overlaid(doc.path) != nil {
		return err
	}
	err := s.wire.Notify(ctx, "textDocument/didSave", protocol.DidSaveTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: doc.uri},
	})
	if err != nil {
		return s.interrupted(ctx, sendingTexts, err)
	}
	return nil
}

// sendText sends the whole text as the document's next version, in the way in which the server reports on it for certain
// ([spec.Diagnostics].Rebuild): a change alone, of a document whose version before was reported, is built with what is included
// as it was. It needs the document lock.
func (s *Server) sendText(ctx context.Context, doc *document, text *source.Text) error {
	last, _ := s.diagnostics.get(doc.path)
	alone := !s.mixed && last.version >= doc.version && doc.text.Content() != text.Content() &&
		head(doc.text.Content()) == head(text.Content())
	if s.spec.Diagnostics.Rebuild && !alone {
		return s.reopen(ctx, doc, text)
	}
	version := s.docs.next()
	err := s.wire.Notify(ctx, "textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": doc.uri, "version": version},
		"contentChanges": []map[string]string{{"text": text.Content()}},
	})
	if err != nil {
		return s.interrupted(ctx, sendingTexts, err)
	}
	s.docs.replace(doc, text, version, s.news) // not before it is on its way: what was given up must be sent again
	return nil
}

// reopen sends the whole text in a document that is closed and opened again. It needs the document lock.
func (s *Server) reopen(ctx context.Context, doc *document, text *source.Text) error {
	if err := s.closeDocument(ctx, doc); err != nil {
		return err
	}
	doc.version, doc.text, doc.news, doc.sent = s.docs.next(), text, s.news, time.Now() // nobody else has it now
	return s.sendOpen(ctx, doc)
}

// closeDocument needs the document lock.
func (s *Server) closeDocument(ctx context.Context, doc *document) error {
	err := s.wire.Notify(ctx, "textDocument/didClose", protocol.DidCloseTextDocumentParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: doc.uri},
	})
	if err != nil {
		return s.interrupted(ctx, sendingTexts, err)
	}
	s.docs.remove(doc)
	if !s.spec.Diagnostics.Workspace { // which go on being true of the file on disk
		s.diagnostics.forget(doc.path)
	}
	return nil
}

// IsOpen reports whether a server has a document open.
func IsOpen(s *Server, path string) bool { return s.docs.text(path) != nil }

// OpenPaths are the files that the server has open.
func (s *Server) OpenPaths() []string { return s.docs.paths() }

// CloseDocument closes a document that was opened for a question of lspi's own; one that is not open is left alone.
func (s *Server) CloseDocument(ctx context.Context, path string) error {
	release, err := s.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if doc := s.docs.get(path); doc != nil {
		return s.closeDocument(ctx, doc)
	}
	return nil
}

// Text is the file as the server sees it: what it was sent for an open document, else what is on disk.
func (s *Server) Text(path string) (*source.Text, error) {
	if t := s.docs.text(path); t != nil {
		return t, nil
	}
	return s.Load(path)
}

// Load is the file on disk as the server reads it, or the text of the overlay in its place.
func (s *Server) Load(path string) (*source.Text, error) {
	if text := s.overlaid(path); text != nil {
		return text, nil
	}
	text, err := s.texts.Load(path, s.reach)
	if err == nil && s.spec.IgnoresMark {
		text = text.WithoutMark()
	}
	return text, err
}

// languageID names the language of a file for this server. A file that it does not know by name (a header without
// extension that it pointed at itself) gets the language of the row's first entry.
func (s *Server) languageID(path string) string {
	if id := s.spec.LanguageID(baseName(path)); id != "" {
		return id
	}
	if len(s.spec.Languages) > 0 {
		return s.spec.Languages[0].ID
	}
	return "plaintext"
}

// Open makes sure that a position request on path can be answered: the document is opened where the server needs that.
// It returns the text as the server sees it. A text that is not UTF-8 is always opened: on disk gopls 0.23.0 refuses it
// ("buffer contains invalid UTF-8 text") and rust-analyzer 1.97.1 does not load it.
func (s *Server) Open(ctx context.Context, path string) (*source.Text, error) {
	if err := unsayable(path); err != nil {
		return nil, err
	}
	if s.spec.Freshness.QueryClosed && s.docs.get(path) == nil {
		if text, err := s.Load(path); err != nil || text.Valid {
			return text, err
		}
	}
	release, err := s.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.OpenLocked(ctx, path)
}

// OpenDocument opens path also at a server that would not need it, for diagnostics.
func (s *Server) OpenDocument(ctx context.Context, path string) (*source.Text, error) {
	release, err := s.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.OpenLocked(ctx, path)
}

// Lock takes the turn to tell the server of texts. The release function must be called once.
func (s *Server) Lock(ctx context.Context) (release func(), err error) {
	if s.life.Err() != nil {
		return nil, s.interrupted(ctx, "waiting for changes of other calls to be told", &wire.ClosedError{Cause: errEnded})
	}
	select {
	case s.documentLock <- struct{}{}:
		return func() { <-s.documentLock }, nil
	case <-ctx.Done():
		return nil, s.interrupted(ctx, "waiting for changes of other calls to be told", context.Cause(ctx))
	case <-s.life.Done():
		return nil, s.interrupted(ctx, "waiting for changes of other calls to be told", &wire.ClosedError{Cause: errEnded})
	}
}

// Recent is the open document that was asked about last; "" when none is open.
func (s *Server) Recent() string {
	s.docs.mu.Lock()
	defer s.docs.mu.Unlock()
	if front := s.docs.order.Front(); front != nil {
		return front.Value.(*document).path
	}
	return ""
}

// ParseAnew has the server build a document anew as it is now, also when its text is the one that was sent, and makes [Server.AwaitParsed]
// wait for it. The caller holds the document lock.
func (s *Server) ParseAnew(ctx context.Context, path string) error {
	open := s.docs.get(path)
	text, err := s.OpenLocked(ctx, path)
	if err == nil && open != nil && s.docs.get(path) == open { // its text is the same, so that nothing was sent
		err = s.sendText(ctx, open, text)
	}
	if err == nil {
		s.awaitParse(path)
	}
	return err
}

// sayable reports whether a path can be written as a URI: one that is not UTF-8 comes out as another file, and gopls
// then refuses every request because that does not exist.
func sayable(c watch.Change) bool { return utf8.ValidString(c.Path) }

// unsayable is why no server is told of a path that [sayable] refuses: under the other name pyright 1.1.414 keeps the text in its
// answers and its edits.
func unsayable(path string) error {
	if utf8.ValidString(path) {
		return nil
	}
	const reason = "its name is not UTF-8"
	return contract.Errorf(contract.KindFileUnreadable, contract.Facts{"file_path": path, "reason": reason}, "reading %s: %s", path, reason)
}

// overlaid is the text of a file in the overlay that is shown; nil when there is none.
func (s *Server) overlaid(path string) *source.Text {
	if overlay := s.overlay.Load(); overlay != nil {
		return (*overlay)[path]
	}
	return nil
}

// Overlay is texts that a server is shown in place of what is on disk, by absolute path, as an editor shows texts that are not saved. A
// file of it need not exist.
type Overlay map[string]*source.Text

// head is the part of a text that servers of C and C++ build ahead and keep while the rest is edited: blank lines, comments
// and directives before the first code. While it is built anew, answers come from a tree in which the old one is patched:
// positions were wrong, and inactive code was active, after a line was put before the first #include (clangd 22.1.8).
func head(text string) string {
	comment, directive := false, false // of several lines
	end := 0
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
