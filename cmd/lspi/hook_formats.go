package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/tools/hooks"
)

// hookFormat is how a host tells its hooks what happened, and what it wants back. All of it was read in the programs
// themselves, but Copilot's, whose bundle is packed: there in its reference (docs.github.com, hooks-reference).
type hookFormat struct {
	events map[string]hooks.Kind // by hook_event_name
	// flat: additionalContext stands at the top of what is printed, else in hookSpecificOutput with the event's name
	flat bool
	// fromZero: the offset of a read counts lines from 0 in some version, from 1 in others.
	fromZero bool
}

// hookFormats are those of the hosts, by the name on the command line.
//
//   - Claude Code 2.1.197: session_id, cwd, hook_event_name, tool_name, tool_input, tool_response, stop_hook_active. A
//     tool that failed (a command that ends with 1) is PostToolUseFailure, with the same members and the same answer.
//   - Codex 0.169.0 has JSON schemas of both sides (post-tool-use.command.input and .output, stop.command.output) with
//     the same names; members that it does not know make it drop the answer (additionalProperties is false).
//   - Qwen Code 0.24.4 (createBaseInput, firePostToolUseEvent, fireStopEvent) the same.
//   - Gemini CLI 0.61.0 (createBaseInput, fireAfterToolEvent, fireAfterAgentEvent): other names of events, and it puts
//     the context between <hook_context> behind the tool's result, with < and > escaped.
//   - Copilot CLI 1.0.102: camelCase without a name of the event, or, when the events are configured in PascalCase, the
//     members of the others; additionalContext stands at the top in both.
//   - opencode has no hooks of this kind: the plugin that lspi writes for it speaks Copilot's second form.
var hookFormats = map[string]hookFormat{
	"claude":   {events: claudeEvents},
	"codex":    {events: claudeEvents},
	"qwen":     {events: claudeEvents, fromZero: true},
	"gemini":   {events: geminiEvents, fromZero: true},
	"copilot":  {events: claudeEvents, flat: true},
	"opencode": {events: claudeEvents, flat: true, fromZero: true},
}

var (
	claudeEvents = map[string]hooks.Kind{"SessionStart": hooks.SessionStart, "PostToolUse": hooks.AfterTool,
		"PostToolUseFailure": hooks.AfterTool, "Stop": hooks.TurnEnds}
	geminiEvents = map[string]hooks.Kind{"SessionStart": hooks.SessionStart, "AfterTool": hooks.AfterTool,
		"AfterAgent": hooks.TurnEnds}
)

// hookHosts returns the hosts that have a format, sorted.
func hookHosts() []string { return slices.Sorted(maps.Keys(hookFormats)) }

// hookInput is what a host says on stdin, in either spelling.
type hookInput struct {
	Event      string          `json:"hook_event_name"`
	Session    string          `json:"session_id"`
	SessionJS  string          `json:"sessionId"`
	Dir        string          `json:"cwd"`
	Input      json.RawMessage `json:"tool_input"`
	InputJS    json.RawMessage `json:"toolArgs"`
	Tool       string          `json:"tool_name"`
	ToolJS     string          `json:"toolName"`
	Source     string          `json:"source"`     // of the start of a session
	StopReason string          `json:"stopReason"` // of the end of a turn
	Active     bool            `json:"stop_hook_active"`
}

// errOtherEvent says that the event is none that lspi answers.
var errOtherEvent = errors.New("it is an event that lspi does not answer")

// readEvent returns the event that a host describes, and its name there.
func readEvent(host string, raw []byte) (e hooks.Event, name string, err error) {
	format, ok := hookFormats[host]
	if !ok {
		return e, "", fmt.Errorf("there is no format for the host %q, only for %s", host,
			strings.Join(hookHosts(), ", "))
	}
	var in hookInput
	if err := json.Unmarshal(raw, &in); err != nil {
		return e, "", fmt.Errorf("reading the event: %w", err)
	}
	name = in.name()
	e = hooks.Event{Kind: format.events[name], Host: host, Session: in.Session + in.SessionJS, Dir: in.Dir,
		Continued: in.Active}
	if e.Kind == "" {
		return e, name, errOtherEvent
	}
	input := in.Input
	if input == nil {
		input = in.InputJS
	}
	readInput(&e, input)
	if format.fromZero && e.Lines[1] > 0 {
		e.Lines[1]++ // the lines in either case
	}
	e.Reads = e.Lines != [2]int{} || e.Pattern != "" || slices.Contains(readingTools, in.Tool+in.ToolJS)
	return e, name, nil
}

// readingTools are the tools that name files and change none, of all hosts.
var readingTools = []string{"Grep", "Read", "grep", "rg", "read", "view", "grep_search", "search_file_content", "read_file"}

// name returns the name of the event. Copilot's camelCase form has none: the members of its events differ.
func (in *hookInput) name() string {
	switch {
	case in.Event != "":
		return in.Event
	case in.ToolJS != "":
		return "PostToolUse"
	case in.StopReason != "":
		return "Stop"
	case in.Source != "":
		return "SessionStart"
	}
	return ""
}

// toolInput are the members of a tool's input that say what it looks at or changes, in the spellings of the hosts.
type toolInput struct {
	FilePath  string          `json:"file_path"`     // Claude Code, Gemini, Qwen
	Absolute  string          `json:"absolute_path"` // Gemini's read_file
	Path      string          `json:"path"`          // Copilot; of a search the folder
	FilePath2 string          `json:"filePath"`      // opencode
	Notebook  string          `json:"notebook_path"`
	Command   json.RawMessage `json:"command"` // of a shell; Codex's apply_patch has the patch here
	Input     string          `json:"input"`   // of apply_patch
	Pattern   string          `json:"pattern"`
	Offset    int             `json:"offset"`
	Limit     int             `json:"limit"`
	ViewRange []int           `json:"view_range"` // Copilot
}

// The bounds of what is kept of a tool's input.
const (
	maxHookPaths   = 50
	maxHookCommand = 4 << 10
)

// readInput fills an event from the input of its tool. What cannot be read is left out: it only helps.
func readInput(e *hooks.Event, raw json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) == nil { // Copilot's toolArgs may be JSON in a string; a patch is a string
		raw = json.RawMessage(text)
	}
	var in toolInput
	if json.Unmarshal(raw, &in) != nil {
		in.Input = text
	}
	command := commandOf(in.Command)
	for _, path := range []string{in.FilePath, in.Absolute, in.Path, in.FilePath2, in.Notebook} {
		if path != "" {
			e.Paths = append(e.Paths, path)
		}
	}
	e.Paths = append(e.Paths, patched(in.Input)...)
	e.Paths = append(e.Paths, patched(command)...)
	e.Paths = e.Paths[:min(len(e.Paths), maxHookPaths)]
	if len(command) <= maxHookCommand {
		e.Command = command
	}
	if len(in.Pattern) <= maxHookCommand {
		e.Pattern = in.Pattern
	}
	switch {
	case in.Limit > 0:
		first := max(in.Offset, 1)
		e.Lines = [2]int{first, first + in.Limit - 1}
	case len(in.ViewRange) == 2:
		e.Lines = [2]int{in.ViewRange[0], in.ViewRange[1]}
	}
}

// commandOf returns a command line, which is a string or a list of words.
func commandOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var words []string
	if json.Unmarshal(raw, &words) != nil || len(words) == 0 {
		return ""
	}
	return words[len(words)-1] // behind bash -lc
}

// patched returns the files that a patch in Codex's form names.
func patched(patch string) (paths []string) {
	if !strings.Contains(patch, "*** Begin Patch") {
		return nil
	}
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Move to: "} {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// writeAnswer returns what a host wants to read on stdout; nil when there is nothing to tell.
func writeAnswer(host, name string, kind hooks.Kind, a hooks.Answer) []byte {
	format := hookFormats[host]
	if a.Text == "" || kind == hooks.SessionStart {
		return nil
	}
	var out any
	switch {
	case kind == hooks.TurnEnds:
		out = map[string]any{"decision": "block", "reason": a.Text}
	case format.flat:
		out = map[string]any{"additionalContext": a.Text}
	default:
		out = map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": name, "additionalContext": a.Text}}
	}
	line, _ := json.Marshal(out) // of strings
	return append(line, '\n')
}
