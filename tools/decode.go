package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/answer"
	"lspi/contract"
)

// decode checks arguments against the tool's schema and fills In, with the defaults for what is not given. null counts
// as not given: hosts send it for optional arguments. Everything wrong is an error that names the argument.
func decode[In any](schema *jsonschema.Schema, raw json.RawMessage) (in In, err error) {
	given, err := answer.Object(raw)
	if err != nil {
		return in, err
	}
	full := map[string]json.RawMessage{}
	for name, s := range schema.Properties {
		if s.Default != nil {
			full[name] = s.Default
		}
	}
	for _, name := range answer.SortedKeys(given) {
		value := given[name]
		if string(value) == "null" {
			continue
		}
		s := schema.Properties[name]
		if s == nil {
			return in, unknownArgument(schema, name)
		}
		if err := checkArgument(name, s, value); err != nil {
			return in, err
		}
		full[name] = whole(s, value)
	}
	for _, name := range schema.Required {
		if full[name] == nil {
			return in, answer.Missing(name)
		}
	}
	joined, err := json.Marshal(full)
	if err == nil {
		err = json.Unmarshal(joined, &in)
	}
	if err != nil {
		return in, contract.Errorf(contract.KindInvalidArgument, nil, "reading the arguments: %w", err)
	}
	return in, nil
}

// whole is a checked value with its integers as Go reads them: 4.0 and 4e0 are integers of JSON Schema (2020-12, core,
// 4.2.3), too.
func whole(s *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	switch {
	case s == nil || string(raw) == "null":
	case s.Type == "integer":
		var n float64
		if json.Unmarshal(raw, &n) == nil {
			return strconv.AppendInt(nil, int64(n), 10)
		}
	case s.Type == "array":
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) == nil {
			for i, item := range items {
				items[i] = whole(s.Items, item)
			}
			raw, _ = json.Marshal(items)
		}
	case s.Type == "object":
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) == nil {
			for name, field := range fields {
				fields[name] = whole(s.Properties[name], field)
			}
			raw, _ = json.Marshal(fields)
		}
	}
	return raw
}

func unknownArgument(schema *jsonschema.Schema, name string) error {
	facts := contract.Facts{"argument": name}
	if near := contract.Closest(name, schema.PropertyOrder); near != "" {
		facts["closest"] = near
		return contract.Errorf(contract.KindUnknownArgument, facts, "unknown argument %q: did you mean %s?", name, near)
	}
	facts["known"] = schema.PropertyOrder
	return contract.Errorf(contract.KindUnknownArgument, facts, "unknown argument %q; the tool takes %s", name,
		strings.Join(schema.PropertyOrder, ", "))
}

func checkArgument(name string, s *jsonschema.Schema, raw json.RawMessage) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return answer.Invalid(name, "is not JSON: %v", err)
	}
	switch s.Type {
	case "string":
		text, ok := v.(string)
		if !ok {
			return answer.Invalid(name, "must be a string, not %s", answer.JsonKind(raw))
		}
		return checkText(name, s, text)
	case "boolean":
		if _, ok := v.(bool); !ok {
			return answer.Invalid(name, "must be true or false, not %s", answer.JsonKind(raw))
		}
	case "integer":
		return checkInteger(name, s, v, raw)
	case "array":
		return checkList(name, s, v, raw)
	case "object":
		if s.AdditionalProperties != nil && s.AdditionalProperties.Type == "string" {
			return checkMap(name, s, v, raw)
		}
		if _, ok := v.(map[string]any); !ok {
			return answer.Invalid(name, "must be an object, not %s", answer.JsonKind(raw))
		}
	}
	return nil
}

func checkInteger(name string, s *jsonschema.Schema, v any, raw json.RawMessage) error {
	n, ok := v.(float64)
	if !ok || n != math.Trunc(n) {
		return answer.Invalid(name, "must be a whole number, not %s", strings.TrimSpace(answer.CutText(string(raw), 40)))
	}
	if math.Abs(n) >= 1<<53 { // beyond it a number is no longer the one that was written
		return answer.Invalid(name, "must be below 2^53, not %s", answer.CutText(strings.TrimSpace(string(raw)), 40))
	}
	if s.Minimum != nil && n < *s.Minimum {
		return answer.Invalid(name, "must be at least %.0f, not %.0f", *s.Minimum, n)
	}
	if s.Maximum != nil && n > *s.Maximum {
		return answer.Invalid(name, "must be at most %.0f, not %.0f", *s.Maximum, n)
	}
	return nil
}

func checkList(name string, s *jsonschema.Schema, v any, raw json.RawMessage) error {
	if s.Items.Type == "object" {
		return checkObjects(name, s.Items, raw)
	}
	items, ok := v.([]any)
	if !ok {
		return answer.Invalid(name, "must be an array of strings, not %s", answer.JsonKind(raw))
	}
	for _, item := range items {
		text, ok := item.(string)
		if !ok {
			return answer.Invalid(name, "must contain strings only")
		}
		if err := checkText(name, s.Items, text); err != nil {
			return err
		}
	}
	return nil
}

// checkObjects checks the items of a list as the arguments of a tool are checked; errors name the item.
func checkObjects(name string, item *jsonschema.Schema, raw json.RawMessage) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return answer.Invalid(name, "must be an array of objects, not %s", answer.JsonKind(raw))
	}
	for i, raw := range items {
		at := fmt.Sprintf("%s[%d]", name, i)
		var given map[string]json.RawMessage
		if err := json.Unmarshal(raw, &given); err != nil || given == nil {
			return answer.Invalid(at, "must be an object, not %s", answer.JsonKind(raw))
		}
		for _, field := range answer.SortedKeys(given) {
			s := item.Properties[field]
			if s == nil {
				return unknownArgument(item, at+"."+field)
			}
			if string(given[field]) == "null" {
				continue
			}
			if err := checkArgument(at+"."+field, s, given[field]); err != nil {
				return err
			}
		}
		for _, field := range item.Required {
			if value := given[field]; len(value) == 0 || string(value) == "null" {
				return answer.Missing(at + "." + field)
			}
		}
	}
	return nil
}

// checkText refuses also what no path, name or pattern can hold.
func checkText(name string, s *jsonschema.Schema, text string) error {
	if strings.ContainsRune(text, 0) {
		return answer.Invalid(name, "contains a NUL character")
	}
	return checkEnum(name, s, text)
}

func checkEnum(name string, s *jsonschema.Schema, text string) error {
	if len(s.Enum) == 0 || slices.Contains(s.Enum, any(text)) {
		return nil
	}
	var valid []string
	for _, e := range s.Enum {
		valid = append(valid, fmt.Sprint(e))
	}
	return answer.Invalid(name, "must be one of %s, not %q", strings.Join(valid, ", "), text)
}

// checkMap wants an object whose values are strings.
func checkMap(name string, s *jsonschema.Schema, v any, raw json.RawMessage) error {
	entries, ok := v.(map[string]any)
	if !ok {
		return answer.Invalid(name, "must be an object, not %s", answer.JsonKind(raw))
	}
	for _, key := range answer.SortedKeys(entries) {
		text, ok := entries[key].(string)
		if !ok {
			return answer.Invalid(name, "must contain strings only; %q is not one", answer.CutText(key, 100))
		}
		if err := checkText(name, s.AdditionalProperties, text); err != nil {
			return err
		}
	}
	return nil
}
