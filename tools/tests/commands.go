package tests

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/tools/session"
)

// maxNamed bounds the tests that one command names. Beyond it the command runs all tests of the package or file.
const maxNamed = 60

// Commands are the lines for a shell in the root of the workspace that run tests, and no others where a command
// can name that many. Tests of a runner that is not known have none.
func Commands(w *session.Workspace, all []Test) (out []string) {
	p := &project{w: w}
	// By the rules of the first test, those of the same language together.
	for len(all) > 0 {
		language := lang.Of(all[0].Path).ID
		same := func(t Test) bool { return lang.Of(t.Path).ID == language }
		var group []Test
		for _, t := range all {
			if same(t) {
				group = append(group, t)
			}
		}
		all = slices.DeleteFunc(slices.Clone(all), same)
		if commands := rulesFor(group[0].Path).commands; commands != nil {
			out = append(out, commands(p, group)...)
		}
	}
	return out
}

// project reads the files of a workspace that tell how its tests run.
type project struct{ w *session.Workspace }

// read is the text of a file; "" where there is none.
func (p *project) read(path string) string {
	text, err := p.w.Text(path)
	if err != nil {
		return ""
	}
	return text.Content()
}

// above returns the folders around a file up to the root of its workspace, from the inside out.
func (p *project) above(path string) (out []string) {
	root := p.w.Table.RootOf(path)
	if root == "" {
		return nil
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, ok := source.RelativeTo(root, dir); !ok && dir != root {
			return out
		}
		out = append(out, dir)
		if dir == root {
			return out
		}
	}
}

// nearest returns the innermost folder around a file that holds one of the names, "" for none.
func (p *project) nearest(path string, names ...string) string {
	for _, dir := range p.above(path) {
		for _, name := range names {
			if source.Exists(filepath.Join(dir, name)) {
				return dir
			}
		}
	}
	return ""
}

// in is a command as it has to be written in the root of the workspace to run in a folder.
func (p *project) in(dir, command string) string {
	rel, err := filepath.Rel(p.w.Root, dir)
	if dir == "" || err != nil || rel == "." {
		return command
	}
	return "cd " + quoted(filepath.ToSlash(rel)) + " && " + command
}

// within is a path as it is written in a folder.
func within(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// plain matches what a shell takes as it stands.
var plain = source.LazyRegexp(`^[\w@%+=:,./-]+$`)

// quoted is a word as a POSIX shell takes it.
func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// by groups tests by a key, in their order; keys are in the order of the first of each.
func by(all []Test, key func(Test) string) (keys []string, groups map[string][]Test) {
	groups = map[string][]Test{}
	for _, t := range all {
		k := key(t)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], t)
	}
	return keys, groups
}

// names are the names of tests, each once, in order.
func names(all []Test) (out []string) {
	for _, t := range all {
		out = append(out, t.Name())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// oneOf is a regular expression that matches one of the names as a whole.
func oneOf(names []string) string {
	var out []string
	for _, name := range names {
		out = append(out, regexp.QuoteMeta(name))
	}
	return "^(" + strings.Join(out, "|") + ")$"
}

// goCommands: one for each package, since -run holds for all packages of a command.
func goCommands(p *project, all []Test) (out []string) {
	dirs, groups := by(all, func(t Test) string { return filepath.Dir(t.Path) })
	for _, dir := range dirs {
		module := p.nearest(filepath.Join(dir, "x"), "go.mod")
		if module == "" {
			module = dir
		}
		command := "go test"
		if rel := within(module, dir); rel != "." {
			command += " " + quoted("./"+rel)
		}
		// A test that runs before the others is run by any of them.
		if names := names(groups[dir]); len(names) <= maxNamed {
			command += " -run " + "'" + oneOf(names) + "'"
		}
		out = append(out, p.in(module, command))
	}
	return out
}

// pythonCommands: pytest with node ids, or unittest with dotted names where nothing speaks of pytest.
func pythonCommands(p *project, all []Test) (out []string) {
	configs := []string{"pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "setup.py", "manage.py"}
	dirs, groups := by(all, func(t Test) string { return p.nearest(t.Path, configs...) })
	for _, dir := range dirs {
		group := groups[dir]
		if dir == "" {
			dir = p.w.Root
		}
		command, form := "pytest", func(t Test) string { return within(dir, t.Path) + "::" + t.Name() }
		if !p.usesPytest(dir, group) {
			command, form = "python -m unittest", func(t Test) string {
				module := strings.TrimSuffix(within(dir, t.Path), ".py")
				return strings.ReplaceAll(module, "/", ".") + "." + strings.Join(t.Parts, ".")
			}
		}
		if len(group) > maxNamed {
			command, form = "pytest", func(t Test) string { return within(dir, t.Path) }
		}
		words, _ := by(group, form)
		for i, word := range words {
			words[i] = quoted(word)
		}
		out = append(out, p.in(dir, command+" "+strings.Join(words, " ")))
	}
	return out
}

// usesPytest reports whether a project runs its tests by pytest: a file of it says so, or a test is a plain function.
func (p *project) usesPytest(dir string, all []Test) bool {
	for _, name := range []string{"pytest.ini", "conftest.py", "tests/conftest.py"} {
		if source.Exists(filepath.Join(dir, name)) {
			return true
		}
	}
	for _, name := range []string{"pyproject.toml", "setup.cfg", "tox.ini", "setup.py", "requirements.txt",
		"requirements-dev.txt", "Pipfile"} {
		if strings.Contains(p.read(filepath.Join(dir, name)), "pytest") {
			return true
		}
	}
	return slices.ContainsFunc(all, func(t Test) bool {
		return len(t.Parts) == 1 || source.HasWord(p.read(t.Path), "pytest")
	})
}

// ctestCommands: ctest by name where CMake lists the tests one by one, else ctest with GoogleTest's filter in the
// environment.
func ctestCommands(p *project, all []Test) (out []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(t Test) bool { return len(t.Parts) != 2 })
	dirs, groups := by(all, func(t Test) (outermost string) {
		for _, dir := range p.above(t.Path) {
			if source.Exists(filepath.Join(dir, "CMakeLists.txt")) {
				outermost = dir
			}
		}
		return outermost
	})
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		build, listed := "build", false
		for _, found := range source.Glob(dir, "*/CMakeCache.txt") {
			build = filepath.Base(filepath.Dir(found))
		}
		for _, t := range groups[dir] {
			for _, above := range p.above(t.Path) {
				cmake := p.read(filepath.Join(above, "CMakeLists.txt"))
				listed = listed || strings.Contains(cmake, "gtest_discover_tests") || strings.Contains(cmake, "gtest_add_tests")
			}
		}
		names, command := names(groups[dir]), fmt.Sprintf("ctest --test-dir %s", quoted(build))
		if listed {
			command += " -R " + quoted(oneOf(names))
		} else {
			command = "GTEST_FILTER=" + quoted(strings.Join(names, ":")) + " " + command
		}
		out = append(out, p.in(dir, command))
	}
	return out
}
