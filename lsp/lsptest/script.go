package lsptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// Script is what a server does. Its JSON form is decoded strictly.
type Script struct {
	// Language is "words" or "", which serves no language: requests without a rule are answered with -32601.
	Language string `json:"language,omitempty"`
	// PositionEncoding is "utf-8", "utf-16" or "utf-32"; it is announced if set, whatever the client offers. "" is
	// utf-16, not announced.
	PositionEncoding string `json:"position_encoding,omitempty"`
	// Capabilities replaces the default ones, which offer all that the words language serves.
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	// CapabilitiesPatch is laid over the capabilities as a JSON merge patch (RFC 7396): null takes one away.
	CapabilitiesPatch json.RawMessage `json:"capabilities_patch,omitempty"`
	ServerName        string          `json:"server_name,omitempty"` // default "fakels"
	ServerVersion     string          `json:"server_version,omitempty"`

	OnStart []Action `json:"on_start,omitempty"` // performed before anything is read
	Rules   []Rule   `json:"rules,omitempty"`    // the first that matches a message counts

	IgnoreEOF  bool `json:"ignore_eof,omitempty"`  // stay alive when stdin ends; only as an executable
	IgnoreTerm bool `json:"ignore_term,omitempty"` // stay alive on SIGTERM; only as an executable

	// EventsFile gets every Event as one line of JSON, appended. A relative path is beside the script. As an executable
	// only; it also is how the server knows which run it is.
	EventsFile string `json:"events_file,omitempty"`

	runs atomic.Int64 // starts in process
}

// Rule says what is done on a message of the client.
type Rule struct {
	Method   string `json:"method"`             // "*" is any
	Contains string `json:"contains,omitempty"` // what the params must contain, as they were sent
	// only the nth message that Method and Contains match, from 1; 0 is every one
	Nth     int      `json:"nth,omitempty"`
	Run     int      `json:"run,omitempty"` // only in the nth run of the script, from 1; 0 is every one
	Actions []Action `json:"actions"`       // a request that they leave unanswered gets the default answer
}

// Action is one step; exactly one field is set.
type Action struct {
	Result      json.RawMessage `json:"result,omitempty"`       // answer with this; null is a result too
	ResultBytes int             `json:"result_bytes,omitempty"` // answer with a string of so many bytes
	Error       *Error          `json:"error,omitempty"`        // answer with this
	Default     bool            `json:"default,omitempty"`      // do what would be done without a rule, now

	Notify  *Message `json:"notify,omitempty"`
	Request *Message `json:"request,omitempty"` // ids count from 0, as vscode-jsonrpc does it

	// wait; a $/cancelRequest for the message ends its actions with -32800
	DelayMS int `json:"delay_ms,omitempty"`
	// wait likewise until a file is read to its end: a named pipe that a test writes to when it is time
	AwaitPipe string `json:"await_pipe,omitempty"`
	// never answer, do nothing more for this message; no default either
	Hang        bool `json:"hang,omitempty"`
	StopReading bool `json:"stop_reading,omitempty"` // read nothing more from the client

	Exit *int `json:"exit,omitempty"` // end with this code
	// end by this signal: SIGKILL, SIGTERM, SIGHUP or SIGINT; Go turns most others into an exit with a stack dump
	Kill        string `json:"kill,omitempty"`
	CloseStdout bool   `json:"close_stdout,omitempty"` // and live on
	CloseStdin  bool   `json:"close_stdin,omitempty"`  // and live on

	Stdout       string `json:"stdout,omitempty"`        // written as it is; ${id} is the id of the message
	StdoutBase64 string `json:"stdout_base64,omitempty"` // the same for what JSON cannot hold
	Frame        string `json:"frame,omitempty"`         // the body of a message with a right header; ${id} as above
	Stderr       string `json:"stderr,omitempty"`
	StderrBytes  int    `json:"stderr_bytes,omitempty"` // so many bytes, in lines
	LogMessages  int    `json:"log_messages,omitempty"` // so many window/logMessage, each with its number

	SpawnChild *Child `json:"spawn_child,omitempty"` // only as an executable on unix
}

// Message is a notification or request of the server.
type Message struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"` // left out if empty
	Await  bool            `json:"await,omitempty"`  // of a request: go on when it is answered
}

// Error is an error response.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Child is a process that sleeps. Its id is an Event.
type Child struct {
	Seconds    int  `json:"seconds"`
	HoldStdout bool `json:"hold_stdout,omitempty"` // it inherits stdout, which then stays open when the server ends
}

// Parse decodes a script. It refuses unknown fields and actions that are not exactly one thing.
func Parse(data []byte) (*Script, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	s := new(Script)
	if err := d.Decode(s); err != nil {
		return nil, fmt.Errorf("reading a script: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("reading a script: text behind it")
	}
	return s, s.check()
}

// Load reads a script from a file.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a script: %w", err)
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.EventsFile != "" && !filepath.IsAbs(s.EventsFile) {
		s.EventsFile = filepath.Join(filepath.Dir(path), s.EventsFile)
	}
	return s, nil
}

func (s *Script) check() error {
	if !slices.Contains([]string{"", "words"}, s.Language) {
		return fmt.Errorf("script: unknown language %q", s.Language)
	}
	if !slices.Contains([]string{"", "utf-8", "utf-16", "utf-32"}, s.PositionEncoding) {
		return fmt.Errorf("script: unknown position encoding %q", s.PositionEncoding)
	}
	if err := checkActions("on_start", s.OnStart); err != nil {
		return err
	}
	for i, r := range s.Rules {
		if r.Method == "" {
			return fmt.Errorf("script: rules[%d] has no method", i)
		}
		if err := checkActions(fmt.Sprintf("rules[%d].actions", i), r.Actions); err != nil {
			return err
		}
	}
	return nil
}

// checkActions counts the fields of each action by its JSON, which leaves out those that are not set.
func checkActions(where string, actions []Action) error {
	for i, a := range actions {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(Raw(a), &fields); err != nil {
			return fmt.Errorf("script: %s[%d]: %w", where, i, err)
		}
		if n := len(fields); n != 1 {
			return fmt.Errorf("script: %s[%d] has %d kinds of action, want 1", where, i, n)
		}
	}
	return nil
}
