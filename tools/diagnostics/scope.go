package diagnostics

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspi/contract"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
	"lspi/tools/answer"
	"lspi/tools/ask"
)

// scope is the part of the workspace that folders and globs name; nil is all of it.
type scope []Part

// Part is the part of the workspace that a folder or a glob names.
type Part struct {
	given  string
	Folder bool
	Has    func(path string) bool // whether a file is in it, by its absolute path
}

// has reports whether a file is in the scope.
func (in scope) has(path string) bool {
	return in == nil || slices.ContainsFunc(in, func(p Part) bool { return p.Has(path) })
}

// PartOf returns the part of the workspace that an argument names; ok is false for a file.
func PartOf(c *answer.Call, argument, given string) (p Part, ok bool, err error) {
	at := c.AbsolutePath(given)
	info, err := os.Stat(at)
	switch {
	case err == nil && info.IsDir():
		folder, err := filepath.EvalSymlinks(at)
		if err != nil || c.Workspace.Table.RootOf(folder) == "" {
			return Part{}, false, nil // the error is that of a file
		}
		return Part{given, true, func(path string) bool { return source.Within(folder, path) }}, true, nil
	case err == nil || !strings.ContainsAny(given, "*?[{") || strings.Contains(given, "://"):
		return Part{}, false, nil
	}
	glob := path.Clean(filepath.ToSlash(given))
	if in := c.Workspace.GlobsInRoots(glob); len(in) == 1 {
		glob = in[0]
	}
	if !doublestar.ValidatePattern(glob) {
		return Part{}, false, answer.Invalid(argument,
			"has %q, which is no glob: **, *, ?, [a-z] and {a,b} may stand in it", given)
	}
	return Part{given, false, func(file string) bool {
		name := filepath.ToSlash(file)
		if !path.IsAbs(glob) && !filepath.IsAbs(filepath.FromSlash(glob)) {
			below, inside := source.RelativeTo(c.Workspace.Root, file)
			if name = filepath.ToSlash(below); !inside {
				return false
			}
		}
		return doublestar.MatchUnvalidated(glob, name)
	}}, true, nil
}

// limit leaves out what matches no file of a server, with a warning; it is the error where nothing is left.
func (in scope) limit(c *answer.Call, walk *ask.WorkspaceWalk) (scope, error) {
	if in == nil {
		return nil, nil
	}
	var out scope
	var first error
	for _, p := range in {
		matches := slices.ContainsFunc(walk.Roots, func(g *ask.RootFiles) bool {
			return slices.ContainsFunc(g.Files, p.Has)
		})
		for _, files := range walk.Unserved {
			matches = matches || slices.ContainsFunc(files, p.Has)
		}
		if matches {
			out = append(out, p)
			continue
		}
		err := p.Empty(c)
		if first == nil {
			first = err
		}
		if len(in) > 1 {
			c.Warn(contract.WarnFileSkipped, contract.Facts{"file_path": p.given, "reason": err.Kind}, err.Message)
		}
	}
	if len(out) == 0 {
		return nil, first
	}
	return out, nil
}

// Empty is the error of a folder or a glob in which no server serves a file.
func (p Part) Empty(c *answer.Call) *contract.Error {
	if p.Folder {
		return contract.Errorf(contract.KindNoServerForExtension, contract.Facts{"extension": ""},
			"no installed language server serves a file in the folder %s", p.given)
	}
	return contract.Errorf(contract.KindFileNotFound, contract.Facts{"file_path": p.given, "closest": []string{}},
		"no source of the workspace matches %s", p.given)
}

// cut leaves out of a diagnosis what is not in the scope. Servers also report on files outside of the workspace, or of
// a project that is not asked about, that an earlier question has opened; the answer is about the workspace.
func (in scope) cut(c *answer.Call, walk *ask.WorkspaceWalk, d *lsp.Diagnosis) {
	outside := func(path string) bool {
		return c.Workspace.Table.RootOf(path) == "" || !in.has(path) || walk.LeftOut(path) || Copied(c, path)
	}
	d.Reports = slices.DeleteFunc(d.Reports, func(r lsp.Report) bool { return outside(r.Path) })
	d.Unchecked = slices.DeleteFunc(d.Unchecked, outside)
	d.Folders = slices.DeleteFunc(d.Folders, outside)
}

// Copied reports whether a file is a copy of a dependency's.
func Copied(c *answer.Call, path string) bool {
	return slices.ContainsFunc(c.Workspace.Table.Candidates(filepath.Base(path)), func(s *spec.Spec) bool {
		return s.Roots.Copied != nil && s.Roots.Copied(c.Workspace.Process.Files, filepath.Dir(path))
	})
}
