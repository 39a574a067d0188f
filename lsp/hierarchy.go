package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"lspi/contract"
)

// Call is one caller or callee with the places of the calls.
type Call struct {
	Item HierarchyItem
	// From are the ranges of the calls: in Item's file for incoming calls, in the file of the asked item for outgoing.
	From []contract.Range
}

// PrepareHierarchy answers textDocument/prepareCallHierarchy or prepareTypeHierarchy; empty when there is nothing that
// has a hierarchy at that position.
func (s *Snapshot) PrepareHierarchy(ctx context.Context, method, path string, at contract.Position) ([]HierarchyItem,
	error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	raw, err := s.ask(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return s.items(ctx, method, raw)
}

// Types answers typeHierarchy/supertypes or subtypes.
func (s *Snapshot) Types(ctx context.Context, method string, item HierarchyItem) ([]HierarchyItem, error) {
	if of := s.spec.SubtypesOf; method == MethodSubtypes && len(of) > 0 && !slices.Contains(of, string(item.Kind)) {
		return nil, nil
	}
	raw, err := s.ask(ctx, method, map[string]any{"item": item.raw})
	if err != nil {
		return nil, err
	}
	items, err := s.items(ctx, method, raw)
	// The index of such a server (clangd) keeps the bases of a type as they were when its file was parsed last.
	if confirm := s.hooks.ConfirmSubtypes; confirm != nil && err == nil && method == MethodSubtypes {
		return confirm(ctx, s, item, items)
	}
	return items, err
}

// IncomingCalls answers callHierarchy/incomingCalls.
func (s *Snapshot) IncomingCalls(ctx context.Context, item HierarchyItem) ([]Call, error) {
	return s.calls(ctx, MethodIncomingCalls, item)
}

// OutgoingCalls answers callHierarchy/outgoingCalls.
func (s *Snapshot) OutgoingCalls(ctx context.Context, item HierarchyItem) ([]Call, error) {
	return s.calls(ctx, MethodOutgoingCalls, item)
}

// calls asks for one direction. An item that cannot be read fails the whole answer: left out, a caller would be
// missing from a list that looks complete.
func (s *Snapshot) calls(ctx context.Context, method string, item HierarchyItem) ([]Call, error) {
	raw, err := s.ask(ctx, method, map[string]any{"item": item.raw})
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var found []struct {
		From       json.RawMessage `json:"from"`
		To         json.RawMessage `json:"to"`
		FromRanges []span          `json:"fromRanges"`
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, s.Undecodable(ctx, method, raw, err)
	}
	texts := s.reader()
	out := make([]Call, 0, len(found))
	for _, f := range found {
		other := f.From
		if method == MethodOutgoingCalls {
			other = f.To
		}
		it, u, err := texts.item(other)
		if err != nil {
			return nil, s.Undecodable(ctx, method, raw, err)
		}
		// Calls of an outgoing item are in the file of the caller, which is the item that was asked about (LSP 3.17,
		// CallHierarchyOutgoingCall).
		if method == MethodOutgoingCalls {
			u = item.uri()
		}
		call := Call{Item: it}
		if it.Place.Gone {
			f.FromRanges = nil // in the same file, or in one that is asked about anew
		}
		for _, r := range f.FromRanges {
			call.From = append(call.From, texts.place(target{u, r.rng(), r.rng()}).Range)
		}
		out = append(out, call)
	}
	inOther := s.inOtherTree(item.Place.Path)
	return slices.DeleteFunc(out, func(c Call) bool { return inOther(c.Item.Place.Path) }), nil
}

// items reads a list of hierarchy items; as in calls, one that cannot be read fails all.
func (s *Snapshot) items(ctx context.Context, method string, raw json.RawMessage) ([]HierarchyItem, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var found []json.RawMessage
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, s.Undecodable(ctx, method, raw, err)
	}
	// One reader for all items: they are mostly in few files.
	texts := s.reader()
	out := make([]HierarchyItem, 0, len(found))
	for _, f := range found {
		it, _, err := texts.item(f)
		if err != nil {
			return nil, s.Undecodable(ctx, method, raw, err)
		}
		out = append(out, it)
	}
	return out, nil
}

// rawItem are the fields of an item that lspi reads. Ranges are read leniently, because a server's odd number must
// not cost the hierarchy.
type rawItem struct {
	Name           string `json:"name"`
	Kind           int    `json:"kind"`
	Detail         string `json:"detail"`
	URI            string `json:"uri"`
	Range          span   `json:"range"`
	SelectionRange *span  `json:"selectionRange"`

	Data json.RawMessage `json:"data"`
}

// item reads one item, and gives its URI as the server wrote it: ranges of calls are in that file, and the path
// would have to be written as a URI again.
func (r *reader) item(raw json.RawMessage) (HierarchyItem, string, error) {
	var d rawItem
	if err := json.Unmarshal(raw, &d); err != nil {
		return HierarchyItem{}, "", err
	}
	if d.URI == "" {
		return HierarchyItem{}, "", errors.New("a hierarchy item without uri")
	}
	name := d.Range
	// Required by LSP 3.17; without it the whole declaration stands for the name, and the check of the name looks
	// into it.
	if d.SelectionRange != nil {
		name = *d.SelectionRange
	}
	key := ""
	_ = json.Unmarshal(d.Data, &key) // of a record it stays empty: clangd's type hierarchy packs the parents into it
	return HierarchyItem{Name: d.Name, Detail: d.Detail, Kind: kindName(d.Kind), Key: key,
		Place: r.named(target{d.URI, name.rng(), d.Range.rng()}, LastWord(d.Name)), raw: raw}, d.URI, nil
}

// uri is the file of the item as the server wrote it.
func (h HierarchyItem) uri() string {
	var r rawItem
	_ = json.Unmarshal(h.raw, &r)
	return r.URI
}

// maxFollowed bounds the places that are asked about for what stands further below.
const maxFollowed = 100

// followReserve is left of the call's time for the answer when following takes long.
const followReserve = 5 * time.Second

// Implementations answers textDocument/implementation (LSP 3.17) with all levels. Where a server gives one
// (Spec.DirectImplementations), each place is asked about in turn, breadth first; left counts those that were not,
// because they are too many or take too long, or could not be.
func (s *Snapshot) Implementations(ctx context.Context, path string, at contract.Position) (places []Place, left int,
	err error) {
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
	// The asked place itself would be asked about again, and would find the same.
	places = slices.DeleteFunc(places, func(p Place) bool { return seen[start{p.Path, p.Range.Start}] })
	for _, p := range places {
		seen[start{p.Path, p.Range.Start}] = true
	}
	for i := 0; i < len(places); i++ { // it grows
		p := places[i]
		// Nothing can be asked about these: the one does not exist, the other must not be read. They are no places
		// that were left.
		if p.Gone || p.Outside() {
			continue
		}
		// Counted and not dropped: the answer says that what is below these is not in it.
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

// withoutDefinition leaves what declares or defines what is at a position out of its implementations: of a library
// with stubs basedpyright (1.40.1) lists the stub, when it has read the library. Without a definition nothing is left
// out, which only an end of the server or of ctx makes an error.
func (s *Snapshot) withoutDefinition(ctx context.Context, places []Place, path string, at contract.Position) ([]Place,
	error) {
	// More requests: the answer itself does not say which of its places are these.
	for _, method := range []string{MethodDefinition, MethodDeclaration} {
		if !s.Offers(method) {
			continue
		}
		own, err := s.Locate(ctx, method, path, at)
		if err != nil && FatalAnswer(err) {
			return nil, err
		}
		places = slices.DeleteFunc(places, func(p Place) bool {
			return slices.ContainsFunc(own, func(d Place) bool {
				return d.Path == p.Path && d.Range.Start == p.Range.Start
			})
		})
	}
	return places, nil
}

// timeFor reports whether that much is left of a call's time.
func timeFor(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > d
}
