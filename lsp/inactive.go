package lsp

import (
	"context"
	"encoding/json"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
)

// inactive are the stretches of a document that its build left out (#if, #ifdef), as some servers tell beside the diagnostics
// of that build ([Diagnostics].Regions).
type inactive struct {
	told    bool // after the diagnostics that are kept
	regions []span
}

// regions keeps what a server says of the build whose diagnostics it has just pushed.
func (d *diagnosticStore) regions(params json.RawMessage) {
	var p struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Regions []span `json:"regions"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if have, known := d.files[path]; known {
		have.inactive = inactive{told: true, regions: p.Regions[:min(len(p.Regions), maxKept)]}
		d.files[path] = have
	}
}

// awaitRegions returns when the server has told which stretches of an open document its last build left out, or will not
// tell: of a text that it could not build there are only diagnostics. clangd tells right behind the diagnostics, and before
// the worker of the document takes the next request about it (22.1.8); so an answer to one is the sign.
func awaitRegions(ctx context.Context, s *Server, path string) {
	if s.spec.Diagnostics.Regions == "" {
		return
	}
	if p, ok := s.diagnostics.get(path); ok && p.inactive.told {
		return
	}
	_ = s.call(ctx, MethodHover, protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)}}, nil)
}

// Inactive are the stretches of a file that the server does not build, as far as it tells.
func (d *Diagnosis) Inactive(path string) (out []contract.Range) {
	for _, r := range d.Reports {
		if r.Path == path {
			out = append(out, r.Inactive...)
		}
	}
	return out
}

// LeftOutOf opens sources and gives, by path, the stretches that the server's builds leave out, for those of which it tells before ctx ends.
func LeftOutOf(ctx context.Context, s *Server, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	if s.spec.Diagnostics.Regions == "" {
		return s.inactive.of(ctx, s, files)
	}
	_ = openAll(ctx, s, files) // of what is not open nothing is told
	for _, path := range files {
		if !IsOpen(s, path) || !s.awaitPush(ctx, path) {
			continue
		}
		awaitRegions(ctx, s, path)
		p, _ := s.diagnostics.get(path)
		text, err := s.Text(path)
		if err != nil || !p.inactive.told {
			continue
		}
		ranges := []contract.Range{}
		for _, r := range p.inactive.regions {
			ranges = append(ranges, text.OutwardRange(s.encoding, r.rng()))
		}
		out[path] = ranges
	}
	return out
}

// InBuildFolder reports whether a file lies in a build or dependency folder of a server's root.
func InBuildFolder(s *Server, path string) bool { return s.built(path) }

// toldInactive remembers what a server that marks it by diagnostics ([Inactive]) has told of code that it does not build.
type toldInactive struct {
	mu    sync.Mutex
	edits uint64                      // Server.edits when it told; guarded by mu
	known map[string][]contract.Range // by path; guarded by mu
}

// of is [LeftOutOf] at such a server. What it told holds until a file changes.
func (t *toldInactive) of(ctx context.Context, s *Server, files []string) map[string][]contract.Range {
	out := map[string][]contract.Range{}
	edits, err := s.edited(ctx)
	if err != nil || s.spec.Diagnostics.Inactive == nil {
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
			d := &Diagnosis{}
			if s.diagnose(ctx, []string{path}, d) != nil || len(d.Silent) > 0 {
				continue
			}
			ranges = InactiveIn(s.spec, d, path)
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
func KnowsLeftOut(s *Server, path string) bool {
	if s.spec.Diagnostics.Regions != "" {
		return IsOpen(s, path)
	}
	s.inactive.mu.Lock()
	defer s.inactive.mu.Unlock()
	_, known := s.inactive.known[path]
	return known
}

// Inactive says by which diagnostics a server marks code that it does not build: code that conditions of the language leave
// out (#[cfg], sys.platform). It reports no other diagnostics there, whatever is wrong.
type Inactive struct {
	Code string // of the diagnostic
	// Conditional is where the code of a text holds one of names (nil: any word) in what a condition may leave out, as offsets; nil when nobody knows.
	// Sign is what conditions are written with, for people.
	Conditional func(text string, names []string) []int
	Sign        string
}

// Marks reports whether a finding marks code as not built. A nil i marks none.
func (i *Inactive) Marks(f Finding) bool {
	return i != nil && f.Code == i.Code
}

// InactiveIn are the stretches of a file that a diagnosis marks as not built.
func InactiveIn(spec *Spec, d *Diagnosis, path string) (out []contract.Range) {
	for _, r := range d.Reports {
		if r.Path != path {
			continue
		}
		for _, f := range r.Findings {
			if spec.Diagnostics.Inactive.Marks(f) {
				out = append(out, f.Range)
			}
		}
		out = append(out, r.Inactive...)
	}
	return out
}
