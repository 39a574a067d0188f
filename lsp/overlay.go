package lsp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp/wire"
)

// Overlay is texts that a server is shown in place of what is on disk, as an editor shows texts that are not saved.
// A file of it need not exist. Nobody else may ask the server from [Overlay.Show] until [Overlay.Withdraw]; the
// caller sees to that. It exists so that an edit can be checked before anything is written: the server reports on
// the texts that the files would have.
type Overlay struct {
	Texts

	docs    *Documents
	symbols *symbolCache

	before textsSent // set by Show
	open   int       // documents that were open then
	shown  uint64    // its edition of the documents; set by Show
	forget func()    // forgets the symbols that were asked for meanwhile; Show sets it
}

// NewOverlay is the overlay of texts by path, each as the server would read it from the disk.
// Nothing is sent yet, so that the caller may still give it up without a Withdraw.
func (s *Server) NewOverlay(texts map[string]string) *Overlay {
	o := &Overlay{Texts: Texts{}, docs: s.docs, symbols: s.symbols, forget: s.symbols.clear}
	for path, content := range texts {
		text := source.New(path, content)
		if s.spec.IgnoresMark {
			text = text.WithoutMark()
		}
		o.Texts[path] = text
	}
	return o
}

// withdrawTime bounds the end of an overlay, which happens also when nobody waits any more.
const withdrawTime = 10 * time.Second

// Show shows the server the texts. Until [Overlay.Withdraw] all that opens and updates documents does so with them
// ([Documents.Load]).
func (o *Overlay) Show(ctx context.Context) error {
	release, err := o.docs.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	o.before, o.open = o.docs.textsSent(), o.docs.count()
	o.shown, o.forget = o.docs.newEdition(), o.symbols.mark()
	// First the overlay, then the documents: OpenLocked reads what it sends by Load, which gives the overlay's text
	// from here on.
	o.docs.overlay.Store(&o.Texts)
	// Sorted, so that the server gets the same order each time, and a failure can be repeated.
	for _, path := range slices.Sorted(maps.Keys(o.Texts)) {
		if _, err := o.docs.OpenLocked(ctx, path); err != nil {
			return err
		}
	}
	o.anew()
	// gopls (0.23.0) counts a new file only when a request has named it.
	if name := o.docs.hooks.NameFiles; name != nil {
		return name(ctx, slices.Sorted(maps.Keys(o.Texts)))
	}
	return nil
}

// Withdraw ends the overlay, also when ctx has ended: when it returns nil the server has been told of the texts on
// disk. [ErrRestartNeeded] means that this did not succeed, and that the server must not be asked anything else.
// Nothing has to be told to a server that has ended. The time is its own, and not that of ctx: when the call is
// over, the texts of the overlay must not stay at a server that others ask next.
func (o *Overlay) Withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx),
		min(withdrawTime, o.docs.conn.requestLimit(context.WithoutCancel(ctx), methodFence)))
	defer cancel()
	err := o.restore(ctx)
	var closed *wire.ClosedError
	var failed *contract.Error
	ended := errors.As(err, &closed) || errors.As(err, &failed) && failed.Kind == contract.KindServerCrashed
	// A server that has ended keeps no text of the overlay. Of any other that could not be told, nobody knows which
	// texts it has.
	if err == nil || ended || o.docs.conn.life.Err() != nil {
		return nil
	}
	o.docs.conn.log.Warn("telling the texts on disk after an overlay", "error", err)
	return ErrRestartNeeded
}

// restore tells the server of the texts on disk and waits until it has them: its answer to a request that follows shows
// that it read what came before, and a server that counts only what it parsed is waited for like after an edit.
func (o *Overlay) restore(ctx context.Context) error {
	release, err := o.docs.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	// From here on Load gives the texts on disk again, and the loop sends them.
	o.docs.overlay.Store(nil)
	o.forget()
	// Documents that were built while the overlay was shown have this number; rebuild finds them by it.
	during := o.docs.news
	for _, path := range slices.Sorted(maps.Keys(o.Texts)) {
		doc := o.docs.get(path)
		if doc == nil {
			continue
		}
		// The text on disk goes out as a change of the same document. What is not there any more, or never was, is
		// taken back instead.
		if _, err := o.docs.OpenLocked(ctx, path); err == nil {
			o.docs.awaitParse(path)
		} else if UnlessGone(err) != nil {
			return err
		} else if err := o.retract(ctx, doc); err != nil {
			return err
		}
	}
	o.anew()
	if err := o.rebuild(ctx, during); err != nil {
		return err
	}
	if err := o.caughtUp(ctx); err != nil {
		return err
	}
	o.docs.backTo(o.before, o.shown, o.open)
	return nil
}

// anew notes that texts were told: whatever a server built of them it may have built without those that were told
// later, so that each document counts as older than all. A text that was told alone is built with everything. It
// needs the document lock.
func (o *Overlay) anew() {
	was := o.docs.news
	o.docs.tell(slices.Collect(maps.Keys(o.Texts)))
	if len(o.Texts) > 1 {
		return
	}
	for path := range o.Texts {
		if doc := o.docs.get(path); doc != nil && doc.news == was {
			o.docs.replaceNews(doc, o.docs.news)
		}
	}
}

// rebuild makes a server that builds each document by itself build those anew that it built during the overlay,
// with what others had in them then.
func (o *Overlay) rebuild(ctx context.Context, during uint64) error {
	if !o.docs.spec.Diagnostics.Rebuild {
		return nil
	}
	for _, path := range o.docs.Paths() {
		doc := o.docs.get(path)
		// Built before the overlay, with the texts on disk.
		if doc.news != during {
			continue
		}
		if o.docs.current(ctx, doc) {
			continue
		}
		if err := o.docs.sendText(ctx, doc, doc.text); err != nil {
			return err
		}
		o.docs.awaitParse(path)
	}
	return nil
}

// retract takes back a document whose file is not on disk. A server that counts what it has parsed forgets it only when
// it parses an empty text.
func (o *Overlay) retract(ctx context.Context, doc *document) error {
	// Such a server (clangd) keeps in its index what it parsed last, also when the document is closed.
	if o.docs.spec.Freshness.Open {
		if err := o.docs.sendText(ctx, doc, source.New(doc.path, "")); err != nil {
			return err
		}
		// The close may not overtake the parse: closed before, the empty text is never parsed.
		if o.docs.spec.Diagnostics.Versioned && !o.docs.store.await(ctx, doc.path, doc.version,
			o.docs.conn.life.Done()) {
			return context.Cause(ctx)
		}
	}
	return o.docs.sendClose(ctx, doc)
}

// caughtUp waits until the server has read everything that it was sent. No server knows the request; each refuses
// it in its turn.
func (o *Overlay) caughtUp(ctx context.Context) error {
	var refused *wire.ResponseError
	if err := o.docs.conn.send(ctx, methodFence, nil, nil); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}
