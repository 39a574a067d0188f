package lsp

import (
	"context"
	"slices"
	"unicode/utf8"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/watch"
)

// The bounds of asking: beyond maxAskedNew created files a new process is cheaper, and more than maxAskedChanged changed
// ones are a checkout, in which few change the package that they belong to.
const (
	maxAskedNew     = 200
	maxAskedChanged = 32
)

// unasked are the files that count only when a request has named them (Freshness.AskNew): the created ones, and few
// changed ones, because those may belong to another package now.
func (s *Server) unasked(changes []watch.Change) []string {
	if !s.spec.Freshness.AskNew {
		return nil
	}
	var created, changed []string
	for _, c := range changes {
		switch {
		case !s.spec.Serves(baseName(c.Path)):
		case c.Kind == watch.Created:
			created = append(created, c.Path)
		case c.Kind == watch.Changed:
			changed = append(changed, c.Path)
		}
	}
	if len(changed) > maxAskedChanged {
		return created
	}
	return slices.Concat(created, changed)
}

// askNew names each file in a request. What the server answers does not matter, nor that it refuses a broken file; its
// end does. It needs the turn.
func (s *Server) askNew(ctx context.Context, paths []string) error {
	for _, path := range paths {
		err := s.Request(ctx, MethodHover, protocol.TextDocumentPositionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
		}, nil)
		if err != nil && (ctx.Err() != nil || s.Ended()) {
			return err
		}
	}
	return nil
}

func (s *Server) Ended() bool {
	select {
	case <-s.proc.Done():
		return true
	default:
		return false
	}
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
