package rustanalyzer

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
)

// A loader of its own reads what was notified; until its word comes requests are answered from the text before, as
// successes (1.97.1: stale positions, or none).

// methodViewText gives the text of a document as the server has it (rust-analyzer docs, lsp-extensions, View File
// Text).
const methodViewText = "rust-analyzer/viewFileText"

// reloadTime is how long a server may take to read the files that it was told of. It takes milliseconds; what is not
// there then is a text that it refuses.
const reloadTime = 3 * time.Second

// afterTell is [lsp.SyncHooks].AfterTell. It waits until the server has read what it was told of, which happens
// some time after the notification; a request in between is answered from the text before. The server reads the
// files in the order of the notification, so the last one stands for all; when it does not come,
// [lsp.Documents.AwaitParsed] says so until a later one does. The caller holds the document lock.
func (a *Process) afterTell(ctx context.Context, changes []watch.Change) error {
	last := a.lastRead(changes)
	if last == "" {
		return nil
	}
	a.unread = true
	limited, cancel := context.WithTimeout(ctx, reloadTime)
	defer cancel()
	for attempt := 0; ; attempt++ {
		same, err := a.hasRead(limited, last)
		switch {
		case same:
			a.unread = false
			return nil
		case err != nil && (ctx.Err() != nil || a.Server.Ended()):
			return err
		case !lsp.BackOff(limited, attempt):
			return ctx.Err()
		}
	}
}

// lacksTold is [lsp.SyncHooks].LacksTold.
func (a *Process) lacksTold() bool { return a.unread }

// lastRead is the last file of the changes that the server reads itself: none that is open, nor one that is not UTF-8.
func (a *Process) lastRead(changes []watch.Change) string {
	for i := len(changes) - 1; i >= 0; i-- {
		path := changes[i].Path
		if !a.Server.Spec().Serves(filepath.Base(path)) || a.Server.Documents().IsOpen(path) {
			continue
		}
		if text, err := a.Server.Documents().Load(path); err == nil && text.Valid || missing(err) {
			return path
		}
	}
	return ""
}

// missing reports whether a file could not be read because there is none.
func missing(err error) bool {
	e := (*contract.Error)(nil)
	return errors.As(err, &e) && e.Kind == contract.KindFileNotFound
}

// hasRead reports whether the server has the file as it is on disk now. An error of its own means that it has none,
// unless it does not know the request: then nobody can tell.
func (a *Process) hasRead(ctx context.Context, path string) (bool, error) {
	var has string
	err := a.Server.Request(ctx, methodViewText, protocol.TextDocumentIdentifier{URI: uri.File(path)}, &has)
	refused := (*contract.Error)(nil)
	if errors.As(err, &refused) && (refused.Code == wire.CodeMethodNotFound ||
		refused.Kind == contract.KindRequestUnsupported) {
		return true, nil
	}
	gone := err != nil && errors.As(err, &refused) && refused.Code != 0
	if err != nil && !gone {
		return false, err
	}
	text, failed := a.Server.Documents().Load(path)
	if failed != nil {
		return gone, nil
	}
	return !gone && plainLines(has) == plainLines(text.Content()), nil
}

// plainLines is a text without what servers normalise when they read a file.
func plainLines(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}
