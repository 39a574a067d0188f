//go:build !linux

package lsp

// programs are the executable of the server, by its name and without links.
func (s *Server) programs() []string { return realFolders(s.command) }

// variable is a variable of the server's environment.
func (s *Server) variable(name string) string { return s.given(name) }
