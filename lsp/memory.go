package lsp

import (
	"encoding/json"
	"sync"
)

// memory is what the server answered about places, for the questions that follow: what a name at a place means is asked
// of the server once. An answer counts while the server has been told of no change of any file ([Documents].edition),
// has loaded its project no further, and was ready then. That is more than an answer depends on, and certain: which
// files one rests on, no server says. Which documents are open does not count: the same text is on disk.
//
// An answer that leads nowhere is not kept. It may change without a word to the server, when a package is installed
// that the answer lacked.
type memory struct {
	mu        sync.Mutex
	byRequest map[answerKey]json.RawMessage // guarded by mu
	size      int                           // bytes of all requests and answers; guarded by mu
}

// memoryLimit is how many bytes of requests and answers are kept. When there are more, all are given up: the memory
// mostly holds those of states that are past.
const memoryLimit = 4 << 20

// recall returns a kept answer.
func (m *memory) recall(key answerKey) (json.RawMessage, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	raw, ok := m.byRequest[key]
	return raw, ok
}

// keep remembers an answer.
func (m *memory) keep(key answerKey, raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "[]" {
		return
	}
	size := len(key.method) + len(key.params) + len(raw)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byRequest == nil || m.size+size > memoryLimit {
		m.byRequest, m.size = map[answerKey]json.RawMessage{}, 0
	}
	if _, known := m.byRequest[key]; !known {
		m.byRequest[key] = raw
		m.size += size
	}
}

// forget gives up all answers.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.byRequest, m.size = nil, 0
}
