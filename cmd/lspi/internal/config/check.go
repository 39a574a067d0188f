package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// checker compares the decoded values of one file with the table of keys. What is wrong becomes a finding and is
// taken out, so that the rest can be used. It works on decoded tables and not on a struct, because the decoder
// stops at the first wrong type, matches keys without case, and reports everything below a free table as unknown
// (BurntSushi/toml 1.6.0).
type checker struct {
	*layer
	catalogue []spec.Spec
	tools     []string
	arguments func(tool, argument string, value any) error // Options.CheckDefault
}

// run leaves in the layer what is right.
func (c *checker) run() { c.table("", "", c.values) }

// table checks one table: path is where it stands, schema what it is called in the table of keys.
func (c *checker) table(path, schema string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, ok := c.value(join(path, name), below(schema, name), name, values[name])
		if ok {
			values[name] = value
		} else {
			delete(values, name)
		}
	}
}

// below is what a name in a table is called in the table of keys.
func below(schema, name string) string {
	if named := schema + "." + anyName; byName[named] != nil || sections[named] {
		return named
	}
	return strings.TrimPrefix(schema+"."+name, ".")
}

// value checks what stands under one key and reports whether it may stay.
func (c *checker) value(path, schema, name string, value any) (any, bool) {
	k := byName[schema]
	switch {
	case k != nil && bare(name):
		return k.holds.check(c, place{path, name}, value)
	// any name is a key there, so that this one is not unknown
	case strings.HasSuffix(schema, "."+anyName) && sections[schema] && !bare(name):
		c.isName(path, name)
		return nil, false
	case strings.HasSuffix(schema, "."+anyName) && k != nil && !bare(name):
		c.wrong(FindingBadValue, path,
			"a tool is written as it is listed, that of another MCP server as ID__tool, not %s", quoted(name))
		return nil, false
	case !sections[schema] || !bare(name):
		c.unknown(path, schema, name)
		return nil, false
	case schema == "servers":
		c.readServers(path, value)
		return nil, false // they have their own place in the layer
	}
	sub, ok := value.(map[string]any)
	if !ok {
		c.wrong(FindingWrongType, path, "%q is a table: write [%s] on a line of its own", name,
			strings.ReplaceAll(schema, anyName, name))
		return nil, false
	}
	if strings.HasSuffix(schema, "."+anyName) && !c.isName(path, name) {
		return nil, false
	}
	c.table(path, schema, sub)
	return sub, true
}

// namePattern is what the name of a preset or an MCP server may look like: it begins the names of tools, which may
// have 64 characters.
var namePattern = source.LazyRegexp(`^[A-Za-z0-9][A-Za-z0-9-]*(_[A-Za-z0-9-]+)*$`)

const maxName = 32

func (c *checker) isName(path, name string) bool {
	if namePattern.MatchString(name) && len(name) <= maxName {
		return true
	}
	c.wrong(FindingBadValue, path, `a name must be letters, digits, "-" and single "_", at most %d, not %s`, maxName,
		quoted(name))
	return false
}

// unknown names the key that was most likely meant: a near one in the same table, else the same name in another table.
func (c *checker) unknown(path, schema, name string) {
	table := strings.TrimSuffix(strings.TrimSuffix(schema, name), ".")
	valid := keysIn(table)
	if near := nearest(name, valid); near != "" {
		c.findAt(SeverityError, FindingUnknownKey, path, fmt.Sprintf("write %s", near),
			"unknown key %s: did you mean %q?", quoted(name), near)
		return
	}
	if home := tableWith(name); home != "" {
		c.findAt(SeverityError, FindingUnknownKey, path, "put it "+home, "unknown key %s here: it belongs %s",
			quoted(name), home)
		return
	}
	c.wrong(FindingUnknownKey, path, "unknown key %s; valid here: %s", quoted(name), strings.Join(valid, ", "))
}

// readServers checks the [[servers]] and keeps those that can be used.
func (c *checker) readServers(path string, value any) {
	list, ok := tables(value)
	if !ok {
		c.wrong(FindingWrongType, path,
			`"servers" is an array of tables: write [[servers]] before the keys of each, with an id`)
		return
	}
	if len(list) > maxItems {
		c.wrong(FindingBadValue, path, "there are %d servers, the most is %d", len(list), maxItems)
		return
	}
	for i, values := range list {
		c.readServer(index(path, i), values)
	}
}

func (c *checker) readServer(path string, values map[string]any) {
	c.table(path, "servers[]", values)
	id, ok := values["id"].(string)
	if !ok {
		if !c.failed(join(path, "id")) {
			c.wrong(FindingMissingKey, path,
				`this server has no "id": name a server of the catalogue, such as "gopls", or choose a name`)
		}
		return
	}
	if first := c.server(id); first != nil {
		c.wrong(FindingDuplicateID, join(path, "id"), "the server id %s is used twice; the first is on line %d",
			quoted(id), c.at.of(join(first.path, "id")).line)
		return
	}
	c.servers = append(c.servers, &serverTable{id: id, values: values, file: c.layer, path: path})
}

// tables is the list of tables in both forms that TOML has for it.
func tables(value any) ([]map[string]any, bool) {
	switch v := value.(type) {
	case []map[string]any:
		return v, true
	case []any:
		out := make([]map[string]any, len(v))
		for i := range v {
			t, ok := v[i].(map[string]any)
			if !ok {
				return nil, false
			}
			out[i] = t
		}
		return out, true
	}
	return nil, false
}

// wrong adds an error without a ready fix.
func (c *checker) wrong(kind FindingKind, path, format string, args ...any) {
	c.findAt(SeverityError, kind, path, "", format, args...)
}
