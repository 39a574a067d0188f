//go:build !linux

package lsp

import "lspi/source"

// programs are the executable of the server, by its name and without links.
func (s *Server) programs() []string { return source.RealFolders(s.command) }

// variable is a variable of the server's environment.
func (s *Server) variable(name string) string { return s.given(name) }
