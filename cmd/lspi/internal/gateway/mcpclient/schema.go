package mcpclient

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// refusedAtRoot are the members that hosts refuse at the root of the schema of a tool's arguments (the APIs of
// Anthropic and OpenAI say so); deeper they take them. What they demanded beyond the members of an object the server
// still checks.
var refusedAtRoot = []string{"anyOf", "oneOf", "allOf", "$ref", "enum", "const", "not"}

// errNoObject is why a tool is left out: its arguments are always an object.
var errNoObject = errors.New("its input schema is none of an object")

// inputSchema returns the schema of a tool's arguments as hosts take it: one of an object, without [refusedAtRoot].
// Properties of alternatives become properties of the object, required where every alternative requires them; changed
// says that it is another schema than raw. A schema of something else is an error.
func inputSchema(raw json.RawMessage) (out json.RawMessage, changed bool, err error) {
	var root map[string]any
	if json.Unmarshal(raw, &root) != nil || root == nil {
		return nil, false, errNoObject
	}
	refused := slices.ContainsFunc(refusedAtRoot, func(member string) bool { return root[member] != nil })
	if root["type"] == "object" && !refused {
		return raw, false, nil
	}
	f := flattener{root: root, left: maxSchemas}
	flat, ok := f.object(root)
	if !ok {
		return nil, false, errNoObject
	}
	out, err = json.Marshal(flat)
	return out, true, err
}

// outputSchema returns the schema of a tool's result as hosts take it: one of an object. One that leaves the type to
// its alternatives gets it, since a structured result is always an object; one of something else is an error.
func outputSchema(raw json.RawMessage) (json.RawMessage, error) {
	var root map[string]any
	_ = json.Unmarshal(raw, &root)
	switch {
	case root["type"] == "object":
		return raw, nil
	case root == nil || root["type"] != nil:
		return nil, errors.New("its output schema is none of an object")
	}
	root["type"] = "object"
	return json.Marshal(root)
}

// maxSchemas bounds how many schemas are read for one: alternatives may be nested, and references go in a circle.
const maxSchemas = 500

// flattener makes one object of a schema with alternatives.
type flattener struct {
	root map[string]any // where references lead to
	left int            // how many more schemas may be read
}

// object returns a schema as one of an object without alternatives; ok is false when it is of something else.
func (f *flattener) object(schema map[string]any) (out map[string]any, ok bool) {
	if f.left--; f.left < 0 || schema == nil || !mayBeObject(schema) {
		return nil, false
	}
	out = maps.Clone(schema)
	out["type"] = "object"
	for _, member := range refusedAtRoot {
		delete(out, member)
	}
	if ref, given := schema["$ref"].(string); given {
		to, found := f.resolve(ref)
		one, ok := f.object(to)
		if !found || !ok {
			return nil, false
		}
		merge(out, []map[string]any{one}, true)
	}
	for _, c := range []struct{ member, words string }{{"allOf", ""}, {"anyOf", "At least one of these is needed: "},
		{"oneOf", "Exactly one of these is needed: "}} {
		list, given := schema[c.member].([]any)
		if !given {
			continue
		}
		all := c.member == "allOf"
		objects := f.objects(list)
		if len(objects) == 0 || all && len(objects) < len(list) {
			return nil, false
		}
		merge(out, objects, all)
		if says := ways(objects, stringsOf(out["required"])); !all && says != "" {
			text, _ := out["description"].(string)
			out["description"] = strings.TrimSpace(text + " " + c.words + says + ".")
		}
	}
	return out, true
}

// objects returns those of a list of schemas that are of an object.
func (f *flattener) objects(list []any) (out []map[string]any) {
	for _, item := range list {
		schema, _ := item.(map[string]any)
		if one, ok := f.object(schema); ok {
			out = append(out, one)
		}
	}
	return out
}

// mayBeObject reports whether the type of a schema allows an object.
func mayBeObject(schema map[string]any) bool {
	switch t := schema["type"].(type) {
	case nil:
		return true
	case string:
		return t == "object"
	case []any:
		return slices.Contains(t, any("object"))
	}
	return false
}

// merge puts the properties of objects into out, and what all of them require; with all, what any of them requires.
func merge(out map[string]any, objects []map[string]any, all bool) {
	own, _ := out["properties"].(map[string]any)
	properties := map[string]any{}
	maps.Copy(properties, own)
	required := stringsOf(objects[0]["required"])
	for i, o := range objects {
		of, _ := o["properties"].(map[string]any)
		for name, p := range of {
			properties[name] = either(properties[name], p)
		}
		switch more := stringsOf(o["required"]); {
		case i == 0:
		case all:
			required = append(required, more...)
		default:
			required = slices.DeleteFunc(required, func(n string) bool { return !slices.Contains(more, n) })
		}
	}
	out["properties"] = properties
	if required = append(stringsOf(out["required"]), required...); len(required) > 0 {
		slices.Sort(required)
		out["required"] = slices.Compact(required)
	}
}

// ways says what each of several objects requires beyond what all do, such as "path; url, depth"; "" when they do not
// differ, or one requires nothing.
func ways(objects []map[string]any, common []string) string {
	var out []string
	for _, o := range objects {
		more := slices.DeleteFunc(stringsOf(o["required"]), func(n string) bool { return slices.Contains(common, n) })
		if len(more) == 0 {
			return ""
		}
		out = append(out, strings.Join(more, ", "))
	}
	if len(slices.Compact(slices.Sorted(slices.Values(out)))) < 2 {
		return ""
	}
	return strings.Join(out, "; ")
}

// either returns a schema for what satisfies one of two. nil stands for none yet.
func either(a, b any) any {
	if a == nil || reflect.DeepEqual(a, b) {
		return b
	}
	if one, ok := a.(map[string]any); ok && len(one) == 1 && one["anyOf"] != nil {
		list, _ := one["anyOf"].([]any)
		if slices.ContainsFunc(list, func(known any) bool { return reflect.DeepEqual(known, b) }) {
			return a
		}
		return map[string]any{"anyOf": append(slices.Clone(list), b)}
	}
	return map[string]any{"anyOf": []any{a, b}}
}

// resolve returns the schema that a reference within the root's own definitions leads to.
func (f *flattener) resolve(ref string) (map[string]any, bool) {
	at := f.root
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return at, ref == "#"
	}
	for _, name := range strings.Split(path, "/") {
		at, ok = at[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
		if !ok {
			return nil, false
		}
	}
	return at, true
}

// stringsOf returns a copy of the strings of a list; nil for anything else.
func stringsOf(v any) (out []string) {
	if list, ok := v.([]string); ok {
		return slices.Clone(list)
	}
	list, _ := v.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
