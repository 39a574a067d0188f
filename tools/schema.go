package tools

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/tools/answer"
)

// Input schemas are built from the argument struct: names from the json tags, and from the tags default, min, max and
// enum what else is known. They are flat objects without anyOf or null unions, which some model providers refuse.

// inputSchema returns the schema of a tool's arguments.
func inputSchema[In any](w toolDocs) *jsonschema.Schema {
	s := objectSchema(reflect.TypeFor[In](), func(name string) string { return w.arguments[name] })
	// A description of an argument that was renamed would silently be lost.
	for name := range w.arguments {
		answer.Mustf(s.Properties[name] != nil, "%s: a section for %q, which is no argument", w.title, name)
	}
	return s
}

// objectSchema returns the schema of a struct of arguments: those of a tool, or of an item of a list
// among them.
func objectSchema(t reflect.Type, description func(name string) string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: never()}
	eachField(t, func(f reflect.StructField, name string) {
		p := argumentSchema(f)
		// From the tool's .md: the words that models read are no string in code.
		p.Description = description(name)
		s.Properties[name] = p
		s.PropertyOrder = append(s.PropertyOrder, name)
		if f.Tag.Get("required") == "true" {
			s.Required = append(s.Required, name)
		}
	})
	return s
}

// never returns the schema that nothing matches: as AdditionalProperties it forbids further arguments.
func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// eachField visits the fields of a struct in order, those of embedded structs in their place.
func eachField(t reflect.Type, visit func(f reflect.StructField, name string)) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			eachField(f.Type, visit)
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			visit(f, name)
		}
	}
}

// argumentSchema returns the schema of one argument. A pointer, which is nil when the argument is not
// given, has the schema of what it points to. A type that is not known here is a defect of lspi and
// panics when the tool is defined.
func argumentSchema(f reflect.StructField) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[map[string]json.RawMessage]():
		s.Type = "object"
		return s
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		s.Type, s.Items = "array", objectSchema(t.Elem(), func(string) string { return "" })
		return s
	}
	switch t.Kind() {
	case reflect.String:
		s.Type = "string"
	case reflect.Int:
		s.Type = "integer"
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Slice:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
	case reflect.Map:
		s.Type, s.AdditionalProperties = "object", &jsonschema.Schema{Type: "string"}
	default:
		answer.Mustf(false, "argument %s has a type that schemas do not know: %v", f.Name, f.Type)
	}
	// The values of an enumeration belong to the items of a list, not to the list.
	into := s
	if s.Items != nil {
		into = s.Items
	}
	for _, v := range strings.FieldsFunc(f.Tag.Get("enum"), func(r rune) bool { return r == ',' }) {
		into.Enum = append(into.Enum, v)
	}
	s.Minimum, s.Maximum = number(f, "min"), number(f, "max")
	if d, ok := f.Tag.Lookup("default"); ok {
		s.Default = defaultJSON(s.Type, d)
	}
	return s
}

// number reads the bound in a tag; nil without one.
func number(f reflect.StructField, tag string) *float64 {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	answer.Mustf(err == nil, "tag %s of %s: %v", tag, f.Name, err)
	return &n
}

// defaultJSON returns a default as JSON.
func defaultJSON(kind, text string) json.RawMessage {
	if kind == "string" {
		return json.RawMessage(strconv.Quote(text))
	}
	return json.RawMessage(text)
}

// inputAsListed returns the schema of a tool's arguments as hosts see it.
func inputAsListed(s *jsonschema.Schema, t *answer.Tool) json.RawMessage {
	return encoded(advertised(s, unlistedOf(t)...))
}

// encoded returns a schema of lspi's own, which always can be encoded.
func encoded(s *jsonschema.Schema) json.RawMessage {
	raw, err := contract.Marshal(s)
	answer.Mustf(err == nil, "a schema: %v", err)
	return raw
}

// advertised returns an input schema as hosts see it. What every model assumes is left out, since a
// host pays for the list in every conversation: bounds (a limit above the largest is taken as the
// largest), zero as a default, the type of an enumeration, that there are no other arguments, and
// the arguments in unlisted. The whole schema is enforced all the same.
func advertised(s *jsonschema.Schema, unlisted ...string) *jsonschema.Schema {
	out := *s
	out.Properties, out.AdditionalProperties = map[string]*jsonschema.Schema{}, nil
	for name, p := range s.Properties {
		if slices.Contains(unlisted, name) {
			continue
		}
		short := *p
		short.Minimum, short.Maximum = nil, nil
		if d := string(p.Default); d == "0" || d == "false" {
			short.Default = nil
		}
		if len(p.Enum) > 0 {
			short.Type = ""
		}
		switch {
		case p.Items == nil:
		case p.Items.Properties != nil:
			short.Items = advertised(p.Items)
		case len(p.Items.Enum) > 0:
			short.Items = &jsonschema.Schema{Enum: p.Items.Enum}
		}
		out.Properties[name] = &short
	}
	return &out
}

// rarelyNeeded are the arguments that few calls need, of all tools: a cap on the size of an answer and the kind of a
// symbol beside its name. Of some tools they are others, by the name of the tool: what is in most answers, or shown
// otherwise.
var rarelyNeeded = map[string][]string{
	"":                         {"max_total_chars", "symbol_kind"},
	"find_definition":          {"include_snippet", "snippet_context_lines"}, // include_body shows more
	"find_implementations":     {"include_snippet"},
	"call_hierarchy":           {"max_breadth"},
	"type_hierarchy":           {"max_breadth", "include_snippet"},
	"get_document_symbols":     {"package"}, // file_path takes its name, too
	"hover":                    {"include_snippet"},
	"find_references":          {"scope"}, // told where the configuration names a search engine
	"search_workspace_symbols": {"server_id", "scope"},
	"symbol_bundle": {"include_snippet", "include_generated", "call_max_breadth", "match", "index",
		"implementations_limit", "references_limit"},
}

// unlistedOf returns the arguments of a tool that [advertised] leaves out: those of rarelyNeeded, the choice of a
// server, and what an edit can say instead of a preview_id. Errors about arguments, and their steps, tell of them;
// lspi call TOOL --help lists all.
func unlistedOf(t *answer.Tool) []string {
	out := slices.Concat(rarelyNeeded[""], rarelyNeeded[t.Name])
	if t.PicksServer {
		out = append(out, "server_id")
	}
	if t.Class == answer.Write || t.Class == answer.DryRun {
		out = append(out, "expected_before_sha256", "backup_suffix")
	}
	return out
}
