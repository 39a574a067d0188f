package lsp

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/golang"
	"lspi/internal/source"
)

// cgoSources are the files that the go command compiles with a package that uses cgo, and headers (go help filetype).
var cgoSources = []string{".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx"}

// cgoUses are the names that Go sources use by cgo and that stand on lines which the edit changes in C sources,
// whose servers know nothing of Go. These lie in a folder with the Go sources, or below it.
func cgoUses(s *Server, changes []SourceChange) (out []CompilerLine) {
	known := map[string][]CompilerLine{} // by folder
	for _, one := range changes {
		path := cmp.Or(one.From, one.Path)
		if !slices.Contains(cgoSources, filepath.Ext(path)) || one.From == "" || one.Before == one.After &&
			one.From == one.Path {
			continue
		}
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			if _, inside := source.RelativeTo(s.Journal().Root(), dir); !inside {
				break
			}
			if _, read := known[dir]; !read {
				known[dir] = cNamesIn(dir)
			}
			for _, use := range known[dir] {
				// C.int is a type of C itself.
				if !lang.Reserved("c", use.What) &&
					!slices.ContainsFunc(out, func(have CompilerLine) bool { return have.Path == use.Path }) &&
					linesWith(one.Before, use.What) != linesWith(one.After, use.What) {
					out = append(out, CompilerLine{use.Path, use.Line, use.What + ", which Go uses by cgo",
						golang.BuildCommands})
				}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return out
}

// cNamesIn are the C names that the Go sources of a folder use.
func cNamesIn(dir string) (out []CompilerLine) {
	for _, base := range golang.FilesIn(dir) {
		file := filepath.Join(dir, base)
		if text, err := source.Read(file); err == nil {
			golang.CNames(text.Content(), func(line int, name string) {
				out = append(out, CompilerLine{Path: file, Line: line, What: name})
			})
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
