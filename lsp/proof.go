package lsp

import (
	"context"
	"errors"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/lsp/watch"
)

// proofs remembers which project files the server can read.
type proofs struct {
	mu   sync.Mutex
	said map[string]string // path → what the server said against it, "" when nothing; guarded by mu
}

func (p *proofs) set(path, words string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said == nil {
		p.said = map[string]string{}
	}
	p.said[path] = words
}

func (p *proofs) get(path string) (words string, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	words, known = p.said[path]
	return words, known
}

// Broken is the project file of a root that the server cannot read, with its words; path is "" when there is none. What is
// not known yet it asks.
func (s *Server) Broken(ctx context.Context, root string) (path, words string) {
	p := s.spec.Project
	if p == nil || p.Proof == "" {
		return "", ""
	}
	for _, path := range p.paths(root) {
		words, known := s.proofs.get(path)
		if !known && Exists(path) {
			words, _ = s.prove(ctx, path)
		}
		if words != "" {
			return path, words
		}
	}
	return "", ""
}

// prove asks about a project file. Its error is the end of ctx or of the server.
func (s *Server) prove(ctx context.Context, path string) (words string, err error) {
	err = s.Request(ctx, s.spec.Project.Proof, protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
	}, nil)
	var refused *contract.Error
	switch {
	case err == nil:
	case errors.As(err, &refused) && refused.Kind == contract.KindRequestFailed:
		if none := s.spec.Project.Projectless; none != "" && strings.Contains(refused.Message, none) {
			return "", nil // the reason is that of the load, and may end without a change of the file
		}
		words = strings.TrimPrefix(refused.Message, s.spec.ID+" refused "+s.spec.Project.Proof+": ")
	default:
		return "", err
	}
	s.proofs.set(path, words)
	return words, nil
}

// reload makes the server load a project again whose file changed, or whose load failed: it answers about files of a project
// that was broken only after a request that needs the whole of it. It needs the turn.
func (s *Server) reload(ctx context.Context, changes []watch.Change) error {
	p := s.spec.Project
	if p == nil || p.Proof == "" {
		return nil
	}
	load := len(changes) > 0 && s.loads.any() // any of them may be the cure
	for _, c := range changes {
		if !p.Names(baseName(c.Path)) {
			continue
		}
		if c.Kind == watch.Deleted {
			s.proofs.set(c.Path, "")
			continue
		}
		words, err := s.prove(ctx, c.Path)
		if err != nil {
			return err
		}
		load = load || words == ""
	}
	if !load || !s.Offers(p.Load) {
		return nil
	}
	err := s.Request(ctx, p.Load, map[string]any{"query": loadQuery}, nil)
	if err != nil && (ctx.Err() != nil || s.Ended()) {
		return err
	}
	return nil
}

// loadQuery finds nothing.
const loadQuery = "\u2063"
