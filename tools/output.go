package tools

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/tools/answer"
)

// Output schemas admit the error form, because clients validate results with them: nothing beyond the envelope's head
// is required. They are built from the answer struct; the tag pattern states the form of strings, schema:"object"
// leaves the fields of an object unsaid, and schema:"-" the field itself, which no schema forbids. Hosts get less of
// them ([advertisedOutput]).

// envelopeFields returns the fields that every answer has, in the shortest schemas that are true.
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

// outputSchema returns the schema of a tool's structuredContent.
func outputSchema[Out any](asks bool) *jsonschema.Schema {
	names, fields := envelopeFields(asks)
	s := &jsonschema.Schema{Type: "object", Required: []string{"ok"}, Properties: fields, PropertyOrder: names}
	// The tool's own fields come behind those of the envelope, as in the answer.
	own := outputShape{}.of(reflect.TypeFor[Out]())
	for _, name := range own.PropertyOrder {
		s.Properties[name] = own.Properties[name]
		s.PropertyOrder = append(s.PropertyOrder, name)
	}
	return s
}

// OwnFields describes the tool's own fields of an answer for documentation, also those that the output
// schema leaves out.
func OwnFields(t *answer.Tool) *jsonschema.Schema { return outputShape{all: true}.of(t.Out) }

// outputShape makes the schema of a type of an answer. A type inside of itself (calls of calls) is
// described once.
type outputShape struct {
	all  bool // also what the tag schema leaves out
	seen map[reflect.Type]bool
}

// of returns the schema of a type. A kind that is not known here allows anything: a schema that is too
// narrow makes clients refuse right answers.
func (d outputShape) of(t reflect.Type) *jsonschema.Schema {
	if t == reflect.TypeFor[json.RawMessage]() {
		return &jsonschema.Schema{} // anything
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.of(t.Elem())
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: d.of(t.Elem())}
	case reflect.Struct:
		return d.structure(t)
	case reflect.Map:
		return &jsonschema.Schema{Type: "object"}
	}
	return &jsonschema.Schema{}
}

// structure returns the schema of a struct, with its fields in their order: some hosts make a type of
// it that the model reads from the top.
func (d outputShape) structure(t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object"}
	if d.seen[t] {
		return s
	}
	// A copy for each way down: a type beside itself is described again, a type inside itself is not.
	d.seen = maps.Clone(d.seen)
	if d.seen == nil {
		d.seen = map[reflect.Type]bool{}
	}
	d.seen[t] = true
	s.Properties = map[string]*jsonschema.Schema{}
	eachField(t, func(f reflect.StructField, name string) {
		if f.Tag.Get("schema") == "-" && !d.all {
			return
		}
		p := d.of(f.Type)
		if f.Tag.Get("schema") == "object" && !d.all {
			p = unsaid(p)
		}
		if nullable := f.Tag.Get("nullable"); nullable == "true" {
			p = &jsonschema.Schema{Types: []string{p.Type, "null"}, Properties: p.Properties,
				PropertyOrder: p.PropertyOrder}
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

// unsaid returns the schema of an object, or of a list of them, without their fields.
func unsaid(p *jsonschema.Schema) *jsonschema.Schema {
	if p.Items != nil {
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object"}}
	}
	return &jsonschema.Schema{Type: "object"}
}

// advertisedOutput returns an output schema as hosts see it, whose list every conversation pays for: the names of the
// members, also of those in lists, which is what a model needs that writes code with them; of the values only whether
// they are lists or objects, and those of an enumeration. It allows all that the whole schema allows.
func advertisedOutput(s *jsonschema.Schema) json.RawMessage {
	out := &jsonschema.Schema{Type: "object", Required: s.Required, Properties: namesOf(s.Properties),
		PropertyOrder: s.PropertyOrder}
	raw := encoded(out)
	// The SDK of MCP for TypeScript takes only objects as schemas of members; jsonschema-go writes an empty one as true.
	return bytes.ReplaceAll(raw, []byte(":true"), []byte(":{}"))
}

// namesOf returns what is advertised of members.
func namesOf(members map[string]*jsonschema.Schema) map[string]*jsonschema.Schema {
	out := map[string]*jsonschema.Schema{}
	for name, p := range members {
		short := &jsonschema.Schema{Enum: p.Enum}
		if p.Type == "object" || p.Type == "array" {
			short.Type = p.Type
		}
		if p.Items != nil && len(p.Items.Properties) > 0 {
			short.Items = &jsonschema.Schema{Properties: namesOf(p.Items.Properties),
				PropertyOrder: p.Items.PropertyOrder}
		}
		out[name] = short
	}
	return out
}
