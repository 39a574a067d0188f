package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// newFile is a move into a file of its own, whose text holds the name once in the line that counts.
func newFile(path, text string, m *hiddenUse) ([]change, mark) {
	at := mark{path: path}
	for i, line := range strings.Split(text, "\n") {
		if regexp.MustCompile(`(^|[^\w$])` + regexp.QuoteMeta(m.name) + `($|[^\w$])`).MatchString(line) {
			at.line = i + 1 // the last one
		}
	}
	return []change{{path: path, text: text}}, at
}

// instead replaces the line of the use by others; offset is the line among them that has the use.
func (m *hiddenUse) instead(offset int, lines ...string) ([]change, mark) {
	all := append(append(append([]string{}, m.lines[:m.used.line-1]...), lines...), m.lines[m.used.line:]...)
	return []change{{path: m.used.path, text: strings.Join(all, "\n")}}, mark{m.used.path, m.used.line + offset}
}

// appended adds lines to the end of a file with this text.
func appended(path, text string, offset int, lines ...string) ([]change, mark) {
	text = strings.TrimRight(text, "\n") + "\n"
	return []change{{path: path, text: text + strings.Join(lines, "\n") + "\n"}},
		mark{path, strings.Count(text, "\n") + 1 + offset}
}

// statement is the line of the use, where it is a statement of its own that may stand twice, or in a block.
func (m *hiddenUse) statement(lead string) (string, bool) {
	line := m.lines[m.used.line-1]
	text := strings.TrimSpace(line)
	before := "{"
	for i := m.used.line - 2; i >= 0 && strings.TrimSpace(m.lines[i]) != ""; i-- {
		before = strings.TrimSpace(m.lines[i])
		break
	}
	if m.used.path == m.declared.path && m.used.line < m.declared.line {
		return "", false // the declaration would move
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	whole := strings.HasSuffix(text, ";") && indent > 0 && strings.Count(text, "(") == strings.Count(text, ")") &&
		strings.Count(text, "{") == strings.Count(text, "}") && strings.ContainsAny(before[len(before)-1:], ";{}") &&
		!strings.ContainsAny(text, "#\\") && !strings.Contains(text, "//") &&
		regexp.MustCompile(lead).MatchString(text) &&
		regexp.MustCompile(`(^|\W)`+regexp.QuoteMeta(m.name)+`($|\W)`).MatchString(text)
	return line, whole
}

// exported reports whether Go exports the name.
func (m *hiddenUse) exported() bool { return m.name[0] >= 'A' && m.name[0] <= 'Z' }

var goDeclares = []declaring{
	{"function", regexp.MustCompile(`^func (\w+)\(`)},
	{"method", regexp.MustCompile(`^func \((?:\w+ )?\*?(\w+)\) (\w+)\(`)},
	{"type", regexp.MustCompile(`^type (\w+) `)},
	{"value", regexp.MustCompile(`^(?:var|const) (\w+) `)},
}

// goPackage is the clause of the declaring file, and the path by which others import it.
func (m *hiddenUse) goPackage() (name, path string) {
	name = regexp.MustCompile(`(?m)^package (\w+)`).FindStringSubmatch(m.own)[1]
	module := regexp.MustCompile(`(?m)^module (\S+)`)
	for dir := filepath.Dir(m.declared.path); ; dir = filepath.Dir(dir) {
		if raw, err := readIn(m.root, filepath.Join(dir, "go.mod")); err == nil {
			rel, _ := filepath.Rel(dir, filepath.Dir(m.declared.path))
			return name, strings.TrimSuffix(module.FindStringSubmatch(raw)[1]+"/"+filepath.ToSlash(rel), "/.")
		}
		if dir == "." {
			return name, ""
		}
	}
}

// goUse is a declaration that uses the symbol; qualifier is "" within the package.
func (m *hiddenUse) goUse(qualifier string) string {
	switch m.kind {
	case "function", "value":
		return "var _ = " + qualifier + m.name
	case "type":
		return "type trial = " + qualifier + m.name
	}
	return "func trial(x *" + qualifier + m.container + ") { _ = x." + m.name + " }"
}

// inPackage is a new file of the declaring package.
func inPackage(base, head string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if strings.HasSuffix(m.declared.path, "_test.go") {
			return nil, mark{}
		}
		name, _ := m.goPackage()
		return newFile(filepath.Join(filepath.Dir(m.declared.path), base), head+"package "+name+"\n\n"+m.goUse("")+"\n", m)
	}
}

// inImporter is a file that imports the declaring package.
func inImporter(path, head string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		name, imported := m.goPackage()
		if !m.exported() || m.kind == "method" && strings.ToUpper(m.container[:1]) != m.container[:1] || name == "main" ||
			strings.Contains(imported, "internal") || strings.HasSuffix(m.declared.path, "_test.go") {
			return nil, mark{}
		}
		return newFile(path, head+"package trial\n\nimport p "+fmt.Sprintf("%q", imported)+"\n\n"+m.goUse("p.")+"\n", m)
	}
}

var goMoves = []move{
	{"other system", false, inPackage("trial_windows.go", "")},
	{"build tag", false, inPackage("trial.go", "//go:build trial\n\n")},
	{"ignored program", false, inPackage("trial.go", "//go:build ignore\n\n")},
	{"test of another build", false, inPackage("trial_plan9_test.go", "")},
	{"importer by tag", false, inImporter("trial/use.go", "//go:build trial\n\n")},
	{"testdata", false, inImporter("testdata/trial/use.go", "")},
	{"underscore folder", false, inImporter("_trial/use.go", "")},
	{"dot folder", false, inImporter(".trial/use.go", "")},
	{"nested module", false, func(m *hiddenUse) ([]change, mark) {
		_, imported := m.goPackage()
		changes, at := inImporter("trialmod/use.go", "")(m)
		if changes == nil {
			return nil, at
		}
		raw, err := readIn(m.root, "go.mod")
		module := regexp.MustCompile(`(?m)^module (\S+)`).FindStringSubmatch(raw)
		if err != nil || module == nil || !strings.HasPrefix(imported, module[1]) {
			return nil, at
		}
		return append(changes, change{path: "trialmod/go.mod", text: "module example.com/trial\n\ngo 1.24\n\nrequire " +
			module[1] + " v0.0.0\n\nreplace " + module[1] + " => ../\n"}), at
	}},
	{"link to a file", false, func(m *hiddenUse) ([]change, mark) {
		changes, at := inPackage("trial_link.go", "")(m)
		return outside(m, changes, at)
	}},
	{"link of another build", false, func(m *hiddenUse) ([]change, mark) {
		changes, at := inPackage("trial_windows.go", "")(m)
		return outside(m, changes, at)
	}},
	{"template file", false, func(m *hiddenUse) ([]change, mark) {
		if !m.exported() || m.kind != "method" {
			return nil, mark{}
		}
		return newFile("trial/page.tmpl", "<p>{{ .Item."+m.name+" }}</p>\n", m)
	}},
	{"template in a string", false, func(m *hiddenUse) ([]change, mark) {
		if !m.exported() || m.kind != "method" {
			return nil, mark{}
		}
		name, _ := m.goPackage()
		return newFile(filepath.Join(filepath.Dir(m.declared.path), "trial_page.go"), "package "+name+
			"\n\nconst trialPage = `<p>\n{{range .}}{{ ."+m.name+" }}{{end}}`\n", m)
	}},
	{"assembly", false, func(m *hiddenUse) ([]change, mark) {
		if m.kind != "function" {
			return nil, mark{}
		}
		return newFile(filepath.Join(filepath.Dir(m.declared.path), "trial_amd64.s"),
			"TEXT ·trial(SB), 0, $0\n\tCALL ·"+m.name+"(SB)\n\tRET\n", m)
	}},
	{"linkname", false, func(m *hiddenUse) ([]change, mark) {
		name, imported := m.goPackage()
		if m.kind != "function" || name == "main" || strings.HasSuffix(m.declared.path, "_test.go") {
			return nil, mark{}
		}
		return newFile("trial/link.go", "package trial\n\nimport _ \"unsafe\"\n\n//go:linkname trial "+imported+"."+m.name+
			"\nfunc trial()\n", m)
	}},
	{"method by name", true, func(m *hiddenUse) ([]change, mark) {
		if !m.exported() || m.kind != "method" {
			return nil, mark{}
		}
		name, _ := m.goPackage()
		return newFile(filepath.Join(filepath.Dir(m.declared.path), "trial_reflect.go"), "package "+name+
			"\n\nimport \"reflect\"\n\nfunc trial(x any) { reflect.ValueOf(x).MethodByName(\""+m.name+"\").Call(nil) }\n", m)
	}},
}

// outside moves the last file of a change out of the tree, and leaves a link to it.
func outside(m *hiddenUse, changes []change, at mark) ([]change, mark) {
	if len(changes) == 0 {
		return nil, at
	}
	last := &changes[len(changes)-1]
	target := filepath.Join(filepath.Dir(m.root), "outside", filepath.Base(last.path))
	changes = append([]change{{path: target, text: last.text}}, changes...)
	changes[len(changes)-1] = change{path: changes[len(changes)-1].path, link: target}
	return changes, at
}

var cppDeclares = []declaring{
	{"type", regexp.MustCompile(`^(?:class|struct) (?:LEVELDB_EXPORT )?(\w+)(?: :| \{)`)},
	{"method", regexp.MustCompile(`^  (?:virtual |static |inline |explicit )+(?:const )?[\w:]+[ *&]+(\w+)\(`)},
	{"function", regexp.MustCompile(`^(?:extern |static |inline )*(?:const )?[\w:]+[ *&]+(\w+)\(`)},
	{"value", regexp.MustCompile(`^  (?:const )?[\w:]+[ *&]+(\w+_);`)},
}

// callLead matches a statement of C++ that may stand alone in a macro.
const callLead = `^[a-z_]\w*(?:\.|->|\(|::|_ =|\[| =| \+=)`

var cppMoves = []move{
	{"macro", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		if !ok {
			return nil, mark{}
		}
		return m.instead(0, "#define TRIAL_1 "+strings.TrimSpace(line), "TRIAL_1")
	}},
	{"macro in a macro", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		if !ok {
			return nil, mark{}
		}
		return m.instead(0, "#define TRIAL_1(x) "+strings.TrimSpace(line), "#define TRIAL_2(x) TRIAL_1(x)", "TRIAL_2(0)")
	}},
	{"macro of several lines", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		if !ok {
			return nil, mark{}
		}
		return m.instead(1, "#define TRIAL_1 do { \\", "  "+strings.TrimSpace(line)+" \\", "} while (0)", "TRIAL_1;")
	}},
	{"other build", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		if !ok {
			return nil, mark{}
		}
		return m.instead(2, line, "#ifdef TRIAL_OTHER", line, "#endif")
	}},
	{"other branch", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		if !ok {
			return nil, mark{}
		}
		return m.instead(3, "#if !defined(TRIAL_OTHER)", line, "#else", line, "#endif")
	}},
	{"included text", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		if !ok {
			return nil, mark{}
		}
		changes, _ := m.instead(0, "#include \"trial.inc\"")
		text, at := newFile(filepath.Join(filepath.Dir(m.used.path), "trial.inc"), strings.TrimSpace(line)+"\n", m)
		return append(changes, text...), at
	}},
	{"unlisted source", false, func(m *hiddenUse) ([]change, mark) { return m.copied("trial/copy.cc", true) }},
	{"dot folder", false, func(m *hiddenUse) ([]change, mark) { return m.copied(".trial/copy.cc", true) }},
	{"link to a source", false, func(m *hiddenUse) ([]change, mark) {
		changes, at := m.copied("trial_link.cc", false)
		return outside(m, changes, at)
	}},
	{"pasted", false, func(m *hiddenUse) ([]change, mark) {
		line, ok := m.statement(callLead)
		half := len(m.name) / 2
		if !ok || half < 2 || strings.Count(line, m.name) != 1 {
			return nil, mark{}
		}
		return m.instead(1, "#define TRIAL_P(n) n##"+m.name[half:],
			strings.Replace(line, m.name, "TRIAL_P("+m.name[:half]+")", 1))
	}},
	{"template body", false, func(m *hiddenUse) ([]change, mark) {
		if m.kind != "method" || !strings.HasSuffix(m.used.path, ".cc") {
			return nil, mark{}
		}
		return appended(m.used.path, strings.Join(m.lines, "\n"), 1, "template <class T> void TrialBody(T* t) {", "  t->"+
			m.name+"();", "}")
	}},
	{"macro of a new header", false, func(m *hiddenUse) ([]change, mark) {
		if m.kind != "method" || !strings.HasSuffix(m.declared.path, ".h") {
			return nil, mark{} // what a source declares no other file can use
		}
		return newFile("util/trial.h", "#pragma once\n#define TRIAL_USE(x) (x)->"+m.name+"()\n", m)
	}},
}

// copied is a copy of the source that has the use. The line is that of the use.
func (m *hiddenUse) copied(path string, deeper bool) ([]change, mark) {
	if !strings.HasSuffix(m.used.path, ".cc") || m.used.path == m.declared.path {
		return nil, mark{}
	}
	return []change{{path: path, text: strings.Join(m.lines, "\n")}}, mark{path, m.used.line}
}

var rustDeclares = []declaring{
	{"function", regexp.MustCompile(`^(?:pub(?:\(\w+\))? )?(?:const )?fn (\w+)`)},
	{"method", regexp.MustCompile(`^    (?:pub(?:\(\w+\))? )?(?:const )?fn (\w+)`)},
	{"type", regexp.MustCompile(`^pub(?:\(\w+\))? (?:struct|enum|trait|type) (\w+)`)},
	{"value", regexp.MustCompile(`^(?:pub(?:\(\w+\))? )?(?:const|static) (\w+):`)},
}

// rustModule is the path of the module of the declaring file, behind the crate.
func (m *hiddenUse) rustModule() string {
	rel := strings.TrimSuffix(strings.TrimPrefix(m.declared.path, "src/"), ".rs")
	rel = strings.TrimSuffix(strings.TrimSuffix(rel, "mod"), "/")
	if rel == "lib" {
		return ""
	}
	return strings.ReplaceAll(rel, "/", "::") + "::"
}

// rustLine moves the line of the use, where it is a statement without a new name.
func rustLine(lead string, to func(m *hiddenUse, line string) ([]change, mark)) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if line, ok := m.statement(lead); ok {
			return to(m, line)
		}
		return nil, mark{}
	}
}

// rustItem is a file that uses what is declared at the top of a module.
func rustItem(path, crate string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if m.kind == "method" || strings.HasPrefix(m.declared.path, "benches") {
			return nil, mark{}
		}
		return newFile(path, "use "+crate+"::"+m.rustModule()+m.name+" as Trial;\n", m)
	}
}

const rustLead = `^[a-z_]\w*(?:\.|\(|::|!\(| =| \+=)`

var rustMoves = []move{
	{"cfg", false, rustLine(rustLead+`|^let `, func(m *hiddenUse, line string) ([]change, mark) {
		return m.instead(3, line, "#[cfg(trial)]", "{", line, "}")
	})},
	{"cfg of a system", false, rustLine(rustLead+`|^let `, func(m *hiddenUse, line string) ([]change, mark) {
		return m.instead(2, line, "#[cfg(windows)] {", line, "}")
	})},
	{"macro", false, rustLine(rustLead, func(m *hiddenUse, line string) ([]change, mark) {
		return m.instead(0, "macro_rules! trial { () => { "+strings.TrimSpace(line)+" } }", "trial!();")
	})},
	{"macro of several arms", false, rustLine(rustLead, func(m *hiddenUse, line string) ([]change, mark) {
		return m.instead(2, "macro_rules! trial {", "    (@a) => {};", "    () => { "+strings.TrimSpace(line)+" };", "}",
			"trial!();")
	})},
	{"include", false, rustLine(rustLead, func(m *hiddenUse, line string) ([]change, mark) {
		changes, _ := m.instead(0, "include!(\"trial.in\");")
		text, at := newFile(filepath.Join(filepath.Dir(m.used.path), "trial.in"), "{ "+strings.TrimSpace(line)+" }\n", m)
		return append(changes, text...), at
	})},
	{"unlisted module", false, rustItem("src/trial_unlisted.rs", "crate")},
	{"dot folder", false, rustItem(".trial/use.rs", "crate")},
	{"other crate", false, func(m *hiddenUse) ([]change, mark) {
		changes, at := rustItem("trial/src/lib.rs", "regex_syntax")(m)
		if changes == nil {
			return nil, at
		}
		return append(changes, change{path: "trial/Cargo.toml", text: "[package]\nname = \"trial\"\nversion = \"0.1.0\"\n" +
			"edition = \"2021\"\n\n[workspace]\n\n[dependencies]\nregex-syntax = { path = \"..\" }\n"}), at
	}},
	{"notebook", false, func(m *hiddenUse) ([]change, mark) {
		if m.kind == "method" {
			return nil, mark{}
		}
		return newFile("trial/use.ipynb", notebook("rust", "use regex_syntax::"+m.rustModule()+m.name+";"), m)
	}},
	{"cfg of an item", false, func(m *hiddenUse) ([]change, mark) {
		if m.kind == "method" {
			return nil, mark{}
		}
		return appended(m.declared.path, m.own, 1, "#[cfg(trial)]", "use self::"+m.name+" as Trial;")
	}},
	{"exported macro", false, func(m *hiddenUse) ([]change, mark) {
		use := "$crate::" + m.rustModule() + m.name
		if m.kind == "method" {
			use = "$x." + m.name + "()"
		}
		return appended(m.declared.path, m.own, 1, "macro_rules! trial_use {", "    ($x:expr) => { "+use+" };", "}")
	}},
	{"unlisted link", false, func(m *hiddenUse) ([]change, mark) {
		changes, at := rustItem("src/trial_link.rs", "crate")(m)
		return outside(m, changes, at)
	}},
}

// notebook is one with a cell of code.
func notebook(kernel, code string) string {
	return "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"execution_count\": null,\n" +
		"   \"source\": [\n    " + fmt.Sprintf("%q", code) + "\n   ]\n  }\n ],\n \"metadata\": {\"kernelspec\": {\"name\": \"" +
		kernel + "\", \"display_name\": \"" + kernel + "\", \"language\": \"" + kernel +
		"\"}},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n"
}

var scriptDeclares = []declaring{
	{"value", regexp.MustCompile(`^export (?:declare )?(?:async )?(?:function|const|let) ([\w$]+)`)},
	{"type", regexp.MustCompile(`^export (?:declare |abstract )*(?:class|interface|type|enum) ([\w$]+)`)},
	{"member", regexp.MustCompile(`^  (?:readonly |public |protected )?(\w+)\??(?:: [^,]*;|\(.*(?:\{|\): [^;]*;))$`)},
}

// importing is a file that imports an exported symbol; text has %[1]s for the name and %[2]s for the module.
func importing(path, text string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if m.kind == "member" {
			return nil, mark{}
		}
		rel, _ := filepath.Rel(filepath.Dir(path), strings.TrimSuffix(m.declared.path, ".ts")+".js")
		if !strings.HasPrefix(rel, ".") {
			rel = "./" + rel
		}
		return newFile(path, fmt.Sprintf(text, m.name, rel), m)
	}
}

// ofMember is a file that uses a member.
func ofMember(path, text string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if m.kind != "member" && m.kind != "method" || m.container == "" {
			return nil, mark{}
		}
		return newFile(path, fmt.Sprintf(text, m.name), m)
	}
}

var scriptMoves = []move{
	{"not included", false, importing("other/trial.ts", "export { %[1]s as Trial } from %[2]q;\n")},
	{"not included, all", false, importing("other/trial.ts", "import * as all from %[2]q;\nexport type Trial = typeof all.%[1]s;\n")},
	{"dot folder", false, importing(".storybook/trial.ts", "import { %[1]s } from %[2]q;\n")},
	{"vue", false, importing("src/Trial.vue", "<script setup lang=\"ts\">\nimport { %[1]s } from %[2]q;\n</script>\n<template><p/></template>\n")},
	{"svelte", false, importing("src/Trial.svelte", "<script lang=\"ts\">\n  import { %[1]s } from %[2]q;\n</script>\n")},
	{"astro", false, importing("src/trial.astro", "---\nimport { %[1]s } from %[2]q;\n---\n<p/>\n")},
	{"mdx", false, importing("docs/trial.mdx", "import { %[1]s } from %[2]q;\n\n# Trial\n")},
	{"require", false, importing("other/trial.cjs", "const { %[1]s } = require(%[2]q);\n")},
	{"require, all", false, importing("other/trial.cjs", "const all = require(%[2]q);\nmodule.exports = all.%[1]s;\n")},
	{"module of JavaScript", false, importing("scripts/trial.mjs", "import { %[1]s } from %[2]q;\n")},
	{"page", false, importing("trial/index.html", "<script type=\"module\">\n  import { %[1]s } from %[2]q;\n</script>\n")},
	{"notebook", false, importing("trial/use.ipynb", strings.ReplaceAll(strings.ReplaceAll(notebook("deno", "IMPORT"),
		`"IMPORT"`, `"import { %[1]s } from '%[2]s';"`), "%%", "%"))},
	{"import type", false, importing("other/trial.d.ts", "declare const trial: typeof import(%[2]q).%[1]s;\n")},
	{"dynamic import", false, importing("src/trial.ts", "export async function trial() {\n  const all: any = await import(%[2]q);\n  return all.%[1]s;\n}\n")},
	{"untyped receiver", false, ofMember("src/trial.ts", "export function trial(o: any) {\n  return o.%[1]s;\n}\n")},
	{"template file", false, ofMember("trial/page.html", "<p>{{ item.%[1]s }}</p>\n")},
	{"script", false, ofMember("other/trial.js", "module.exports = (o) => o.%[1]s();\n")},
	{"by a string", true, ofMember("src/trial.ts", "export function trial(o: any) {\n  return o[\"%[1]s\"];\n}\n")},
	{"link", false, func(m *hiddenUse) ([]change, mark) {
		if m.kind == "member" {
			return nil, mark{}
		}
		changes, at := importing("other/trial.ts", "export { %[1]s as Trial } from %[2]q;\n")(m)
		return outside(m, changes, at)
	}},
}

var pythonDeclares = []declaring{
	{"function", regexp.MustCompile(`^(?:async )?def (\w+)`)},
	{"type", regexp.MustCompile(`^class (\w+)`)},
	{"method", regexp.MustCompile(`^    (?:async )?def ([a-z]\w*)`)},
	{"value", regexp.MustCompile(`^(\w+)(?:: [^=]+)? = `)},
}

// ofModule is a file with a use of what a module declares; text has %[1]s for the name and %[2]s for the module.
func ofModule(path, text string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if m.kind == "method" {
			return nil, mark{}
		}
		module := strings.ReplaceAll(strings.TrimSuffix(m.declared.path, ".py"), "/", ".")
		return newFile(path, fmt.Sprintf(text, m.name, module), m)
	}
}

// unreachable adds a use to the declaring file that Pyright takes as never reached.
func unreachable(condition string) func(m *hiddenUse) ([]change, mark) {
	return func(m *hiddenUse) ([]change, mark) {
		if m.kind == "method" {
			return nil, mark{}
		}
		return appended(m.declared.path, m.own, 2, "import sys, typing", condition, "    trial_use = "+m.name)
	}
}

var pythonMoves = []move{
	{"notebook", false, ofModule("trial/use.ipynb", notebook("python", "from %[2]s import %[1]s"))},
	{"dot folder", false, ofModule(".trial/use.py", "from %[2]s import %[1]s\n")},
	{"script without a name", false, ofModule("bin/trial", "#!/usr/bin/env python3\nfrom %[2]s import %[1]s\n")},
	{"cython", false, ofModule("click/_trial.pyx", "from %[2]s cimport %[1]s\n")},
	{"template of a source", false, ofModule("click/trial.py.in", "from %[2]s import %[1]s\n")},
	{"jinja of a source", false, ofModule("trial/use.py.j2", "from %[2]s import %[1]s\n{{ body }}\n")},
	{"link", false, func(m *hiddenUse) ([]change, mark) {
		changes, at := ofModule(".trial/use.py", "from %[2]s import %[1]s\n")(m)
		return outside(m, changes, at)
	}},
	{"other system", false, unreachable("if sys.platform == \"win32\":")},
	{"other version", false, unreachable("if sys.version_info < (3, 0):")},
	{"not checked", false, unreachable("if not typing.TYPE_CHECKING:")},
	{"untyped receiver", false, ofMember("click/trial.py", "def trial(o):\n    return o.%[1]s()\n")},
	{"template file", false, ofMember("trial/page.html", "{%% if o.%[1]s() %%}<p>{%% endif %%}\n")},
	{"template expression", false, ofMember("trial/page.jinja2", "<p>{{ o.%[1]s }}</p>\n")},
	{"getattr", true, ofMember("click/trial.py", "def trial(o):\n    return getattr(o, \"%[1]s\")()\n")},
	{"entry point", true, ofModule("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    trial = %[2]s:%[1]s\n")},
	{"patched", true, ofModule("click/trial.py", "from unittest import mock\n\n\ndef trial():\n    mock.patch(\"%[2]s.%[1]s\")\n")},
	{"workflow", true, ofModule(".github/workflows/trial.yml", "jobs:\n  a:\n    steps:\n    - run: python -c 'import %[2]s; %[2]s.%[1]s()'\n")},
	{"untyped import", false, ofModule("click/trial.py", "import importlib\n\n\ndef trial():\n    return importlib.import_module(\"%[2]s\").%[1]s\n")},
}

// readIn reads a file of a tree.
func readIn(root, path string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(root, path))
	return string(raw), err
}
