package config

import (
	"maps"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"lspi/internal/source"
)

// store writes a checked value into the variable that field points to. Tables are laid over the one that is there,
// which is never written to: several servers may share a row of the catalogue.
func (t *valueType) store(field, value any) {
	switch field := field.(type) {
	case *string:
		*field = value.(string)
	case *bool:
		*field = value.(bool)
	case *int:
		*field = int(value.(int64))
	case *time.Duration:
		*field = time.Duration(value.(int64)) * t.unit
	case *[]string:
		*field = value.([]string)
	case *map[string]any:
		*field = mergeTables(*field, value.(map[string]any))
	case *map[string]string:
		*field = withEntries(*field, value, func(v any) string { return v.(string) })
	case *source.PathPairs:
		*field = source.NewPathPairs(withEntries(nil, value, func(v any) string { return v.(string) }))
	case *map[string]time.Duration:
		*field = withEntries(*field, value, func(v any) time.Duration { return time.Duration(v.(int64)) * t.unit })
	}
}

// load is what store has written, as it stands in a file.
func (t *valueType) load(field any) any {
	switch field := field.(type) {
	case *string:
		return *field
	case *bool:
		return *field
	case *int:
		return *field
	case *time.Duration:
		return int64(*field / t.unit)
	case *[]string:
		return *field
	}
	return nil
}

// withEntries is a map with the entries of a decoded table over its own.
func withEntries[V any](below map[string]V, table any, as func(any) V) map[string]V {
	out := maps.Clone(below)
	for name, v := range table.(map[string]any) {
		if out == nil {
			out = map[string]V{}
		}
		out[name] = as(v)
	}
	return out
}

// Section shows a table such as "mcp": its keys that files set, as they are in effect, with sub-tables; nil when no
// file sets one.
func (c *Config) Section(table string) map[string]any {
	shown := map[string]any{}
	for _, k := range keys {
		if strings.HasPrefix(k.name, table+".") && k.config != nil && c.Given(k.name) {
			put(shown, k.name, k.holds.load(k.config(c)))
		}
	}
	section, _ := shown[table].(map[string]any)
	return section
}

// put sets a value by its key's name, and makes the tables that it lies in.
func put(values map[string]any, key string, value any) {
	for {
		table, rest, nested := strings.Cut(key, ".")
		if !nested {
			values[key] = value
			return
		}
		below, _ := values[table].(map[string]any)
		if below == nil {
			below = map[string]any{}
			values[table] = below
		}
		values, key = below, rest
	}
}

// defaults are the values of the keys outside of [[servers]], or of those of a server, that no file sets. They pass
// through the checker, so that they have the same form as those of files.
func defaults(ofServer bool) map[string]any {
	var text strings.Builder
	for _, k := range keys {
		if k.def != "" && k.ofServer() == ofServer && !k.isNamed() {
			text.WriteString(strings.TrimPrefix(k.name, serverSection) + " = " + k.def + "\n")
		}
	}
	values := map[string]any{}
	if _, err := toml.Decode(text.String(), &values); err != nil {
		panic(err) // the table of keys is wrong, which its test tells
	}
	c := checker{layer: newLayer("", "")}
	if ofServer {
		c.table("", strings.TrimSuffix(serverSection, "."), values)
	} else {
		c.table("", "", values)
	}
	return values
}
