package answer

import (
	"lspi/lsp/launch"
	"lspi/lsp/spec"
	"lspi/router"
)

// Program returns the executable of a server: the one that runs, else the first that would be tried; ""
// when there is none. Each server is looked for once in a call, since it looks through PATH.
func Program(c *Call, sp *spec.Spec) string {
	if path, known := c.Programs[sp]; known {
		return path
	}
	path := ""
	for _, st := range PoolStatus(c) {
		if st.Spec == sp && st.Server != nil {
			path = st.Server.State().Command
		}
	}
	if path == "" {
		if commands, _ := launch.FindCommands(sp); len(commands) > 0 {
			path = commands[0].Path
		}
	}
	if c.Programs == nil {
		c.Programs = map[*spec.Spec]string{}
	}
	c.Programs[sp] = path
	return path
}

// PoolStatus returns what the pool knows of its servers; nil when the session could not be opened.
func PoolStatus(c *Call) []router.ServerStatus {
	if c.Workspace.Pool == nil {
		return nil
	}
	return c.Workspace.Pool.Status()
}
