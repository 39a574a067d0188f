package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/tools"
	"lspi/tools/session"
)

// arguments are the arguments of a call as they stand on the command line: one JSON object, or words.
type arguments struct {
	object json.RawMessage // nil when words were given
	words  []word
}

// word is one KEY=VALUE.
type word struct{ key, value string }

// readArguments reads - (a JSON object on in), one JSON object, or KEY=VALUE words. What a value means is decided
// later, by the tool's schema.
func readArguments(in io.Reader, args []string) (arguments, error) {
	if len(args) == 1 && args[0] == "-" {
		text, err := io.ReadAll(in)
		if err != nil {
			return arguments{}, fmt.Errorf("reading the arguments from stdin: %w", err)
		}
		return readObject(string(text))
	}
	if len(args) == 1 && strings.HasPrefix(strings.TrimSpace(args[0]), "{") {
		return readObject(args[0])
	}
	var out arguments
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || key == "" {
			return arguments{}, fmt.Errorf("%q is no argument: give KEY=VALUE words, or one JSON object", arg)
		}
		out.words = append(out.words, word{key, value})
	}
	return out, nil
}

// readObject checks that a text is a JSON object and keeps it as it is, so that the tool sees what was written.
func readObject(text string) (arguments, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return arguments{}, fmt.Errorf("the arguments are not JSON: %w at byte %d", err, syntax.Offset)
		}
		return arguments{}, fmt.Errorf("the arguments are not a JSON object")
	}
	return arguments{object: json.RawMessage(text)}, nil
}

// json returns the arguments as a host would send them. A value that does not fit its schema is passed on as text,
// because the tool's own answer explains best what is wrong. root is the workspace; "" when there is none.
func (a arguments) json(tool, root string) json.RawMessage {
	if a.object != nil {
		return a.object
	}
	return a.values(propertiesOf(tool), root)
}

// values returns the arguments as JSON, each by its schema in properties. root is the folder that the tool resolves
// relative paths against; "" for a tool without paths.
func (a arguments) values(properties map[string]*jsonschema.Schema, root string) json.RawMessage {
	if a.object != nil {
		return a.object
	}
	values := map[string]any{}
	for _, w := range a.words {
		workspace := ""
		if isPath(w.key) {
			workspace = root
		}
		values[w.key] = add(values[w.key], properties[w.key], w.value, workspace)
	}
	raw, _ := contract.Marshal(values) // cannot fail: strings, numbers, booleans and lists
	return raw
}

// propertiesOf returns the schemas of a tool's arguments; the name may be one of the original lspi. nil for a tool that
// is not lspi's own.
func propertiesOf(tool string) map[string]*jsonschema.Schema {
	if now, ok := session.OriginalTool(tool); ok {
		tool = now
	}
	if t, err := tools.Lookup(tool); err == nil {
		return t.Input.Properties
	}
	return nil
}

// repeated returns an error when an argument that takes one value is given twice: taking either of them would silently
// ignore the other.
func (a arguments) repeated(tool string) error {
	properties, seen := propertiesOf(tool), map[string]string{}
	if properties == nil { // a tool of another MCP server, whose schema is not known yet
		return nil
	}
	for _, w := range a.words {
		before, again := seen[w.key]
		seen[w.key] = w.value
		if s := properties[w.key]; !again || s != nil && (s.Type == "array" || s.Type == "object") { // values add up
			continue
		}
		return fmt.Errorf("%s is given twice, as %q and as %q, and takes one value", w.key, before, w.value)
	}
	return nil
}

// add returns the value of an argument by its schema s; before is what the same key gave earlier on the command line,
// to which lists and objects add. workspace is set for arguments that are paths; see fromHere.
func add(before any, s *jsonschema.Schema, text, workspace string) any {
	switch {
	case s == nil:
	case s.Type == "integer":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if n := []byte(text); json.Valid(n) && text[0] >= '0' && text[0] <= '9' { // "4.0"
			return json.RawMessage(n)
		}
	case s.Type == "number":
		var n json.Number
		if json.Unmarshal([]byte(text), &n) == nil && text[0] != '"' {
			return n
		}
	case s.Type == "boolean":
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Type == "string":
		return addEntry(before, text)
	case s.Type == "array" && s.Items == nil: // items of any type
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case s.Type == "object", s.Type == "array" && s.Items.Type == "object":
		if json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case s.Type == "array" && s.Items.Type != "string":
		list, _ := before.([]any)
		for _, item := range jsonItems(text) {
			list = append(list, add(nil, s.Items, item, workspace))
		}
		return slices.Clip(list)
	case s.Type == "array":
		list, _ := before.([]string)
		for _, item := range items(text) {
			list = append(list, fromHere(item, workspace))
		}
		return slices.Clip(list)
	}
	return fromHere(text, workspace)
}

// items splits a list of strings, written as JSON or with commas.
func items(text string) []string {
	var out []string
	if strings.HasPrefix(strings.TrimSpace(text), "[") && json.Unmarshal([]byte(text), &out) == nil {
		return out
	}
	out = nil
	for _, item := range strings.Split(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	return out
}

// jsonItems splits a list of any values, written as JSON or with commas, into words that add reads.
func jsonItems(text string) []string {
	var list []json.RawMessage
	if json.Unmarshal([]byte(text), &list) != nil {
		return items(text)
	}
	var out []string
	for _, raw := range list {
		word := string(raw)
		_ = json.Unmarshal(raw, &word) // strings lose their quotes, others stay JSON
		out = append(out, word)
	}
	return out
}

// addEntry returns an object of strings, written as JSON, or as NAME=VALUE, which is added to before.
func addEntry(before any, text string) any {
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) == nil {
		return object
	}
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return text
	}
	entries, _ := before.(map[string]any)
	out := maps.Clone(entries)
	if out == nil {
		out = map[string]any{}
	}
	out[name] = value
	return out
}

func isPath(key string) bool { return key == "file_path" || key == "file_paths" }

// fromHere makes a path absolute that exists below the current folder: people write paths as their shell completes
// them, while tools resolve them against the workspace. Other paths stay, such as those of an earlier answer. With ""
// for workspace every path stays.
func fromHere(path, workspace string) string {
	if filepath.IsAbs(path) || workspace == "" {
		return path
	}
	if here, err := filepath.Abs(path); err == nil {
		if _, err := os.Stat(here); err == nil {
			return here
		}
	}
	return path
}
