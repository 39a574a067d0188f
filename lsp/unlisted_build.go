package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/source"
)

// outsideBuild is [Server.Unlisted] where the row's [Build] says what is left out.
func (s *Server) outsideBuild(ctx context.Context, root, method string, asked time.Time) []string {
	edits, err := s.edited(ctx)
	if err != nil {
		return nil
	}
	b := s.spec.Build
	s.unlisted.mu.Lock()
	have, ok := s.unlisted.known[root]
	s.unlisted.mu.Unlock()
	if !ok || have.files != edits {
		have = unlistedFiles{files: edits, paths: s.readOutside(root)}
		s.unlisted.mu.Lock()
		if s.unlisted.known == nil {
			s.unlisted.known = map[string]unlistedFiles{}
		}
		s.unlisted.known[root] = have
		s.unlisted.mu.Unlock()
	}
	if !b.Opens || slices.Contains(b.Closed, method) {
		return slices.Clone(have.paths)
	}
	return slices.DeleteFunc(slices.Clone(have.paths), func(path string) bool { return s.seen(path, asked) })
}

// readOutside are the sources below a root that the build leaves out, as far as files tell; dependencies, caches and build
// folders are none.
func (s *Server) readOutside(root string) (out []string) {
	leavesOut := func(string) bool { return true }
	if s.spec.Build.Rules == BuildPyright {
		scope := readPyrightScope(root, s.spec.Build.Tables)
		if scope == nil {
			return nil
		}
		leavesOut = scope.leavesOut
	}
	for path := range s.journal.Files() {
		if _, below := source.RelativeTo(root, path); below && s.spec.Serves(baseName(path)) && !s.skipped(root, path) && leavesOut(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// OfNoProject reports whether a server says that a source belongs to no project. One about which it does not tell before ctx ends
// counts as such. What it said holds until a file changes.
func OfNoProject(ctx context.Context, s *Server, path string) bool {
	edits, err := s.edited(ctx)
	if err != nil {
		return true
	}
	u := &s.unlisted
	u.mu.Lock()
	if u.told == nil || u.asked != edits {
		u.told, u.asked = map[string]bool{}, edits
	}
	out, known := u.told[path]
	u.mu.Unlock()
	if known {
		return out
	}
	out, sure := s.askUnlinked(ctx, path)
	if sure {
		u.mu.Lock()
		if u.asked == edits {
			u.told[path] = out
		}
		u.mu.Unlock()
	}
	return out
}

// askUnlinked asks what a source belongs to. Where that gives nothing its diagnostics decide, which cost far more. A source that
// the server refuses is none of its own.
func (s *Server) askUnlinked(ctx context.Context, path string) (unlinked, sure bool) {
	document := protocol.TextDocumentIdentifier{URI: uri.File(path)}
	raw, err := s.raw(ctx, s.spec.Build.Asks, protocol.TextDocumentPositionParams{TextDocument: document})
	if err != nil {
		return true, refused(err)
	}
	var above []json.RawMessage
	if json.Unmarshal(raw, &above) == nil && len(above) > 0 {
		return false, true
	}
	raw, err = s.raw(ctx, MethodDocumentDiag, map[string]any{"textDocument": document})
	if err != nil {
		return true, refused(err)
	}
	var report struct{ Items []Diagnostic }
	if json.Unmarshal(raw, &report) != nil {
		return true, false
	}
	sign := s.spec.Diagnostics.Unlinked
	return sign == nil || slices.ContainsFunc(report.Items, func(d Diagnostic) bool { return codeOf(d.Code) == sign.Code }), true
}

// refused reports whether an error is the server's own answer.
func refused(err error) bool {
	e, ok := err.(*contract.Error)
	return ok && e.Code != 0
}
