package repair

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Listed is one tool of a server, as hosts can take it.
type Listed struct {
	Name    string          // what the server calls it
	Exposed string          // what hosts call it, behind the prefix
	Raw     json.RawMessage // as sent, and mended where that was needed
	Tool    *mcp.Tool       // decoded, with both schemas as json.RawMessage
}

// maxName is the longest name that hosts pass on to their models, prefix included.
const maxName = 64

// strange are the characters that hosts refuse in the name of a tool.
var strange = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// Exposed is a server's name for something as hosts take it behind a prefix of so many characters: every character outside
// [a-zA-Z0-9_-] becomes "_", and what is longer than 64 with the prefix keeps its beginning and ends in 8 digits of its SHA-256, so that
// it stays the same over restarts. "" for no name at all.
func Exposed(name string, prefix int) string {
	clean := strange.ReplaceAllString(name, "_")
	if room := maxName - prefix; len(clean) > room {
		sum := sha256.Sum256([]byte(name))
		digest := hex.EncodeToString(sum[:4])
		clean = clean[:max(0, room-len(digest)-1)] + "_" + digest
	}
	return clean
}

// names gives out exposed names, each once. Names that need no change go first: a mended one never takes the place of a real one.
type names struct {
	prefix int
	plain  map[string]bool // names of the list that are exposed as they are
	taken  map[string]string
}

func newNames(prefix int, all []string) *names {
	n := &names{prefix: prefix, plain: map[string]bool{}, taken: map[string]string{}}
	for _, name := range all {
		if Exposed(name, prefix) == name {
			n.plain[name] = true
		}
	}
	return n
}

// give is the exposed name, or why there is none.
func (n *names) give(name string) (string, error) {
	exposed := Exposed(name, n.prefix)
	if name == "" {
		return "", fmt.Errorf("it has no name")
	}
	if other, ok := n.taken[exposed]; ok || exposed != name && n.plain[exposed] {
		if other == "" {
			other = exposed
		}
		if other == name {
			return "", fmt.Errorf("it is listed twice")
		}
		return "", fmt.Errorf("its name becomes %q, as that of %q does", exposed, clip(other))
	}
	n.taken[exposed] = name
	return exposed, nil
}

// clip bounds a server's text in a warning.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}

// nameOf is the name of an item of a list; "" when it has none.
func nameOf(raw json.RawMessage) string {
	o, _ := parseObject(raw)
	name, _ := o.text("name")
	return name
}

func namesOf(raw []json.RawMessage) []string {
	out := make([]string, len(raw))
	for i, r := range raw {
		out[i] = nameOf(r)
	}
	return out
}

// Tools are the tools of a list that hosts can take, and a warning for each that is mended or left out. prefix is the length of what
// hosts see before the exposed name.
//
// A tool is left out when it has no usable name, or a schema of something else than an object. A schema that is missing, null or no object at
// all becomes that of any object; one without a type gets "object"; an output schema that is no schema of an object is dropped; optional
// members that do not decode are dropped.
func Tools(raw []json.RawMessage, prefix int) (tools []Listed, warnings []string) {
	unique := newNames(prefix, namesOf(raw))
	// The SDK's server panics on a tool that it does not take (go-sdk 1.8.0, Server.AddTool): whoever lists this tool must not.
	judge := mcp.NewServer(&mcp.Implementation{Name: "judge"}, nil)
	for i, r := range raw {
		name := nameOf(r)
		t, mends, err := tool(r)
		if err == nil {
			err = accepted(judge, t.Tool)
		}
		if err == nil {
			t.Exposed, err = unique.give(name)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("tool %q (number %d) is left out: %v", clip(name), i+1, err))
			continue
		}
		for _, m := range mends {
			warnings = append(warnings, fmt.Sprintf("tool %q: %s", clip(name), m))
		}
		if t.Exposed != name {
			warnings = append(warnings, fmt.Sprintf("tool %q is listed as %q: hosts take 64 characters of a-z, A-Z, 0-9, _ and -", clip(name), t.Exposed))
		}
		tools = append(tools, t)
	}
	return tools, warnings
}

// accepted is why the SDK's server does not take a tool.
func accepted(judge *mcp.Server, t *mcp.Tool) error {
	under := *t
	under.Name = "tool" // names are judged elsewhere
	return panics(func() { judge.AddTool(&under, nil) })
}

// panics is what f panics with.
func panics(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}

func tool(raw json.RawMessage) (t Listed, mends []string, err error) {
	o, err := parseObject(raw)
	if err != nil {
		return t, nil, fmt.Errorf("it is no object")
	}
	t.Name, _ = o.text("name")
	input, mend, err := inputSchema(o.get("inputSchema"))
	if err != nil {
		return t, nil, err
	}
	if mend != "" {
		o, mends = o.with("inputSchema", input), append(mends, mend)
	}
	output := o.get("outputSchema")
	if output != nil && !ofObject(output) {
		o, output, mends = o.without("outputSchema"), nil, append(mends, "its output schema is none of an object and is left out")
	}
	t.Tool, o, mends, err = decodeTolerant[mcp.Tool](o, mends, "annotations", "_meta", "icons", "title", "description")
	if err != nil {
		return t, nil, err
	}
	t.Tool.InputSchema = input
	if output != nil {
		t.Tool.OutputSchema = output
	}
	t.Raw = raw
	if mends != nil {
		t.Raw = o.encode()
	}
	return t, mends, nil
}

// decodeTolerant decodes an item of a list, without those of its optional members that do not decode.
func decodeTolerant[T any](o object, mends []string, optional ...string) (*T, object, []string, error) {
	v := new(T)
	err := json.Unmarshal(o.encode(), v)
	if err == nil {
		return v, o, mends, nil
	}
	for _, name := range optional {
		bare := o
		for _, other := range optional {
			if other != name {
				bare = bare.without(other)
			}
		}
		if o.get(name) != nil && json.Unmarshal(bare.encode(), new(T)) != nil {
			o, mends = o.without(name), append(mends, "its "+name+" does not decode and is left out")
		}
	}
	v = new(T)
	if err := json.Unmarshal(o.encode(), v); err != nil {
		return nil, o, nil, fmt.Errorf("it does not decode: %w", err)
	}
	return v, o, mends, nil
}

// anyObject is the schema of any object.
var anyObject = json.RawMessage(`{"type":"object"}`)

// inputSchema is a schema that hosts take, what was mended, or why there is none.
func inputSchema(raw json.RawMessage) (schema json.RawMessage, mend string, err error) {
	o, err := parseObject(raw)
	switch {
	case raw == nil:
		return anyObject, "it has no input schema; any object is taken", nil
	case err != nil:
		return anyObject, "its input schema is no object; any object is taken", nil
	case ofObject(raw):
		return raw, "", nil
	case o.get("type") == nil:
		return append(object{{"type", quote("object")}}, o.without("type")...).encode(), "its input schema has no type; it is that of an object", nil
	}
	return nil, "", fmt.Errorf("its input schema has the type %s, and arguments are an object", clip(string(o.get("type"))))
}

// ofObject says whether a schema is that of an object.
func ofObject(raw json.RawMessage) bool {
	o, err := parseObject(raw)
	t, _ := o.text("type")
	return err == nil && t == "object"
}

// Named is a prompt, a resource or a template of a server.
type Named[T any] struct {
	Name    string // what the server calls it: the name of a prompt, the URI of a resource, the template
	Exposed string // of prompts only: what hosts call it, behind the prefix
	Raw     json.RawMessage
	Item    *T
}

// Prompts are those of a list that hosts can take, by the rules of names that tools have.
func Prompts(raw []json.RawMessage, prefix int) (prompts []Named[mcp.Prompt], warnings []string) {
	unique := newNames(prefix, namesOf(raw))
	for i, r := range raw {
		p, err := named[mcp.Prompt](r, "name", "title", "description", "icons", "_meta", "arguments")
		if err == nil {
			p.Exposed, err = unique.give(p.Name)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("prompt %q (number %d) is left out: %v", clip(nameOf(r)), i+1, err))
			continue
		}
		prompts = append(prompts, p)
	}
	return prompts, warnings
}

// Resources are those of a list that hosts can take: they have a URI, each its own.
func Resources(raw []json.RawMessage) ([]Named[mcp.Resource], []string) {
	return byURI(raw, "resource", "uri", func(judge *mcp.Server, r *mcp.Resource) { judge.AddResource(r, nil) })
}

// Templates are those of a list that hosts can take.
func Templates(raw []json.RawMessage) ([]Named[mcp.ResourceTemplate], []string) {
	return byURI(raw, "resource template", "uriTemplate", func(judge *mcp.Server, t *mcp.ResourceTemplate) { judge.AddResourceTemplate(t, nil) })
}

func byURI[T any](raw []json.RawMessage, kind, key string, add func(*mcp.Server, *T)) (items []Named[T], warnings []string) {
	seen := map[string]bool{}
	for i, r := range raw {
		item, err := named[T](r, key, "title", "description", "icons", "_meta", "annotations", "size", "mimeType")
		if err == nil && seen[item.Name] {
			err = fmt.Errorf("it is listed twice")
		}
		if err == nil {
			// A server of its own: a panic leaves it locked (go-sdk 1.8.0, Server.AddResource).
			err = panics(func() { add(mcp.NewServer(&mcp.Implementation{Name: "judge"}, nil), item.Item) })
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s %q (number %d) is left out: %v", kind, clip(item.Name), i+1, err))
			continue
		}
		seen[item.Name] = true
		items = append(items, item)
	}
	return items, warnings
}

func named[T any](raw json.RawMessage, key string, optional ...string) (n Named[T], err error) {
	o, err := parseObject(raw)
	if err != nil {
		return n, fmt.Errorf("it is no object")
	}
	if n.Name, _ = o.text(key); n.Name == "" {
		return n, fmt.Errorf("it has no %s", key)
	}
	var mends []string
	n.Item, o, mends, err = decodeTolerant[T](o, nil, optional...)
	n.Raw = raw
	if mends != nil {
		n.Raw = o.encode()
	}
	return n, err
}
