package tests

import (
	"path/filepath"
	"regexp"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// scriptRunners are the test runners of JavaScript by the word in package.json that shows them, with the arguments
// that run the tests of a file whose whole titles match a regular expression.
var scriptRunners = []struct{ word, command, title string }{
	{"vitest", "vitest run", "-t"},
	{"jest", "jest", "-t"},
	{"@playwright/test", "playwright test", "-g"},
	{"mocha", "mocha", "-g"},
	{"bun test", "bun test", "-t"},
	{"node --test", "node --test", "--test-name-pattern"},
}

// maxScriptFiles bounds the commands of one project, one for each file. Beyond it one command runs the files as a
// whole.
const maxScriptFiles = 12

// scriptCommands: one for each file, in the folder whose package.json names a runner.
func scriptCommands(p *project, all []Test) (out []string) {
	dirs, groups := by(all, func(t Test) string { return p.runnerFolder(t.Path) })
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		command, option := p.scriptRunner(dir)
		files, tests := by(groups[dir], func(t Test) string { return within(dir, t.Path) })
		if len(files) > maxScriptFiles {
			for _, file := range files {
				command += " " + quoted(file)
			}
			out = append(out, p.in(dir, command))
			continue
		}
		for _, file := range files {
			one := command + " " + quoted(file)
			if len(tests[file]) <= maxNamed {
				one += " " + option + " " + quoted(titles(tests[file]))
			}
			out = append(out, p.in(dir, one))
		}
	}
	return out
}

// runnerFolder is the innermost folder around a file whose package.json names a test runner; "" for none.
func (p *project) runnerFolder(path string) string {
	for _, dir := range p.above(path) {
		if command, _ := p.scriptRunner(dir); command != "" {
			return dir
		}
	}
	return ""
}

// scriptRunner returns how the tests of a folder's package run, and the option with the titles; "" where package.json
// names no runner.
func (p *project) scriptRunner(dir string) (command, option string) {
	var manifest struct {
		Scripts, Dependencies, DevDependencies map[string]string
	}
	text := p.read(filepath.Join(dir, "package.json"))
	if text == "" || lang.DecodeJSON([]byte(text), &manifest) != nil {
		return "", ""
	}
	for _, r := range scriptRunners {
		named := manifest.DevDependencies[r.word] != "" || manifest.Dependencies[r.word] != ""
		for _, script := range manifest.Scripts {
			named = named || regexp.MustCompile(`(?:^|[\s/"])`+regexp.QuoteMeta(r.word)+`\b`).MatchString(script)
		}
		if !named {
			continue
		}
		if strings.HasPrefix(r.command, "bun ") || strings.HasPrefix(r.command, "node ") {
			return r.command, r.title
		}
		return p.runs(dir) + " " + r.command, r.title
	}
	return "", ""
}

// runs is what runs the programs of a project's packages, by the lock file of its package manager.
func (p *project) runs(dir string) string {
	for _, above := range p.above(filepath.Join(dir, "package.json")) {
		for _, by := range [][2]string{{"pnpm-lock.yaml", "pnpm exec"}, {"yarn.lock", "yarn run"}, {"bun.lock", "bunx"},
			{"bun.lockb", "bunx"}} {
			if source.Exists(filepath.Join(above, by[0])) {
				return by[1]
			}
		}
	}
	return "npx"
}

// inserted matches what test.each and templates put into a title: %s, $name, ${value}.
var inserted = source.LazyRegexp(`%[#$%a-zA-Z]|\\\$\\\{.*?\\\}|\\\$[A-Za-z_][\w.]*`)

// titles is a regular expression for the whole titles of tests, with those of the groups around. Vitest before 1.0
// puts a blank before a title at the top.
func titles(all []Test) string {
	keys, _ := by(all, func(t Test) string {
		return inserted.ReplaceAllString(regexp.QuoteMeta(strings.Join(t.Parts, " ")), ".*")
	})
	return "^ ?(" + strings.Join(keys, "|") + ")$"
}
