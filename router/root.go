package router

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"lspi/internal/source"
	"lspi/lsp/spec"
)

// Root finds the root of the file at path (absolute, clean) for a server. The configuration wins: the longest of
// Spec.Folders that holds the file, then Spec.RootDir. Else its markers are looked for in the folders from the file's
// upwards to workspace, the allowed root that holds the file, and never above it; without a marker the root is
// workspace, and found is false.
func Root(files source.Files, spec *spec.Spec, path, workspace string) (root string, found bool) {
	if folder := longest(spec.Folders, path); folder != "" {
		return folder, true
	}
	if spec.RootDir != "" {
		return filepath.Clean(spec.RootDir), true
	}
	for _, group := range spec.Roots.Groups {
		if root := pick(files, group, path, workspace); root != "" {
			return root, true
		}
	}
	return workspace, false
}

// pick is the root that one group of markers gives, or "".
func pick(files source.Files, group spec.MarkerGroup, path, workspace string) (root string) {
	for dir := filepath.Dir(path); source.Within(workspace, dir); dir = filepath.Dir(dir) {
		if marked(files, group, dir, path) {
			root = dir
			if group.Pick == spec.Nearest {
				break
			}
		}
		if dir == workspace {
			break
		}
	}
	if root != "" {
		root = reached(files, group, root, workspace)
	}
	return root
}

// marked reports whether dir has a marker of the group that takes in the file at path.
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

// reached lifts a root to the folder whose marker looks into it: with the markers "compile_commands.json" and
// "build/compile_commands.json", a generated file below build/ belongs to the same root as the sources beside build/.
func reached(files source.Files, group spec.MarkerGroup, root, workspace string) string {
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

func cutLast(glob string) (sub, name string, deeper bool) {
	i := strings.LastIndexByte(glob, '/')
	if i < 0 {
		return "", glob, false
	}
	return glob[:i], glob[i+1:], true
}

// longest is the longest of the folders that hold path, or "".
func longest(folders []string, path string) string {
	var best string
	for _, f := range folders {
		if f = filepath.Clean(f); len(f) > len(best) && source.Within(f, path) {
			best = f
		}
	}
	return best
}
