package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lspi/tools/session"
)

// Named is an item of a list of a server, as hosts can take it.
type Named[T any] struct {
	// what the server calls it: the name of a tool or prompt, the URI of a resource, the template
	Name    string
	Exposed string          // of tools and prompts only: what hosts call it, behind the prefix
	Raw     json.RawMessage // as sent
	Item    *T              // decoded; the schemas of a tool are json.RawMessage, as they were sent
}

// names gives out exposed names, each once. Names that need no change go first: a changed one never takes the place
// of a real one.
type names struct {
	id    string          // of the server
	plain map[string]bool // names of the list that are exposed as they are
	taken map[string]string
}

func newNames(id string, raw []json.RawMessage) *names {
	n := &names{id: id, plain: map[string]bool{}, taken: map[string]string{}}
	for _, r := range raw {
		if name := nameOf(r, "name"); session.Exposed(id, name) == name {
			n.plain[name] = true
		}
	}
	return n
}

// give returns the exposed name, or why there is none.
func (n *names) give(name string) (string, error) {
	shown := session.Exposed(n.id, name)
	if other, ok := n.taken[shown]; ok || shown != name && n.plain[shown] {
		if other == "" {
			other = shown
		}
		if other == name {
			return "", errors.New("it is listed twice")
		}
		return "", fmt.Errorf("its name becomes %q, as that of %q does", shown, cut(other, maxTitle))
	}
	n.taken[shown] = name
	return shown, nil
}

// maxTitle bounds a server's name for something in a warning, in bytes.
const maxTitle = 100

// nameOf returns the member of an item that says what the server calls it; "" when there is none.
func nameOf(raw json.RawMessage, member string) (name string) {
	var o map[string]json.RawMessage
	_ = json.Unmarshal(raw, &o)
	_ = json.Unmarshal(o[member], &name)
	return name
}

// toolsOf returns the tools of a list that hosts can take, and a warning for each that is left out or gets another
// name. id is that of the server.
func toolsOf(raw []json.RawMessage, id string) ([]Named[mcp.Tool], []string) {
	judge := mcp.NewServer(&mcp.Implementation{Name: "judge"}, nil)
	reshaped := map[string]bool{} // by the server's name
	items, warnings := itemsOf("tool", "name", raw, newNames(id, raw).give, func(raw json.RawMessage, t *mcp.Tool) error {
		var schemas struct{ InputSchema, OutputSchema json.RawMessage }
		if err := json.Unmarshal(raw, &schemas); err != nil {
			return err
		}
		if t.InputSchema = nil; schemas.InputSchema != nil {
			schema, another, err := inputSchema(schemas.InputSchema)
			if err != nil {
				return err
			}
			if t.InputSchema = schema; another {
				reshaped[t.Name] = true
			}
		}
		if t.OutputSchema = nil; schemas.OutputSchema != nil {
			schema, err := outputSchema(schemas.OutputSchema)
			if err != nil {
				return err
			}
			t.OutputSchema = schema
		}
		under := *t
		under.Name = "tool" // names are judged by names
		return panics(func() { judge.AddTool(&under, nil) })
	})
	for _, item := range items {
		if reshaped[item.Name] {
			warnings = append(warnings, fmt.Sprintf("tool %q is listed with another input schema: hosts take that of an "+
				"object, without anyOf, oneOf and the like at its root", cut(item.Name, maxTitle)))
		}
	}
	return items, warnings
}

// promptsOf returns the prompts of a list, by the rules of names that tools have.
func promptsOf(raw []json.RawMessage, id string) ([]Named[mcp.Prompt], []string) {
	return itemsOf("prompt", "name", raw, newNames(id, raw).give, func(json.RawMessage, *mcp.Prompt) error {
		return nil
	})
}

// resourcesOf returns the resources of a list that hosts can take: they have a URI, each its own.
func resourcesOf(raw []json.RawMessage) ([]Named[mcp.Resource], []string) {
	return itemsOf("resource", "uri", raw, once(), func(_ json.RawMessage, r *mcp.Resource) error {
		// A server of its own: a panic leaves it locked (go-sdk 1.8.0, Server.AddResource).
		return panics(func() { mcp.NewServer(&mcp.Implementation{Name: "judge"}, nil).AddResource(r, nil) })
	})
}

// templatesOf returns the resource templates of a list that hosts can take.
func templatesOf(raw []json.RawMessage) ([]Named[mcp.ResourceTemplate], []string) {
	return itemsOf("resource template", "uriTemplate", raw, once(),
		func(_ json.RawMessage, t *mcp.ResourceTemplate) error {
			return panics(func() { mcp.NewServer(&mcp.Implementation{Name: "judge"}, nil).AddResourceTemplate(t, nil) })
		})
}

// once returns a function for what has no exposed name, which refuses a name that it has met before.
func once() func(name string) (string, error) {
	seen := map[string]bool{}
	return func(name string) (string, error) {
		if seen[name] {
			return "", errors.New("it is listed twice")
		}
		seen[name] = true
		return "", nil
	}
}

// itemsOf returns the items of a list that hosts can take. member names the member that identifies an item; check
// returns why hosts cannot take a decoded one: lspi's own server, which lists it, is one of the SDK, and panics for
// some.
func itemsOf[T any](title, member string, raw []json.RawMessage, give func(name string) (string, error),
	check func(json.RawMessage, *T) error) (items []Named[T], warnings []string) {
	for i, r := range raw {
		item := Named[T]{Name: nameOf(r, member), Raw: r, Item: new(T)}
		err := json.Unmarshal(r, item.Item)
		switch {
		case err != nil:
			err = fmt.Errorf("it does not decode: %w", err)
		case item.Name == "":
			err = fmt.Errorf("it has no %s", member)
		default:
			err = check(r, item.Item)
		}
		if err == nil {
			item.Exposed, err = give(item.Name)
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s %q (number %d) is left out: %v", title,
				cut(item.Name, maxTitle), i+1, err))
			continue
		}
		if item.Exposed != "" && item.Exposed != item.Name {
			warnings = append(warnings,
				fmt.Sprintf("%s %q is listed as %q: hosts take 64 characters of a-z, A-Z, 0-9, _ and -, their own prefix included", title,
					cut(item.Name, maxTitle), item.Exposed))
		}
		items = append(items, item)
	}
	return items, warnings
}

// panics returns what f panics with as an error; nil when it does not panic.
func panics(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New(strings.TrimPrefix(fmt.Sprint(p), `AddTool "tool": `))
		}
	}()
	f()
	return nil
}
