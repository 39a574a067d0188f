package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp"
)

// restriction takes out of a file that nobody trusts what a hostile repository could use. base is what the trusted files
// and the defaults say.
type restriction struct {
	*layer
	base   map[string]any
	tools  []string
	rows   []lsp.Spec
	rooted bool // the command line names it
}

func (r *restriction) run() {
	r.table("", "", "", r.values)
	kept := []map[string]any{}
	servers := lookup[[]map[string]any](r.values, "servers")
	for _, server := range servers {
		path, id := server[originKey].(origin).path, server["id"].(string)
		if r.bringsBack(id, server) {
			r.strip(join(path, "id"), id)
			continue
		}
		r.table(path, "servers[]", id, server)
		kept = append(kept, server)
	}
	if len(kept) < len(servers) {
		r.values["servers"] = kept
	}
}

// table applies the rule of each key.
func (r *restriction) table(path, schema, id string, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		at, full := join(path, name), strings.TrimPrefix(schema+"."+name, ".")
		k := byName[full]
		if k == nil {
			if sub, ok := values[name].(map[string]any); ok {
				r.table(at, full, id, sub)
			}
			continue
		}
		said := given{id, values, full, values[name]}
		switch {
		case k.untrusted != inside && r.changesNothing(full, id, values[name]):
			if k.untrusted != free {
				delete(values, name) // a copy of lspi.toml.example is no reason for a warning
			}
		case k.untrusted == never || k.untrusted == narrower && !r.narrows(full, id, values, name):
			r.strip(at, id)
			delete(values, name)
		case tellings[full](r, said):
			r.narrowed = append(r.narrowed, at)
		}
	}
}

// changesNothing reports whether base has the same value already.
func (r *restriction) changesNothing(key, id string, value any) bool {
	if name, ok := strings.CutPrefix(key, "servers[]."); ok {
		return reflect.DeepEqual(r.server(id)[name], value)
	}
	now, ok := find[any](r.base, key)
	return ok && reflect.DeepEqual(now, value)
}

// strip notes a key that was not applied.
func (l *layer) strip(key, id string) { l.stripped[id] = append(l.stripped[id], key) }

// narrows reports whether the value takes something away from what base has, or changes nothing. What it says of lists it
// makes so: exclusions add to those of base, and an allow list becomes the exclusion of everything else, which can never
// switch a tool on.
func (r *restriction) narrows(key, id string, values map[string]any, name string) bool {
	switch value := values[name].(type) {
	case bool:
		return r.boolNarrows(key, id, value)
	case int64:
		now, ok := find[int64](r.base, key)
		return ok && value <= now && (value > 0 || now == 0) // 0 is no limit of the user's
	case []string:
		if strings.HasPrefix(key, editSection) { // addPlaces has seen to it
			return true
		}
		if key == "mcp.tools.lsp_request" {
			base := lookup[[]string](r.base, key)
			values[name] = bothAllow(base, value)
			return len(base) > 0 || len(value) == 0
		}
		r.exclude(name, value, values)
		return true
	case string:
		return r.wordNarrows(key, id, value)
	}
	return false
}

func (r *restriction) boolNarrows(key, id string, value bool) bool {
	switch key {
	case "mcp.read_only":
		// Never false: it would also win over the read-only default of a context or mode of the command line.
		return value
	case "mcp.warmup":
		return !value || lookup[bool](r.base, key)
	case "catalogue":
		return !value || lookup[bool](r.base, key)
	case "servers[].enabled":
		enabled, said := find[bool](r.server(id), "enabled")
		return !value || !said || enabled
	}
	return false
}

func (r *restriction) wordNarrows(key, id, value string) bool {
	switch key {
	case "trust":
		return narrowsTrust(value, lookup[string](r.base, key))
	case "mcp.context":
		return slices.Index(Contexts, value) >= slices.Index(Contexts, lookup[string](r.base, key))
	case "mcp.mode":
		return value == "navigation"
	case "servers[].kind":
		// The kind of a server that the user configured decides which arguments the user's command gets.
		server := r.server(id)
		return server == nil || fold(lookup[string](server, "kind")) == fold(value)
	}
	return false
}

func narrowsTrust(value, now string) bool {
	return slices.Index(trust.Policies, value) <= slices.Index(trust.Policies, now)
}

// keepsTrust takes out of a workspace's file, trusted or not, what would trust more workspaces: that one may run programs is no
// word about others.
func (l *layer) keepsTrust(now string) {
	value, given := l.values["trust"].(string)
	if l.Kind != SourceWorkspace || !given || narrowsTrust(value, now) {
		return
	}
	delete(l.values, "trust")
	l.findAt(SeverityWarning, FindingUntrusted, "trust", "", "a workspace's file cannot trust more workspaces than the user does; not applied")
}

// bothAllow are the methods that both lists have.
func bothAllow(base, list []string) []string {
	switch {
	case slices.Contains(base, allMethods):
		return list
	case slices.Contains(list, allMethods):
		return base
	}
	return slices.DeleteFunc(slices.Clone(list), func(m string) bool { return !slices.Contains(base, m) })
}

func (r *restriction) exclude(name string, tools []string, values map[string]any) {
	add := tools
	if name == "allow" {
		add = slices.DeleteFunc(slices.Clone(r.tools), func(t string) bool { return slices.Contains(tools, t) })
		delete(values, name)
	}
	own, _ := values["exclude"].([]string)
	all := slices.Concat(lookup[[]string](r.base, "mcp.tools.exclude"), own, add)
	slices.Sort(all)
	values["exclude"] = slices.Compact(all)
}

// server is what the trusted files say about a server; nil when nothing.
func (r *restriction) server(id string) map[string]any {
	servers := lookup[[]map[string]any](r.base, "servers")
	if i := indexOf(servers, id); i >= 0 {
		return servers[i]
	}
	return nil
}

// untrustedShown bounds the keys that the finding names.
const untrustedShown = 12

// reportStripped makes one finding of everything that was not applied, with the command that trusts the file.
func (l *layer) reportStripped() {
	var all []string
	for _, keys := range l.stripped {
		all = append(all, keys...)
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b string) int { return l.at.keys[a] - l.at.keys[b] })
	state := "is not trusted"
	if l.changed {
		state = "changed since it was trusted"
	}
	line, column := l.at.of(all[0])
	l.find(Finding{Severity: SeverityWarning, Kind: FindingUntrusted, Line: line, Column: column,
		Key: strings.Join(all, ", "), Fix: trust.Command(l.Path),
		Message: fmt.Sprintf("this file %s; not applied: %s; the rest is", state, l.listed(all))})
}

// reportNarrowed makes one finding of what an untrusted file takes away or bends: a repository that hides a tool, cuts answers or
// has another server asked must not look as if there were nothing more.
func (l *layer) reportNarrowed() {
	if len(l.narrowed) == 0 {
		return
	}
	slices.SortFunc(l.narrowed, func(a, b string) int { return l.at.keys[a] - l.at.keys[b] })
	line, column := l.at.of(l.narrowed[0])
	l.find(Finding{Severity: SeverityWarning, Kind: FindingNarrowed, Line: line, Column: column, Key: strings.Join(l.narrowed, ", "),
		Message: fmt.Sprintf("this file of the workspace, which is not trusted, narrows or changes what lspi does: %s", l.listed(l.narrowed))})
}

func (l *layer) listed(keys []string) string {
	var out []string
	for i, key := range keys {
		if i == untrustedShown {
			out = append(out, fmt.Sprintf("and %d more", len(keys)-i))
			break
		}
		line, _ := l.at.of(key)
		out = append(out, fmt.Sprintf("%s (line %d)", key, line))
	}
	return strings.Join(out, ", ")
}
