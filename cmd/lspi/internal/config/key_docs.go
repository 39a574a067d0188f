package config

import (
	"fmt"
	"slices"
	"strings"
)

// KeyDoc documents one key of the configuration; the table of docs/configuration.md is made from these.
type KeyDoc struct {
	Key         string   // such as mcp.context; servers[].command is a key of each [[servers]] entry
	Type        string   // in words
	Default     string   // as it is written in TOML; "" when there is none to write
	Description string   // one or two sentences
	Values      []string // what an enumeration accepts; nil for everything else
	Untrusted   string   // what a workspace's file may do with it before `lspi trust`
}

// KeyTable documents every key, in the order of lspi.toml.example.
func KeyTable() []KeyDoc {
	out := make([]KeyDoc, len(keys))
	for i, k := range keys {
		out[i] = KeyDoc{Key: strings.ReplaceAll(k.name, "."+anyName, ".NAME"), Type: k.holds.words, Default: k.def,
			Description: k.doc, Values: k.holds.values, Untrusted: k.untrusted.words}
	}
	return out
}

// Markdown is the table of keys for docs/configuration.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| key | type | default | before trust | |\n|---|---|---|---|---|\n")
	for _, k := range KeyTable() {
		holds := k.Type
		if k.Values != nil {
			holds = "`" + strings.Join(k.Values, "`, `") + "`"
		}
		def := ""
		if k.Default != "" {
			def = "`" + k.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Key, holds, def, k.Untrusted, k.Description)
	}
	return b.String()
}

// sections are the tables that hold keys, as they stand in key names.
var sections = func() map[string]bool {
	m := map[string]bool{}
	for _, k := range keys {
		for i, c := range k.name {
			if c == '.' {
				m[strings.TrimSuffix(k.name[:i], "[]")] = true
			}
		}
	}
	return m
}()

// keysIn lists the names that are valid in a table ("", "mcp", "servers[]"), its sub-tables among them, in the
// table's order.
func keysIn(table string) []string {
	var out []string
	for _, k := range keys {
		rest, in := strings.CutPrefix(k.name, strings.TrimPrefix(table+".", "."))
		name, _, _ := strings.Cut(rest, ".")
		if name = strings.TrimSuffix(name, "[]"); in && name != anyName && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// tableWith tells where a key of this name belongs; "" when there is none. The usual mistake in TOML is a key that
// follows another table's header.
func tableWith(name string) string {
	for _, k := range keys {
		i := strings.LastIndexByte(k.name, '.')
		if k.name[i+1:] != name {
			continue
		}
		switch table := k.name[:max(i, 0)]; table {
		case "":
			return "at the top of the file, before the first table"
		case "servers[]":
			return "below [[servers]]"
		default:
			return "below [" + strings.ReplaceAll(table, anyName, "NAME") + "]"
		}
	}
	if sections[name] {
		return "at the top level, as [" + name + "]"
	}
	return ""
}
