package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"lspi/contract"
	"lspi/tools/answer"
	"lspi/tools/session"
)

// Defaults of arguments that the configuration gives ([tools.NAME]). They stand in for what a call does not give,
// and the schema that hosts see shows them.

// deciding are the arguments by which a call says that it changes files. They have no defaults: each
// call has to say so itself, or steps that only look would write.
var deciding = []string{"dry_run", "apply", "apply_if_clean"}

// placing are the arguments by which a call says what it is about, beside [answer.TargetNames]. They
// have no defaults: a default in place of one that is not given would be about something else than the
// call, or contradict it.
var placing = []string{"symbols", "question", "query", "file_paths", "end_line", "end_character", "selected_text",
	"diagnostic", "action", "params", "scope", "index", "extensions", "revision", "edits", "new_text", "new_name", "new_path",
	"package",
	"preview_id", "expected_before_sha256", "session_id", "offset"}

// places reports whether an argument says what a call of the tool is about. server_id only picks among
// the servers of a file, unless the tool is about servers.
func places(t *answer.Tool, argument string) bool {
	return slices.Contains(answer.TargetNames, argument) || slices.Contains(placing, argument) ||
		argument == "server_id" && t.Class == answer.Control
}

// CheckDefault returns why a tool's argument cannot have a value as its default; nil when it can. Of
// the tools of other MCP servers nothing is known before these are asked, so any default is accepted
// for them.
func CheckDefault(tool, argument string, value any) error {
	if strings.Contains(session.Listed(tool), "__") {
		return nil
	}
	t, err := Lookup(tool)
	if err != nil {
		return err
	}
	property := t.Input.Properties[argument]
	switch {
	case property == nil:
		return unknownArgument("", argument, t.Input.PropertyOrder)
	case slices.Contains(t.Input.Required, argument):
		return answer.Invalid(argument, "is required, so that it has no default")
	case slices.Contains(deciding, argument):
		return answer.Invalid(argument, "decides whether files are changed, so that it has no default")
	case places(t, argument):
		return answer.Invalid(argument,
			"says what a call is about, so that it has no default: each call gives it itself")
	}
	// From here on the value is checked as if a call had given it.
	raw, err := json.Marshal(value)
	if err != nil {
		return answer.Invalid(argument, "cannot be written as JSON")
	}
	_, err = checkedValue(argument, property, raw)
	return err
}

// withDefaults returns the arguments of a call with the configured defaults of those that it does not
// give.
func withDefaults(s *session.Settings, tool string, raw json.RawMessage) json.RawMessage {
	raw = FillDefaults(s.Defaults[tool], raw)
	if s.Shape == session.ShapeOriginal {
		raw = FillDefaults(answer.OriginalDefaults[tool], raw)
	}
	return raw
}

// FillDefaults puts defaults in the place of arguments that are not given, or null. Arguments that are
// no object stay as they are.
func FillDefaults(defaults map[string]json.RawMessage, raw json.RawMessage) json.RawMessage {
	given, err := answer.Object(raw)
	if err != nil || len(defaults) == 0 {
		return raw
	}
	full := maps.Clone(defaults)
	for name, value := range given {
		if string(value) != "null" || full[name] == nil {
			full[name] = value
		}
	}
	out, err := contract.Marshal(full)
	if err != nil {
		return raw
	}
	return out
}

// ListedInput returns the schema of a tool's arguments as a host sees it under these settings, with the
// configured defaults.
func ListedInput(s *session.Settings, t *answer.Tool) json.RawMessage {
	defaults := s.Defaults[t.Name]
	if len(defaults) == 0 {
		return t.ListedInput()
	}
	// Copied as far as it changes: the tool's own schema serves all sessions.
	out := *t.Input
	out.Properties = maps.Clone(t.Input.Properties)
	for argument, value := range defaults {
		if p := out.Properties[argument]; p != nil {
			shown := *p
			shown.Default = value
			out.Properties[argument] = &shown
		}
	}
	return inputAsListed(&out, t)
}
