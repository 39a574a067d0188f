package lsp

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspi/lang"
	"lspi/source"
)

// script is what was read of a source.
type script struct {
	mentions *lang.Mentions
	module   bool     // else it sees what others declare without an import
	next     []string // the sources of the tree that it imports by path
	ours     bool     // it imports what may be a source of the tree by another name
	packages []string // the names that it imports by, other than paths
	outside  bool     // it imports something by another name than a path
}

// leftOut is [Server.LeftOut] where the server reads what projects hold. A file that is asked about, and that none holds,
// is answered for with what it imports.
func (t *tsProjects) leftOut(ctx context.Context, s *Server, asked string, may func(string, *lang.Mentions) bool) (files []string, all bool) {
	release, ok := t.take(ctx, s)
	if !ok {
		return nil, false
	}
	defer release()
	var folders []string
	if asked != "" {
		folders = []string{t.folderOf(asked)}
	} else {
		s.foldersMu.Lock()
		folders = slices.Clone(s.folders)
		s.foldersMu.Unlock()
	}
	for _, folder := range folders {
		sources, ok := t.folders[folder]
		if !ok || len(sources) == 0 {
			continue
		}
		p, err := t.project(ctx, s, folder, asked)
		if err != nil {
			return nil, false
		}
		users := t.users(p, asked)
		for _, path := range sources {
			if ctx.Err() != nil {
				return nil, false
			}
			if path == asked || p.files[path] {
				continue
			}
			if !may(path, t.script(path).mentions) || asked != "" && !users(path) {
				continue
			}
			if asked != "" && !p.files[asked] || !t.isOutput(s, p, folder, path) {
				files = append(files, path)
			}
		}
	}
	slices.Sort(files)
	return files, true
}

func (t *tsProjects) script(path string) *script {
	if have := t.scripts[path]; have != nil {
		return have
	}
	out := &script{mentions: &lang.Mentions{}}
	if text, err := source.Read(path); err == nil {
		var imports []string
		out, imports = readScript(text.Content())
		out.outside = globalReference.MatchString(text.Content())
		for _, name := range imports {
			if isPath(name) {
				out.next = append(out.next, t.targets(path, name)...)
			} else {
				out.ours, out.outside = out.ours || t.means(name), true
				out.packages = append(out.packages, name)
			}
		}
	}
	t.scripts[path] = out
	return out
}

// users tells which sources outside of a project may use what a file of it, or one like them, uses or declares: those
// that come to the project by imports, or to what the file comes to.
func (t *tsProjects) users(p *tsProject, asked string) func(path string) bool {
	around := map[string]bool{}
	if asked != "" && !p.files[asked] {
		t.follow(asked, func(path string) bool { around[path] = true; return false })
	}
	return func(path string) bool {
		outward, known := p.outward[path]
		if !known {
			outward = !t.script(path).module || t.follow(path, func(next string) bool { return p.files[next] || t.script(next).ours })
			p.outward[path] = outward
		}
		return outward || len(around) > 0 && t.follow(path, func(next string) bool { return around[next] })
	}
}

// follow visits a file and what it comes to by imports until there reports true; false when it never does.
func (t *tsProjects) follow(path string, there func(path string) bool) bool {
	seen, next := map[string]bool{path: true}, []string{path}
	for len(next) > 0 {
		path, next = next[len(next)-1], next[:len(next)-1]
		if there(path) {
			return true
		}
		for _, file := range t.script(path).next {
			if !seen[file] {
				seen[file] = true
				next = append(next, file)
			}
		}
	}
	return false
}

// means reports whether an import that is no path may mean a source of the tree.
func (t *tsProjects) means(name string) bool {
	if strings.HasPrefix(name, "node:") {
		return false
	}
	if strings.HasPrefix(name, "#") || slices.ContainsFunc(t.aliases, func(alias string) bool { return strings.HasPrefix(name, alias) }) {
		return true
	}
	for pkg := range t.names {
		if ofPackage(name, pkg) {
			return true
		}
	}
	return false
}

// ofPackage reports whether an import is of a package or of a part of it.
func ofPackage(name, pkg string) bool { return name == pkg || strings.HasPrefix(name, pkg+"/") }

// scriptEnds are what TypeScript tries behind a path, and in place of an ending that only the compiled file has.
var scriptEnds = []string{"", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"}

// targets are the sources that an import by path may mean.
func (t *tsProjects) targets(from, name string) []string {
	base := filepath.Join(filepath.Dir(from), filepath.FromSlash(name))
	bases := []string{base, filepath.Join(base, "index")}
	switch ext := filepath.Ext(base); ext {
	case ".js", ".jsx", ".mjs", ".cjs":
		bases = append(bases, strings.TrimSuffix(base, ext))
	}
	var out []string
	for _, b := range bases {
		for _, end := range scriptEnds {
			if file := b + end; t.served[file] {
				out = append(out, file)
			}
		}
	}
	return out
}

var (
	scriptImport = regexp.MustCompile(`(?:\bfrom|\bimport|\brequire|\bimport\s*\(|\brequire\s*\(|\breference\s+path\s*=)\s*["'\x60]([^"'\x60\n]+)["'\x60]`)
	scriptModule = regexp.MustCompile(`(?m)^\s*(import|export)\b|\bexports\b|\brequire\s*\(`)
)

// IsScriptModule reports whether a text of JavaScript or TypeScript is a module, so that others have its names by imports alone.
func IsScriptModule(text string) bool { return scriptModule.MatchString(text) }

// How a hover of tsserver begins about what lives in a function, and about what a file has by its name alone (6.0.2).
var (
	scriptLocals = []string{"(parameter) ", "(local var) ", "(local function) ", "(local class) ", "(type parameter) "}
	scriptNames  = []string{"const ", "let ", "var ", "function ", "class ", "abstract class ", "interface ", "type ", "enum ", "const enum ", "using "}
)

// ScriptKeeps reports whether a source of JavaScript or TypeScript keeps to itself what a hover describes by a name: what lives in a
// function, and in a module what no export names. A member is known wherever its type is.
func ScriptKeeps(text, hover, name string) bool {
	_, code, _ := strings.Cut(strings.TrimSpace(hover), "\n")
	begins := func(all []string) bool {
		return slices.ContainsFunc(all, func(b string) bool { return strings.HasPrefix(code, b) })
	}
	switch {
	case begins(scriptLocals):
		return true
	case !begins(scriptNames), !IsScriptModule(text), scriptGlobals.MatchString(text):
		return false
	}
	quoted := regexp.QuoteMeta(name)
	return !regexp.MustCompile(`\bexport\b.*\b` + quoted + `\b|\bexport\s*(type\s*)?\{[^}]*\b` + quoted + `\b|\bexport\s+(const|let|var)\s*[{\[][^=]*\b` + quoted + `\b`).MatchString(text)
}

// scriptGlobals is how a module gives others what no export names.
var scriptGlobals = regexp.MustCompile(`\bdeclare\s+(global|module)\b|\bexport\s*=|\bexport\s+default\s*[{(\[]|\bexports\b|\bexport\s+as\s+namespace\b`)

// declaring are the words before a name that is declared.
var declaring = map[string]bool{"class": true, "interface": true, "enum": true, "function": true, "namespace": true,
	"module": true, "type": true, "const": true, "let": true, "var": true, "get": true, "set": true, "static": true,
	"readonly": true, "public": true, "private": true, "protected": true, "async": true, "abstract": true, "declare": true,
	"accessor": true, "override": true}

// readScript reads words wherever they stand: without a parser one cannot tell a comment from a regular expression. A
// member is what stands where one is declared, as a call or an assignment may too.
func readScript(text string) (out *script, imports []string) {
	words, declared := map[string]bool{}, map[string]bool{}
	before, sign := "", '\n' // the word and the sign before
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !source.IsWord(r) {
			if r == '\n' || !unicode.IsSpace(r) {
				before, sign = "", r
			}
			i += size
			continue
		}
		from := i
		for i < len(text) && source.IsWord(r) {
			i += size
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		word := text[from:i]
		words[word] = true
		if declaring[before] || before == "" && strings.ContainsRune("\n{},;*", sign) && memberEnds(text[i:]) {
			declared[word] = true
		}
		before, sign = word, ' '
	}
	out = &script{mentions: &lang.Mentions{Words: words, Declared: declared, Embedded: words}, module: scriptModule.MatchString(text)}
	for _, m := range scriptImport.FindAllStringSubmatch(text, -1) {
		imports = append(imports, m[1])
	}
	return out, imports
}

// memberEnds reports whether what follows a word is what follows the name of a member.
func memberEnds(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 8)], " \t\r")
	return rest == "" || strings.ContainsRune("(:=?!<,;}\n", rune(rest[0]))
}
