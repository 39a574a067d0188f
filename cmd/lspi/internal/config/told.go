package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"lspi/lsp"
)

// given is a key of a file that nobody trusts, as it is applied.
type given struct {
	id     string         // of the server; "" outside of one
	server map[string]any // what the file says of it
	key    string
	value  any
}

// telling reports whether the value is told with the first answer: with it answers may be fewer, shorter or later than without
// the file, or of another server or folder.
type telling func(*restriction, given) bool

// tellings are the keys that such a file may set, with which of their values are told; TestEveryKeyIsDecided fails for one that is
// missing. The values are applied, and are not those that hold without the file.
var tellings = map[string]telling{
	"workspace_root":    (*restriction).otherRoot,
	"workspace_folders": (*restriction).drops,
	"catalogue":         anyValue,
	"trust":             noValue, // answers that lack something say so: restricted

	"servers[].id":                           (*restriction).takesOver,
	"servers[].kind":                         noValue, // goes with the id
	"servers[].enabled":                      switchedOff,
	"servers[].extensions":                   (*restriction).otherFiles,
	"servers[].language_id":                  (*restriction).otherLanguage,
	"servers[].cwd":                          anyValue,
	"servers[].root_dir":                     anyValue,
	"servers[].workspace_folders":            (*restriction).drops,
	"servers[].initialize_timeout_ms":        (*restriction).sooner,
	"servers[].request_timeout_ms":           (*restriction).sooner,
	"servers[].request_timeout_overrides_ms": (*restriction).sooner,
	"servers[].warmup_timeout_ms":            (*restriction).sooner,
	"servers[].idle_shutdown_ms":             someTime,
	"servers[].restart_interval_minutes":     someTime,

	"mcp.context":                        anyValue,
	"mcp.mode":                           anyValue,
	"mcp.read_only":                      anyValue,
	"mcp.call_timeout_ms":                anyValue, // longer ones outlive what hosts wait
	"mcp.warmup":                         noValue,  // servers start with the first call
	"mcp.text":                           anyValue, // the short one is nothing in hosts that show text alone; the full one makes less fit
	"mcp.output.max_total_chars_default": anyValue,
	"mcp.output.max_total_chars_hard":    anyValue,
	"mcp.output.echo_input":              noValue, // the model knows what it asked
	"mcp.tools.allow":                    anyValue,
	"mcp.tools.exclude":                  anyValue,
	"mcp.tools.lsp_request":              anyValue,

	"edit.protected":              noValue, // an edit that is refused says so
	"edit.confirm":                noValue,
	"limits.max_servers":          anyValue,
	"limits.max_server_memory_mb": anyValue,
}

func anyValue(*restriction, given) bool { return true }
func noValue(*restriction, given) bool  { return false }

func switchedOff(_ *restriction, g given) bool { return g.value == false }

// someTime: 0 means never.
func someTime(_ *restriction, g given) bool { return g.value != int64(0) }

// otherRoot reports whether the file moves the workspace, which a command line decides before it.
func (r *restriction) otherRoot(g given) bool { return g.value != r.without && !r.rooted }

// drops reports whether a list takes folders away that the user named.
func (r *restriction) drops(g given) bool {
	now := lookup[[]string](r.base, g.key)
	if g.id != "" {
		now = lookup[[]string](r.server(g.id), strings.TrimPrefix(g.key, "servers[]."))
	}
	to, _ := g.value.([]string)
	return slices.ContainsFunc(now, func(dir string) bool { return !slices.Contains(to, dir) })
}

// sooner reports whether a time limit of a server is below the one that holds without the file.
func (r *restriction) sooner(g given) bool {
	if table, ok := g.value.(map[string]any); ok {
		limit := r.limit(g.id, "request_timeout_ms")
		for _, n := range table {
			if n.(int64) < limit {
				return true
			}
		}
		return false
	}
	n, _ := g.value.(int64)
	return n < r.limit(g.id, strings.TrimPrefix(g.key, "servers[]."))
}

// limit is a time limit of a server without the file, in milliseconds.
func (r *restriction) limit(id, name string) int64 {
	if n, ok := find[int64](r.server(id), name); ok {
		return n
	}
	n, _ := strconv.ParseInt(byName["servers[]."+name].def, 10, 64) // of the table of keys, whose test reads them
	return n
}

// rowFor is the row that a server of the file is laid over; nil when there is none.
func (r *restriction) rowFor(id string, server map[string]any) *lsp.Spec {
	return row(r.rows, cmp.Or(lookup[string](server, "kind"), lookup[string](r.server(id), "kind"), id))
}

// otherLanguage reports whether files of the server would be of another language than they are.
func (r *restriction) otherLanguage(g given) bool {
	of := r.rowFor(g.id, g.server)
	return of == nil || slices.ContainsFunc(of.Languages, func(l lsp.Language) bool { return len(l.Extensions) > 0 && l.ID != g.value })
}

// otherFiles reports whether a server of the file serves fewer files than its row, or some that another server would serve.
func (r *restriction) otherFiles(g given) bool {
	to, _ := g.value.([]string)
	of := r.rowFor(g.id, g.server)
	if of == nil {
		return false // has no command, so that it is left out
	}
	own := of.Extensions()
	for _, ext := range to {
		if !slices.Contains(own, ext) && r.first(ext, nil) != "" {
			return true
		}
	}
	return slices.ContainsFunc(own, func(ext string) bool { return !slices.Contains(to, ext) })
}

// takesOver reports whether a server of the file comes before the one that answers about the same files without it. What it serves
// beyond its row is told as that.
func (r *restriction) takesOver(g given) bool {
	of := r.rowFor(g.id, g.server)
	return of != nil && of.Roles.Has(lsp.RoleNavigation) && slices.ContainsFunc(of.Extensions(), func(ext string) bool {
		first := r.first(ext, of)
		return first != "" && first != g.id
	})
}

// first is the id of the server that is asked about files of an extension without the file; "" when it is the row of, or none.
// Rows that need a project file are passed over, since that decides about them.
func (r *restriction) first(ext string, of *lsp.Spec) string {
	for _, server := range lookup[[]map[string]any](r.base, "servers") {
		id := server["id"].(string)
		extensions, said := server["extensions"].([]string)
		if own := r.rowFor(id, server); own != nil && !said {
			extensions = own.Extensions()
		}
		if enabled, said := find[bool](server, "enabled"); (enabled || !said) && slices.Contains(extensions, ext) {
			return id
		}
	}
	for i := range r.rows {
		if !lookup[bool](r.base, "catalogue") {
			break
		}
		if spec := &r.rows[i]; !spec.Roots.Required && spec.Roles.Has(lsp.RoleNavigation) && slices.Contains(spec.Extensions(), ext) {
			if spec == of {
				return ""
			}
			return spec.ID
		}
	}
	return ""
}

// bringsBack reports whether a server of the file is one that the user has taken out: by its row under another name, or by a
// catalogue that is switched off.
func (r *restriction) bringsBack(id string, server map[string]any) bool {
	if r.server(id) != nil {
		return false // stays as enabled as it is
	}
	of := r.rowFor(id, server)
	if of == nil {
		return false // has no command, and is told as that
	}
	if !lookup[bool](r.base, "catalogue") {
		return true
	}
	return slices.ContainsFunc(lookup[[]map[string]any](r.base, "servers"), func(other map[string]any) bool {
		enabled, said := find[bool](other, "enabled")
		return said && !enabled && r.rowFor(other["id"].(string), other) == of
	})
}
