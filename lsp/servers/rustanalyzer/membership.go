package rustanalyzer

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// unlisted is [lsp.CoverageHooks].Unlisted: every source may belong to no crate, [Process.outsideProject] decides.
func (a *Process) unlisted(ctx context.Context, root, _ string, _ time.Time) []lsp.Uncovered {
	files, _ := a.sources.Get(ctx, a.Server, root, func() (out []string, _ bool) {
		for path := range a.Server.Journal().Files() {
			if _, below := source.RelativeTo(root, path); below && a.Server.Spec().Serves(filepath.Base(path)) &&
				!a.Server.Folders().Skips(root, path) {
				out = append(out, path)
			}
		}
		slices.Sort(out)
		return out, true
	})
	return lsp.Because(lsp.NotOfProject, files, true)
}

// methodParentModule gives the module above a position (rust-analyzer docs, lsp-extensions, Parent Module). A
// source that no mod takes in has none, nor one that #[cfg] leaves out; a crate root has its Cargo.toml. Opened,
// such a source is in no answer. The request takes some 5 ms; of include! it knows nothing.
const methodParentModule = "experimental/parentModule"

// askedAtOnce bounds how many sources a server is asked about at the same time.
const askedAtOnce = 16

// memberships remembers what the server was asked about: which sources belong to a project.
type memberships struct {
	mu    sync.Mutex
	told  map[string]*membership // by path; guarded by mu
	asked uint64                 // Server.Edits when told was begun; guarded by mu
}

// outsideProject is [lsp.CoverageHooks].OutsideProject. The server is asked once for all who want to know, and until it
// answers: behind large answers to others that takes seconds, and whoever asks again has the word.
func (a *Process) outsideProject(ctx context.Context, found []lsp.Uncovered) (out []lsp.Uncovered) {
	edits, err := a.Server.Documents().Edits(ctx)
	var asked []*membership
	for i, u := range found {
		for err == nil && ctx.Err() == nil && len(asked) < min(len(found), i+askedAtOnce) {
			asked = append(asked, a.membershipOf(ctx, found[len(asked)].Path, edits))
		}
		switch {
		case i >= len(asked) || !asked[i].await(ctx):
			u.Reason = lsp.MembershipUnknown
		case asked[i].outside:
			u.Reason = lsp.NotOfProject
		default:
			continue
		}
		out = append(out, u)
	}
	return out
}

// membershipOf is what was asked about a source since the last edit; the question if there was none.
func (a *Process) membershipOf(ctx context.Context, path string, edits uint64) *membership {
	u := &a.memberships
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.told == nil || u.asked != edits {
		u.told, u.asked = map[string]*membership{}, edits
	}
	m := u.told[path]
	if m == nil {
		m = &membership{answered: make(chan struct{})}
		u.told[path] = m
		go a.askMembership(context.WithoutCancel(ctx), path, m)
	}
	return m
}

// membership is what a server says of whether a source belongs to a project.
type membership struct {
	answered      chan struct{} // closed when the rest is written
	outside, told bool
	// modules is how many modules the source is: none for one that include! takes in, several for one that crates
	// share by #[path], or that tests take in by mod common.
	modules int
}

// await reports whether the server told before ctx ended.
func (m *membership) await(ctx context.Context) bool {
	select {
	case <-m.answered:
		return m.told
	default:
	}
	select {
	case <-m.answered:
		return m.told
	case <-ctx.Done():
		return false
	}
}

// askMembership asks the server, and forgets the question where it brought no answer.
func (a *Process) askMembership(ctx context.Context, path string, m *membership) {
	m.outside, m.modules, m.told = a.askUnlinked(ctx, path)
	u := &a.memberships
	u.mu.Lock()
	if !m.told && u.told[path] == m {
		delete(u.told, path)
	}
	u.mu.Unlock()
	close(m.answered)
}

// askUnlinked asks what a source belongs to. Where that gives nothing its diagnostics decide, which cost far more.
// A source that the server refuses is none of its own.
func (a *Process) askUnlinked(ctx context.Context, path string) (unlinked bool, modules int, sure bool) {
	s := a.Server
	document := protocol.TextDocumentIdentifier{URI: uri.File(path)}
	raw, err := s.RequestRaw(ctx, methodParentModule, protocol.TextDocumentPositionParams{TextDocument: document})
	if err != nil {
		return true, 0, refused(err)
	}
	var above []json.RawMessage
	if json.Unmarshal(raw, &above) == nil && len(above) > 0 {
		return false, len(above), true
	}
	raw, err = s.RequestRaw(ctx, lsp.MethodDocumentDiag, map[string]any{"textDocument": document})
	if err != nil {
		return true, 0, refused(err)
	}
	var report struct{ Items []lsp.Diagnostic }
	if json.Unmarshal(raw, &report) != nil {
		return true, 0, false
	}
	return slices.ContainsFunc(report.Items, func(d lsp.Diagnostic) bool {
		return lsp.CodeOf(d.Code) == codeUnlinked
	}), 0, true
}

// refused reports whether an error is the server's own answer.
func refused(err error) bool {
	e, ok := err.(*contract.Error)
	return ok && e.Code != 0
}
