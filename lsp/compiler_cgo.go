package lsp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"lspi/lsp/golang"
	"lspi/source"
)

// cgoSources are the files that the go command compiles with a package that uses cgo, and headers (go help filetype).
var cgoSources = []string{".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx"}

// cgoUses are the names that Go sources use by cgo and that stand on lines which the edit changes in C sources, whose servers know
// nothing of Go. These lie in a folder with the Go sources, or below it.
func cgoUses(s *Server, changes []SourceChange) (out []CompilerLine) {
	for _, one := range changes {
		path := cmp.Or(one.From, one.Path)
		if !slices.Contains(cgoSources, filepath.Ext(path)) || one.From == "" || one.Before == one.After && one.From == one.Path {
			continue
		}
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			if _, inside := source.RelativeTo(s.journal.Root(), dir); !inside {
				break
			}
			for _, base := range goFilesIn(dir) {
				file := filepath.Join(dir, base)
				text, err := source.Read(file)
				if err != nil {
					continue
				}
				golang.CNames(text.Content(), func(line int, name string) {
					if !slices.ContainsFunc(out, func(have CompilerLine) bool { return have.Path == file }) &&
						linesWith(one.Before, name) != linesWith(one.After, name) {
						out = append(out, CompilerLine{file, line, name + ", which Go uses by cgo"})
					}
				})
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return out
}

// linesWith are the lines of a text that hold a word, without their indentation.
func linesWith(text, word string) (out string) {
	if !strings.Contains(text, word) {
		return ""
	}
	for line := range strings.Lines(text) {
		if source.HasWord(line, word) {
			out += strings.TrimSpace(line) + "\n"
		}
	}
	return out
}
