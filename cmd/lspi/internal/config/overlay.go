package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"lspi/lsp"
)

// overlay lays the configured servers over the catalogue.
type overlay struct {
	workspace string
	catalogue []lsp.Spec
	pass      []string // env_pass of the top level
	specs     []lsp.Spec
	disabled  []lsp.Spec
	shown     []ServerConfig
	taken     map[string]bool // ids of rows that a configured server stands for
}

// run returns the servers in order of preference: the configured ones, then, if keep is set, the rest of the catalogue.
func (o *overlay) run(servers []map[string]any, keep bool) {
	o.taken = map[string]bool{}
	for _, server := range servers {
		o.server(server)
	}
	for _, spec := range o.catalogue {
		spec.Pass = slices.Concat(o.pass)
		if keep && !o.taken[spec.ID] {
			o.specs = append(o.specs, spec)
		}
	}
}

func (o *overlay) server(server map[string]any) {
	id, from := server["id"].(string), server[originKey].(origin)
	if from.failed(join(from.path, "kind")) {
		return // laid over the wrong row it would only confuse
	}
	base := o.rowOf(server)
	if base == nil && !o.complete(server, id, from) {
		return
	}
	spec := lsp.Spec{ID: id, Title: id}
	if base != nil {
		spec = *base
		spec.ID = id
	}
	o.lay(&spec, server)
	enabled := true
	if said, ok := find[bool](server, "enabled"); ok {
		enabled = said
	}
	if same := row(o.catalogue, id); same != nil {
		o.taken[same.ID] = true
	}
	if !enabled {
		o.disabled = append(o.disabled, spec)
	} else {
		if base != nil {
			o.taken[base.ID] = true
		}
		o.specs = append(o.specs, spec)
	}
	o.shown = append(o.shown, o.show(&spec, server, enabled))
}

// rowOf is the row that a server is laid over, nil for a generic one.
func (o *overlay) rowOf(server map[string]any) *lsp.Spec {
	kind := lookup[string](server, "kind")
	if kind == generic {
		return nil
	}
	if kind != "" {
		return row(o.catalogue, kind)
	}
	return row(o.catalogue, server["id"].(string))
}

// complete reports what a server without a row lacks. What is lacking because its file is not trusted has a finding.
func (o *overlay) complete(server map[string]any, id string, from origin) bool {
	complete := true
	for _, name := range []string{"command", "extensions"} {
		if server[name] != nil {
			continue
		}
		complete = false
		if slices.Contains(from.stripped[id], join(from.path, name)) || from.failed(join(from.path, name)) {
			continue
		}
		hint := ""
		if near := nearest(id, rowNames(o.catalogue)); near != "" && server["kind"] == nil {
			hint = ", or is it " + quoted(near) + "?"
		}
		from.findAt(SeverityError, FindingMissingKey, from.path, "add "+name,
			"the server %s is not in the catalogue, so it needs %q%s", quoted(id), name, hint)
	}
	return complete
}

// failed reports whether a key was left out because of an error that has its finding.
func (l *layer) failed(path string) bool {
	return slices.ContainsFunc(l.findings, func(f Finding) bool {
		return f.Severity == SeverityError && (f.Key == path || strings.HasPrefix(f.Key, path+"["))
	})
}

// lay changes the fields of spec that the server sets. Tables of the row are replaced, never written to: two servers may
// be laid over one row.
func (o *overlay) lay(spec *lsp.Spec, server map[string]any) {
	if adapter := lookup[string](server, "adapter"); adapter != "" {
		adopt(spec, row(o.catalogue, adapter))
	}
	o.languages(spec, server)
	commands(spec, server)
	spec.Env = layEach(spec.Env, server["env"], func(v any) string { return v.(string) })
	spec.Pass = slices.Concat(o.pass, lookup[[]string](server, "env_pass"))
	spec.Cwd = lookup[string](server, "cwd")
	spec.Folders = lookup[[]string](server, "workspace_folders")
	if dir := lookup[string](server, "root_dir"); dir != "" {
		spec.RootDir = dir
	}
	spec.InitializationOptions = layTable(spec.InitializationOptions, server["initialize_options"])
	spec.Settings = layTable(spec.Settings, server["workspace_configuration"])
	spec.Capabilities = layTable(spec.Capabilities, server["client_capabilities"])
	timeouts(&spec.Timeouts, server)
}

// adopt takes over what a row tells about behaviour, and nothing about who the server is, what it serves and how it is started: a field
// that is new in lsp.Spec is behaviour unless it is named here.
func adopt(spec, row *lsp.Spec) {
	have := *spec
	*spec = *row
	spec.ID, spec.Kind, spec.Title = have.ID, have.Kind, have.Title
	spec.Languages, spec.Commands, spec.Roles = have.Languages, have.Commands, have.Roles
	spec.Env, spec.Pass, spec.Untrusted, spec.Cwd = have.Env, have.Pass, have.Untrusted, have.Cwd
	spec.RootDir, spec.Folders = have.RootDir, have.Folders
	spec.InitializationOptions, spec.Settings, spec.Capabilities = have.InitializationOptions, have.Settings, have.Capabilities
	spec.Timeouts, spec.Install, spec.Version, spec.Verified = have.Timeouts, have.Install, have.Version, have.Verified
	if have.Roots.Groups != nil {
		spec.Roots = have.Roots
	}
}

func layTable(below map[string]any, over any) map[string]any {
	if over == nil {
		return below
	}
	return laid(below, over).(map[string]any)
}

// layEach lays the entries of a decoded table over a map of the row.
func layEach[V any](below map[string]V, over any, as func(any) V) map[string]V {
	table, _ := over.(map[string]any)
	if len(table) == 0 {
		return below
	}
	out := make(map[string]V, len(below)+len(table))
	maps.Copy(out, below)
	for name, v := range table {
		out[name] = as(v)
	}
	return out
}

// languages sets what is served. A language id is the configured one, else the row's for that extension, else that of
// any server of the catalogue, else the extension itself.
func (o *overlay) languages(spec *lsp.Spec, server map[string]any) {
	id := lookup[string](server, "language_id")
	extensions, ok := server["extensions"].([]string)
	if !ok && id == "" {
		return
	}
	var out []lsp.Language
	if !ok {
		extensions = spec.Extensions()
	}
	for _, ext := range extensions {
		language := id
		if language == "" {
			language = o.languageOf(spec, ext)
		}
		out = addExtension(out, language, ext)
	}
	for _, l := range spec.Languages {
		if len(l.FileNames) > 0 {
			language := l.ID
			if id != "" {
				language = id
			}
			out = addNames(out, language, l.FileNames)
		}
	}
	spec.Languages = out
}

func (o *overlay) languageOf(spec *lsp.Spec, ext string) string {
	if id := spec.LanguageID("x." + ext); id != "" {
		return id
	}
	for i := range o.catalogue {
		if id := o.catalogue[i].LanguageID("x." + ext); id != "" {
			return id
		}
	}
	return ext
}

func addExtension(list []lsp.Language, id, ext string) []lsp.Language {
	l := language(&list, id)
	l.Extensions = append(l.Extensions, ext)
	return list
}

func addNames(list []lsp.Language, id string, names []string) []lsp.Language {
	l := language(&list, id)
	l.FileNames = append(l.FileNames, names...)
	return list
}

func language(list *[]lsp.Language, id string) *lsp.Language {
	for i := range *list {
		if (*list)[i].ID == id {
			return &(*list)[i]
		}
	}
	*list = append(*list, lsp.Language{ID: id})
	return &(*list)[len(*list)-1]
}

// commands sets what is started. A command without args gets those of the row, since they hold the switch to stdio.
func commands(spec *lsp.Spec, server map[string]any) {
	name := lookup[string](server, "command")
	args, given := server["args"].([]string)
	if name != "" {
		own := lsp.Command{Name: name}
		if from, ok := server[commandKey].(origin); ok {
			own.File = from.Path
			own.Line, _ = from.at.of(join(from.path, "command"))
		}
		if len(spec.Commands) > 0 {
			own.Args = spec.Commands[0].Args
		}
		spec.Commands = []lsp.Command{own}
	}
	if !given {
		return
	}
	spec.Commands = slices.Clone(spec.Commands)
	for i := range spec.Commands {
		spec.Commands[i].Args = args
	}
}

func timeouts(t *lsp.Timeouts, server map[string]any) {
	set := func(to *time.Duration, key string, unit time.Duration) {
		if n, ok := server[key].(int64); ok {
			*to = time.Duration(n) * unit
		}
	}
	set(&t.Initialize, "initialize_timeout_ms", time.Millisecond)
	set(&t.Request, "request_timeout_ms", time.Millisecond)
	set(&t.Warmup, "warmup_timeout_ms", time.Millisecond)
	set(&t.Idle, "idle_shutdown_ms", time.Millisecond)
	set(&t.Restart, "restart_interval_minutes", time.Minute)
	t.Requests = layEach(t.Requests, server["request_timeout_overrides_ms"], func(v any) time.Duration {
		return time.Duration(v.(int64)) * time.Millisecond
	})
}
