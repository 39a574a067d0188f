package stdio

import (
	"bytes"
	"encoding/json"
)

// maxBatch bounds the messages of a batch: each of some bytes costs some hundred.
const maxBatch = 1000

// batch is an array of messages, whose answers are one array, too (JSON-RPC 2.0, section 6). Only the protocol of
// 2025-03-26 has them; they are taken whatever was agreed on. The SDK's own (go-sdk 1.8.0) never answer when a
// notification is among them, and end the session when two are. Its fields are guarded by pending.mu.
type batch struct {
	answers [][]byte
	open    int // what has to be answered yet, and one while the batch is read
}

// add takes one answer, or nil for one that is none, and returns what is to be written now: the last one releases all.
func (b *batch) add(answer []byte) []byte {
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	b.open--
	if b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	line := append([]byte{'['}, bytes.Join(b.answers, []byte{','})...)
	return append(line, ']')
}

// takeBatch queues the messages of a batch. What is none is answered among the others.
func (c *Conn) takeBatch(text []byte) {
	parts, wrong := splitBatch(text)
	if wrong != nil {
		c.refuse(wrong)
		return
	}
	b := &batch{open: 1}
	for _, part := range parts {
		m, wrong := decodeMessage(part)
		if wrong == nil {
			wrong = c.pending.admit(m, b)
		}
		if wrong == nil {
			c.noteCancel(m)
			c.named(m)
			c.queue = append(c.queue, m)
			continue
		}
		c.logRefusal(wrong)
		if !wrong.silent {
			b.answers = append(b.answers, wrong.answer()) // the SDK has nothing of this batch yet
		}
	}
	if line := c.pending.complete(b); line != nil {
		c.writeLater(line)
	}
}

// splitBatch splits an array that is neither empty nor too long.
func splitBatch(text []byte) ([]json.RawMessage, *refusal) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, parseError(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	_, _ = dec.Token()
	var parts []json.RawMessage
	for dec.More() {
		if len(parts) == maxBatch {
			return nil, invalidRequest(nil, "a batch has at most %d messages", maxBatch)
		}
		var part json.RawMessage
		if err := dec.Decode(&part); err != nil {
			return nil, parseError(err)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil, invalidRequest(nil, "the batch is empty")
	}
	return parts, nil
}
