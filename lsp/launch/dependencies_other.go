//go:build !linux

package launch

import "lspi/internal/source"

// programs are the executable of the server, by its name and without links.
func (s *Dependencies) programs() []string { return source.RealFolders(s.Command) }

// variable is a variable of the server's environment.
func (s *Dependencies) variable(name string) string { return s.given(name) }
