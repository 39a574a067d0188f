package lsp

import (
	"os"
	"path/filepath"

	"lspi/source"
)

// listFile is a project file that lists the sources ([ProjectFile].Lists), as it was before the process of a server began.
// The process reads it at some time after that, and tells neither when nor which of several texts.
type listFile struct {
	path string // "" when there was none
	info os.FileInfo
}

// list is the file that lists the sources of a root; nil for a server that needs none, or that reads it anew by itself.
func (s *Spec) list(root string) *listFile {
	p := s.Project
	if p == nil || len(p.Lists) == 0 || len(s.Freshness.RestartOn) == 0 {
		return nil
	}
	dir := p.find(root)
	if dir == "" {
		return &listFile{}
	}
	path := filepath.Join(dir, p.Files[0])
	info, err := os.Stat(path)
	if err != nil {
		return &listFile{}
	}
	return &listFile{path, info}
}

// ListChanged reports whether the file that lists the sources of the project is another one than when the server was
// started, so that its answers may be of a part of them: only a new process is certain to read it. What is said of an answer
// by this file (which sources it leaves out, that it cannot be read) holds only when this is false after the answer.
func (s *Server) ListChanged() bool {
	if s.list == nil {
		return false
	}
	now := s.spec.list(s.root)
	switch {
	case now.path != s.list.path:
		return true
	case now.path == "":
		return false
	}
	return !source.Unchanged(s.list.info, now.info)
}
