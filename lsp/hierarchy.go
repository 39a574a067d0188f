package lsp

import (
	"context"
	"encoding/json"
	"errors"

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
func (s *Snapshot) PrepareHierarchy(ctx context.Context, method, path string, at contract.Position) ([]HierarchyItem, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	raw, err := s.RequestRaw(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return s.items(ctx, method, raw)
}

// Types answers typeHierarchy/supertypes or subtypes.
func (s *Snapshot) Types(ctx context.Context, method string, item HierarchyItem) ([]HierarchyItem, error) {
	raw, err := s.RequestRaw(ctx, method, map[string]any{"item": item.raw})
	if err != nil {
		return nil, err
	}
	items, err := s.items(ctx, method, raw)
	if a, ok := s.adapter.(RelationChecker); ok && err == nil && method == MethodSubtypes {
		return a.ConfirmSubtypes(ctx, s, item, items)
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

func (s *Snapshot) calls(ctx context.Context, method string, item HierarchyItem) ([]Call, error) {
	raw, err := s.RequestRaw(ctx, method, map[string]any{"item": item.raw})
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var found []struct {
		From       json.RawMessage `json:"from"`
		To         json.RawMessage `json:"to"`
		FromRanges []span          `json:"fromRanges"`
	}
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, s.Undecodable(method, raw, err)
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
			return nil, s.Undecodable(method, raw, err)
		}
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
	return out, nil
}

func (s *Snapshot) items(ctx context.Context, method string, raw json.RawMessage) ([]HierarchyItem, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var found []json.RawMessage
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, s.Undecodable(method, raw, err)
	}
	texts := s.reader()
	out := make([]HierarchyItem, 0, len(found))
	for _, f := range found {
		it, _, err := texts.item(f)
		if err != nil {
			return nil, s.Undecodable(method, raw, err)
		}
		out = append(out, it)
	}
	return out, nil
}

type rawItem struct {
	Name           string `json:"name"`
	Kind           int    `json:"kind"`
	Detail         string `json:"detail"`
	URI            string `json:"uri"`
	Range          span   `json:"range"`
	SelectionRange *span  `json:"selectionRange"`

	Data json.RawMessage `json:"data"`
}

func (r *reader) item(raw json.RawMessage) (HierarchyItem, string, error) {
	var d rawItem
	if err := json.Unmarshal(raw, &d); err != nil {
		return HierarchyItem{}, "", err
	}
	if d.URI == "" {
		return HierarchyItem{}, "", errors.New("a hierarchy item without uri")
	}
	name := d.Range
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
