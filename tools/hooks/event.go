package hooks

import "time"

// Kind is what happened in a host, whatever the host calls it.
type Kind string

// The kinds of events.
const (
	SessionStart Kind = "session_start"
	AfterTool    Kind = "after_tool" // any tool of the host has run
	TurnEnds     Kind = "turn_ends"
)

// Event is one event of a host, in no host's own form.
type Event struct {
	Kind    Kind   `json:"kind"`
	Host    string `json:"host"`
	Session string `json:"session"` // the host's own id
	Dir     string `json:"dir"`     // absolute: where the host's tools run
	// At is when the host told it; the shared process may hear of it seconds later, where it had to be started.
	At time.Time `json:"at,omitzero"`

	// Of a tool. What else its input has is dropped where it is read.
	Paths   []string `json:"paths,omitempty"` // files that the input names, as they stand there
	Command string   `json:"command,omitempty"`
	Pattern string   `json:"pattern,omitempty"` // of a search
	Lines   [2]int   `json:"lines,omitzero"`    // of a read: first and last line, from 1; 0 for all
	Reads   bool     `json:"reads,omitempty"`   // the tool only reads

	// Continued says that the turn goes on already because an answer to its end asked for it.
	Continued bool `json:"continued,omitempty"`
	// Late says that nobody waits for the answer: what would be told is owed.
	Late bool `json:"late,omitempty"`
}

// Answer is what a model is told. The zero value tells nothing.
type Answer struct {
	Text string `json:"text,omitempty"`
	Told int    `json:"told,omitempty"` // how many errors
	Owed int    `json:"owed,omitempty"` // how many files have no diagnosis yet
}
