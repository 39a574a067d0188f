package clangd

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/internal/lang"
	"lspi/internal/source"
)

// The headers outside of the workspace that its sources include have templates, which use members of what code of the
// workspace hands to them: std::lock_guard<Spin> calls Spin::lock. clangd (22.1.8) lists no such use, and reports no
// error where there is none any more: it skips the bodies of what a source includes. Their texts tell what they use.

// maxLibrary bounds the headers that are read for it, in bytes.
const maxLibrary = 64 << 20

// library is what the templates of such headers use.
type library struct {
	mu    sync.Mutex
	files map[string]bool // that were read; headers outside of the workspace hardly change
	bytes int
	// By the name of what they use, without that of the type: the names of templates.
	uses, calls, mentions map[string][]string
	names                 map[string]bool
}

// readLibrary reads the headers that the index has come to know since the last time, and returns the library locked.
// whole is false where there are more than are read, or ctx has ended.
func (a *Process) readLibrary(ctx context.Context) (l *library, whole bool) {
	l = &a.library
	paths, whole := a.libraryHeaders(ctx)
	l.mu.Lock()
	if l.files == nil {
		l.files, l.names = map[string]bool{}, map[string]bool{}
		l.uses, l.calls, l.mentions = map[string][]string{}, map[string][]string{}, map[string][]string{}
	}
	for _, path := range paths {
		if l.files[path] {
			continue
		}
		if ctx.Err() != nil || l.bytes > maxLibrary {
			return l, false
		}
		l.files[path] = true
		if read, ok := readTemplates(path); ok {
			l.add(read)
		}
	}
	return l, whole
}

// libraryHeaders are the headers outside of the workspace that its sources include; whole is false where there may be
// more.
func (a *Process) libraryHeaders(ctx context.Context) (paths []string, whole bool) {
	if len(a.external()) > 0 {
		found := a.headersOutside(ctx)
		return slices.DeleteFunc(slices.Clone(found.paths), isSource), found.whole
	}
	for _, one := range a.readShards(ctx, a.Server.Root()) {
		for _, path := range one.of {
			if _, ours := source.RelativeTo(a.Server.Root(), path); !ours && !isSource(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, true
}

// readAhead is [lsp.CoverageHooks].ReadAhead.
func (a *Process) readAhead(ctx context.Context) {
	if a.hasClasses() {
		l, _ := a.readLibrary(ctx)
		l.mu.Unlock()
	}
}

// hasClasses reports whether there may be code of C++ below the root, going by the extensions.
func (a *Process) hasClasses() bool {
	for ext := range a.Server.Journal().CountByExt() {
		if ext != ".h" && lang.Of("x"+ext).ID == "cpp" {
			return true
		}
	}
	return false
}

// headerTemplates are the templates of a header as it was at a time.
type headerTemplates struct {
	size    int
	changed time.Time
	all     []lang.LibraryTemplate
}

// headers are the [headerTemplates] by path: reading those of a standard library takes 0.2 s, which the processes of
// all workspaces pay once.
var headers sync.Map

// readTemplates returns the templates of a header; ok is false where it cannot be read.
func readTemplates(path string) (of headerTemplates, ok bool) {
	info, err := os.Stat(path)
	if err != nil {
		return of, false
	}
	if have, ok := headers.Load(path); ok && have.(headerTemplates).changed.Equal(info.ModTime()) {
		return have.(headerTemplates), true
	}
	text, err := source.Read(path)
	if err != nil {
		return of, false
	}
	of = headerTemplates{len(text.Content()), info.ModTime(), lang.LibraryTemplates(text.Content())}
	headers.Store(path, of)
	return of, true
}

// add takes in the templates of a header.
func (l *library) add(of headerTemplates) {
	l.bytes += of.size
	for _, t := range of.all {
		for _, name := range t.Names {
			l.names[name] = true
			for _, of := range []struct {
				words []string
				by    map[string][]string
			}{{t.Uses, l.uses}, {t.Calls, l.calls}, {t.Mentions, l.mentions}} {
				for _, word := range of.words {
					if !slices.Contains(of.by[word], name) {
						of.by[word] = append(of.by[word], name)
					}
				}
			}
		}
	}
}

// handing are templates that code of the workspace may name: some, and those that hand what they get to one of these,
// over so many steps. Names that begin with an underscore are the library's own.
func (l *library) handing(some []string, steps int) (out []string) {
	seen := map[string]bool{}
	for next := some; len(next) > 0 && steps >= 0; steps-- {
		var then []string
		for _, name := range next {
			if !seen[name] {
				seen[name] = true
				then = append(then, l.mentions[name]...)
			}
		}
		next = then
	}
	for name := range seen {
		if lang.IsWord(name) && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, "operator") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
