package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"lspi/contract"
	"lspi/source"
)

// catcher takes the edits that a server wants applied (workspace/applyEdit) while a command of it runs.
type catcher struct {
	mu      sync.Mutex
	running bool              // guarded by mu
	caught  []json.RawMessage // guarded by mu
}

// maxCaught bounds the edits of one command that are kept: more than one is refused anyway.
const maxCaught = 2

// applyEdit keeps the edit of a command that runs and says that it was not applied: it is shown first. Any other is refused:
// nothing changes files but the edit tools.
func (c *catcher) applyEdit(params json.RawMessage) map[string]any {
	var p struct {
		Edit json.RawMessage `json:"edit"`
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		return map[string]any{"applied": false, "failureReason": "lspi applies no edits on a server's own request"}
	}
	if err := json.Unmarshal(params, &p); err == nil {
		if len(c.caught) < maxCaught {
			c.caught = append(c.caught, p.Edit)
		}
	}
	return map[string]any{"applied": false, "failureReason": "lspi shows the edit before it is applied"}
}

func (c *catcher) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running, c.caught = true, nil
}

func (c *catcher) end() []json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	caught := c.caught
	c.running, c.caught = false, nil
	return caught
}

// editOf runs a command that changes nothing but by workspace/applyEdit, and gives the edit that it asks for. It needs
// the turn of [Server.act].
func (s *Server) editOf(ctx context.Context, c *command) (json.RawMessage, error) {
	s.catch.begin()
	_, err := s.RequestRaw(ctx, MethodExecuteCommand, c)
	caught := s.catch.end()
	switch {
	case fatalTo(err):
		return nil, err
	case len(caught) > 0 && caught[0] != nil && bytes.Equal(caught[0], caught[len(caught)-1]): // asked again, it says the same
		return caught[0], nil // that it was not applied is an error to some servers
	case err != nil:
		return nil, err
	case len(caught) > 1:
		return nil, contract.Errorf(contract.KindEditRejected, contract.Facts{"reason": "several_edits", "server_id": s.spec.ID},
			"the command %s of %s makes several edits, each on top of the one before, which cannot be shown as one", c.Command, s.spec.ID)
	}
	return nil, contract.Errorf(contract.KindRequestFailed,
		contract.Facts{"server_id": s.spec.ID, "method": MethodExecuteCommand, "refused": true}, "the command %s of %s changes nothing", c.Command, s.spec.ID)
}

// fatalTo reports whether an error of a command means that what it asked for may not be all: the server ended, nobody waits
// or it took too long.
func fatalTo(err error) bool {
	var e *contract.Error
	return err != nil && (fatalAnswer(err) || errors.As(err, &e) && e.Category() == contract.Timeout)
}

// tsRefactoring is tsserver's getEditsForRefactor as a WorkspaceEdit. Its positions are lines and UTF-16 offsets from 1; a
// file that is not there is to be made.
func (s *Server) tsRefactoring(ctx context.Context, c *command) (json.RawMessage, error) {
	if len(c.Arguments) == 0 {
		return nil, s.undecodable(MethodCodeAction, nil, errors.New("a refactoring without arguments"))
	}
	type place struct{ Line, Offset uint32 }
	var body struct {
		Edits []struct {
			FileName    string
			TextChanges []struct {
				Start, End place
				NewText    string
			}
		}
		NotApplicableReason string
	}
	if err := s.AskTSServer(ctx, "getEditsForRefactor", c.Arguments[0], &body); err != nil {
		return nil, err
	}
	if body.NotApplicableReason != "" {
		return nil, contract.Errorf(contract.KindRequestFailed,
			contract.Facts{"server_id": s.spec.ID, "method": MethodCodeAction, "refused": true}, "%s: %s", s.spec.ID, body.NotApplicableReason)
	}
	changes := []any{}
	for _, f := range body.Edits {
		file := uri.File(f.FileName)
		text := source.New(f.FileName, "")
		if _, err := os.Lstat(f.FileName); errors.Is(err, os.ErrNotExist) {
			changes = append(changes, map[string]any{"kind": "create", "uri": file})
		} else if text, err = s.Text(f.FileName); err != nil {
			return nil, err
		}
		position := func(p place) protocol.Position {
			at := protocol.Position{Line: max(p.Line, 1) - 1, Character: max(p.Offset, 1) - 1}
			return text.Encode(s.encoding, text.Decode(source.UTF16, at))
		}
		edits := []any{}
		for _, t := range f.TextChanges {
			edits = append(edits, map[string]any{"newText": t.NewText, "range": protocol.Range{Start: position(t.Start), End: position(t.End)}})
		}
		changes = append(changes, map[string]any{"textDocument": map[string]any{"uri": file, "version": nil}, "edits": edits})
	}
	return json.Marshal(map[string]any{"documentChanges": changes})
}

// AskTSServer passes a request on to tsserver.
func (s *Server) AskTSServer(ctx context.Context, request string, arguments, body any) error {
	raw, err := s.RequestRaw(ctx, MethodExecuteCommand, map[string]any{
		"command":   s.spec.Diagnostics.TSServer,
		"arguments": []any{request, arguments, map[string]any{}},
	})
	if err != nil || len(raw) == 0 {
		return err
	}
	if err := json.Unmarshal(raw, &struct{ Body any }{body}); err != nil {
		return s.undecodable(request, raw, err)
	}
	return nil
}
