//go:build !linux

package lsp

import "lspi/source"

// programs are the executable of the server, by its name and without links.
func (s *dependencySearch) programs() []string { return source.RealFolders(s.command) }

// variable is a variable of the server's environment.
func (s *dependencySearch) variable(name string) string { return s.given(name) }
