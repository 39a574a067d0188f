package config

import (
	"path/filepath"
	"strings"

	"lspi/cmd/lspi/internal/folders"
)

// settler makes the paths of one file absolute, folders with symbolic links resolved. Folders that are not there are left
// out with a warning; those of an untrusted file must lie inside the workspace.
type settler struct {
	*layer
	home string
	root string // the workspace, which server folders are relative to and untrusted ones must stay inside
}

// workspaceRoot is the workspace that the file chooses, or "" when it chooses none.
func (s *settler) workspaceRoot() string {
	path, ok := s.values["workspace_root"].(string)
	if !ok {
		return ""
	}
	root, ok := s.folder(s.base, path, "workspace_root", "")
	if !ok {
		delete(s.values, "workspace_root")
		return ""
	}
	s.values["workspace_root"] = root
	return root
}

func (s *settler) run() {
	s.folders(s.values, "", "")
	if log, ok := s.values["logging"].(map[string]any); ok {
		if file, ok := log["file"].(string); ok {
			log["file"] = folders.Absolute(s.base, s.expand(file))
		}
	}
	for _, server := range lookup[[]map[string]any](s.values, "servers") {
		s.server(server, server[originKey].(origin).path)
	}
}

func (s *settler) server(server map[string]any, path string) {
	id := server["id"].(string)
	if command, ok := server["command"].(string); ok {
		server["command"], server[commandKey] = s.command(command), server[originKey]
	}
	for _, name := range []string{"cwd", "root_dir"} {
		given, ok := server[name].(string)
		if !ok {
			continue
		}
		if dir, ok := s.folder(s.root, given, join(path, name), id); ok {
			server[name] = dir
		} else {
			delete(server, name)
		}
	}
	s.folders(server, path, id)
}

// folders settles workspace_folders of a table, each for itself.
func (s *settler) folders(table map[string]any, path, id string) {
	given, ok := table["workspace_folders"].([]string)
	if !ok {
		return
	}
	at := join(path, "workspace_folders")
	kept := make([]string, 0, len(given))
	for i, name := range given {
		if dir, ok := s.folder(s.root, name, index(at, i), id); ok {
			kept = append(kept, dir)
		}
	}
	table["workspace_folders"] = kept
}

// folder is the real path of a folder. A path that an untrusted file leads outside by name alone is not even looked at:
// on some systems looking is enough to mount or to log in.
func (s *settler) folder(base, given, key, id string) (string, bool) {
	path := folders.Absolute(base, s.expand(given))
	if !s.Trusted && !folders.Within(s.root, path) {
		s.strip(key, id)
		return "", false
	}
	real, err := folders.Real(path)
	if err != nil {
		s.missing(key, err)
		return "", false
	}
	if !s.Trusted && !folders.Within(s.root, real) {
		s.strip(key, id)
		return "", false
	}
	return real, true
}

// missing reports a folder that is not there. Without the workspace that was meant, answers would be about another one.
func (s *settler) missing(key string, err error) {
	if key == "workspace_root" {
		s.findAt(SeverityError, FindingNotFound, key, "", "the workspace %v", err)
		return
	}
	s.findAt(SeverityWarning, FindingNotFound, key, "", "left out: %v", err)
}

// command is a name for PATH, or an absolute path: a relative one counts from the file that names it and never from a
// folder that somebody else chose.
func (s *settler) command(given string) string {
	expanded := s.expand(given)
	if !strings.ContainsAny(expanded, `/`+string(filepath.Separator)) {
		return expanded
	}
	return folders.Absolute(s.base, filepath.FromSlash(expanded))
}

// expand replaces a leading ~/ by the home folder.
func (s *settler) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && s.home != "" {
		return filepath.Join(s.home, rest)
	}
	return path
}
