package tools

import (
	"context"
	"fmt"
	"slices"

	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// listServersIn says whether the whole catalogue is listed, or only what concerns the workspace; Offset
// counts servers.
type listServersIn struct {
	All    bool `json:"all" default:"false"`
	Offset int  `json:"offset" default:"0" min:"0"`
	answer.Caps
}

// listServersOut is a page of servers.
type listServersOut struct {
	Total    int            `json:"total"`
	Returned int            `json:"returned"`
	Servers  []listedServer `json:"servers" schema:"object"`

	offset int
}

// listedServer is a server and how to get it. Verified says that lspi's own tests run it, in
// VerifiedVersion.
type listedServer struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	State   string   `json:"state"`
	Version string   `json:"version,omitempty" schema:"-"` // of one that runs
	Path    string   `json:"path,omitempty"`
	Install []string `json:"install,omitempty"`
	// How to get it where no command does.
	InstallHint string   `json:"install_hint,omitempty" schema:"-"`
	Files       int      `json:"files"`
	Languages   []string `json:"languages"`
	Extensions  []string `json:"extensions"`
	FileNames   []string `json:"file_names,omitempty"`
	Roles       []string `json:"roles"`
	Verified    bool     `json:"verified"`
	// VerifiedVersion is "" for a server that no test runs.
	VerifiedVersion string `json:"verified_version,omitempty"`
	Configured      bool   `json:"configured"`
	// Projects are the parts of the workspace for each of which the server answers on its own; with MoreProjects
	// behind the first [maxListedProjects].
	Projects     []listedProject `json:"projects,omitempty" schema:"-"`
	MoreProjects int             `json:"more_projects,omitempty" schema:"-"`
}

// listedProject is what a server takes in together: the files below a root that no other root is nearer to. Without a
// project file they are in none, and the server takes them as they lie.
type listedProject struct {
	Folder      string `json:"folder"` // relative; "." is the workspace
	Files       int    `json:"files"`
	ProjectFile bool   `json:"project_file"`
	First       string `json:"first,omitempty"` // of the files of a folder without a project file
}

// maxListedProjects bounds listedServer.Projects: an answer is to be read.
const maxListedProjects = 20

// listServers shows which language servers the workspace needs, whether each is installed, and how to
// install it.
var listServers = define("list_servers", answer.Status,
	func(ctx context.Context, c *answer.Call, in listServersIn) (*listServersOut, error) {
		if c.Workspace.Table == nil {
			return nil, errNoSession
		}
		all := listed(ctx, c, in.All)
		out := &listServersOut{Total: len(all), offset: in.Offset, Servers: all[min(in.Offset, len(all)):]}
		out.Returned = len(out.Servers)
		return out, nil
	})

// listed returns the servers that concern the workspace: those with files in it, those that are
// configured, those that were started. With all, the rest of the catalogue follows.
func listed(ctx context.Context, c *answer.Call, all bool) []listedServer {
	files, projects := map[*spec.Spec]int{}, map[*spec.Spec][]router.Project{}
	for _, n := range ask.SurveyServers(ctx, c) {
		files[n.Spec] = n.Files
		if n.Spec.Roles.Has(spec.RoleNavigation) {
			projects[n.Spec] = n.Projects()
		}
	}
	started := map[*spec.Spec]bool{}
	for _, st := range answer.PoolStatus(c) {
		// A server that runs concerns the host also when the files that it was started for are gone.
		started[st.Spec] = true
	}
	configured := configured(c)
	concerns, rest := []listedServer{}, []listedServer{}
	for i := range c.Workspace.Table.Specs {
		spec := &c.Workspace.Table.Specs[i]
		switch {
		case files[spec] > 0 || started[spec] || configured[spec.ID]:
			l := list(c, spec, files[spec], configured[spec.ID])
			l.takesIn(c, projects[spec])
			concerns = append(concerns, l)
		case all:
			rest = append(rest, list(c, spec, 0, false))
		}
	}
	return slices.Concat(concerns, listOff(c), rest)
}

// configured returns the ids that a configuration file names.
func configured(c *answer.Call) map[string]bool {
	out := map[string]bool{}
	if conf := c.Session.Settings.Configuration; conf != nil {
		for _, s := range conf.Servers {
			out[s.ID] = s.File != ""
		}
	}
	return out
}

// list describes one server, with how to install it where it is missing.
func list(c *answer.Call, spec *spec.Spec, files int, configured bool) listedServer {
	l := listedServer{ID: spec.ID, Title: spec.Title, State: ask.State(c, spec), Path: answer.Program(c, spec),
		Files:     files,
		Languages: []string{}, Extensions: orEmpty(spec.Extensions()), Roles: roleNames(spec.Roles),
		Verified: spec.Verified != "", VerifiedVersion: spec.Verified, Configured: configured}
	// The version is known of a running process only: nothing is started to find it out.
	for _, st := range answer.PoolStatus(c) {
		if st.Spec == spec && st.Server != nil {
			l.Version = st.Server.State().Version
		}
	}
	for _, language := range spec.Languages {
		l.Languages = append(l.Languages, language.ID)
		l.FileNames = append(l.FileNames, language.FileNames...)
	}
	// Only commands for this system, and few of them: the host is to run one.
	if l.Path == "" {
		installs := launch.ThisSystem(spec.Environ).Commands(spec.Install)
		l.Install = installs[:min(len(installs), answer.MaxInstalls)]
		if len(installs) == 0 {
			l.InstallHint = spec.InstallWords()
		}
	}
	return l
}

// takesIn enters the projects of a server.
func (l *listedServer) takesIn(c *answer.Call, projects []router.Project) {
	for _, p := range projects[:min(len(projects), maxListedProjects)] {
		listed := listedProject{Folder: c.Show(p.Root), Files: p.Files, ProjectFile: !p.NoMarker}
		if p.NoMarker {
			listed.First = c.Show(p.First)
		}
		l.Projects = append(l.Projects, listed)
	}
	l.MoreProjects = len(projects) - len(l.Projects)
}

// listOff returns the servers that the configuration switches off; the table does not have them.
func listOff(c *answer.Call) []listedServer {
	conf := c.Session.Settings.Configuration
	if conf == nil {
		return nil
	}
	var out []listedServer
	for _, s := range conf.Servers {
		if s.File != "" && !s.Enabled {
			out = append(out, listedServer{ID: s.ID, Title: s.ID, State: ask.StateOff, Languages: []string{},
				Configured: true,
				Extensions: orEmpty(s.Extensions), Roles: []string{}})
		}
	}
	return out
}

// roleNames returns what the server is asked for here, in the words of the configuration.
func roleNames(r spec.Role) []string {
	out := []string{}
	for _, role := range []struct {
		role spec.Role
		name string
	}{{spec.RoleNavigation, "navigation"}, {spec.RoleDiagnostics, "diagnostics"}, {spec.RoleEdits, "edits"}} {
		if r.Has(role.role) {
			out = append(out, role.name)
		}
	}
	return out
}

// orEmpty keeps null out of the answer: its schema has arrays.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (o *listServersOut) Summary() string {
	missing := 0
	for _, s := range o.Servers {
		if s.State == ask.StateMissing {
			missing++
		}
	}
	return fmt.Sprintf("%d servers, %d of those shown are not installed.", o.Total, missing)
}

// Size counts servers.
func (o *listServersOut) Size() int { return len(o.Servers) }

// Cut keeps the first n servers.
func (o *listServersOut) Cut(n int) any {
	return &listServersOut{Total: o.Total, Returned: n, Servers: o.Servers[:n]}
}

func (o *listServersOut) Next(_ *answer.Call, n int) map[string]any {
	return map[string]any{"offset": o.offset + n}
}

func (o *listServersOut) Tell(s *answer.Sheet) {
	for _, server := range o.Servers {
		s.Line(0, "- %s", answer.PlainFields(server))
	}
}
