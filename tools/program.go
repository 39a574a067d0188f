package tools

import (
	"lspi/lsp"
	"lspi/router"
)

// program is the executable of a server: the one that runs, else the first that would be tried; "" when there is none.
// Each server is looked for once in a call.
func (c *Call) program(spec *lsp.Spec) string {
	if path, known := c.programs[spec]; known {
		return path
	}
	path := ""
	for _, st := range c.status() {
		if st.Spec == spec && st.Server != nil {
			path = st.Server.Snapshot().Command
		}
	}
	if path == "" {
		if commands, _ := lsp.FindCommands(spec); len(commands) > 0 {
			path = commands[0].Path
		}
	}
	if c.programs == nil {
		c.programs = map[*lsp.Spec]string{}
	}
	c.programs[spec] = path
	return path
}

// status is what the pool knows; nothing when the session could not be opened.
func (c *Call) status() []router.ServerStatus {
	if c.env.Pool == nil {
		return nil
	}
	return c.env.Pool.Status()
}
