//go:build !linux

package launch

import "lspi/internal/source"

// programs returns the executable of the server, by its name and with links resolved.
func (s *Dependencies) programs() []string { return source.RealFolders(s.Command) }

// variable returns a variable with which the server was started.
func (s *Dependencies) variable(name string) string { return s.given(name) }
