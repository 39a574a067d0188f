//go:build !linux

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
)

var errNoHandover = errors.New("this system has no means to give a host to another process")

// Handed is a host that the shared process reads from and writes to itself, which this system lacks the means for.
type Handed struct{}

// Hand is nil.
func Hand(io.Reader, io.Writer) *Handed { return nil }

// Give is not called.
func (*Handed) Give(*Remote) (ok bool, err error) { return false, errNoHandover }

// Close is not called.
func (*Handed) Close() {}

func (*Handed) wait(context.Context, *slog.Logger) json.RawMessage { return nil }
func (*Handed) rest() (*rest, error)                               { return nil, errNoHandover }
func (*Conn) takeOver() (Stream, error)                            { return nil, errNoHandover }
