package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Merging works on decoded tables: values by key, lists as a whole, [[servers]] by id.

// origin is where the highest file that names a server does so.
type origin struct {
	*layer
	path string
}

// originKey holds a server's origin among its values, so that what is found after merging can still name its place. No
// file can set it: checking takes out every key that is not in the table.
const originKey = "\x00origin"

// commandKey holds the origin of a server's command, which may be of another file than the rest.
const commandKey = "\x00command"

// merge lays the values of a higher file over those of lower ones. It changes only dst.
func merge(dst, src map[string]any) {
	for name, value := range src {
		if list, ok := value.([]map[string]any); ok && name == "servers" {
			lower, _ := dst[name].([]map[string]any)
			dst[name] = mergeServers(lower, list)
			continue
		}
		dst[name] = laid(dst[name], value)
	}
}

// laid is value over below, without sharing a table with either.
func laid(below, value any) any {
	src, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	if dst, ok := below.(map[string]any); ok {
		maps.Copy(out, dst)
	}
	for name, v := range src {
		out[name] = laid(out[name], v)
	}
	return out
}

// mergeServers puts the servers of the higher file first: the nearer the file, the more it knows about preference.
func mergeServers(lower, higher []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(lower)+len(higher))
	for _, server := range higher {
		var below any
		if i := indexOf(lower, server["id"]); i >= 0 {
			below = lower[i]
		}
		out = append(out, laid(below, server).(map[string]any))
	}
	for _, server := range lower {
		if indexOf(higher, server["id"]) < 0 {
			out = append(out, server)
		}
	}
	return out
}

func indexOf(servers []map[string]any, id any) int {
	return slices.IndexFunc(servers, func(s map[string]any) bool { return s["id"] == id })
}

// lookup reads a value by its key name; absent and of another type is the zero value.
func lookup[T any](values map[string]any, key string) T {
	v, _ := find[T](values, key)
	return v
}

func find[T any](values map[string]any, key string) (T, bool) {
	var zero T
	table, name, nested := strings.Cut(key, ".")
	if !nested {
		v, ok := values[table].(T)
		return v, ok
	}
	sub, ok := values[table].(map[string]any)
	if !ok {
		return zero, false
	}
	return find[T](sub, name)
}

// givenKeys are the names of all keys in values, tables included.
func givenKeys(values map[string]any) map[string]bool {
	out := map[string]bool{}
	var walk func(prefix string, values map[string]any)
	walk = func(prefix string, values map[string]any) {
		for name, v := range values {
			key := prefix + name
			out[key] = true
			if sub, ok := v.(map[string]any); ok && byName[key] == nil {
				walk(key+".", sub)
			}
		}
	}
	walk("", values)
	return out
}

// defaults are the values of all keys outside of [[servers]] that no file sets.
func defaults() map[string]any {
	var text strings.Builder
	for _, k := range keys {
		if k.def != "" && !strings.HasPrefix(k.name, "servers[]") {
			text.WriteString(k.name + " = " + k.def + "\n")
		}
	}
	values := map[string]any{}
	if _, err := toml.Decode(text.String(), &values); err != nil {
		panic(err) // the table of keys is wrong, which its test tells
	}
	c := checker{layer: newLayer("", "")}
	c.values = values
	c.run()
	return values
}
