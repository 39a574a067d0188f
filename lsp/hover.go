package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"lspi/contract"
)

// Hover is the answer to textDocument/hover as text.
type Hover struct {
	Text     string // Markdown, or plain text; "" when the server has nothing to say
	Markdown bool
}

// Hover answers textDocument/hover; nil when there is nothing at that position.
func (s *Snapshot) Hover(ctx context.Context, path string, at contract.Position) (*Hover, error) {
	params, err := s.position(ctx, path, at)
	if err != nil {
		return nil, err
	}
	raw, err := s.RequestRaw(ctx, MethodHover, params)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var answer struct {
		Contents json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, s.Undecodable(MethodHover, raw, err)
	}
	h, ok := &Hover{}, false
	if h.Text, h.Markdown, ok = hoverText(answer.Contents); !ok {
		return nil, s.Undecodable(MethodHover, raw, errors.New("contents that are no text"))
	}
	if h.Text == "" {
		return nil, nil
	}
	return h, nil
}

// hoverText reads MarkupContent, MarkedString or an array of MarkedStrings; ok is false for anything else. Nothing at all
// is a text as well.
func hoverText(raw json.RawMessage) (text string, markdown, ok bool) {
	if len(raw) == 0 {
		return "", false, true
	}
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return strings.TrimSpace(plain), true, true
	}
	var many []json.RawMessage
	if json.Unmarshal(raw, &many) == nil {
		var parts []string
		for _, m := range many {
			t, _, ok := hoverText(m)
			if !ok {
				return "", false, false
			}
			if t != "" {
				parts = append(parts, t)
			}
		}
		return strings.Join(parts, "\n\n"), true, true
	}
	var marked struct {
		Kind     string  `json:"kind"`
		Language string  `json:"language"`
		Value    *string `json:"value"`
	}
	if json.Unmarshal(raw, &marked) != nil || marked.Value == nil {
		return "", false, false
	}
	value := strings.TrimSpace(*marked.Value)
	if marked.Language != "" && value != "" {
		return "```" + marked.Language + "\n" + value + "\n```", true, true
	}
	return value, marked.Kind != "plaintext" && value != "", true
}
