package answer

import (
	"bytes"
	"encoding/json"

	"lspi/contract"
)

// field is one member of a JSON object. Objects are read as lists of fields where they are written as
// text: the order in the JSON is the order in which they are to be read, and a Go map would lose it.
type field struct {
	key   string
	value json.RawMessage
}

// fieldsOf returns the members of an object in their order; nil when raw is no object. A broken object
// gives the members before the break.
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

// itemsOf returns the elements of an array; ok is false when raw is no array.
func itemsOf(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	return items, json.Unmarshal(raw, &items) == nil
}

// scalar returns a string without its quotes, and a number, a boolean or null as it stands. ok is false
// for arrays and objects.
func scalar(raw json.RawMessage) (text string, ok bool) {
	if len(raw) == 0 || raw[0] == '[' || raw[0] == '{' {
		return "", false
	}
	if raw[0] == '"' {
		return text, json.Unmarshal(raw, &text) == nil
	}
	return string(raw), true
}

// Object returns the arguments of a call by name; nil for none or null (MCP leaves arguments optional).
// For JSON that is no object the error is invalid_argument.
func Object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.Trim(raw, jsonSpace)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, contract.Errorf(contract.KindInvalidArgument, nil,
			"the arguments must be one JSON object, not %s", JSONKind(raw))
	}
	return given, nil
}

// JSONKind says in words what a JSON value is, going by its first byte. raw need not be valid beyond
// that.
func JSONKind(raw json.RawMessage) string {
	raw = bytes.Trim(raw, jsonSpace)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// jsonSpace is what JSON allows around values (RFC 8259, section 2); bytes.TrimSpace takes more, which is no JSON then.
const jsonSpace = " \t\r\n"
