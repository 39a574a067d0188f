package adapter

import (
	"context"
	"sync"

	"lspi/contract"
	"lspi/lsp"
)

// LeftOutOf opens sources and gives, by path, the stretches that the server's builds leave out, for those of which it tells before ctx ends.
func LeftOutOf(ctx context.Context, s *lsp.Server, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	if s.Spec().Diagnostics.Regions == "" {
		return of(s).inactive.of(ctx, s, files)
	}
	_ = lsp.OpenAll(ctx, s, files) // of what is not open nothing is told
	for _, path := range files {
		if ranges, told := s.InactiveRanges(ctx, path); told {
			out[path] = ranges
		}
	}
	return out
}

// toldInactive remembers what a server that marks it by diagnostics ([lsp.Inactive]) has told of code that it does not build.
type toldInactive struct {
	mu    sync.Mutex
	edits uint64                      // Server.edits when it told; guarded by mu
	known map[string][]contract.Range // by path; guarded by mu
}

// of is [LeftOutOf] at such a server. What it told holds until a file changes.
func (t *toldInactive) of(ctx context.Context, s *lsp.Server, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	edits, err := s.Edits(ctx)
	if err != nil || s.Spec().Diagnostics.Inactive == nil {
		return out
	}
	for _, path := range files {
		t.mu.Lock()
		if t.known == nil || t.edits != edits {
			t.known, t.edits = map[string][]contract.Range{}, edits
		}
		ranges, known := t.known[path]
		t.mu.Unlock()
		if !known {
			d := &lsp.Diagnosis{}
			if s.AddDiagnostics(ctx, []string{path}, d) != nil || len(d.Silent) > 0 {
				continue
			}
			ranges = lsp.InactiveIn(s.Spec(), d, path)
			t.mu.Lock()
			if t.edits == edits {
				t.known[path] = ranges
			}
			t.mu.Unlock()
		}
		out[path] = ranges
	}
	return out
}

// KnowsLeftOut reports whether [LeftOutOf] costs little for a file, since the server has it open or has told.
func KnowsLeftOut(s *lsp.Server, path string) bool {
	if s.Spec().Diagnostics.Regions != "" {
		return lsp.IsOpen(s, path)
	}
	of(s).inactive.mu.Lock()
	defer of(s).inactive.mu.Unlock()
	_, known := of(s).inactive.known[path]
	return known
}
