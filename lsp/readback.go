package lsp

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/watch"
	"lspi/lsp/wire"
)

// readBackTime is how long a server may take to read the files that it was told of. It takes milliseconds; what is not
// there then is a text that it refuses.
const readBackTime = 3 * time.Second

// readBack waits until the server has read what it was told of, where that happens some time after the notification and
// a request in between is answered from the text before (Freshness.ReadBack). The server reads the files in the order of
// the notification, so the last one stands for all; when it does not come, [Server.AwaitParsed] says so until a later one
// does. It needs the turn.
func (s *Server) readBack(ctx context.Context, changes []watch.Change) error {
	last := s.lastRead(changes)
	if s.spec.Freshness.ReadBack == "" || last == "" {
		return nil
	}
	s.unread = true
	limited, cancel := context.WithTimeout(ctx, readBackTime)
	defer cancel()
	for attempt := 0; ; attempt++ {
		same, err := s.hasRead(limited, last)
		switch {
		case same:
			s.unread = false
			return nil
		case err != nil && (ctx.Err() != nil || s.Ended()):
			return err
		case !backOff(limited, attempt):
			return ctx.Err()
		}
	}
}

// lastRead is the last file of the changes that the server reads itself: none that is open, nor one that is not UTF-8.
func (s *Server) lastRead(changes []watch.Change) string {
	for i := len(changes) - 1; i >= 0; i-- {
		path := changes[i].Path
		if !s.spec.Serves(baseName(path)) || s.docs.text(path) != nil {
			continue
		}
		if text, err := s.Load(path); err == nil && text.Valid || missing(err) {
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
func (s *Server) hasRead(ctx context.Context, path string) (bool, error) {
	var has string
	err := s.Request(ctx, s.spec.Freshness.ReadBack, protocol.TextDocumentIdentifier{URI: uri.File(path)}, &has)
	refused := (*contract.Error)(nil)
	if errors.As(err, &refused) && (refused.Code == wire.CodeMethodNotFound || refused.Kind == contract.KindRequestUnsupported) {
		return true, nil
	}
	gone := err != nil && errors.As(err, &refused) && refused.Code != 0
	if err != nil && !gone {
		return false, err
	}
	text, failed := s.Load(path)
	if failed != nil {
		return gone, nil
	}
	return !gone && plainLines(has) == plainLines(text.Content()), nil
}

// plainLines is a text without what servers normalise when they read a file.
func plainLines(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}
