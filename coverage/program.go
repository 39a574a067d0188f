package coverage

import (
	"lspi/answer"
	"lspi/lsp"
	"lspi/pool"
)

// Program is the executable of a server: the one that runs, else the first that would be tried; "" when there is none.
// Each server is looked for once in a call.
func Program(c *answer.Call, spec *lsp.Spec) string {
	if path, known := c.Programs[spec]; known {
		return path
	}
	path := ""
	for _, st := range Status(c) {
		if st.Spec == spec && st.Server != nil {
			path = st.Server.State().Command
		}
	}
	if path == "" {
		if commands, _ := lsp.FindCommands(spec); len(commands) > 0 {
			path = commands[0].Path
		}
	}
	if c.Programs == nil {
		c.Programs = map[*lsp.Spec]string{}
	}
	c.Programs[spec] = path
	return path
}

// Status is what the pool knows; nothing when the session could not be opened.
func Status(c *answer.Call) []pool.ServerStatus {
	if c.Workspace.Pool == nil {
		return nil
	}
	return c.Workspace.Pool.Status()
}
