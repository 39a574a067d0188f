package lsp

import (
	"context"
	"slices"
	"time"

	"lspi/contract"
)

// maxFollowed bounds the places that are asked about for what stands further below.
const maxFollowed = 100

// followReserve is left of the call's time for the answer when following takes long.
const followReserve = 5 * time.Second

// Implementations answers textDocument/implementation (LSP 3.17) with all levels. Where a server gives one
// (Spec.DirectImplementations), each place is asked about in turn, breadth first; left counts those that were not, because
// they are too many or take too long, or could not be.
func (s *Snapshot) Implementations(ctx context.Context, path string, at contract.Position) (places []Place, left int, err error) {
	places, err = s.Locate(ctx, MethodImplementation, path, at)
	if err == nil && s.spec.ImplementsItself && len(places) > 0 {
		places, err = s.withoutDefinition(ctx, places, path, at)
	}
	if err != nil || !s.spec.DirectImplementations {
		return places, 0, err
	}
	type start struct {
		path string
		at   contract.Position
	}
	seen := map[start]bool{{path, at}: true}
	places = slices.DeleteFunc(places, func(p Place) bool { return seen[start{p.Path, p.Range.Start}] })
	for _, p := range places {
		seen[start{p.Path, p.Range.Start}] = true
	}
	for i := 0; i < len(places); i++ { // it grows
		p := places[i]
		if p.Gone || p.Outside() {
			continue
		}
		if i >= maxFollowed || p.Err != nil || !timeFor(ctx, followReserve) {
			left++
			continue
		}
		below, err := s.Locate(ctx, MethodImplementation, p.Path, p.Range.Start)
		if err != nil {
			if FatalAnswer(err) {
				return nil, 0, err
			}
			left++
		}
		for _, b := range below {
			if key := (start{b.Path, b.Range.Start}); !seen[key] {
				seen[key] = true
				places = append(places, b)
			}
		}
	}
	return places, left, nil
}

// withoutDefinition leaves the definition of what is at a position out of its implementations. Without a definition nothing is left
// out, which only an end of the server or of ctx makes an error.
func (s *Snapshot) withoutDefinition(ctx context.Context, places []Place, path string, at contract.Position) ([]Place, error) {
	own, err := s.Locate(ctx, MethodDefinition, path, at)
	if err != nil && FatalAnswer(err) {
		return nil, err
	}
	return slices.DeleteFunc(places, func(p Place) bool {
		return slices.ContainsFunc(own, func(d Place) bool { return d.Path == p.Path && d.Range.Start == p.Range.Start })
	}), nil
}

// timeFor reports whether that much is left of a call's time.
func timeFor(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > d
}
