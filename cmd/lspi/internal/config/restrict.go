package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/lsp/spec"
)

// rule says what a workspace's file may do with a key while the user does not trust the file. The question behind
// each rule: what could a repository that somebody merely cloned do with this key?
type rule struct {
	words string // in the documentation
	// allows reports whether the value is applied; it may change the value so that it takes away only.
	allows test
	// tells reports whether a value that is applied is told with the first answer: with it answers may be fewer,
	// shorter or later than without the file, or of another server or folder.
	tells test
}

// test judges a value that differs from the one that holds without the file.
type test func(r *restriction, g setting) bool

const (
	wordsInside = "inside the workspace"
	wordsFree   = "yes"
)

// free is for choosing among what is there anyway.
func free(tells test) rule { return rule{wordsFree, told, tells} }

// inside is for paths, which pathResolver takes when they stay inside the workspace.
func inside(tells test) rule { return rule{wordsInside, told, tells} }

// narrower is for values that are applied when they take something away from what the user has.
func narrower(allows, tells test) rule { return rule{"to narrow", allows, tells} }

// never is for what runs programs, hands them options that do, or writes files.
var never = rule{"no", notTold, notTold}

func told(*restriction, setting) bool    { return true }
func notTold(*restriction, setting) bool { return false }

// restriction takes out of a file that the user does not trust what a hostile repository could use.
type restriction struct {
	*layer
	base     settings       // what the trusted files and the defaults say
	defaults map[string]any // of the keys of a server
	tools    []string
	rows     []spec.Spec
	rooted   bool // the command line names the workspace
}

func (r *restriction) run() {
	r.servers = slices.DeleteFunc(r.servers, func(s *serverTable) bool {
		if !r.bringsBack(s) {
			return false
		}
		r.strip(join(s.path, "id"), s.id)
		return true
	})
	for _, g := range r.all() {
		r.apply(g)
	}
	r.dropEmpty()
}

// dropEmpty takes out the tables with names ([presets.NAME], [mcp_servers.NAME]) of which nothing is left. A preset
// without keys would be one that leaves out nothing, in the place of the one that the user has not written.
func (r *restriction) dropEmpty() {
	for i := range keys {
		section, _, named := strings.Cut(keys[i].name, "."+anyName)
		if !named {
			continue
		}
		tables, _ := r.values[section].(map[string]any)
		maps.DeleteFunc(tables, func(_ string, table any) bool {
			of, ok := table.(map[string]any)
			return ok && len(of) == 0
		})
	}
}

// apply applies the rule of one key.
func (r *restriction) apply(g setting) {
	rule := g.key.untrusted
	switch {
	case rule.words != wordsInside && reflect.DeepEqual(r.now(g), g.value()):
		if rule.words != wordsFree {
			g.drop() // a copy of lspi.toml.example is no reason for a warning
		}
	case !rule.allows(r, g):
		r.strip(g.path, g.id())
		g.drop()
	case rule.tells(r, g):
		r.narrowed = append(r.narrowed, g.path)
	}
}

// now is the value without the file; nil when there is none.
func (r *restriction) now(g setting) any {
	if g.server != nil {
		return r.base.valuesOf(g.id())[g.name]
	}
	return lookup[any](r.base.values, g.path)
}

// keepsTrust takes out of a workspace's file, trusted or not, what would trust more workspaces: that one may run
// programs is no word about others.
func (l *layer) keepsTrust(now string) {
	value, given := l.values["trust"].(string)
	if l.Kind != SourceWorkspace || !given || notLater(trust.Policies, value, now) {
		return
	}
	delete(l.values, "trust")
	l.findAt(SeverityWarning, FindingUntrusted, "trust", "",
		"a workspace's file cannot trust more workspaces than the user does; not applied")
}

// addsPlaces makes the lists of protected places of a workspace's file add to what the files below it say. What a
// repository brings never opens a place, also when the user trusts the file for what it runs.
func (l *layer) addsPlaces(base map[string]any) {
	edit, _ := l.values["edit"].(map[string]any)
	for name, value := range edit {
		all := slices.Clone(lookup[[]string](base, "edit."+name))
		for _, place := range value.([]string) {
			if !slices.Contains(all, place) {
				all = append(all, place)
			}
		}
		if l.Kind == SourceWorkspace {
			edit[name] = all
		}
	}
}

// added: addsPlaces has made it add already.
func added(*restriction, setting) bool { return true }

func onlyFalse(_ *restriction, g setting) bool { return g.value() == false }

// onlyTrue is for read_only: a false would also win over the read-only default of the command line's context or mode.
func onlyTrue(_ *restriction, g setting) bool { return g.value() == true }

// unlessNever is for times of which 0 means never.
func unlessNever(_ *restriction, g setting) bool { return g.value() != int64(0) }

// notAbove is for limits, of which 0 means no limit of the user's.
func notAbove(r *restriction, g setting) bool {
	now, ok := r.now(g).(int64)
	value := g.value().(int64)
	return ok && value <= now && (value > 0 || now == 0)
}

func onlyNavigation(_ *restriction, g setting) bool { return g.value() == "navigation" }

// laterContext: contexts are listed from the most to the least that they allow.
func laterContext(r *restriction, g setting) bool {
	return notLater(Contexts, lookup[string](r.base.values, g.key.name), g.value().(string))
}

func trustsFewer(r *restriction, g setting) bool {
	return notLater(trust.Policies, g.value().(string), lookup[string](r.base.values, g.key.name))
}

// notLater reports whether a stands before b in an enumeration, or is b.
func notLater(values []string, a, b string) bool {
	return slices.Index(values, a) <= slices.Index(values, b)
}

// allowedByBoth leaves the methods that both lists have.
func allowedByBoth(r *restriction, g setting) bool {
	base, given := lookup[[]string](r.base.values, g.key.name), g.value().([]string)
	switch {
	case slices.Contains(base, allMethods):
	case slices.Contains(given, allMethods):
		g.set(base)
	default:
		g.set(slices.DeleteFunc(slices.Clone(given), func(m string) bool { return !slices.Contains(base, m) }))
	}
	return len(base) > 0 || len(given) == 0
}

// staysWithin lays a list of allowed tools over the one that there is, of lspi's own tools and of other MCP
// servers, so that it takes tools away and can never switch one on.
func staysWithin(r *restriction, g setting) bool {
	r.within = g.value().([]string)
	g.drop()
	return true
}

// excludesMore makes exclusions add to those that there are.
func excludesMore(r *restriction, g setting) bool {
	all := slices.Concat(lookup[[]string](r.base.values, "mcp.tools.exclude"), g.value().([]string))
	slices.Sort(all)
	g.set(slices.Compact(all))
	return true
}

// otherRoot reports whether the file moves the workspace, which the command line decides before it.
func otherRoot(r *restriction, g setting) bool { return g.value() != r.workspace && !r.rooted }

// dropsFolders reports whether a list takes folders away that the user named.
func dropsFolders(r *restriction, g setting) bool {
	now, _ := r.now(g).([]string)
	return slices.ContainsFunc(now, func(dir string) bool { return !slices.Contains(g.value().([]string), dir) })
}

// sooner reports whether a time limit of a server is below the one that holds without the file.
func sooner(r *restriction, g setting) bool { return g.value().(int64) < r.limit(g.id(), g.name) }

// anySooner is the same for limits by method.
func anySooner(r *restriction, g setting) bool {
	limit := r.limit(g.id(), "request_timeout_ms")
	return slices.ContainsFunc(slices.Collect(maps.Values(g.value().(map[string]any))), func(n any) bool {
		return n.(int64) < limit
	})
}

// limit is a time limit of a server without the file, in milliseconds.
func (r *restriction) limit(id, name string) int64 {
	if n, ok := r.base.valuesOf(id)[name].(int64); ok {
		return n
	}
	if n, ok := r.defaults[name].(int64); ok {
		return n
	}
	return lookup[int64](r.base.values, "mcp.call_timeout_ms") // which is the limit of what has none of its own
}
