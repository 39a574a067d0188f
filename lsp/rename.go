package lsp

import (
	"bytes"
	"context"
	"encoding/json"

	"lspi/contract"
)

// PrepareRename asks whether what is at a position can be renamed (LSP 3.17, textDocument/prepareRename), of a server that
// tells. Its errors are the server's refusal in its own words, and request_failed with the fact refused where it only says no.
// The range is what the server would rename; ok is false when it does not say.
func (s *Snapshot) PrepareRename(ctx context.Context, path string, at contract.Position) (r contract.Range, ok bool, err error) {
	if !s.Offers(MethodPrepareRename) {
		return r, false, nil
	}
	params, err := s.position(ctx, path, at)
	if err != nil {
		return r, false, err
	}
	raw, err := s.RequestRaw(ctx, MethodPrepareRename, params)
	if err != nil {
		return r, false, err
	}
	if raw == nil {
		return r, false, contract.Errorf(contract.KindRequestFailed,
			contract.Facts{"server_id": s.spec.ID, "method": MethodPrepareRename, "refused": true},
			"%s can rename nothing at %s:%d:%d", s.spec.ID, path, at.Line, at.Character)
	}
	var answer struct { // Range, {range, placeholder} or {defaultBehavior}
		span
		Range *span `json:"range"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return r, false, s.Undecodable(MethodPrepareRename, raw, err)
	}
	found := answer.span
	switch {
	case answer.Range != nil:
		found = *answer.Range
	case !bytes.Contains(raw, []byte(`"start"`)):
		return r, false, nil
	}
	text, err := s.docs.Text(path)
	if err != nil {
		return r, false, err
	}
	return text.OutwardRange(s.encoding, found.rng()), true, nil
}

// Rename asks for the edit that renames what is at a position (LSP 3.17, textDocument/rename).
func (s *Snapshot) Rename(ctx context.Context, path string, at contract.Position, name string) (*Proposal, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	return s.propose(ctx, MethodRename, map[string]any{
		"textDocument": params.TextDocument, "position": params.Position, "newName": name,
	})
}
