package answer

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
)

// Models write a place as answers show it (main.go:5:7), numbers, booleans and lists as strings, kinds in any case, and
// limits beyond the largest one. Where such a value has one meaning, the call is rewritten before anything else reads
// its arguments, so that the envelope and the steps repeat what lspi took. The check against the schema comes after and
// stays strict.

// argumentReader rewrites the arguments of one call.
type argumentReader struct {
	c    *Call
	read []string // the arguments that were not as the schema has them
	said []string // what lspi took for them
	err  error    // the first argument that contradicts another one

	limits map[string]int // the limits that were out of their range, as lspi took them
}

// ReadArguments rewrites the arguments of a call to those that it means, and warns of what may be meant otherwise. A
// contradiction becomes the fault of the call.
func ReadArguments(c *Call) {
	tool, unknown := c.Tools.Lookup(c.Request.Tool)
	given, err := Object(c.Request.Arguments)
	if unknown != nil || err != nil || len(given) == 0 {
		return
	}
	c.Tool = tool // the steps after a contradiction repeat the call
	r := argumentReader{c: c, limits: map[string]int{}}
	meant := r.fields("", tool.Input, given)
	switch raw, err := contract.Marshal(meant); {
	case r.err != nil && c.Request.Fault == nil:
		c.Request.Fault = r.err
		return
	case err == nil && !maps.EqualFunc(meant, given, slices.Equal):
		c.Request.Arguments = raw
	}
	if len(r.said) > 0 {
		c.Warn(contract.WarnArgumentForm, contract.Facts{"arguments": r.read[:min(len(r.read), 10)]},
			CutText(strings.Join(r.said, "; "), MaxFact))
	}
	for _, name := range slices.Sorted(maps.Keys(r.limits)) {
		c.Warn(contract.WarnClamped, contract.Facts{"argument": name, "limit": r.limits[name]},
			fmt.Sprintf("%s is out of its range; lspi took %d, the nearest that is allowed", name, r.limits[name]))
	}
}

// fields returns the fields of an object as they are meant; prefix is what their names begin with in warnings and
// errors.
func (r *argumentReader) fields(prefix string, s *jsonschema.Schema,
	given map[string]json.RawMessage) map[string]json.RawMessage {
	meant := maps.Clone(given)
	for also, name := range otherNames {
		if s.Properties[also] == nil && s.Properties[name] != nil && has(meant[also]) && !has(meant[name]) {
			meant[name] = meant[also]
			delete(meant, also)
			r.say(prefix+also, "lspi took %s as %s", prefix+also, prefix+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(meant)) {
		if p := s.Properties[name]; p != nil {
			meant[name] = r.value(prefix+name, asKind(name, p), meant[name])
		}
	}
	if s.Properties["file_path"] != nil {
		r.place(prefix, s, meant)
	}
	return meant
}

// otherNames are names by which other servers call an argument, where a tool has no argument of that name.
var otherNames = map[string]string{"kind": "symbol_kind"}

// asKind returns the schema of an argument that takes kinds of symbols with these as its values; any other schema as it
// is. Hosts are not shown the values: they are many, and every model knows them.
func asKind(name string, s *jsonschema.Schema) *jsonschema.Schema {
	if name != "symbol_kind" && name != "kinds" { // those of code actions have none of the names
		return s
	}
	with := *s
	if s.Items != nil {
		with.Items = &jsonschema.Schema{Type: "string", Enum: symbolKinds}
	} else {
		with.Enum = symbolKinds
	}
	return &with
}

// symbolKinds are the kinds of symbols as values of a schema.
var symbolKinds = func() (out []any) {
	for _, kind := range lsp.SymbolKinds() {
		out = append(out, string(kind))
	}
	return out
}()

// value returns a value as it is meant.
func (r *argumentReader) value(at string, s *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	var text string
	if s.Type != "string" && json.Unmarshal(raw, &text) == nil && string(raw) != "null" {
		if taken := unquoted(s, text); taken != nil {
			r.say(at, "%s is a string; lspi took it as %s", at, JSONKind(taken))
			raw = taken
		}
	}
	if s.Type == "integer" {
		return r.limit(at, s, raw)
	}
	if len(s.Enum) > 0 {
		return named(s, raw)
	}
	var items []json.RawMessage
	if s.Items == nil || json.Unmarshal(raw, &items) != nil {
		return raw
	}
	given := slices.Clone(items)
	for i, item := range items {
		items[i] = r.item(fmt.Sprintf("%s[%d]", at, i), at == "file_paths", s.Items, item)
	}
	if out, err := contract.Marshal(items); err == nil && !slices.EqualFunc(items, given, slices.Equal) {
		return out
	}
	return raw // as it was written
}

// item returns an item of a list as it is meant; isPath says that it is the path of a file.
func (r *argumentReader) item(at string, isPath bool, s *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	var path string
	switch {
	case len(s.Enum) > 0:
		raw = named(s, raw)
	case s.Type == "object" && json.Unmarshal(raw, &fields) == nil && fields != nil:
		if meant := r.fields(at+".", s, fields); !maps.EqualFunc(meant, fields, slices.Equal) {
			raw, _ = contract.Marshal(meant) // of what was just read
		}
	case isPath && json.Unmarshal(raw, &path) == nil:
		if file, line, _, found := r.split(path); found {
			r.say(at, fileAlone, at, line)
			raw, _ = contract.Marshal(file) // of a string
		}
	}
	return raw
}

// limit returns a limit as the nearest one that the schema allows. Only an argument with a largest value, or with a
// smallest one above 1, is a limit. What is not above 0 stays, and is refused: nobody can tell whether it means none or
// all.
func (r *argumentReader) limit(at string, s *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	var given float64
	if json.Unmarshal(raw, &given) != nil || given < 1 {
		return raw
	}
	nearest := given
	if s.Maximum != nil {
		nearest = min(nearest, *s.Maximum)
	}
	if s.Minimum != nil && *s.Minimum > 1 {
		nearest = max(nearest, *s.Minimum)
	}
	if nearest == given {
		return raw
	}
	r.limits[at] = int(nearest)
	return strconv.AppendInt(nil, int64(nearest), 10)
}

// named returns the value of an enumeration that a text means: the one with its letters, whatever their case and what
// separates words (TypeParameter is type_parameter). raw itself where there is none.
func named(s *jsonschema.Schema, raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil || slices.Contains(s.Enum, any(text)) {
		return raw
	}
	for _, value := range s.Enum {
		if name, ok := value.(string); ok && letters(name) == letters(text) {
			out, _ := contract.Marshal(name) // of a string
			return out
		}
	}
	return raw
}

// letters returns a name in lower case without what separates its words.
func letters(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// fileAlone says of an argument that its line is not used.
const fileAlone = "lspi took %s as the file alone, without line %d"

// unquoted returns the value of another type that a string holds; nil where it holds none, or may mean several. A
// string in place of a list of strings is its one item, unless a comma in it may separate items.
func unquoted(s *jsonschema.Schema, text string) json.RawMessage {
	raw := json.RawMessage(strings.TrimSpace(text))
	var list []string
	var fields map[string]json.RawMessage
	switch s.Type {
	case "integer":
		if json.Unmarshal(raw, new(float64)) == nil && string(raw) != "null" {
			return raw
		}
	case "boolean":
		if lower := strings.ToLower(string(raw)); lower == "true" || lower == "false" { // True and False of Python
			return json.RawMessage(lower)
		}
	case "object":
		if json.Unmarshal(raw, &fields) == nil && fields != nil {
			return raw
		}
	case "array":
		switch {
		case s.Items.Type != "string":
			if json.Unmarshal(raw, new([]json.RawMessage)) == nil && string(raw) != "null" {
				return raw
			}
			return nil
		case json.Unmarshal(raw, &list) == nil && list != nil:
			return raw
		case len(s.Items.Enum) > 0: // whose values have no commas
			for item := range strings.SplitSeq(text, ",") {
				list = append(list, strings.TrimSpace(item))
			}
		case len(raw) > 0 && !strings.ContainsAny(text, ",;\n"):
			list = []string{text}
		default:
			return nil
		}
		out, _ := contract.Marshal(list) // of strings
		return out
	}
	return nil
}

// lined matches a path with a line, and a column: main.go:5, main.go:5:7 as compilers write it, main.go#L5.
var lined = source.LazyRegexp(`^(.+?)(?::(\d+)(?::(\d+))?:?|#L(\d+)(?:C(\d+))?)$`)

// split returns the file that a path with a line names, with the line and the column, 0 for none; found is false for a
// plain path. A file that has the whole text as its name is that file.
func (r *argumentReader) split(given string) (file string, line, character int, found bool) {
	m := lined.FindStringSubmatch(given)
	if m == nil {
		return given, 0, 0, false
	}
	if _, err := os.Lstat(r.c.AbsolutePath(given)); err == nil {
		return given, 0, 0, false
	}
	line, _ = strconv.Atoi(m[2] + m[4])
	character, _ = strconv.Atoi(m[3] + m[5])
	return m[1], line, character, true
}

// place moves the line and the column in file_path to the arguments for them. An edit that names its place by old_text
// has none, and one that gives neither is not taken for one of the whole file: its range is missing.
func (r *argumentReader) place(prefix string, s *jsonschema.Schema, meant map[string]json.RawMessage) {
	var given string
	if json.Unmarshal(meant["file_path"], &given) != nil {
		return
	}
	file, line, character, found := r.split(given)
	if !found {
		return
	}
	meant["file_path"], _ = contract.Marshal(file) // of a string
	if s.Properties["line"] == nil || has(meant["old_text"]) || has(meant["symbols"]) {
		r.say(prefix+"file_path", fileAlone, prefix+"file_path", line)
		return
	}
	r.number(prefix, meant, "line", line)
	if character > 0 {
		r.number(prefix, meant, "character", character)
	}
}

// number sets an argument to a number in file_path, unless it is given as another one.
func (r *argumentReader) number(prefix string, meant map[string]json.RawMessage, name string, value int) {
	var other float64
	was := meant[name]
	switch {
	case !has(was):
		meant[name] = strconv.AppendInt(nil, int64(value), 10)
	case r.err == nil && (json.Unmarshal(was, &other) != nil || other != float64(value)):
		r.err = Invalid(prefix+name, "is %s, and %sfile_path names %d; give one of the two",
			CutText(string(was), 40), prefix, value)
		if prefix == "" {
			for _, v := range []json.RawMessage{was, strconv.AppendInt(nil, int64(value), 10)} {
				r.c.Step(r.c.Repeat(fmt.Sprintf("Take %s as %s.", v, name),
					map[string]any{"file_path": meant["file_path"], name: v}))
			}
		}
	}
}

// has reports whether an argument is given.
func has(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// say adds to the warning what lspi took an argument for.
func (r *argumentReader) say(at, format string, args ...any) {
	r.read, r.said = append(r.read, at), append(r.said, fmt.Sprintf(format, args...))
}
