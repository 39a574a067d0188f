package index

import (
	"os"
	"path/filepath"
	"slices"
)

// Indexer is a program that makes an index of a project.
type Indexer struct {
	Name    string   // of the program; it is in tool_info of what it makes
	Marks   []string // files of which one makes a folder a project of it
	Install string   // how to get it
	// Args are its arguments in the folder root, for an index at output of a commit, "" for none.
	Args func(root, output, commit string) []string
}

// Indexers are those that lspi runs, in the versions that its tests have run: scip-go 0.2.9, rust-analyzer 1.97,
// scip-typescript 0.4.0, scip-python 0.6.6.
var Indexers = []Indexer{
	{"scip-go", []string{"go.mod", "go.work"}, "go install github.com/scip-code/scip-go/cmd/scip-go@v0.2.9",
		func(_, output, _ string) []string { return []string{"--output", output} }},
	{"rust-analyzer", []string{"Cargo.toml"}, "rustup component add rust-analyzer",
		func(_, output, _ string) []string { return []string{"scip", ".", "--output", output} }},
	{"scip-typescript", []string{"tsconfig.json", "jsconfig.json", "package.json"},
		"npm install -g @sourcegraph/scip-typescript@0.4.0",
		func(root, output, _ string) []string {
			args := []string{"index", "--output", output}
			if !has(root, "tsconfig.json") {
				// it writes a tsconfig.json where none is, unless it is told to infer one
				args = append(args, "--infer-tsconfig")
			}
			return args
		}},
	// Without a version it asks git for one, and ends with an error where git has none (0.6.6).
	{"scip-python", []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"},
		"npm install -g @sourcegraph/scip-python@0.6.6",
		func(root, output, commit string) []string {
			if commit == "" {
				commit = "0"
			}
			return []string{"index", ".", "--output", output, "--project-name", filepath.Base(root), "--project-version",
				commit}
		}},
}

// IsProject reports whether a folder is a project of an indexer.
func (i Indexer) IsProject(dir string) bool {
	return slices.ContainsFunc(i.Marks, func(mark string) bool { return has(dir, mark) })
}

func has(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

// omissions are what tools are known to leave out of the uses of a symbol, by the name in their tool_info, in a
// sentence that begins with the name. TestIndexTrial shows it: of 60 random names of click, 36 had other uses by
// pyright.
var omissions = map[string]string{
	"scip-python": "gives each import of a module, and each branch that defines a name, a symbol of its own (0.6.6)",
}

// Omits says what a tool is known to leave out of the uses of a symbol; "" for nothing that is known.
func Omits(tool string) string { return omissions[tool] }

// Merges reports whether the symbols that one scope declares under one name are one to the language: in TypeScript an
// interface and a constant of a name are used, and renamed, together. scip-typescript 0.4.0 has two symbols for them.
func Merges(tool string) bool { return tool == "scip-typescript" }
