// Package compdb reads compilation databases (compile_commands.json, JSON Compilation Database Format), and the
// index that clangd makes by them.
package clangd

import (
	"encoding/json"
	"os"
	"path/filepath"

	"lspi/internal/source"
)

// Files visits the files of a database until visit reports false; false when the database cannot be read to its end.
func Files(database string, visit func(path string) bool) bool {
	return Entries(database, func(path string, _ []byte) bool { return visit(path) })
}

// Entries is [Files] with the whole entry of each file.
func Entries(database string, visit func(path string, entry []byte) bool) bool {
	f, _, err := source.OpenRegular(database)
	if err != nil {
		return false
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	if _, err := dec.Token(); err != nil {
		return false
	}
	for dec.More() {
		var entry struct {
			Directory string `json:"directory"`
			File      string `json:"file"`
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil || json.Unmarshal(raw, &entry) != nil {
			return false
		}
		if !filepath.IsAbs(entry.File) {
			entry.File = filepath.Join(entry.Directory, entry.File)
		}
		if !visit(entry.File, raw) {
			return true
		}
	}
	_, err = dec.Token() // half a list may end behind an entry
	return err == nil
}

// First are the first n files of a database that exist.
func First(database string, n int) []string {
	var out []string
	Files(database, func(path string) bool {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			out = append(out, path)
		}
		return len(out) < n
	})
	return out
}
