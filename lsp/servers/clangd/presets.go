package clangd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/source"
)

// PresetFolders returns the build folders that the presets of CMake in a root name (cmake-presets(7), binaryDir), in
// the order of the presets. Folders outside of the root, and those with macros other than sourceDir and presetName,
// are left out.
func PresetFolders(root string) []string {
	type preset struct {
		Name, BinaryDir string
		Inherits        json.RawMessage // a string or an array of them
	}
	all := map[string]preset{}
	var names []string
	for _, file := range []string{"CMakePresets.json", "CMakeUserPresets.json"} {
		var read struct{ ConfigurePresets []preset }
		if text, err := source.ReadRegular(filepath.Join(root, file), maxPresets); err == nil {
			_ = json.Unmarshal(text, &read) // what is not JSON names no folder
		}
		for _, p := range read.ConfigurePresets {
			if _, twice := all[p.Name]; !twice {
				names = append(names, p.Name)
			}
			all[p.Name] = p
		}
	}
	// A preset without a folder has that of the first one that it inherits and that has any.
	var folderOf func(name string, depth int) string
	folderOf = func(name string, depth int) string {
		p, ok := all[name]
		if !ok || p.BinaryDir != "" || depth == 0 {
			return p.BinaryDir
		}
		var above []string
		if json.Unmarshal(p.Inherits, &above) != nil {
			var one string
			_ = json.Unmarshal(p.Inherits, &one) // nil inherits nothing
			above = []string{one}
		}
		for _, name := range above {
			if folder := folderOf(name, depth-1); folder != "" {
				return folder
			}
		}
		return ""
	}
	var out []string
	for _, name := range names {
		folder := strings.NewReplacer("${sourceDir}", root, "${presetName}", name).Replace(folderOf(name, len(all)))
		if folder == "" || strings.Contains(folder, "$") {
			continue
		}
		if rel, inside := source.RelativeTo(root, source.Absolute(root, folder)); inside && !slices.Contains(out, rel) {
			out = append(out, rel)
		}
	}
	return out
}

// maxPresets bounds a file of presets.
const maxPresets = 1 << 20

// Empty reports whether a database has no entry: then clangd indexes nothing, and announces no progress (22.1.8).
func Empty(database string) bool {
	info, err := os.Stat(database)
	if err != nil || info.Size() > 1024 {
		return false
	}
	text, err := source.ReadRegular(database, 1024)
	return err == nil && strings.Trim(string(text), "[] \t\r\n") == "" && strings.Contains(string(text), "[")
}
