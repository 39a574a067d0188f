package golang

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"lspi/internal/source"
)

// Replacement is a module that a go.mod or go.work replaces by a folder (Go Modules Reference, replace directive).
type Replacement struct {
	Module string // its path
	Folder string // absolute
}

// Work is what a go.work says of folders (Go Modules Reference, Workspaces).
type Work struct {
	Uses     []string // folders of modules, absolute
	Replaced []Replacement
}

// ModulePath returns the path of the module of a go.mod; "" when it names none.
func ModulePath(text []byte) string { return modfile.ModulePath(text) }

// ParseMod reads the go.mod of a folder and returns the modules that it replaces by folders. ok is false when the go
// command would refuse the text.
func ParseMod(folder string, text []byte) (replaced []Replacement, ok bool) {
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, false
	}
	return replacements(folder, file.Replace), true
}

// ParseWork reads the go.work of a folder. ok is false when the go command would refuse the text.
func ParseWork(folder string, text []byte) (work Work, ok bool) {
	file, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return Work{}, false
	}
	for _, use := range file.Use {
		work.Uses = append(work.Uses, source.Absolute(folder, use.Path))
	}
	work.Replaced = replacements(folder, file.Replace)
	return work, true
}

func replacements(folder string, all []*modfile.Replace) (out []Replacement) {
	for _, r := range all {
		if modfile.IsDirectoryPath(r.New.Path) {
			out = append(out, Replacement{r.Old.Path, source.Absolute(folder, r.New.Path)})
		}
	}
	return out
}

// ProjectError says why the go command would refuse a go.mod or go.work; nil where it would not, or none can be read.
func ProjectError(path string) error {
	text, err := source.ReadBytes(path)
	if err != nil {
		return nil
	}
	base := filepath.Base(path)
	if base == "go.work" {
		_, err = modfile.ParseWork(base, text, nil)
	} else {
		_, err = modfile.Parse(base, text, nil)
	}
	return err
}

// ReplacedFolders returns the folders by which the go.mod of a folder replaces modules.
func ReplacedFolders(folder string) (out []string) {
	text, err := source.ReadBytes(filepath.Join(folder, "go.mod"))
	if err != nil {
		return nil
	}
	replaced, _ := ParseMod(folder, text)
	for _, r := range replaced {
		out = append(out, r.Folder)
	}
	return out
}

// WorkUses returns the folders of the modules that a go.work uses.
func WorkUses(path string) []string { return workOf(path).Uses }

func workOf(path string) (work Work) {
	if text, err := source.ReadBytes(path); err == nil {
		work, _ = ParseWork(filepath.Dir(path), text)
	}
	return work
}

// WorkFolders returns the folders of the modules that a go.work uses, and those by which it replaces others.
func WorkFolders(path string) []string {
	work := workOf(path)
	out := work.Uses
	for _, r := range work.Replaced {
		out = append(out, r.Folder)
	}
	return out
}

// AbsoluteWork returns the text of a go.work with every path made absolute, each on the line where it was; ok is
// false when the file cannot be read.
func AbsoluteWork(path string) (text []byte, ok bool) {
	raw, err := source.ReadBytes(path)
	if err != nil {
		return nil, false
	}
	file, err := modfile.ParseWork(path, raw, nil)
	if err != nil {
		return nil, false
	}
	type edit struct {
		end  int // offset behind the last word of the line
		word string
		path string
	}
	var edits []edit
	add := func(line *modfile.Line, to string) {
		edits = append(edits, edit{line.End.Byte, line.Token[len(line.Token)-1],
			source.Absolute(filepath.Dir(path), to)})
	}
	for _, use := range file.Use {
		add(use.Syntax, use.Path)
	}
	for _, r := range file.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			add(r.Syntax, r.New.Path)
		}
	}
	// The last edit first, so that the offsets of the others stay.
	slices.SortFunc(edits, func(a, b edit) int { return b.end - a.end })
	for _, e := range edits {
		from := e.end - len(e.word)
		if from < 0 || string(raw[from:e.end]) != e.word {
			return nil, false
		}
		raw = slices.Concat(raw[:from], []byte(modfile.AutoQuote(e.path)), raw[e.end:])
	}
	return raw, true
}

// JoinedSums returns the lines of a sum file, followed by the cached lines of modules that the file does not mention.
func JoinedSums(sum, cached []byte) []byte {
	module := func(line string) string {
		line = strings.TrimSpace(line)
		return line[:max(strings.LastIndexByte(line, ' '), 0)]
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(sum)) {
		known[module(line)] = true
	}
	out := bytes.TrimRight(slices.Clone(sum), "\n")
	for line := range strings.Lines(string(cached)) {
		if !known[module(line)] {
			out = append(append(out, '\n'), strings.TrimRight(line, "\n")...)
		}
	}
	return append(out, '\n')
}
