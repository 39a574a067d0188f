package config

import (
	"maps"
	"slices"
	"strings"

	"lspi/lsp/spec"
)

// settings are decoded values: those of one file, or of all files merged so far. Tables are merged by key, lists
// replaced as a whole, servers merged by id.
type settings struct {
	values  map[string]any // without the [[servers]]
	servers []*serverTable
}

// serverTable is one [[servers]] entry.
type serverTable struct {
	id     string
	values map[string]any
	file   *layer // the highest file that names it, so that what is found after merging can still name its place
	path   string // of the entry in that file, such as servers[2]
	// command tells where its command stands, which may be another file than the rest.
	command spec.Command
}

// server is the entry with this id; nil when there is none.
func (s *settings) server(id string) *serverTable {
	if i := slices.IndexFunc(s.servers, func(s *serverTable) bool { return s.id == id }); i >= 0 {
		return s.servers[i]
	}
	return nil
}

// valuesOf are what is set of a server; nil when there is none with this id.
func (s *settings) valuesOf(id string) map[string]any {
	if server := s.server(id); server != nil {
		return server.values
	}
	return nil
}

// merge lays a higher file over s. The servers of the higher file come first: the nearer the file, the more it
// knows about preference. The file's own values are not changed.
func (s *settings) merge(file settings) {
	s.values = mergeTables(s.values, file.values)
	var servers []*serverTable
	for _, higher := range file.servers {
		merged := *higher
		if lower := s.server(higher.id); lower != nil {
			merged.values = mergeTables(lower.values, higher.values)
			if higher.command.File == "" {
				merged.command = lower.command
			}
		}
		servers = append(servers, &merged)
	}
	for _, lower := range s.servers {
		if file.server(lower.id) == nil {
			servers = append(servers, lower)
		}
	}
	s.servers = servers
}

// mergeTables is above over below, without sharing a table with either.
func mergeTables(below, above map[string]any) map[string]any {
	out := maps.Clone(below)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range above {
		if table, ok := value.(map[string]any); ok {
			lower, _ := out[name].(map[string]any)
			value = mergeTables(lower, table)
		}
		out[name] = value
	}
	return out
}

// lookup reads a value by its key's name, such as mcp.context; the zero value when it is absent or of another type.
func lookup[T any](values map[string]any, key string) T {
	v, _ := find[T](values, key)
	return v
}

func find[T any](values map[string]any, key string) (T, bool) {
	table, name := tableOf(values, key)
	v, ok := table[name].(T)
	return v, ok
}

// setting is one value of a file, with the row of its key.
type setting struct {
	key    *key
	path   string         // of the key in the file, such as servers[0].command
	server *serverTable   // nil outside of [[servers]]
	of     string         // the name of the table that a file gave it; "" for a key of no such table
	table  map[string]any // that holds it
	name   string         // in that table
}

func (g setting) value() any { return g.table[g.name] }

func (g setting) set(value any) { g.table[g.name] = value }

func (g setting) drop() { delete(g.table, g.name) }

// id is the id of the server that it belongs to, "" outside of [[servers]].
func (g setting) id() string {
	if g.server == nil {
		return ""
	}
	return g.server.id
}

// all are the settings of a file, in the order of the table of keys.
func (s *settings) all() []setting {
	var out []setting
	for i := range keys {
		switch k := &keys[i]; {
		case k.isNamed():
			out = append(out, s.named(k)...)
		case !k.ofServer():
			if table, name := tableOf(s.values, k.name); table[name] != nil {
				out = append(out, setting{key: k, path: k.name, table: table, name: name})
			}
		}
	}
	for _, server := range s.servers {
		out = append(out, server.settings()...)
	}
	return out
}

// ofNamed is the path of a key in a table with a name; "" for another key.
func (g setting) ofNamed() string {
	if g.of == "" {
		return ""
	}
	return g.path
}

// named are the settings of one key in all tables of its kind, by their names.
func (s *settings) named(k *key) (out []setting) {
	section, rest, _ := strings.Cut(k.name, "."+anyName)
	tables, _ := s.values[section].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		g := setting{key: k, path: section + "." + name, of: name, table: tables, name: name}
		if rest != "" {
			g.table, _ = tables[name].(map[string]any)
			g.name = rest[1:]
			g.path += rest
		}
		if g.table[g.name] != nil {
			out = append(out, g)
		}
	}
	return out
}

// settings are those of one server.
func (s *serverTable) settings() []setting {
	var out []setting
	for i := range keys {
		if name, ok := strings.CutPrefix(keys[i].name, serverSection); ok && s.values[name] != nil {
			out = append(out, setting{key: &keys[i], path: join(s.path, name), server: s, table: s.values, name: name})
		}
	}
	return out
}

// tableOf is the table that holds a key, nil when there is none, and the key's name in it.
func tableOf(values map[string]any, key string) (map[string]any, string) {
	for {
		table, name, nested := strings.Cut(key, ".")
		if !nested {
			return values, key
		}
		values, _ = values[table].(map[string]any)
		key = name
	}
}
