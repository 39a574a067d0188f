package tsserver

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
)

// nodeModules are modules of Node that CommonJS names without node: in front.
var nodeModules = strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram dns " +
	"domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline " +
	"repl stream string_decoder sys timers tls tty url util v8 vm wasi worker_threads zlib")

// required is [lsp.CoverageHooks].Required. tsserver (6.0.3) takes what a pattern takes out of such a module for
// variables of their own, and the module for a value without members.
func (a *Process) required(ctx context.Context, text *source.Text, offset int) bool {
	content := text.Content()
	from, to, ok := source.WordAround(content, offset)
	if !ok {
		return false
	}
	before := strings.TrimRight(content[:from], " \t\r\n?.")
	pattern := `[{,]\s*` + regexp.QuoteMeta(content[from:to]) + `\b[^;(){}]*\}\s*=\s*`
	if lang.BehindDot(content[:from]) {
		start, end, _ := source.WordAround(before, len(before))
		if start == end {
			return false
		}
		pattern = `\b` + regexp.QuoteMeta(before[start:end]) + `\s*=\s*`
	}
	modules := regexp.MustCompile(pattern + `(?:require|await\s+import)\(\s*['"]([^'"]+)['"]`)
	m := modules.FindStringSubmatch(content)
	if m == nil || typescript.IsPath(m[1]) || strings.HasPrefix(m[1], "node:") {
		return false
	}
	parts := strings.SplitN(m[1], "/", 3)
	pkg := parts[0]
	if strings.HasPrefix(pkg, "@") && len(parts) > 1 {
		pkg += "/" + parts[1]
	}
	if slices.Contains(nodeModules, pkg) {
		return false
	}
	t := a.projects
	release, ok := t.take(ctx, a.Server)
	if !ok {
		return true
	}
	defer release()
	if t.means(m[1]) {
		return true
	}
	for dir := filepath.Dir(text.Path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", pkg)); err == nil {
			return false
		}
		manifest, err := source.ReadBytes(filepath.Join(dir, "package.json"))
		if err == nil && strings.Contains(string(manifest), `"`+pkg+`"`) {
			return false // a package that is only not installed
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
}
