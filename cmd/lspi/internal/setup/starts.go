package setup

import (
	"path/filepath"
	"slices"
	"strings"
)

// npmPackage is the package of lspi on npm, where the name lspi belongs to another project (docs/releasing.md).
const npmPackage = "lspi-mcp"

// npmRunners are programs that run a package of npm by its name, with the subcommands that do so; nil for programs that
// do nothing else.
var npmRunners = map[string][]string{"npx": nil, "pnpx": nil, "bunx": nil, "npm": {"exec", "x"}, "pnpm": {"dlx"},
	"yarn": {"dlx"}, "bun": {"x"}}

// Starts reports whether the entry starts `lspi mcp`, by itself or through another program such as npx.
func (e *Entry) Starts() bool {
	starts, _ := e.reads()
	return starts
}

// StartsOther reports whether the entry starts the npm package lspi, which belongs to another project.
func (e *Entry) StartsOther() bool {
	starts, other := e.reads()
	return other && !starts
}

// reads looks for lspi among the words of the entry. Behind a runner of npm packages the word lspi is the other
// project's package, unless lspi's own was named before, as in npx --package=lspi-mcp lspi mcp.
func (e *Entry) reads() (starts, other bool) {
	npm, ours := false, false
	words := append([]string{e.Command}, e.Args...)
	for i, word := range words {
		bare, isNPM := strings.CutPrefix(strings.TrimPrefix(word, "--package="), "npm:") // the latter is Deno's
		name := filepath.Base(filepath.ToSlash(bare))
		name = strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
		name, _, _ = strings.Cut(name, "@") // the version of a package
		npm = npm || isNPM || runsNPM(name, words[i+1:])
		ours = ours || name == npmPackage
		switch {
		case !slices.Contains(words[i+1:], "mcp"):
		case name == npmPackage, name == "lspi" && (ours || !npm):
			return true, false
		case name == "lspi":
			other = true
		}
	}
	return false, other
}

// runsNPM reports whether a program with the words behind it runs a package of npm.
func runsNPM(program string, rest []string) bool {
	subcommands, ok := npmRunners[program]
	if !ok || subcommands == nil {
		return ok
	}
	i := slices.IndexFunc(rest, func(word string) bool { return !strings.HasPrefix(word, "-") })
	return i >= 0 && slices.Contains(subcommands, rest[i])
}
