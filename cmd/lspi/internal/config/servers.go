package config

import (
	"cmp"
	"path"
	"slices"

	"lspi/lsp/spec"
	"lspi/router"
)

// overlay lays the configured servers over the catalogue.
type overlay struct {
	catalogue []spec.Spec
	pass      []string // env_pass of the top level
	specs     []spec.Spec
	disabled  []spec.Spec
	withheld  []router.Withheld
	entries   []Server
	taken     map[string]bool // ids of rows that a configured server stands for
}

// run makes the servers in order of preference: the configured ones, then, if keep is set, the rest of the catalogue.
func (o *overlay) run(servers []*serverTable, keep bool) {
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

func (o *overlay) server(s *serverTable) {
	if s.file.failed(join(s.path, "kind")) {
		return // laid over the wrong row it would only confuse
	}
	base := o.rowOf(s)
	if base == nil && !o.complete(s) {
		o.withhold(s)
		return
	}
	spec := spec.Spec{ID: s.id, Title: s.id}
	if base != nil {
		spec = *base
		spec.ID = s.id
	}
	o.lay(&spec, s)
	if same := row(o.catalogue, s.id); same != nil {
		o.taken[same.ID] = true
	}
	enabled := s.values["enabled"] != false
	if enabled {
		o.specs = append(o.specs, spec)
	} else {
		o.disabled = append(o.disabled, spec)
	}
	if enabled && base != nil {
		o.taken[base.ID] = true
	}
	o.entries = append(o.entries, Server{Spec: spec, Enabled: enabled, File: s.file.Path, Values: s.values,
		Untrusted: s.file.stripped[s.id]})
}

// rowOf is the row that a server is laid over, nil for a generic one.
func (o *overlay) rowOf(s *serverTable) *spec.Spec {
	kind := cmp.Or(lookup[string](s.values, "kind"), s.id)
	if kind == generic {
		return nil
	}
	return row(o.catalogue, kind)
}

// complete reports whether a server without a row has all that it needs. What it lacks is a finding, unless there
// is one already: because of an error, or because its file is not trusted.
func (o *overlay) complete(s *serverTable) bool {
	complete := true
	for _, name := range []string{"command", "extensions"} {
		if s.values[name] != nil {
			continue
		}
		complete = false
		at := join(s.path, name)
		if slices.Contains(s.file.stripped[s.id], at) || s.file.failed(at) {
			continue
		}
		hint := ""
		if near := nearest(s.id, rowNames(o.catalogue)); near != "" && s.values["kind"] == nil {
			hint = ", or is it " + quoted(near) + "?"
		}
		s.file.findAt(SeverityError, FindingMissingKey, s.path, "add "+name,
			"the server %s is not in the catalogue, so it needs %q%s", quoted(s.id), name, hint)
	}
	return complete
}

// withhold notes a server that lacks its command only because its file is not trusted.
func (o *overlay) withhold(s *serverTable) {
	if s.values["enabled"] == false || !slices.Contains(s.file.stripped[s.id], join(s.path, "command")) {
		return
	}
	w := router.Withheld{Spec: spec.Spec{ID: s.id}, File: s.file.Path}
	o.languages(&w.Spec, s.values)
	o.withheld = append(o.withheld, w)
}

// lay changes the fields of spec that the server sets.
func (o *overlay) lay(spec *spec.Spec, s *serverTable) {
	if adapter := lookup[string](s.values, "adapter"); adapter != "" {
		adopt(spec, row(o.catalogue, adapter))
	}
	o.languages(spec, s.values)
	commands(spec, s)
	spec.Pass = nil
	for _, g := range s.settings() {
		if g.key.server != nil {
			g.key.holds.store(g.key.server(spec), g.value())
		}
	}
	spec.Pass = slices.Concat(o.pass, spec.Pass)
	if base := o.rowOf(s); spec.RunsElsewhere() && len(spec.Commands) > 0 {
		spec.Elsewhere.Before = before(spec.Commands[0], base)
	}
}

// before are the words of a command in front of the server's own program, which start a program elsewhere: ssh and a
// host, docker exec and a container. nil where the command does not name the program as the row does.
func before(c spec.Command, row *spec.Spec) []string {
	for i, arg := range c.Args {
		if row != nil && slices.ContainsFunc(row.Commands, func(own spec.Command) bool {
			return path.Base(arg) == path.Base(own.Name)
		}) {
			return append([]string{}, c.Args[:i]...)
		}
	}
	return nil
}

// adopt takes over what a row tells about behaviour, and nothing about who the server is, what it serves and how it
// is started: a field that is new in spec.Spec is behaviour unless it is named here.
func adopt(spec, row *spec.Spec) {
	have := *spec
	*spec = *row
	spec.ID, spec.Kind, spec.Title = have.ID, have.Kind, have.Title
	spec.Languages, spec.Commands, spec.Roles = have.Languages, have.Commands, have.Roles
	spec.Env, spec.Pass, spec.Untrusted, spec.Cwd = have.Env, have.Pass, have.Untrusted, have.Cwd
	spec.RootDir, spec.Folders = have.RootDir, have.Folders
	spec.InitializationOptions, spec.Settings, spec.Capabilities = have.InitializationOptions, have.Settings,
		have.Capabilities
	spec.Timeouts, spec.Install, spec.Version, spec.Verified = have.Timeouts, have.Install, have.Version, have.Verified
	if have.Roots.Groups != nil {
		spec.Roots = have.Roots
	}
}

// languages sets what is served. A language id is the configured one, else the row's for that extension, else that of
// any server of the catalogue, else the extension itself.
func (o *overlay) languages(sp *spec.Spec, server map[string]any) {
	id := lookup[string](server, "language_id")
	extensions, ok := server["extensions"].([]string)
	if !ok && id == "" {
		return
	}
	var out []spec.Language
	if !ok {
		extensions = sp.Extensions()
	}
	for _, ext := range extensions {
		l := language(&out, cmp.Or(id, o.languageOf(sp, ext)))
		l.Extensions = append(l.Extensions, ext)
	}
	for _, own := range sp.Languages {
		if len(own.FileNames) > 0 {
			l := language(&out, cmp.Or(id, own.ID))
			l.FileNames = append(l.FileNames, own.FileNames...)
		}
	}
	sp.Languages = out
}

func (o *overlay) languageOf(spec *spec.Spec, ext string) string {
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

// language is the entry of a list for an identifier, made where there is none.
func language(list *[]spec.Language, id string) *spec.Language {
	for i := range *list {
		if (*list)[i].ID == id {
			return &(*list)[i]
		}
	}
	*list = append(*list, spec.Language{ID: id})
	return &(*list)[len(*list)-1]
}

// commands sets what is started. A command without args gets those of the row, since they hold the switch to stdio.
func commands(sp *spec.Spec, s *serverTable) {
	name := lookup[string](s.values, "command")
	args, given := s.values["args"].([]string)
	if name != "" {
		own := s.command
		own.Name = name
		if len(sp.Commands) > 0 {
			own.Args = sp.Commands[0].Args
		}
		sp.Commands = []spec.Command{own}
	}
	if !given {
		return
	}
	sp.Commands = slices.Clone(sp.Commands)
	for i := range sp.Commands {
		sp.Commands[i].Args = args
	}
}
