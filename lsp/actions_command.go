package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"lspi/contract"
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
	return err != nil && (FatalAnswer(err) || errors.As(err, &e) && e.Category() == contract.Timeout)
}
