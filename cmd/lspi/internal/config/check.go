package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/lsp"
)

// checker compares one file with the table of keys. It works on the decoded values and not on a struct, because the
// decoder stops at the first wrong type and matches keys without case. What is wrong becomes a finding and is taken out
// of the values, so that the rest can be used.
type checker struct {
	*layer
	catalogue []lsp.Spec
	tools     []string
}

func (c *checker) run() {
	c.table("", "", c.values)
}

// table checks one table: path is where it stands, schema what it is called in the key table.
func (c *checker) table(path, schema string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at, full := join(path, name), name
		if schema != "" {
			full = schema + "." + name
		}
		if !c.value(at, full, name, values) {
			delete(values, name)
		}
	}
}

// value checks what stands under one key and reports whether it may stay.
func (c *checker) value(path, schema, name string, values map[string]any) bool {
	if k := byName[schema]; k != nil && bare(name) {
		kept, ok := c.leaf(path, name, k, values[name])
		values[name] = kept
		return ok
	}
	if !sections[schema] || !bare(name) {
		c.unknown(path, schema, name)
		return false
	}
	if schema == "servers" {
		kept, ok := c.servers(path, values[name])
		values[name] = kept
		return ok
	}
	sub, ok := values[name].(map[string]any)
	if !ok {
		c.wrong(FindingWrongType, path, "%q is a table: write [%s] on a line of its own", name, schema)
		return false
	}
	c.table(path, schema, sub)
	return true
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
	if home, ok := elsewhere(name); ok {
		c.findAt(SeverityError, FindingUnknownKey, path, "put it "+home, "unknown key %s here: it belongs %s", quoted(name), home)
		return
	}
	c.wrong(FindingUnknownKey, path, "unknown key %s; valid here: %s", quoted(name), strings.Join(valid, ", "))
}

// elsewhere tells where a key of this name belongs. The usual mistake in TOML is a key that follows
// another table's header.
func elsewhere(name string) (string, bool) {
	for _, k := range keys {
		i := strings.LastIndexByte(k.name, '.')
		if k.name[i+1:] != name {
			continue
		}
		switch table := k.name[:max(i, 0)]; table {
		case "":
			return "at the top of the file, before the first table", true
		case "servers[]":
			return "below [[servers]]", true
		default:
			return "below [" + table + "]", true
		}
	}
	if sections[name] {
		return "at the top level, as [" + name + "]", true
	}
	return "", false
}

// servers checks the [[servers]] and returns those that can be used.
func (c *checker) servers(path string, value any) (any, bool) {
	list, ok := tables(value)
	if !ok {
		c.wrong(FindingWrongType, path, `"servers" is an array of tables: write [[servers]] before the keys of each, with an id`)
		return nil, false
	}
	if len(list) > maxItems {
		c.wrong(FindingBadValue, path, "there are %d servers, the most is %d", len(list), maxItems)
		return nil, false
	}
	var kept []map[string]any
	first := map[string]string{} // id → where it was used first
	for i, server := range list {
		at := index(path, i)
		given, _ := server["id"].(string)
		c.table(at, "servers[]", server)
		id, ok := server["id"].(string)
		switch {
		case !ok && given == "" && !c.has(join(at, "id")):
			c.wrong(FindingMissingKey, at, `this server has no "id": name a server of the catalogue, such as "gopls", or choose a name`)
		case !ok: // its id has a finding already
		case first[id] != "":
			line, _ := c.at.of(first[id])
			c.wrong(FindingDuplicateID, join(at, "id"), "the server id %s is used twice; the first is on line %d", quoted(id), line)
		default:
			first[id] = join(at, "id")
			server[originKey] = origin{c.layer, at}
			kept = append(kept, server)
		}
	}
	return kept, true
}

// has reports whether a finding about the key was made.
func (c *checker) has(path string) bool {
	return slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Key == path })
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
