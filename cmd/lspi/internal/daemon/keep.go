package daemon

import (
	"bytes"
	"encoding/json"
	"time"
)

// What the relay keeps for the shared process, so that the next one has it ([Hello.Kept]): which preset
// lspi preset use has chosen for the session.
//
// It is not repeated as the message that set it, like a log level ([settings]). That message is a command of another
// process to the shared one, so no relay ever sees it, and it chooses for all sessions of a workspace. And the answers
// to the handshake and to tools/list depend on the preset, so the next process has to have it before the first message.

// keptMessage is the line by which it comes, between the messages of MCP. It is none of JSON-RPC, and no host gets it.
type keptMessage struct {
	Keep json.RawMessage `json:"lspi_keep"`
}

// beginsKept is how such a line begins; messages of MCP begin with another member.
const beginsKept = `{"lspi_keep":`

// keptIn is what a line says that is to be kept; ok is false for any other line.
func keptIn(line []byte) (what json.RawMessage, ok bool) {
	if !bytes.HasPrefix(line, []byte(beginsKept)) {
		return nil, false
	}
	var said keptMessage
	_ = json.Unmarshal(line, &said)
	return said.Keep, true
}

// keepLimit is how long Keep waits for a host's process that does not read because its host does not.
const keepLimit = time.Second

// Keep has the host's own process keep what() in memory: the next process gets the last of it ([Hello.Kept]) when
// this one has ended without the host. When Keep returns this holds also if this process is killed, unless the host
// reads nothing.
func (c *Conn) Keep(what func() json.RawMessage) {
	done := make(chan struct{})
	go func() { // at the latest the end of the connection ends it
		defer close(done)
		c.keeping.Lock()
		defer c.keeping.Unlock()
		line, err := json.Marshal(keptMessage{what()})
		if err == nil {
			_, _ = c.Write(append(line, '\n')) // at once, or behind the message that is being written
		}
	}()
	timer := time.NewTimer(keepLimit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
