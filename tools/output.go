package tools

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Output schemas are terse, because some hosts show them to the model as types, and admit the error form, because
// clients validate results with them: nothing beyond the envelope's head is required. They are built from the answer
// struct; the tag pattern states the form of strings, schema:"object" leaves the fields of an object unsaid, and
// schema:"-" the field itself, which no schema forbids.

// envelopeFields are the fields that every answer has, in the shortest true form.
func envelopeFields(asks bool) (names []string, fields map[string]*jsonschema.Schema) {
	object := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }
	fields = map[string]*jsonschema.Schema{
		"ok":         {Type: "boolean"},
		"truncated":  {Type: "boolean"},
		"warnings":   {Type: "array", Items: object()},
		"next_steps": {Type: "array", Items: object()},
		"error":      object(),
	}
	names = []string{"ok", "truncated", "warnings", "next_steps", "error"}
	if asks {
		fields["completeness"] = &jsonschema.Schema{Enum: []any{"complete", "partial", "unknown"}}
		names = append(names, "completeness")
	}
	return names, fields
}

// outputSchema is the schema of a tool's structuredContent.
func outputSchema[Out any](asks bool) *jsonschema.Schema {
	names, fields := envelopeFields(asks)
	s := &jsonschema.Schema{Type: "object", Required: []string{"ok"}, Properties: fields, PropertyOrder: names}
	own := typeSchema(reflect.TypeFor[Out](), map[reflect.Type]bool{})
	for _, name := range own.PropertyOrder {
		s.Properties[name] = own.Properties[name]
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return s
}

// OwnFields are the tool's own fields of an answer, without those of the envelope; for documentation.
func (t *Tool) OwnFields() *jsonschema.Schema {
	names, _ := envelopeFields(t.asks)
	own := &jsonschema.Schema{Type: "object", Properties: t.Output.Properties}
	for _, name := range t.Output.PropertyOrder {
		if !slices.Contains(names, name) {
			own.PropertyOrder = append(own.PropertyOrder, name)
		}
	}
	return own
}

// typeSchema describes a type of an answer. A type inside itself (calls of calls) is described once.
func typeSchema(t reflect.Type, seen map[reflect.Type]bool) *jsonschema.Schema {
	if t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{} // anything
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), seen)
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: typeSchema(t.Elem(), seen)}
	case reflect.Struct:
		return structSchema(t, seen)
	case reflect.Map:
		return &jsonschema.Schema{Type: "object"}
	}
	return &jsonschema.Schema{}
}

func structSchema(t reflect.Type, seen map[reflect.Type]bool) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object"}
	if seen[t] {
		return s
	}
	seen[t] = true
	defer delete(seen, t)
	s.Properties = map[string]*jsonschema.Schema{}
	eachField(t, func(f reflect.StructField, name string) {
		if f.Tag.Get("schema") == "-" {
			return
		}
		p := typeSchema(f.Type, seen)
		if f.Tag.Get("schema") == "object" {
			p = unsaid(p)
		}
		if nullable := f.Tag.Get("nullable"); nullable == "true" {
			p = &jsonschema.Schema{Types: []string{p.Type, "null"}, Properties: p.Properties, PropertyOrder: p.PropertyOrder}
		}
		if pattern := f.Tag.Get("pattern"); pattern != "" {
			into := p
			if p.Items != nil {
				into = p.Items
			}
			into.Pattern = pattern
		}
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
	})
	return s
}

// unsaid is the schema of an object, or of a list of them, without their fields.
func unsaid(p *jsonschema.Schema) *jsonschema.Schema {
	if p.Items != nil {
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object"}}
	}
	return &jsonschema.Schema{Type: "object"}
}
