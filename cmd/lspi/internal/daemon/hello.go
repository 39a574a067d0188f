package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"lspi/internal/jsonline"
)

// protocol is the number of the conversation before MCP begins. It is part of [Identity], so two that meet have the
// same one.
const protocol = 5

// Kind says what a connection is for.
type Kind string

// The kinds of connections.
const (
	KindMCP     Kind = "mcp"     // a host's: MCP messages follow
	KindLog     Kind = "log"     // the log of a host's session follows, line by line, until either side closes it
	KindCommand Kind = "command" // one answer follows, as a line of JSON
	KindHook    Kind = "hook"    // of a host's hook: one answer follows, as a line of JSON
)

// Hello is the first line of each connection, from the one that connects.
type Hello struct {
	Kind    Kind   `json:"kind"`
	Version string `json:"version"` // of lspi
	PID     int    `json:"pid"`

	Place string `json:"place,omitempty"` // [Place.Name] of the one that connects; "" where any build may answer

	// Of a host's connection; all but Session and Kept of a hook, too.
	Session string `json:"session,omitempty"` // names the session: random, chosen by the host's side
	WorkDir string `json:"work_dir,omitempty"`
	// as os.Environ has it, also when it is empty; never logged or shown
	Environ []string        `json:"environ"`
	Flags   json.RawMessage `json:"flags,omitempty"` // of the command line, for whoever serves the session
	// the last of what an ended process that served the session had kept ([Conn.Keep])
	Kept json.RawMessage `json:"kept,omitempty"`

	// Of a command.
	Command string `json:"command,omitempty"`

	// Event is that of a hook, for whoever answers it.
	Event json.RawMessage `json:"event,omitempty"`
}

// Welcome is the first line from the shared process.
type Welcome struct {
	OK      bool   `json:"ok"`
	Reason  string `json:"reason,omitempty"` // why not
	Again   bool   `json:"again,omitempty"`  // it is about to end: another one may be started
	Version string `json:"version"`
	PID     int    `json:"pid"`
}

// maxHello bounds the first line, in bytes: an environment may have 2 MB (ARG_MAX of Linux).
const maxHello = 4 << 20

// Conn is a connection behind its first lines.
type Conn struct {
	*net.UnixConn
	in *bufio.Reader

	keeping sync.Mutex // held while a line of Keep is written

	Peer  int   // process id of the other side; 0 when the system does not tell
	Place Place // of the shared process, for who has connected to it
}

func newConn(c *net.UnixConn, peer int) *Conn {
	return &Conn{UnixConn: c, in: bufio.NewReaderSize(c, 64<<10), Peer: peer} // as large as jsonline reads from it
}

// Read reads what follows the first line.
func (c *Conn) Read(p []byte) (int, error) { return c.in.Read(p) }

// say writes one line of JSON, and hear reads one, both before the deadline.
func (c *Conn) say(v any, deadline time.Time) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_ = c.SetWriteDeadline(deadline)
	defer c.SetWriteDeadline(time.Time{})
	_, err = c.Write(append(line, '\n'))
	return err
}

func (c *Conn) hear(v any, deadline time.Time) error {
	_ = c.SetReadDeadline(deadline)
	defer c.SetReadDeadline(time.Time{})
	line, whole, err := jsonline.NewReader(c.in, maxHello).Next()
	switch {
	case err != nil:
		return err
	case !whole:
		return errors.New("the first line is too long")
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("the first line: %w", err)
	}
	return nil
}

// stopsLine is the last line of a session that ends because its process was told to end. It is no message, and not
// for the host. Behind it stands whether all is answered that was read.
const stopsLine = `{"lspi_stops":`

// Stops tells the relay that the session ends because this process was told to end: it has not died. idle says that
// nothing is read any more, and all that was read is answered. No line is written behind it. A deadline of writing
// that is over, which may have left half a line, keeps Stops from saying anything.
func (c *Conn) Stops(idle bool) { _, _ = fmt.Fprintf(c.UnixConn, "%s%t}\n", stopsLine, idle) }

// stopsAt is what a [stopsLine] says; false for every other line.
func stopsAt(line []byte) (idle, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(stopsLine))
	return string(rest) == "true}\n", ok
}
