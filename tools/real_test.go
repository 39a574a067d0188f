package tools

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lspi/internal/testkit"
	"lspi/tools/session"
	"lspi/tools/toolstest"
)

// realProject is a small project for a real server; each row of a table over servers has one.
type realProject struct {
	server, program string
	files           map[string]string
	// of the project in the workspace that tests share, with a slash; "" where it is the workspace
	folder string
}

func (p *realProject) self() *realProject { return p }

// A server takes seconds to start, so the projects of tests that change no file are folders of one workspace, which
// has one session for all of them, where a process of the server serves several folders.
var (
	sharedServers = []string{"typescript-language-server", "pyright", "gopls"}
	// the files of these workspaces, by server; written while variables are initialized
	shared     = map[string]map[string]string{}
	sharedEnvs sync.Map // func() *workspace.Session by server
)

// sharing puts the projects of a table for [sharedServers] into a folder of the workspace that is shared.
func sharing[T interface{ self() *realProject }](folder string, rows ...T) []T {
	for _, row := range rows {
		p := row.self()
		if !slices.Contains(sharedServers, p.server) {
			continue
		}
		if shared[p.server] == nil {
			shared[p.server] = map[string]string{}
		}
		p.folder = folder + "/"
		for name, text := range p.files {
			// would make the folder a root with a process of its own
			if name == "pyproject.toml" || name == "pyrightconfig.json" {
				p.folder = folder + "/"
				shared[p.server]["pyproject.toml"] = ""
				continue
			}
			shared[p.server][p.folder+name] = text
		}
	}
	return rows
}

// session opens the project; a test that changes files has [realProject.folder] "".
func (p *realProject) session(t *testing.T) *session.Session {
	t.Helper()
	needServer(t, p.program)
	if p.folder == "" {
		return toolstest.Real(t, project(t, p.files), p.server)
	}
	open, _ := sharedEnvs.LoadOrStore(p.server, sync.OnceValue(func() *session.Session {
		return toolstest.Real(testkit.Lasting, project(testkit.Lasting, shared[p.server]), p.server)
	}))
	return open.(func() *session.Session)()
}

// in has file_path among the arguments of a call lead into the project.
func (p *realProject) in(arguments map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range arguments {
		if path, ok := value.(string); ok && name == "file_path" && !filepath.IsAbs(path) {
			value = p.folder + path
		}
		out[name] = value
	}
	return out
}

// shown is a text with paths as the project has them.
func (p *realProject) shown(text string) string {
	if p.folder == "" {
		return text
	}
	return strings.ReplaceAll(text, p.folder, "")
}
