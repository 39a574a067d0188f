package config

import (
	"path/filepath"
	"strings"

	"lspi/cmd/lspi/internal/trust"
	"lspi/internal/source"
	"lspi/lsp/spec"
)

// pathResolver makes the paths of one file absolute, folders with their symbolic links resolved. A folder that does
// not exist is left out with a warning; one that a file which is not trusted names has to lie inside the workspace.
type pathResolver struct {
	*layer
	home      string
	workspace string // what folders are relative to and untrusted ones must stay inside
}

// chooseRoot is the workspace that the file chooses, or "" when it chooses none.
func (p *pathResolver) chooseRoot() string {
	path, ok := p.values["workspace_root"].(string)
	if !ok {
		return ""
	}
	root, ok := p.folder(p.base(), path, "workspace_root", "")
	if !ok {
		delete(p.values, "workspace_root")
		return ""
	}
	p.values["workspace_root"] = root
	return root
}

// run resolves the paths of all keys but workspace_root, which decides what they are relative to.
func (p *pathResolver) run() {
	for _, at := range p.all() {
		if at.key.holds.resolve == nil {
			continue
		}
		if value, ok := at.key.holds.resolve(p, at); ok {
			at.set(value)
		} else {
			at.drop()
		}
	}
}

func (p *pathResolver) folderOf(at setting) (any, bool) {
	return p.folder(p.workspace, at.value().(string), at.path, at.id())
}

// foldersOf resolves each folder of a list for itself.
func (p *pathResolver) foldersOf(at setting) (any, bool) {
	given := at.value().([]string)
	kept := make([]string, 0, len(given))
	for i, name := range given {
		if dir, ok := p.folder(p.workspace, name, index(at.path, i), at.id()); ok {
			kept = append(kept, dir)
		}
	}
	return kept, true
}

// filesOf resolves each file of a list by name alone: it need not be there yet, and whoever reads it looks where its
// links lead.
func (p *pathResolver) filesOf(at setting) (any, bool) {
	given := at.value().([]string)
	kept := make([]string, 0, len(given))
	for i, name := range given {
		path := source.Absolute(p.workspace, filepath.FromSlash(p.expand(name)))
		if !p.Trusted && !source.Within(p.workspace, path) {
			p.strip(index(at.path, i), at.id())
			continue
		}
		kept = append(kept, path)
	}
	return kept, true
}

// pairsOf resolves the folders here, which are the names of the table; it does not look at those there.
func (p *pathResolver) pairsOf(at setting) (any, bool) {
	kept := map[string]any{}
	for name, remote := range at.value().(map[string]any) {
		if dir, ok := p.folder(p.workspace, name, join(at.path, name), at.id()); ok {
			kept[dir] = remote
		}
	}
	return kept, true
}

func (p *pathResolver) outputOf(at setting) (any, bool) {
	return source.Absolute(p.base(), p.expand(at.value().(string))), true
}

// commandOf keeps a name for PATH as it is. A relative path counts from the file that names it and never from a
// folder that somebody else chose.
func (p *pathResolver) commandOf(at setting) (any, bool) {
	at.server.command = spec.Command{File: p.Path, Line: p.at.of(at.path).line}
	given := p.expand(at.value().(string))
	if !strings.ContainsAny(given, `/`+string(filepath.Separator)) {
		return given, true
	}
	return source.Absolute(p.base(), filepath.FromSlash(given)), true
}

// folder is the real path of a folder. A path that an untrusted file leads outside by name alone is not even looked at:
// on some systems looking is enough to mount or to log in.
func (p *pathResolver) folder(base, given, key, id string) (string, bool) {
	path := source.Absolute(base, p.expand(given))
	if !p.Trusted && !source.Within(p.workspace, path) {
		p.strip(key, id)
		return "", false
	}
	real, err := trust.Real(path)
	switch {
	case err != nil:
		p.missing(key, err)
		return "", false
	case !p.Trusted && !source.Within(p.workspace, real):
		p.strip(key, id)
		return "", false
	}
	return real, true
}

// missing reports a folder that is not there. Without the workspace that was meant, answers would be about another one.
func (p *pathResolver) missing(key string, err error) {
	if key == "workspace_root" {
		p.findAt(SeverityError, FindingNotFound, key, "", "the workspace %v", err)
		return
	}
	p.findAt(SeverityWarning, FindingNotFound, key, "", "left out: %v", err)
}

// expand replaces a leading ~/ by the home folder.
func (p *pathResolver) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.home != "" {
		return filepath.Join(p.home, rest)
	}
	return path
}

// programOf is the program of an MCP server: a name for PATH, a path relative to its file, or one that begins with
// a variable.
func (p *pathResolver) programOf(at setting) (any, bool) {
	given := p.expand(at.value().(string))
	if !strings.ContainsAny(given, `/`+string(filepath.Separator)) || strings.HasPrefix(given, "$") {
		return given, true
	}
	return source.Absolute(p.base(), filepath.FromSlash(given)), true
}
