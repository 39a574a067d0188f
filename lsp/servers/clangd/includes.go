package clangd

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/watch"
)

// A document is built with all that it includes. What the texts say of that is by base names: where an include is
// looked for only the compiler knows, and which of them #if leaves out. By base names a document sees too much,
// never too little, but for what no text names, which is looked for here: flags that include files, includes by a
// macro, and headers that lspi does not follow (of the system, ignored ones), of which the index knows what they
// include.

// includes are what files include. All of it needs the document lock.
type includes struct {
	texts   map[string]includedTexts // by path
	files   map[string][]string      // the files that lspi follows, by base name; nil when they have to be listed anew
	changed map[string]bool          // files that changed since the process began
	index   *indexedIncludes         // nil when it has to be read anew
	outside map[string]bool          // files that lspi follows one by one, and has to read for includes
	// by path, or by name for all folders ([Process.targets]); as long as no file comes or goes
	targets map[string]includeTargets
	folders []string // [Process.searchedByAny]; nil before
	forced  *bool    // nil while that was not looked for
}

// includedTexts is what one text includes.
type includedTexts struct {
	text    *source.Text
	written []string // as the text writes them
	names   []string // their base names
	real    string   // base name of the file behind links
	unknown bool     // it may include what it does not name
}

// indexedIncludes is what the index says.
type indexedIncludes struct {
	own     map[string]bool     // files that it is of
	bases   map[string]bool     // their base names
	outside map[string]bool     // base names of what files include that lspi does not follow
	had     map[string][]string // what files included, of those that were asked for
}

// baseKey is how the name of a file is compared: file systems may not tell cases apart.
func baseKey(path string) string {
	return strings.ToLower(filepath.Base(strings.ReplaceAll(path, `\`, "/")))
}

// changed is [lsp.Hooks].Changed.
func (a *Process) changed(changes []watch.Change) {
	if len(changes) > 0 {
		a.includes.index = nil
		a.system.changes.Add(1)
	}
	if a.includes.changed == nil {
		a.includes.changed = map[string]bool{}
	}
	for _, c := range changes {
		a.includes.changed[c.Path] = true
		delete(a.includes.texts, c.Path)
		if c.Kind != watch.Changed {
			a.includes.files, a.includes.targets = nil, nil
		}
	}
}

// mayInclude is [lsp.SyncHooks].MayInclude.
func (a *Process) mayInclude(ctx context.Context, path string, others []string) bool {
	reached, lacking, told := a.reached(path)
	known := told && a.list != nil && a.list.path != "" && !a.forcedIncludes()
	may := false
	for _, other := range others {
		if reached[baseKey(other)] {
			return true
		}
		may = may || other != path && (!told || mayBeUnnamed(other, known)) // nobody knows what a macro names
	}
	return may && (!known || len(lacking) > 0 && a.mayIncludeOutside(ctx, path, others, lacking))
}

// mayBeUnnamed reports whether a file may be included where no text names it: no program in another language, nor prose
// such as README.md, and a source only by flags, unless these are known.
func mayBeUnnamed(path string, known bool) bool {
	l := lang.Of(path)
	if l.IsC() {
		return !known || !isSource(path)
	}
	return l.ID != "markdown" && (l.ID == "" || l.Optional || l.NoSymbols)
}

// mayIncludeOutside reports whether a file may include one of others over a file that lspi does not follow. lacking
// are files with includes that lspi does not follow.
func (a *Process) mayIncludeOutside(ctx context.Context, path string, others []string,
	lacking map[string][]string) bool {
	if !a.Server.Status().Ready {
		return true
	}
	if len(a.external()) > 0 {
		outside := a.headersOutside(ctx)
		return !outside.whole || slices.ContainsFunc(others, func(other string) bool {
			return outside.names[baseKey(other)]
		})
	}
	index := a.indexed(ctx)
	if ctx.Err() != nil || !index.own[path] {
		return true
	}
	for file, names := range lacking {
		// An include that came since the index was made, of a header that it does not know.
		if a.includes.changed[file] && slices.ContainsFunc(names, func(name string) bool {
			return !index.bases[name]
		}) {
			return true
		}
	}
	return slices.ContainsFunc(others, func(other string) bool { return index.outside[baseKey(other)] })
}

// walk visits a file and what it includes, over others too, as far as lspi follows that. visit returns further files.
func (a *Process) walk(path string, visit func(file string, of includedTexts) (also []string)) {
	seen := map[string]bool{path: true}
	for next := []string{path}; len(next) > 0; next = next[1:] {
		of := a.included(next[0])
		found := visit(next[0], of)
		for i, name := range of.written {
			named := a.followed()[of.names[i]]
			// In quotes the file beside it comes before all others of its name.
			beside := filepath.Join(filepath.Dir(next[0]), name)
			if slices.Contains(named, beside) && !strings.Contains(of.text.Content(), "<"+name+">") {
				named = []string{beside}
			}
			found = slices.Concat(found, named)
		}
		for _, one := range found {
			if !seen[one] {
				seen[one] = true
				next = append(next, one)
			}
		}
	}
}

// reached are the base names of what a file includes, over others too; known is false where that may be more than
// texts tell. lacking are includes of files that lspi does not follow, by the file with the include.
func (a *Process) reached(path string) (names map[string]bool, lacking map[string][]string, known bool) {
	names, lacking, known = map[string]bool{}, map[string][]string{}, true
	a.walk(path, func(file string, of includedTexts) []string {
		known = known && !of.unknown
		if file != path {
			names[of.real] = true
		}
		for _, name := range of.names {
			names[name] = true
			if len(a.followed()[name]) == 0 {
				lacking[file] = append(lacking[file], name)
			}
		}
		return nil
	})
	return names, lacking, known
}

// includedSince is [lsp.SyncHooks].IncludedSince.
func (a *Process) includedSince(ctx context.Context, files []string) map[string]lsp.IncludeChange {
	had := a.hadIncludes(ctx, files)
	reached := map[string][]string{} // by the name of an include
	over := func(name string, files []string) []string {
		if _, known := reached[name]; !known {
			reached[name] = []string{}
			for _, file := range files {
				a.walk(file, func(one string, _ includedTexts) []string {
					reached[name] = append(reached[name], one)
					return nil
				})
			}
		}
		return reached[name]
	}
	out := map[string]lsp.IncludeChange{}
	for _, path := range files {
		if ctx.Err() != nil {
			return nil
		}
		of := a.included(path)
		if of.text == nil {
			continue // who includes what is gone has an error for it
		}
		change, left := lsp.IncludeChange{Unknown: of.unknown}, slices.Clone(had[path])
		for i, name := range of.written {
			end := "/" + filepath.Base(name)
			if !strings.HasPrefix(name, ".") {
				end = "/" + name
			}
			at := slices.IndexFunc(left, func(included string) bool { return strings.HasSuffix(included, end) })
			if at >= 0 {
				left = slices.Delete(left, at, at+1)
				continue
			}
			followed := a.followed()[of.names[i]]
			// A header in angle brackets that lspi does not follow is one of the system, which knows no name of the project.
			change.Unknown = change.Unknown || len(followed) == 0 && !strings.Contains(of.text.Content(), "<"+name+">")
			change.Came = append(change.Came, over(of.names[i], followed)...)
		}
		for _, included := range left {
			if a.Server.Journal().Tracks(included) {
				change.Gone = append(change.Gone, over(included, []string{included})...)
			}
		}
		out[path] = change
	}
	return out
}

// hadIncludes are the files that some files included when the index was made. What it said is kept until it changes.
func (a *Process) hadIncludes(ctx context.Context, files []string) map[string][]string {
	index := a.indexed(ctx)
	if index.had == nil {
		index.had = map[string][]string{}
	}
	lacking, found := map[string]bool{}, map[string][]string{}
	for _, path := range files {
		_, known := index.had[path]
		lacking[path] = !known
	}
	for shard, one := range a.readShards(ctx, a.Server.Root()) {
		for _, path := range one.of {
			if lacking[path] && ctx.Err() == nil {
				read, _ := ReadShard(shard) // one that cannot be read knows of no include
				found[path] = append(found[path], pathsOf(read.Includes)...)
			}
		}
	}
	if ctx.Err() == nil { // else a part of it would count for the next question
		maps.Copy(index.had, found)
	}
	return index.had
}

// included is what the text of a file includes as the server sees it now.
func (a *Process) included(path string) includedTexts {
	text, err := a.Server.Documents().Load(path)
	if err != nil {
		return includedTexts{unknown: true}
	}
	if have, ok := a.includes.texts[path]; ok && have.text == text {
		return have
	}
	of := includedTexts{text: text, unknown: lang.IncludesByMacro(text.Content()), real: baseKey(path)}
	of.written = lang.IncludedFiles(text.Content())
	for _, name := range of.written {
		of.names = append(of.names, baseKey(name))
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		of.real = baseKey(real)
	}
	if a.includes.texts == nil {
		a.includes.texts = map[string]includedTexts{}
	}
	a.includes.texts[path] = of
	return of
}

// followed are the files that lspi follows, with the tree or one by one, by base name.
func (a *Process) followed() map[string][]string {
	if a.includes.files == nil {
		a.includes.files = map[string][]string{}
		add := func(path string) { a.includes.files[baseKey(path)] = append(a.includes.files[baseKey(path)], path) }
		for path := range a.Server.Journal().Files() {
			add(path)
		}
		for path := range a.includes.outside {
			// Of one outside of the workspace, which lspi does not read, the index tells what it includes.
			if _, inside := source.RelativeTo(a.Server.Root(), path); inside && source.Exists(path) {
				add(path)
			}
		}
	}
	return a.includes.files
}

// indexed is what the index says of includes. It is read once between two changes of files.
func (a *Process) indexed(ctx context.Context) *indexedIncludes {
	if a.includes.index != nil {
		return a.includes.index
	}
	out := &indexedIncludes{own: map[string]bool{}, bases: map[string]bool{}, outside: map[string]bool{}}
	for _, one := range a.readShards(ctx, a.Server.Root()) {
		for _, path := range one.of {
			out.own[path], out.bases[baseKey(path)] = true, true
		}
		for _, name := range one.names {
			out.outside[name] = true
		}
	}
	if ctx.Err() == nil {
		a.includes.index = out
	}
	return out
}

// forcing are flags by which a file is included that no text names, or another than it names.
var forcing = source.LazyRegexp(`["'\s](--?include\b|--?imacros|[-/]FI|@|-fmodule|-fprebuilt|-ivfsoverlay|-Xclang)`)

// forcedIncludes reports whether the flags of any file may include others. Where flags are (the list, .clangd) only
// a new process sees a change, but for the user's own configuration.
func (a *Process) forcedIncludes() bool {
	if a.includes.forced == nil {
		forced := false
		files := []string{a.list.path}
		for dir := a.Server.Root(); ; dir = filepath.Dir(dir) {
			files = append(files, filepath.Join(dir, ".clangd"))
			if dir == filepath.Dir(dir) {
				break
			}
		}
		for path := range a.Server.Journal().Files() {
			if filepath.Base(path) == ".clangd" {
				files = append(files, path)
			}
		}
		files = append(files, userConfigs(launch.Environment(a.Server.Spec()))...)
		for _, path := range files {
			raw, err := source.ReadRegular(path, maxCommands)
			forced = forced || err == nil && forcing.Match(raw) || err != nil && !os.IsNotExist(err)
		}
		a.includes.forced = &forced
	}
	return *a.includes.forced
}
