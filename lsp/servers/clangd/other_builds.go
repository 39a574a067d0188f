package clangd

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"lspi/internal/lang"
	"lspi/lsp"
)

// Of several databases (build/debug, build/release) clangd is given one, and of several entries for one source it takes
// the first (22.1.8). Code that a macro of the others decides about is not checked as they compile it.

// otherBuilds remembers which macros the other entries for a source set otherwise.
type otherBuilds struct {
	mu    sync.Mutex
	mark  string                       // of the databases that were read; guarded by mu
	known map[string]map[string]string // by source and macro, the database; guarded by mu
	clang bool                         // the first command runs clang, or says no compiler; guarded by mu
}

// otherBuilt is [lsp.DiagnosticHooks].OtherBuilt. To a header every difference of any source counts.
func (a *Process) otherBuilt(ctx context.Context, paths []string) (out []lsp.OtherBuild) {
	of := a.settings()
	if len(of) == 0 {
		return nil
	}
	every := map[string]string{}
	for _, macros := range of {
		maps.Copy(every, macros)
	}
	release, err := a.Server.Documents().Lock(ctx)
	if err != nil {
		return nil
	}
	defer release()
	for _, path := range paths {
		macros := of[path]
		if !isSource(path) {
			macros = every
		}
		if names := slices.Sorted(maps.Keys(macros)); len(names) > 0 && ctx.Err() == nil {
			if found, ok := a.decidedBy(path, names); ok {
				found.Path, found.By = path, macros[found.Name]
				out = append(out, found)
			}
		}
	}
	return out
}

// decidedBy returns the first place that holds one of some macros, in a file or what it includes.
func (a *Process) decidedBy(path string, macros []string) (found lsp.OtherBuild, ok bool) {
	a.walk(path, func(file string, of includedTexts) []string {
		if of.text == nil || ok {
			return nil
		}
		lang.EachOf(file, of.text.Content(), macros, func(from, to int, use lang.Use) {
			if !ok && use&(lang.CodeUse|lang.OpenUse) != 0 {
				at := of.text.PositionAt(from)
				found, ok = lsp.OtherBuild{File: file, Line: at.Line, Name: of.text.Content()[from:to]}, true
			}
		})
		return nil
	})
	return found, ok
}

// settings are the macros that other entries for a source set otherwise than the one by which clangd compiles it, by
// source, each with the database of such an entry. They are read anew when a database changes.
func (a *Process) settings() map[string]map[string]string {
	root, p := a.Server.Root(), a.Server.Spec().Project
	var files []string
	var mark strings.Builder
	seen := map[string]bool{}
	for file := range p.All(root) {
		if info, err := os.Stat(file); err != nil || info.Size() > maxCommands {
			continue
		}
		real, err := filepath.EvalSymlinks(file)
		if err != nil || seen[real] || filepath.Base(file) != p.Files[0] {
			continue
		}
		seen[real] = true
		files = append(files, file)
		stamp(&mark, file)
	}
	o := &a.others
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mark == mark.String() {
		return o.known
	}
	o.clang = true
	first, out := map[string]map[string]string{}, map[string]map[string]string{}
	for _, file := range files {
		Entries(file, func(path string, raw []byte) bool {
			path = filepath.Clean(path)
			_, arguments, _ := commandOf(raw)
			if len(first) == 0 && len(arguments) > 1 { // which may stand behind ccache
				o.clang = strings.Contains(arguments[0]+arguments[1], "clang") ||
					runtime.GOOS == "darwin" && !strings.Contains(arguments[0]+arguments[1], "-") // not gcc-14
			}
			now, was := macrosOf(arguments), first[path]
			if was == nil {
				first[path] = now
				return true
			}
			for name := range union(was, now) {
				before, had := was[name]
				if after, has := now[name]; had == has && before == after {
					continue
				}
				if out[path] == nil {
					out[path] = map[string]string{}
				}
				out[path][name] = file
			}
			return true
		})
	}
	o.mark, o.known = mark.String(), out
	return out
}

// union has the keys of both maps.
func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// macrosOf are the macros that arguments of a compiler set, with what they are set to; those that come from the
// standard, the optimization and the sanitizers stand for what code asks about them.
func macrosOf(arguments []string) map[string]string {
	out := map[string]string{}
	for n, one := range arguments {
		if (one == "-D" || one == "-U") && n+1 < len(arguments) {
			one += arguments[n+1]
		}
		switch {
		case strings.HasPrefix(one, "-D"), strings.HasPrefix(one, "/D"):
			name, value, _ := strings.Cut(one[2:], "=")
			out[name] = value
		case strings.HasPrefix(one, "-U"):
			delete(out, one[2:])
		case strings.HasPrefix(one, "-std="):
			out["__cplusplus"], out["__STDC_VERSION__"] = one, one
		case strings.HasPrefix(one, "-O") && one != "-O0":
			out["__OPTIMIZE__"] = "1"
		case strings.HasPrefix(one, "-fsanitize="):
			for _, name := range sanitizerMacros {
				out[name] = one
			}
		}
	}
	return out
}

// sanitizerMacros are how code asks for sanitizers.
var sanitizerMacros = []string{"__SANITIZE_ADDRESS__", "__SANITIZE_THREAD__", "__has_feature"}

// refused is [lsp.DiagnosticHooks].Refused: clang warns of designators that are no C++ ([dcl.init.aggr]), and GCC and
// MSVC do not compile them, but for those of arrays.
func (a *Process) refused(f lsp.Finding) bool {
	if f.Code != "-Wreorder-init-list" && (f.Code != "-Wc99-designator" || strings.Contains(f.Message, "array")) {
		return false
	}
	a.settings()
	a.others.mu.Lock()
	defer a.others.mu.Unlock()
	return !a.others.clang
}
