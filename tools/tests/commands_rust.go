package tests

import (
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// crate is what Cargo.toml says of a package and its tests.
type crate struct {
	Package struct{ Name string }
	Lib     target
	Bin     []target
	Test    []target
}

type target struct{ Name, Path string }

// rustCommands: one for each target of a crate, with whole paths of tests.
func rustCommands(p *project, all []Test) (out []string) {
	crates := map[string]crate{}
	dirOf := func(t Test) string {
		for _, dir := range p.above(t.Path) {
			if _, known := crates[dir]; !known {
				var c crate
				_, _ = lang.DecodeTOML(p.read(filepath.Join(dir, "Cargo.toml")), &c)
				crates[dir] = c
			}
			if crates[dir].Package.Name != "" {
				return dir
			}
		}
		return ""
	}
	commands, groups := by(all, func(t Test) string {
		dir := dirOf(t)
		if dir == "" {
			return ""
		}
		command := "cargo test"
		if rel := within(p.w.Root, dir); rel != "." {
			command += " --manifest-path " + quoted(rel+"/Cargo.toml")
		}
		command += " -p " + quoted(crates[dir].Package.Name)
		if flag, _ := crates[dir].target(dir, t.Path); flag != "" {
			command += " " + flag
		}
		return command
	})
	for _, command := range commands {
		if command == "" {
			continue
		}
		var paths []string
		for _, t := range groups[command] {
			dir := dirOf(t)
			_, root := crates[dir].target(dir, t.Path)
			paths = append(paths, strings.Join(append(modules(root, t.Path), t.Parts...), "::"))
		}
		if slices.Sort(paths); len(paths) <= maxNamed {
			command += " -- --exact " + strings.Join(slices.Compact(paths), " ")
		}
		out = append(out, command)
	}
	return out
}

// target returns the flag that runs the tests of the target that a file of the crate in a folder is part of, "" for the
// tests of all targets, and the root of its modules.
func (c crate) target(dir, path string) (flag, root string) {
	at := func(t target) bool {
		if t.Path == "" || t.Name == "" {
			return false
		}
		root = filepath.Join(dir, filepath.FromSlash(t.Path))
		_, below := source.RelativeTo(filepath.Dir(root), path)
		return root == path || below && filepath.Base(filepath.Dir(root)) != "tests" && !strings.HasPrefix(t.Path, "src/")
	}
	for _, t := range c.Test {
		if at(t) {
			return "--test " + quoted(t.Name), root
		}
	}
	rel, _ := source.RelativeTo(dir, path)
	parts := strings.Split(filepath.ToSlash(rel), "/")
	src := filepath.Join(dir, "src")
	switch {
	case len(parts) == 2 && parts[0] == "tests":
		return "--test " + quoted(strings.TrimSuffix(parts[1], ".rs")), path
	case len(parts) > 2 && parts[0] == "tests":
		return "--test " + quoted(parts[1]), filepath.Join(dir, "tests", parts[1], "main.rs")
	case len(parts) > 2 && parts[0] == "src" && parts[1] == "bin":
		return "--bin " + quoted(strings.TrimSuffix(parts[2], ".rs")), path
	case source.Exists(filepath.Join(src, "main.rs")):
		return "", filepath.Join(src, "main.rs") // a module may be of the program, the library or both
	case c.Lib.Path != "":
		return "--lib", filepath.Join(dir, filepath.FromSlash(c.Lib.Path))
	}
	return "--lib", filepath.Join(src, "lib.rs")
}

// modules are the names of the modules from the root of a target to a file.
func modules(root, path string) []string {
	rel, ok := source.RelativeTo(filepath.Dir(root), path)
	if !ok || root == path {
		return nil
	}
	parts := strings.Split(strings.TrimSuffix(filepath.ToSlash(rel), ".rs"), "/")
	if last := parts[len(parts)-1]; last == "mod" || len(parts) == 1 && (last == "lib" || last == "main") {
		parts = parts[:len(parts)-1]
	}
	return parts
}
