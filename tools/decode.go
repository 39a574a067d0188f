package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/tools/answer"
)

// decode checks arguments against the tool's schema and fills In, with defaults for what is not given.
// Everything wrong is an error that names the argument, since a model corrects exactly what it is told.
func decode[In any](schema *jsonschema.Schema, raw json.RawMessage) (in In, err error) {
	given, err := answer.Object(raw)
	if err != nil {
		return in, err
	}
	checked, err := checkedFields("", schema, given)
	if err == nil {
		err = json.Unmarshal(checked, &in)
	}
	return in, err
}

// The check has three layers: checkedFields for objects, checkedValue for lists and maps in them, checkedLeaf for
// the rest. Each passes the name of the argument on ("edits[2].line"), so that the error names what is wrong.

// checkedFields returns the fields of an object with the defaults of those that are not given; prefix
// is what names of the fields begin with in errors. null counts as not given: hosts send it for
// optional arguments.
func checkedFields(prefix string, s *jsonschema.Schema, given map[string]json.RawMessage) (json.RawMessage, error) {
	full := map[string]json.RawMessage{}
	for name, p := range s.Properties {
		// The defaults go in first, so that what is given replaces them.
		if p.Default != nil {
			full[name] = p.Default
		}
	}
	// In a fixed order, so that of several mistakes the same one is told every time.
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p := s.Properties[name]
		switch {
		case string(given[name]) == "null":
			continue
		// An object of arguments allows no others (never, whose type is ""); a map has a schema for the values of
		// all its keys.
		case p == nil && s.AdditionalProperties.Type == "":
			return nil, unknownArgument(prefix, name, s.PropertyOrder)
		case p == nil:
			p = s.AdditionalProperties
		}
		value, err := checkedValue(prefix+answer.CutText(name, 100), p, given[name])
		if err != nil {
			return nil, err
		}
		full[name] = value
	}
	// After the values: a wrong value is a better hint than a missing one.
	for _, name := range s.Required {
		if full[name] == nil {
			return nil, answer.Missing(prefix + name)
		}
	}
	return json.Marshal(full)
}

// unknownArgument is the error for an argument that the tool does not have.
func unknownArgument(prefix, name string, known []string) error {
	facts := contract.Facts{"argument": prefix + name}
	// Models often write a name that another tool uses; the closest one costs less than the whole list.
	if near := closestArgument(name, known); near != "" {
		facts["closest"] = near
		return contract.Errorf(contract.KindUnknownArgument, facts, "unknown argument %q: did you mean %s?",
			prefix+name, near)
	}
	facts["known"] = known
	return contract.Errorf(contract.KindUnknownArgument, facts, "unknown argument %q; the tool takes %s", prefix+name,
		strings.Join(known, ", "))
}

// argumentSynonyms are names that models give to an argument, where no similarity of letters leads to
// its own name.
var argumentSynonyms = map[string]string{"range": "revision", "commit": "revision", "commits": "revision",
	"ref": "revision", "base": "revision"}

// closestArgument returns the argument that was most likely meant; "" for none.
func closestArgument(name string, known []string) string {
	if now := argumentSynonyms[contract.Fold(name)]; now != "" && slices.Contains(known, now) {
		return now
	}
	return contract.Closest(name, known)
}

// checkedValue returns a value as Go reads it. 4.0 and 4e0 are integers of JSON Schema (2020-12, core,
// 4.2.3), too, and encoding/json refuses them for an int.
func checkedValue(at string, s *jsonschema.Schema, raw json.RawMessage) (json.RawMessage, error) {
	var items []json.RawMessage
	var fields map[string]json.RawMessage
	switch {
	// A list that is null, or no list at all, falls through to the leaf, whose error says what it must be.
	case s.Items != nil && json.Unmarshal(raw, &items) == nil && items != nil:
		for i, item := range items {
			value, err := checkedValue(fmt.Sprintf("%s[%d]", at, i), s.Items, item)
			if err != nil {
				return nil, err
			}
			items[i] = value
		}
		return json.Marshal(items)
	case s.AdditionalProperties != nil && json.Unmarshal(raw, &fields) == nil && fields != nil:
		return checkedFields(at+".", s, fields)
	}
	return checkedLeaf(at, s, raw)
}

// checkedLeaf checks a value that is no list and no map. It also refuses what no path, name or pattern
// can hold (NUL), and numbers that a float64 does not hold exactly.
func checkedLeaf(at string, s *jsonschema.Schema, raw json.RawMessage) (json.RawMessage, error) {
	// JSON Schema validates decoded values; numbers become float64.
	var v any
	err := json.Unmarshal(raw, &v)
	if err == nil {
		err = resolved(s).Validate(v)
	}
	text, _ := v.(string)
	number, isNumber := v.(float64)
	switch {
	case err != nil && (s.Type == "integer" || s.Enum != nil):
		return nil, answer.Invalid(at, "must be %s, not %s%s", allowed(s), answer.CutText(string(raw), 100),
			closestValue(s, text))
	case err != nil:
		return nil, answer.Invalid(at, "must be %s, not %s", allowed(s), answer.JSONKind(raw))
	case strings.ContainsRune(text, 0):
		return nil, answer.Invalid(at, "contains a NUL character")
	// JSON numbers are read as float64, which from 2^53 on does not tell neighbouring integers apart.
	case isNumber && math.Abs(number) >= 1<<53:
		return nil, answer.Invalid(at, "must be below 2^53, not %s", answer.CutText(string(raw), 40))
	case isNumber:
		// The schema has let only whole numbers through; written without exponent they fit a Go int.
		return strconv.AppendInt(nil, int64(number), 10), nil
	}
	return raw, nil
}

// resolvedSchemas are the schemas of arguments as they are used, [*jsonschema.Resolved] by [*jsonschema.Schema]:
// resolving one takes ten times as long as checking a value with it. There are as many as the tools have arguments.
var resolvedSchemas sync.Map

// resolved returns the schema of an argument as it is used for checks.
func resolved(s *jsonschema.Schema) *jsonschema.Resolved {
	known, ok := resolvedSchemas.Load(s)
	if !ok {
		made, err := s.Resolve(nil)
		answer.Mustf(err == nil, "the schema of an argument: %v", err)
		known, _ = resolvedSchemas.LoadOrStore(s, made)
	}
	return known.(*jsonschema.Resolved)
}

// allowed returns what a schema lets through, in words.
func allowed(s *jsonschema.Schema) string {
	if names := enumNames(s); len(names) > 0 {
		return "one of " + strings.Join(names, ", ")
	}
	words := map[string]string{"boolean": "true or false", "integer": "a whole number", "array": "an array",
		"object": "an object"}[s.Type]
	switch {
	case s.Items != nil:
		return words + " of " + s.Items.Type + "s"
	// Both bounds in one sentence, so that the next try is within them.
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%s from %.0f to %.0f", words, *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("%s of at least %.0f", words, *s.Minimum)
	case s.Maximum != nil:
		return fmt.Sprintf("%s of at most %.0f", words, *s.Maximum)
	case words == "":
		return "a " + s.Type
	}
	return words
}

// enumNames returns the values of an enumeration.
func enumNames(s *jsonschema.Schema) (names []string) {
	for _, e := range s.Enum {
		names = append(names, fmt.Sprint(e))
	}
	return names
}

// closestValue returns the end of the error for a value that is close to one of an enumeration; "" for
// none.
func closestValue(s *jsonschema.Schema, text string) string {
	if near := contract.Closest(text, enumNames(s)); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}

// hostArguments are arguments that hosts add to any tool's and do not remove before they make the call.
// No tool has an argument of these names, and none says anything to lspi; as unknown arguments they
// would refuse every call.
var hostArguments = []string{
	"wait_for_previous", // gemini-cli 0.61 adds it to every schema: whether its scheduler runs the call in parallel
}

// withoutHosts returns the arguments of a call without those of the host. What is no object stays as it
// is.
func withoutHosts(raw json.RawMessage) json.RawMessage {
	given, err := answer.Object(raw)
	if err != nil || !slices.ContainsFunc(hostArguments, func(name string) bool { return given[name] != nil }) {
		return raw
	}
	for _, name := range hostArguments {
		delete(given, name)
	}
	out, err := json.Marshal(given)
	if err != nil {
		return raw
	}
	return out
}
