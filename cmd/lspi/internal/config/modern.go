package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lspi/tools/session"
)

// modernize puts what the original lspi called otherwise into the words of today: keys in camelCase, environment,
// kinds, adapters and contexts, servers without an id, and the table [rust_analyzer] of its first versions.
// Findings go on naming the places of the file.
func (l *layer) modernize() {
	l.modernKeys("", "", l.values)
	l.listedTools()
	l.modernServers()
	if mcp, ok := l.values["mcp"].(map[string]any); ok {
		modernWord(mcp, "context", session.OriginalContext)
	}
}

// modernKeys renames the keys of a table, and of the tables below it, that are valid in the form of today only.
func (l *layer) modernKeys(path, schema string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key := strings.TrimPrefix(schema+"."+name, ".")
		if now := session.OriginalKey(name); now != name && !known(key) &&
			known(strings.TrimPrefix(schema+"."+now, ".")) && values[now] == nil {
			values[now] = values[name]
			delete(values, name)
			l.at.alias(join(path, name), join(path, now))
			name, key = now, strings.TrimPrefix(schema+"."+now, ".")
		}
		if !sections[key] {
			continue
		}
		if sub, ok := values[name].(map[string]any); ok {
			l.modernKeys(join(path, name), key, sub)
		}
		if list, ok := tables(values[name]); ok && key == "servers" {
			for i, server := range list {
				l.modernKeys(index(join(path, name), i), "servers[]", server)
			}
		}
	}
}

// listedTools renames the tables of [tools] that are named ID:tool, or by a server's own name for a tool, to the name
// under which the tool is listed. Of two tables for one tool that of the listed name stays.
func (l *layer) listedTools() {
	tools, _ := l.values["tools"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if now := session.Listed(strings.TrimSpace(name)); now != name && bare(now) && tools[now] == nil {
			tools[now] = tools[name]
			delete(tools, name)
			l.at.alias(join("tools", name), join("tools", now))
		}
	}
}

// known reports whether a key or a table of this name is in the table of keys.
func known(name string) bool { return byName[name] != nil || sections[name] }

func (l *layer) modernServers() {
	list, ok := tables(l.values["servers"])
	if !ok && l.values["servers"] != nil {
		return
	}
	if old, ok := l.values["rust_analyzer"].(map[string]any); ok {
		path := index("servers", len(list))
		old["id"], old["kind"] = "rust-analyzer", "rust_analyzer"
		l.at.alias("rust_analyzer", path)
		l.modernKeys(path, "servers[]", old)
		delete(l.values, "rust_analyzer")
		list = append(slices.Clone(list), old)
		l.values["servers"] = list
	}
	for i, server := range list {
		modernWord(server, "kind", session.OriginalKind)
		modernWord(server, "adapter", session.OriginalAdapter)
		if server["adapter"] == "" {
			delete(server, "adapter")
		}
		if kind, ok := server["kind"].(string); ok && server["id"] == nil {
			server["id"] = freeID(list, kind, i)
		}
	}
}

// modernWord replaces a value that is a string.
func modernWord(values map[string]any, key string, today func(string) string) {
	if word, ok := values[key].(string); ok {
		values[key] = today(word)
	}
}

// freeID is an id for the i-th server, which has only a kind: that of its row, unless another server has it.
func freeID(list []map[string]any, kind string, i int) string {
	id := strings.ReplaceAll(kind, "_", "-")
	if id == generic || slices.ContainsFunc(list, func(other map[string]any) bool { return other["id"] == id }) {
		return fmt.Sprintf("%s-%d", id, i+1)
	}
	return id
}
