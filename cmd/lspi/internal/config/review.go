package config

import (
	"path/filepath"
	"slices"

	"lspi/cmd/lspi/internal/folders"
)

// Review is what is wrong with one file, with all of it applied. It is read for the workspace that it lies in, whatever
// the environment says.
func Review(o Options, path string) []Finding {
	o.fill()
	path = folders.Absolute(o.WorkDir, path)
	getenv := o.Getenv
	o.Getenv = func(name string) string {
		if name == "LSPI_CONFIG_PATH" || name == "CLAUDE_PROJECT_DIR" {
			return ""
		}
		return getenv(name)
	}
	dir := filepath.Dir(path)
	if filepath.Base(dir) == ".lspi" {
		dir = filepath.Dir(dir)
	}
	o.ConfigFlag, o.WorkspaceFlag, o.HostRoots, o.Flags = path, dir, nil, Flags{}
	c, err := Load(o)
	if err != nil {
		return []Finding{{Severity: SeverityError, Kind: FindingUnreadable, File: path, Message: err.Error()}}
	}
	return slices.DeleteFunc(c.Findings, func(f Finding) bool { return f.File != path })
}
