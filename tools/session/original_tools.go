package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// oldTool is a tool of the original that has another name today.
type oldTool struct {
	now  string         // the tool of today
	set  map[string]any // arguments that make today's tool the same
	note string         // what differs besides
}

// oldTools are the original's tools by name, without those whose name has stayed. Tools at a position took
// file_path, line and character, which the tools of today take beside names.
var oldTools = map[string]oldTool{
	"find_definition_at":      {now: "find_definition"},
	"find_references_at":      {now: "find_references"},
	"hover_at":                {now: "hover"},
	"find_implementation":     {now: "find_implementations"},
	"find_implementation_at":  {now: "find_implementations"},
	"find_type_definition":    {now: "find_definition", set: map[string]any{"target": "type_definition"}},
	"find_type_definition_at": {now: "find_definition", set: map[string]any{"target": "type_definition"}},
	"find_incoming_calls":     {now: "call_hierarchy", set: map[string]any{"direction": "incoming"}},
	"find_incoming_calls_at":  {now: "call_hierarchy", set: map[string]any{"direction": "incoming"}},
	"find_outgoing_calls":     {now: "call_hierarchy", set: map[string]any{"direction": "outgoing"}},
	"find_outgoing_calls_at":  {now: "call_hierarchy", set: map[string]any{"direction": "outgoing"}},
	"rename_symbol_strict":    {now: "rename_symbol", note: "it makes backups only with backup_suffix"},
}

// goneArguments are arguments of the original without a counterpart, and what lspi does instead.
var goneArguments = map[string]string{
	"max_snippet_chars":     "snippets are whole lines, cut where max_total_chars needs it",
	"max_symbols":           "candidates are listed as far as max_total_chars allows",
	"position_fuzz":         "a position beside a name is answered for the name, with a warning",
	"snippet_context_lines": "a line is shown by itself",
	"include_snippet":       "lines are shown with their text",
	"max_results":           "answers are cut by max_total_chars",
	"include_env":           "values of the environment are never shown",
}

// suspicious are the arguments, as JSON has them, that show a call of the original. A call with none of
// these bytes needs no parsing.
var suspicious = func() (out [][]byte) {
	for argument := range goneArguments {
		out = append(out, []byte(`"`+argument+`"`))
	}
	return append(out, []byte(`"create_backups"`))
}()

// OriginalTools returns the old names, sorted.
func OriginalTools() []string { return slices.Sorted(maps.Keys(oldTools)) }

// OriginalTool returns today's tool for an old name, in whatever case; ok is false for every other
// name.
func OriginalTool(name string) (now string, ok bool) {
	old, ok := oldTools[fold(name)]
	return old.now, ok
}

// OriginalCall returns today's call for one with an old name or old arguments. accepts reports whether
// a tool of today takes an argument. notes say for the model what differs; nil when nothing does, and
// the call stays as it is. Arguments that are no object stay as they are: their error is told
// elsewhere.
func OriginalCall(name string, arguments json.RawMessage, accepts func(tool, argument string) bool) (now string,
	changed json.RawMessage, notes []string) {
	now, changed = name, arguments
	old, renamed := oldTools[fold(name)]
	var given map[string]json.RawMessage
	if !renamed && !slices.ContainsFunc(suspicious, func(quoted []byte) bool {
		return bytes.Contains(arguments, quoted)
	}) {
		return name, arguments, nil // as nearly all calls
	}
	if len(arguments) > 0 && json.Unmarshal(arguments, &given) != nil {
		given = nil
	}
	if renamed {
		now = old.now
		notes = append(notes, fmt.Sprintf("%s is %s today%s", name, now, with(old.set)))
		if old.note != "" && !bytes.Contains(arguments, []byte(`"create_backups"`)) {
			notes = append(notes, old.note)
		}
	}
	out := maps.Clone(given)
	if out == nil {
		out = map[string]json.RawMessage{}
	}
	for argument, value := range old.set {
		raw, _ := json.Marshal(value) // a string
		out[argument] = raw
	}
	notes = append(notes, withoutGone(now, out, accepts)...)
	if !renamed && notes == nil {
		return now, changed, nil
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return name, arguments, nil
	}
	return now, raw, notes
}

// with is " with direction incoming" and the like.
func with(set map[string]any) string {
	var words []string
	for _, argument := range slices.Sorted(maps.Keys(set)) {
		words = append(words, fmt.Sprintf("%s %v", argument, set[argument]))
	}
	if len(words) == 0 {
		return ""
	}
	return ", with " + strings.Join(words, " and ")
}

// withoutGone removes the arguments that today's tool does not take, where it is known what the
// original did with them, and says what happens instead.
func withoutGone(tool string, arguments map[string]json.RawMessage, accepts func(tool, argument string) bool) (
	notes []string) {
	if raw, given := arguments["create_backups"]; given && !accepts(tool, "create_backups") &&
		accepts(tool, "backup_suffix") {
		delete(arguments, "create_backups")
		switch {
		case string(raw) == "false" && arguments["backup_suffix"] != nil:
			delete(arguments, "backup_suffix")
			notes = append(notes, "create_backups false is a call without backup_suffix")
		case string(raw) == "true" && arguments["backup_suffix"] == nil:
			arguments["backup_suffix"] = json.RawMessage(`".bak"`)
			notes = append(notes, `create_backups true is backup_suffix ".bak"`)
		case string(raw) == "false":
			notes = append(notes, "create_backups is not needed: without backup_suffix there are no backups")
		default:
			notes = append(notes, "create_backups is not needed beside backup_suffix")
		}
	}
	for _, argument := range slices.Sorted(maps.Keys(arguments)) {
		if instead, gone := goneArguments[argument]; gone && !accepts(tool, argument) {
			delete(arguments, argument)
			notes = append(notes, fmt.Sprintf("%s does not take %s: %s", tool, argument, instead))
		}
	}
	return notes
}
