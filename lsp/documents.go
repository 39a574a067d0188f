package lsp

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// maxOpenDocuments bounds what is open at one server; the least recently asked is closed first. clangd keeps a parsed
// file in memory for each.
// A question may open more files than it is about (those that changed, those with unverified places), so the other
// bounds of opened files are fractions of this one: what a question opens must still be open when it is answered.
const maxOpenDocuments = 64

// document is one text that the server holds open.
type document struct {
	path    string
	uri     uri.URI
	lang    string
	version int32
	// The object matters, not only the content: caches (symbolCache) find what they keep by it, so an equal text
	// must not replace it.
	text  *source.Text // as it was sent
	news  uint64       // Documents.news when it was sent
	sent  time.Time
	place *list.Element
	swept bool // nobody but a [Sweep] has asked about it; needs the document lock
}

// Documents are the texts that a server sees: those that it holds open, as they were sent, and what it reads from
// the disk besides. Its exported methods may be called concurrently.
//
// Two locks guard it. mu guards the fields for the time of one access and is never held while something is sent.
// The document lock ([Documents.Lock]) is held while the server is told of texts, so that notifications leave in
// the order of their versions: a server that gets version 8 before version 7 keeps the older text. Readers take mu
// alone, so that a question about what is open never waits for a notification that a busy server does not take.
type Documents struct {
	spec  *spec.Spec
	conn  *Connection
	store *diagnosticStore // whose pushes tell which version was parsed
	texts *source.Cache
	reach *source.Reach // what the server may be shown to read
	hooks *Hooks        // set by newServer, before anyone else sees the server
	ready *readiness    // which hears of parsed documents ([spec.Readiness].Parses); set by newServer, too

	mu     sync.Mutex
	byPath map[string]*document // that are open; guarded by mu
	order  *list.List           // of *document, most recently used first; guarded by mu
	last   int32                // the last version that was given out; guarded by mu
	counts int32                // the same without those of overlays that ended; guarded by mu
	// edition is a number for all that the server was told of files: each sync that told of changes and each
	// overlay makes a new one, and the end of an overlay gives back the one before. Opening a document with the
	// text on disk tells nothing new.
	edition  uint64 // guarded by mu
	editions uint64 // the last edition that was given out; guarded by mu

	turn      chan struct{} // the document lock: held by whoever tells the server of texts
	news      uint64        // syncs that told of changes, and overlays; needs the document lock
	told      []telling     // the last of news with their files, oldest first; needs the document lock
	edits     uint64        // those with changes outside of build folders; needs the document lock
	syncing   bool          // a sync is telling changes, which news counts already; needs the document lock
	openedAll bool          // the files of the project were opened ([spec.Freshness].OpenAll); needs the document lock
	mixed     bool          // texts are sent that changed together with others; needs the document lock
	// Kept across calls, since a call whose time ends before the server has parsed them must not leave the next
	// call unaware of that.
	// versions of documents that a sync opened and that are not yet parsed; needs the document lock
	unparsed map[string]int32
	// Atomic and not under mu, because Load reads it without the document lock.
	overlay atomic.Pointer[Texts] // nil while none is shown; written by who also holds the document lock
}

// telling are the files that one of [Documents].news was about.
type telling struct {
	news  uint64
	paths []string
}

// maxTold bounds the files that are kept of tellings: a document that is older than what is kept counts as one that
// sees the changes.
const maxTold = 1000

// tell notes that the server is told of files. It needs the document lock.
func (d *Documents) tell(paths []string) {
	d.news++
	d.told = append(d.told, telling{d.news, paths})
	n := 0
	for i := len(d.told) - 1; i >= 0; i-- {
		if n += len(d.told[i].paths); n > maxTold {
			d.told = slices.Clone(d.told[i+1:])
			break
		}
	}
}

// current reports whether a document is built as the server would build it now: nothing was told since it was sent
// but its own text and files that it does not include ([SyncHooks].MayInclude). It needs the document lock.
func (d *Documents) current(ctx context.Context, doc *document) bool {
	if doc.news == d.news {
		return true
	}
	mayInclude := d.hooks.MayInclude
	if mayInclude == nil || len(d.told) == 0 || d.told[0].news > doc.news+1 {
		return false
	}
	var paths []string
	for _, t := range d.told {
		if t.news > doc.news {
			paths = append(paths, t.paths...)
		}
	}
	if mayInclude(ctx, doc.path, paths) {
		return false
	}
	d.replaceNews(doc, d.news)
	return true
}

// newDocuments makes the documents of a process that has none open. The hooks and the reach are set by newServer,
// because both need a server that has documents.
func newDocuments(conn *Connection, store *diagnosticStore, texts *source.Cache) *Documents {
	return &Documents{spec: conn.spec, conn: conn, store: store, texts: texts, byPath: map[string]*document{},
		order: list.New(),
		turn:  make(chan struct{}, 1), unparsed: map[string]int32{}}
}

// get is the open document, or nil; using it makes it recent.
// Only whoever holds the document lock may use the result for longer than mu is held: the fields of a document
// change under that lock.
func (d *Documents) get(path string) *document {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.byPath[path]
	if doc != nil {
		d.order.MoveToFront(doc.place)
	}
	return doc
}

// sentText is what the server was sent for path, or nil when it is not open.
// It does not make the document recent: checking whether a text is known is no use of the document, and would keep
// files open that nobody asks about.
func (d *Documents) sentText(path string) *source.Text {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byPath[path]; doc != nil {
		return doc.text
	}
	return nil
}

// Paths are the files that the server has open.
func (d *Documents) Paths() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	// The paths have no order; whoever shows them sorts them.
	out := make([]string, 0, len(d.byPath))
	for p := range d.byPath {
		out = append(out, p)
	}
	return out
}

// count is how many documents are open, for those who open further ones and must not close others by that.
func (d *Documents) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.byPath)
}

// version is the version that the server was sent last; ok is false when the document is not open.
func (d *Documents) version(path string) (v int32, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byPath[path]; doc != nil {
		return doc.version, true
	}
	return 0, false
}

// sentAt is when the server was sent what it has of an open document; zero when it is not open.
func (d *Documents) sentAt(path string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.byPath[path]; doc != nil {
		return doc.sent
	}
	return time.Time{}
}

// add enters a new document and names the one that has to be closed for it, nil when there is room. The caller
// sends its close: add itself holds mu and may not wait for the server.
func (d *Documents) add(doc *document) (evicted *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.place = d.order.PushFront(doc)
	d.byPath[doc.path] = doc
	if d.order.Len() <= maxOpenDocuments {
		return nil
	}
	return d.order.Back().Value.(*document)
}

// next is the version of what is sent next. They grow over all documents, so that what a server says of a document
// that was closed is older than all of its later life.
func (d *Documents) next() int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last++
	d.counts = d.last
	return d.last
}

// textsSent tells apart what texts a server has: of two equal ones it has the same, and the same of them open.
type textsSent struct {
	edition uint64
	version int32
}

func (d *Documents) textsSent() textsSent {
	d.mu.Lock()
	defer d.mu.Unlock()
	return textsSent{d.edition, d.counts}
}

// editionNow is the edition of what the server was told so far.
func (d *Documents) editionNow() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.edition
}

// lastEdition is the last edition that was given out: two equal ones enclose no overlay, and no sync that told changes.
func (d *Documents) lastEdition() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.editions
}

// newEdition notes that the server is told something new.
func (d *Documents) newEdition() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.editions++
	d.edition = d.editions
	return d.edition
}

// backTo makes texts the current ones again, if the server was told nothing but what shown stands for since. open is
// how many documents it had open with them: one that was opened meanwhile may add to its answers.
func (d *Documents) backTo(texts textsSent, shown uint64, open int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.edition != shown {
		return
	}
	d.edition = texts.edition
	if len(d.byPath) == open {
		d.counts = texts.version
	}
}

// replace enters what the server was sent.
// The caller has sent it: were it entered before, a notification that then fails would leave a text here that the
// server never got.
func (d *Documents) replace(doc *document, text *source.Text, version int32, news uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.version, doc.text, doc.news, doc.sent = version, text, news, time.Now()
}

// replaceNews notes that what a document was sent is as new as that.
func (d *Documents) replaceNews(doc *document, news uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc.news = news
}

// remove forgets a document that the server was told to close.
func (d *Documents) remove(doc *document) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.order.Remove(doc.place)
	delete(d.byPath, doc.path)
}

// IsOpen reports whether the server has a document open.
func (d *Documents) IsOpen(path string) bool { return d.sentText(path) != nil }

// Text is the file as the server sees it: what it was sent for an open document, else what is on disk.
// Positions of an answer have to be converted with this text, not with the newest one on disk: the server counted
// in what it was sent, and a file that changed meanwhile would shift each range.
func (d *Documents) Text(path string) (*source.Text, error) {
	if t := d.sentText(path); t != nil {
		return t, nil
	}
	return d.Load(path)
}

// Load is the file on disk as the server reads it, or the text of the overlay in its place.
func (d *Documents) Load(path string) (*source.Text, error) {
	if text := d.overlaid(path); text != nil {
		return text, nil
	}
	text, err := d.texts.Load(path, d.reach)
	// The mark (BOM) stands on disk and is no part of the text for this server: with it each column of the first
	// line would be off by one.
	if err == nil && d.spec.IgnoresMark {
		text = text.WithoutMark()
	}
	return text, err
}

// languageID names the language of a file for this server. A file that is not its own (a module of TypeScript that
// a component imports) has that of its name: under another one the server would read it wrongly. One without a
// known name (a header without extension that it pointed at itself) gets the language of the row's first entry.
func (d *Documents) languageID(path string) string {
	// didOpen demands a language (LSP 3.17, TextDocumentItem), so some value has to be sent for every file.
	if id := d.spec.LanguageID(baseName(path)); id != "" {
		return id
	}
	if id := lang.Of(path).ID; id != "" {
		return id
	}
	if len(d.spec.Languages) > 0 {
		return d.spec.Languages[0].ID
	}
	return "plaintext"
}

// Recent is the open document that was asked about last; "" when none is open. typescript-language-server 6.0.2
// searches the project of that file: who asks it about a project sees by this whether another call has turned it to
// a different one meanwhile.
func (d *Documents) Recent() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if front := d.order.Front(); front != nil {
		return front.Value.(*document).path
	}
	return ""
}

// overlaid is the text of a file in the overlay that is shown; nil when there is none.
// Callers use it also as the question whether the file exists for the server although nothing is on disk.
func (d *Documents) overlaid(path string) *source.Text {
	if overlay := d.overlay.Load(); overlay != nil {
		return (*overlay)[path]
	}
	return nil
}

// HasParsed is like [Documents.HasSeen], but for the text that the server was sent last, whether or not the file
// has changed on disk since. Both conditions are needed: parsed alone would accept a text that was sent after
// before, at a server whose texts count at once.
func (d *Documents) HasParsed(path string, before time.Time) bool {
	return d.parsed(path, before) && !d.sentAt(path).After(before)
}

// sent reports whether a document is open with the text that the file has on disk now.
func (d *Documents) sent(path string) bool {
	sent := d.sentText(path)
	// A file that is not open has no text that was sent, so nothing can be said of it here; callers count it as unseen.
	if sent == nil {
		return false
	}
	text, err := d.Load(path)
	// The same object is the usual case and saves the comparison; a file that was read anew with an equal text is
	// another object.
	return err == nil && (text.Sendable() == sent || text.Sendable().Content() == sent.Content())
}

// parsed reports whether the server had parsed what it was sent of an open document before a time. Where a text
// counts as soon as it is sent, or where nothing tells what was parsed (pushes without a version), it is always
// true: the caller must not wait for a sign that does not come.
func (d *Documents) parsed(path string, before time.Time) bool {
	if !d.spec.Freshness.Open || !d.spec.Diagnostics.Versioned {
		return true
	}
	// A push at exactly this version or a later one, that came no later than before: pushes are written after the
	// parse, so that the parse was over then.
	version, open := d.version(path)
	last, _ := d.store.get(path)
	return open && last.version >= version && !last.at.After(before)
}

// HasSeen reports whether an answer to a question that was asked at before rests on the text that the file has on
// disk now: the server had been sent it by then, and had parsed it where a text counts only when it is parsed.
// false means that the answer may be of an older text; it is also false for a file that is not open.
func (d *Documents) HasSeen(path string, before time.Time) bool {
	// The cheap comparison first: sent reads the file when it is not in the cache.
	return d.HasParsed(path, before) && d.sent(path)
}

// versions are those of the open documents, by path.
// Snapshots keep them, and compare them with the versions at the time of the answer ([Proposal.analysed]).
func (d *Documents) versions() map[string]int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := make(map[string]int32, len(d.byPath))
	for path, doc := range d.byPath {
		out[path] = doc.version
	}
	return out
}

// state is what the server was sent last of a document; nil when it is not open any more.
// Both are read under one lock, so that they belong together.
func (d *Documents) state(path string) (version int32, text *source.Text) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc := d.byPath[path]
	if doc == nil {
		return 0, nil
	}
	return doc.version, doc.text
}

// WordAt is the word at a position, "" when there is none.
// A file that cannot be read has no word: the request that follows fails with the reason, so that the error is not
// needed here.
func (d *Documents) WordAt(path string, at contract.Position) string {
	text, err := d.Text(path)
	if err != nil {
		return ""
	}
	return text.WordAt(at)
}

// Edits counts the syncs that told of changes outside of build folders: a check writes into those itself.
// The external checker is run again only when this number has grown; counting what it writes itself (target/, build
// folders) would start it anew after each of its own runs.
func (d *Documents) Edits(ctx context.Context) (uint64, error) {
	release, err := d.Lock(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	return d.edits, nil
}

// MayInclude are those of the files that may be built with the text of one of others ([SyncHooks].MayInclude).
func (d *Documents) MayInclude(ctx context.Context, files, others []string) (out []string, err error) {
	release, err := d.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	for _, path := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if may := d.hooks.MayInclude; may == nil || may(ctx, path, others) {
			out = append(out, path)
		}
	}
	return out, nil
}

// IncludedSince is how the includes of each of some files have changed since the server made its index.
func (d *Documents) IncludedSince(ctx context.Context, files []string) (map[string]IncludeChange, error) {
	release, err := d.Lock(ctx)
	if err != nil || d.hooks.IncludedSince == nil {
		return nil, err
	}
	defer release()
	return d.hooks.IncludedSince(ctx, files), context.Cause(ctx)
}

// Outdated are those of the files that are not open as the server would build them now: with their text on disk, and
// with what they include as it is.
func (d *Documents) Outdated(ctx context.Context, files []string) (out []string, err error) {
	release, err := d.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	for _, path := range files {
		if doc := d.get(path); doc == nil || !d.sent(path) || !d.current(ctx, doc) {
			out = append(out, path)
		}
	}
	return out, nil
}

// Texts are texts by absolute path.
type Texts map[string]*source.Text
