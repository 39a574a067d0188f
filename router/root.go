package router

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Root returns the root that a server gets for the file at path (absolute, clean). The configuration comes first: the
// longest of Spec.Folders that holds the file, then Spec.RootDir. Otherwise the server's markers are looked for from
// the folder of the file upwards to workspace, the allowed root that holds the file, and never above it: what lies
// there is not the user's project. Without a marker the root is workspace, and found is false, unless the server finds
// its project file above workspace by itself ([spec.ProjectFile].Above). In a linked working
// tree of git below workspace, that tree takes the place of workspace.
func Root(files source.Files, spec *spec.Spec, path, workspace string) (root string, found bool) {
	if folder := longest(spec.Folders, path); folder != "" {
		return folder, true
	}
	if spec.RootDir != "" {
		return filepath.Clean(spec.RootDir), true
	}
	workspace = source.WorkingTree(files, path, workspace)
	for _, group := range spec.Roots.Groups {
		if root := pick(files, group, path, workspace); root != "" {
			return root, true
		}
	}
	return workspace, spec.Project != nil && spec.Project.FindAbove(files, workspace) != ""
}

// pick returns the root that one group of markers gives, or "". A group that does not pick the nearest marker takes
// the topmost: such as a workspace manifest above the packages that it lists.
func pick(files source.Files, group spec.MarkerGroup, path, workspace string) (root string) {
	for dir := filepath.Dir(path); source.Within(workspace, dir); dir = filepath.Dir(dir) {
		if marked(files, group, dir, path) {
			root = dir
			if group.Pick == spec.Nearest {
				break
			}
		}
		// The workspace itself is looked at too; Within alone would not end the loop when it is a root of the file
		// system.
		if dir == workspace {
			break
		}
	}
	if root != "" {
		root = liftRoot(files, group, root, workspace)
	}
	return root
}

// marked reports whether dir has a marker of the group that covers the file at path. A marker may need a text in it
// (Contains), and may cover only the folders that it lists (Members), as go.work and Cargo workspaces do.
func marked(files source.Files, group spec.MarkerGroup, dir, path string) bool {
	for _, glob := range group.Files {
		if !files.Has(dir, glob) {
			continue
		}
		marker := filepath.Join(dir, filepath.FromSlash(glob))
		if group.Contains != "" && !bytes.Contains(files.Read(marker), []byte(group.Contains)) {
			continue
		}
		if group.Members == nil || group.Members(files, marker, path) {
			return true
		}
	}
	return false
}

// liftRoot moves a root up to the folder whose marker lies in it. With the markers "compile_commands.json" and
// "build/compile_commands.json", a generated file below build/ finds the first in build/ itself; its root is the
// folder above, which the sources beside build/ have, and one process serves both.
func liftRoot(files source.Files, group spec.MarkerGroup, root, workspace string) string {
	for _, glob := range group.Files {
		sub, name, deeper := cutLast(glob)
		if !deeper || !files.Has(root, name) {
			continue
		}
		up := root
		for range strings.Count(sub, "/") + 1 {
			up = filepath.Dir(up)
		}
		rel, err := filepath.Rel(up, root)
		if err != nil || !source.Within(workspace, up) {
			continue
		}
		if ok, _ := path.Match(sub, filepath.ToSlash(rel)); ok {
			return up
		}
	}
	return root
}

// cutLast splits a glob at its last slash; deeper is false when it has none.
func cutLast(glob string) (sub, name string, deeper bool) {
	i := strings.LastIndexByte(glob, '/')
	if i < 0 {
		return "", glob, false
	}
	return glob[:i], glob[i+1:], true
}

// longest returns the longest of the folders that hold path, or "".
func longest(folders []string, path string) string {
	var best string
	for _, f := range folders {
		if f = filepath.Clean(f); len(f) > len(best) && source.Within(f, path) {
			best = f
		}
	}
	return best
}
