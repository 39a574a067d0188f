package tools

import (
	"bytes"
	"encoding/json"
)

// field is one member of a JSON object, in the place that it has there. Answers are written in the order in which they
// are to be read, which a Go map would lose.
type field struct {
	key   string
	value json.RawMessage
}

// fieldsOf are the members of an object; nil when raw is no object.
func fieldsOf(raw json.RawMessage) []field {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []field
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return out
		}
		out = append(out, field{key, value})
	}
	return out
}

// itemsOf are the elements of an array; ok is false when raw is none.
func itemsOf(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	return items, json.Unmarshal(raw, &items) == nil
}

// scalar is a value as people read it: strings without quotes. ok is false for arrays and objects.
func scalar(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || raw[0] == '[' || raw[0] == '{' {
		return "", false
	}
	if raw[0] == '"' {
		return text, json.Unmarshal(raw, &text) == nil
	}
	return string(raw), true
}
