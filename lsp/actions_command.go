package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"lspi/contract"
)

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

// command is LSP's Command.
type command struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}
