package config

import "lspi/router"

// Table is what the router works on.
func (c *Config) Table() *router.Table {
	return &router.Table{Workspace: c.Workspace, Roots: c.Roots, Specs: c.Specs}
}
