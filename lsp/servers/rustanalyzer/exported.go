package rustanalyzer

import (
	"bytes"
	"context"
	"path/filepath"

	"lspi/internal/source"
)

// exporting matches what a Rust source gives the linker under its own name, or by another (The Rust Reference, "The
// no_mangle attribute", "The export_name attribute").
var exporting = source.LazyRegexp(`\bno_mangle\b[^;{]*?\b(?:fn|static(?:\s+mut)?)\s+(\w+)|\bexport_name\s*=\s*"(\w+)"`)

// usedIn is [lsp.CoverageHooks].UsedIn: sources of any language may use what a Rust source exports to the linker.
func (a *Process) usedIn(_ context.Context, path, name string) bool {
	return !a.Server.Spec().Serves(filepath.Base(path)) && a.exported(name)
}

// exported is [lsp.CoverageHooks].Exported.
func (a *Process) exported(name string) bool {
	names, _ := a.exports.Get(context.Background(), a.Server, "", func() (map[string]bool, bool) {
		out := map[string]bool{}
		for path := range a.Server.Journal().Files() {
			if !a.Server.Spec().Serves(filepath.Base(path)) {
				continue
			}
			text, err := source.ReadBytes(path)
			if err != nil || !bytes.Contains(text, []byte("no_mangle")) && !bytes.Contains(text, []byte("export_name")) {
				continue
			}
			for _, m := range exporting.FindAllStringSubmatch(string(text), -1) {
				out[m[1]+m[2]] = true
			}
		}
		return out, true
	})
	return names[name]
}

// declaresForeign reports whether a source has declarations of what other crates or languages define (extern "C" {).
func declaresForeign(path string) bool {
	text, err := source.ReadBytes(path)
	return err != nil || foreignBlock.FindString(string(text)) != ""
}

var foreignBlock = source.LazyRegexp(`\bextern\s*(?:"[\w-]*")?\s*\{`)
