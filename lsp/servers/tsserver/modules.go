package tsserver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
)

// nodeModules are modules of Node that sources name without node: in front.
var nodeModules = strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram dns " +
	"domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline " +
	"repl stream string_decoder sys timers tls tty url util v8 vm wasi worker_threads zlib")

// outside reports whether what a source imports by a name, and no path, is not of the tree: a module of Node, a package
// that is installed, or one that a manifest above the source wants. Any other name may be one that a bundler or a
// loader gives to a path.
func (t *projects) outside(from, module string) bool {
	parts := strings.SplitN(module, "/", 3)
	pkg := parts[0]
	if strings.HasPrefix(pkg, "@") && len(parts) > 1 {
		pkg += "/" + parts[1]
	}
	switch {
	case strings.Contains(module, ":"), slices.Contains(nodeModules, pkg): // node:fs, https://…, npm:…
		return true
	case t.names[pkg] != "":
		return false
	}
	for dir := filepath.Dir(from); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", pkg)); err == nil {
			return true
		}
		if c, _ := typescript.ReadConfig(filepath.Join(dir, "package.json")); c.Wants(pkg) {
			return true // a package that is only not installed
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// unresolved reports whether the server may not find a module that a source names, and it may be of the tree.
func (t *projects) unresolved(from, module string) bool {
	if !typescript.IsPath(module) {
		return !t.outside(from, module)
	}
	return !slices.ContainsFunc(typescript.Candidates(from, module), source.Exists)
}

// binding is what an import, or an assignment of a module that is loaded, gives names.
type binding struct{ names, module string }

// bindings are those of a source.
func bindings(content string) (out []binding) {
	for _, m := range imported.FindAllStringSubmatch(content, -1) {
		out = append(out, binding{m[1], m[2]})
	}
	if !strings.Contains(content, "require(") && !strings.Contains(content, "import(") {
		return out
	}
	for _, m := range assigned.FindAllStringSubmatchIndex(content, -1) {
		begin := strings.LastIndexAny(content[:m[0]], `;'"()`) + 1
		out = append(out, binding{content[begin:m[0]], content[m[2]:m[3]]})
	}
	return out
}

// importedFrom is the module from which one of bindings takes a name; "" where none does.
func importedFrom(all []binding, name string) string {
	i := slices.IndexFunc(all, func(b binding) bool { return name != "" && source.HasWord(b.names, name) })
	if i < 0 {
		return ""
	}
	return all[i].module
}

// loads matches the call that loads a module; the group is its name.
const loads = `(?:require|await\s+import)\(\s*['"]([^'"]+)['"]\s*\)`

var (
	// imported matches an import with its names; the groups are these and the module.
	imported = source.LazyRegexp(`\bimport\b([^;'"]*)\bfrom\s*['"]([^'"]+)['"]`)
	// assigned matches what follows the names that get a module.
	assigned = source.LazyRegexp(`=\s*` + loads)
	// loaded matches what takes the value of such a call, and the call.
	loaded = source.LazyRegexp(`([\w$]+|\})\s*(?::[^=;{}]*)?=\s*` + loads)
	// takes matches what a pattern takes its members out of.
	takes = source.LazyRegexp(`\}\s*=\s*([\w$]+)\s*[;,\r\n]`)
	// member matches the end of a call that loads a module, behind which a dot follows.
	member = source.LazyRegexp(loads + `\)?\s*\??\.\s*$`)
)

// takenFrom are the modules out of which the name at an offset is taken: by a pattern, or by a dot behind the call that
// loads the module or behind a variable for it.
func takenFrom(content string, offset int) (modules []string) {
	variables := map[string][]string{}
	for _, m := range loaded.FindAllStringSubmatchIndex(content, -1) {
		if taker := content[m[2]:m[3]]; taker != "}" {
			variables[taker] = append(variables[taker], content[m[4]:m[5]])
		} else if inPattern(content, m[2], offset) {
			modules = append(modules, content[m[4]:m[5]])
		}
	}
	if lang.BehindDot(content[:offset]) {
		before := content[max(0, offset-lang.MaxScanned):offset]
		if m := member.FindStringSubmatch(before); m != nil {
			return append(modules, m[1])
		}
		before = strings.TrimRight(before, " \t\r\n?.")
		from, to, _ := source.WordAround(before, len(before))
		return append(modules, variables[before[from:to]]...)
	}
	for _, m := range takes.FindAllStringSubmatchIndex(content, -1) {
		if from := variables[content[m[2]:m[3]]]; len(from) > 0 && inPattern(content, m[0], offset) {
			modules = append(modules, from...)
		}
	}
	return modules
}

// inPattern reports whether the name at an offset is taken out of a value by the pattern that ends with a brace: in
// { key: variable } that is the key.
func inPattern(content string, end, offset int) bool {
	if offset > end || strings.HasSuffix(strings.TrimRight(content[:offset], " \t\r\n"), ":") {
		return false
	}
	depth := 0
	for i := end; i >= 0; i-- {
		switch content[i] {
		case '}':
			depth++
		case '{':
			if depth--; depth == 0 {
				return i < offset
			}
		case ';':
			return false
		}
	}
	return false
}
