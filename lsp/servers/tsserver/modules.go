package tsserver

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// binding is what an import, or an assignment of a module that is loaded, gives names.
type binding struct {
	names, module string
	at            int // where the names begin
}

// bindings are those of a source.
func bindings(content string) (out []binding) {
	for _, m := range imported.FindAllStringSubmatchIndex(content, -1) {
		out = append(out, binding{content[m[2]:m[3]], content[m[4]:m[5]], m[2]})
	}
	if !strings.Contains(content, "require(") && !strings.Contains(content, "import(") {
		return out
	}
	for _, m := range assigned.FindAllStringSubmatchIndex(content, -1) {
		begin := strings.LastIndexAny(content[:m[0]], `;'"()`) + 1
		out = append(out, binding{content[begin:m[0]], content[m[2]:m[3]], begin})
	}
	return out
}

// importedFrom is the module from which one of bindings takes a name, that around an offset before others; "" where
// none does.
func importedFrom(all []binding, name string, offset int) (module string) {
	for _, b := range all {
		around := b.at <= offset && offset < b.at+len(b.names)
		if name != "" && (module == "" || around) && source.HasWord(b.names, name) {
			module = b.module
		}
	}
	return module
}

var (
	// imported matches an import with its names; the groups are these and the module.
	imported = source.LazyRegexp(`\bimport\b([^;'"]*)\bfrom\s*['"]([^'"]+)['"]`)
	// assigned matches what follows the names that get a module which is loaded; the group is its name.
	assigned = source.LazyRegexp(`=\s*(?:require|await\s+import)\(\s*['"]([^'"]+)['"]\s*\)`)
)
