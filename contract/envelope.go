package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// SchemaVersion is schema_version of every envelope.
const SchemaVersion = 2

// Completeness says how much of the true answer an answer has (docs/contract.md, section 3).
type Completeness string

// The values. NoClaim is for tools that ask no server: the envelope then has no such field.
const (
	NoClaim  Completeness = ""
	Complete Completeness = "complete"
	Partial  Completeness = "partial"
	Unknown  Completeness = "unknown"
)

// Warning is one item of warnings: a kind for programs, a sentence for the model, and facts.
type Warning struct {
	Kind    WarningKind
	Step    bool // a next step of the answer is about it; not shown
	Message string
	Facts   Facts // nil when there are none
}

// MarshalJSON writes the facts beside kind and message.
func (w Warning) MarshalJSON() ([]byte, error) {
	return mergeObjects(struct {
		Kind    WarningKind `json:"kind"`
		Message string      `json:"message"`
	}{w.Kind, w.Message}, w.Facts)
}

// StepKind is the kind of a next step.
type StepKind string

// The kinds of next steps (docs/contract.md, section 2).
const (
	StepTool    StepKind = "tool"
	StepConfig  StepKind = "config"
	StepCommand StepKind = "command"
	StepDoc     StepKind = "doc"
)

// NextStep is one item of next_steps. A step of kind tool can be called as it is: its Arguments are complete.
type NextStep struct {
	Kind      StepKind       `json:"kind"`
	Message   string         `json:"message"`
	Tool      string         `json:"tool,omitempty"`
	Arguments map[string]any `json:"arguments,omitzero"`
	Command   string         `json:"command,omitempty"`
}

// Envelope is structuredContent of every tool's result (MCP, tools/call). Body has the tool's own fields, which are
// written beside the common ones: a struct or a map, or nil when there are none.
type Envelope struct {
	Tool         string
	ServerID     string // "" is written as null
	Input        json.RawMessage
	Warnings     []Warning
	Truncated    bool
	NextSteps    []NextStep
	Completeness Completeness
	Error        *Error
	Body         any
}

type head struct {
	SchemaVersion int             `json:"schema_version"`
	OK            bool            `json:"ok"`
	Tool          string          `json:"tool"`
	ServerID      *string         `json:"server_id"`
	Completeness  Completeness    `json:"completeness,omitempty"`
	Truncated     bool            `json:"truncated"`
	Warnings      []Warning       `json:"warnings"`
	NextSteps     []NextStep      `json:"next_steps"`
	Input         json.RawMessage `json:"input,omitempty"`
	Error         *errorBody      `json:"error,omitempty"`
	MCPErrorCode  int64           `json:"mcp_error_code,omitempty"`
	Message       string          `json:"message,omitempty"`
}

type errorBody struct {
	Kind    Category       `json:"kind"`
	Message string         `json:"message"`
	Code    int64          `json:"code,omitempty"`
	Data    map[string]any `json:"data"`
}

// MarshalJSON writes the envelope as one object: the common fields first, then those of the tool.
func (e Envelope) MarshalJSON() ([]byte, error) {
	h := head{
		SchemaVersion: SchemaVersion, OK: e.Error == nil, Tool: e.Tool, Completeness: e.Completeness,
		Truncated: e.Truncated, Warnings: orEmpty(e.Warnings), NextSteps: orEmpty(e.NextSteps), Input: e.Input,
	}
	if e.ServerID != "" {
		h.ServerID = &e.ServerID
	}
	if e.Error != nil {
		h.Error = newErrorBody(e.Error)
		h.Message = e.Error.Message
		h.MCPErrorCode = e.Error.Code
	}
	return mergeObjects(h, e.Body)
}

func newErrorBody(e *Error) *errorBody {
	reason := map[string]any{"kind": e.Kind}
	for k, v := range e.Facts {
		reason[k] = v
	}
	data := map[string]any{"lspi_error": reason}
	if kind := e.Original(); kind != "" {
		data["original_kind"] = kind
	}
	if e.Data != nil {
		data["server_data"] = e.Data
	}
	return &errorBody{Kind: e.Category(), Message: e.Message, Code: e.Code, Data: data}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// mergeObjects marshals two values as one object, the fields of first before those of second. It does not escape HTML
// characters: a model reads code, and "\u003c" costs it six characters for one.
func mergeObjects(first, second any) ([]byte, error) {
	a, err := Marshal(first)
	if err != nil || second == nil {
		return a, err
	}
	b, err := Marshal(second)
	if err != nil {
		return nil, err
	}
	if string(b) == "null" || string(b) == "{}" {
		return a, nil
	}
	if len(b) < 2 || b[0] != '{' {
		return nil, fmt.Errorf("the own fields of an envelope are not an object: %.40s", b)
	}
	if string(a) == "{}" {
		return b, nil
	}
	out := make([]byte, 0, len(a)+len(b))
	out = append(out, a[:len(a)-1]...)
	out = append(out, ',')
	return append(out, b[1:]...), nil
}

// Marshal is json.Marshal without escaping <, > and &. It returns the JSON of a json.Marshaler as it is: the encoder
// of encoding/json would check and compact it again, at each level of an answer, which costs as much as writing it.
func Marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case json.RawMessage:
	case json.Marshaler:
		if r := reflect.ValueOf(v); r.Kind() != reflect.Pointer || !r.IsNil() {
			return m.MarshalJSON()
		}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
