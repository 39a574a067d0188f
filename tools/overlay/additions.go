package overlay

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/spec"
)

// Nobody uses what an edit adds, and yet it can break a file that holds its name: a second declaration is merged
// with the first or makes calls ambiguous, a macro replaces what it names, a statement takes a name away. Neither
// the references of what was there nor its shape tell of that. In C only files that include it can notice it, and
// an added include may bring any name.

// addition is what an edit adds: names of new declarations, words on lines outside of all declarations,
// and includes.
type addition struct {
	*check
	// declared counts the declarations of the edited files on disk by their scoped names; nil when these, or those
	// with the edit, are not known.
	declared map[string]int
	names    map[string]bool // what other files may hold of what is added
	brings   []string        // base names of the files of C that it newly includes
	holder   string          // a file that holds one of the names; "" while none is known
}

// addition notes what the edited files declare, before the server is shown the new texts.
func (c *check) addition(ctx context.Context) *addition {
	a := &addition{check: c, declared: map[string]int{}, names: map[string]bool{}}
	for path := range c.before {
		symbols, _, err := c.s.DocumentSymbols(ctx, path)
		if err != nil {
			// Not known, and not none: held then says that any other file may notice.
			a.declared = nil
			break
		}
		for _, name := range scoped(symbols, path+"\x00") {
			a.declared[name]++
		}
	}
	return a
}

// learn notes what the edit adds, while the server has the new texts. It asks nothing where every other
// file is looked at anyway: what the addition breaks there shows as findings.
func (a *addition) learn(ctx context.Context, looked []string) {
	if a.declared == nil || len(a.unlooked(looked)) == 0 {
		return
	}
	// A new file has no declarations on disk to compare with; the files that name it are looked at ([check.naming]).
	for _, path := range slices.Sorted(maps.Keys(a.before)) {
		if !a.addFile(ctx, path, a.before[path]) {
			a.declared = nil
			return
		}
	}
}

// unlooked returns the other files of the server that are not looked at.
func (a *addition) unlooked(looked []string) []string {
	return slices.DeleteFunc(a.others(maxFiles), func(path string) bool { return slices.Contains(looked, path) })
}

// mayBeNoticed reports whether a file that is not looked at may notice what learn has noted: it holds
// one of the names, or nobody knows what was added.
func (a *addition) mayBeNoticed(looked []string) bool {
	others := a.unlooked(looked)
	if len(others) == 0 {
		return false
	}
	if a.declared == nil {
		return true
	}
	if len(a.names) == 0 && len(a.brings) == 0 {
		return false
	}
	includes := a.s.Hooks().Includes
	if includes == nil {
		return slices.ContainsFunc(others, func(path string) bool { return a.heldBy(path) })
	}
	// All of them, since an include may lead from one to another over files that are looked at or edited.
	texts := append(loaded(a.s, slices.Concat(others, looked)), slices.Collect(maps.Values(a.before))...)
	return slices.ContainsFunc(includes.MaySee(texts, others, slices.Sorted(maps.Keys(a.texts))),
		func(f lsp.Includer) bool {
			brought := func(name string) bool { return !f.Reached[name] }
			// a header is compiled with those that include it
			return a.heldBy(f.Path) || !f.Included && slices.ContainsFunc(a.brings, brought)
		})
}

// loaded returns the texts of files; those that cannot be read are left out.
func loaded(s *lsp.Snapshot, paths []string) (out []*source.Text) {
	for _, path := range paths {
		if text, err := s.Documents().Load(path); err == nil {
			out = append(out, text)
		}
	}
	return out
}

// MaySee are those of files that may see what is in the changed ones: all where the server's language has no includes.
func MaySee(s *lsp.Snapshot, files, changed []string) (out []string) {
	includes := s.Hooks().Includes
	if includes == nil {
		return files
	}
	for _, f := range includes.MaySee(loaded(s, append(filesOf(s, nil), changed...)), files, changed) {
		out = append(out, f.Path)
	}
	return out
}

// addFile notes what the edit adds to one file; false when the server does not tell what the file
// declares.
func (a *addition) addFile(ctx context.Context, path string, before *source.Text) bool {
	symbols, text, err := a.s.DocumentSymbols(ctx, path)
	if err != nil {
		return false
	}
	seen := map[string]int{}
	for _, name := range scoped(symbols, path+"\x00") {
		// Counted, because another declaration of a name that is there already (an overload) is an addition, too.
		if seen[name]++; seen[name] > a.declared[name] {
			a.names[name[strings.LastIndexByte(name, 0)+1:]] = true
		}
	}
	if includes := a.s.Hooks().Includes; includes != nil {
		a.brings = append(a.brings, includes.Brings(before, text)...)
	}
	// Its declarations come to, or go from, all files of the project, without any of them being changed.
	if isModuleTS(a.s.Spec(), before) != isModuleTS(a.s.Spec(), text) {
		a.addAll(path, symbols)
	}
	_, lines := changedLines(before, text)
	for _, l := range lines {
		// A line of a declaration is counted with that; a line outside of all may be a macro, an import, a statement.
		if !l.inserted && len(l.symbols(symbols)) == 0 {
			a.addLine(text, l.line)
		}
	}
	return true
}

// addAll notes whatever a file declares, before the edit and with it.
func (a *addition) addAll(path string, symbols []lsp.Symbol) {
	for name := range a.declared {
		if strings.HasPrefix(name, path+"\x00") {
			a.names[name[strings.LastIndexByte(name, 0)+1:]] = true
		}
	}
	for _, sym := range symbols {
		a.names[sym.Name] = true
	}
}

// moduleLine begins a statement that makes a file of TypeScript or JavaScript a module, whose declarations are its
// own; those of any other file are there for all files of the project.
var moduleLine = source.LazyRegexp(`(?m)^\s*(export\b|import\b\s*[^\s(.])`)

// isModuleTS reports whether a file of TypeScript or JavaScript is a module.
func isModuleTS(spec *spec.Spec, text *source.Text) bool {
	id := spec.LanguageID(filepath.Base(text.Path))
	return (strings.HasPrefix(id, "typescript") || strings.HasPrefix(id, "javascript")) &&
		moduleLine.MatchString(text.Content())
}

// heldBy reports whether a file holds a name that the edit adds, and remembers it. A file that cannot
// be read may hold anything.
func (a *addition) heldBy(path string) bool {
	text, err := a.s.Documents().Load(path)
	// What cannot be read may hold anything.
	if err != nil {
		return true
	}
	for name := range a.names {
		if source.HasWord(text.Content(), name) {
			a.holder = path
			return true
		}
	}
	return false
}

// scoped returns the declarations that are members of no type, each as prefix, the names that it is in,
// and its own, separated by NUL.
func scoped(symbols []lsp.Symbol, prefix string) (out []string) {
	for _, sym := range symbols {
		out = append(out, prefix+sym.Name)
		if sym.Kind.IsScope() {
			out = append(out, scoped(sym.Children, prefix+sym.Name+"\x00")...)
		}
	}
	return out
}

// addLine notes the words of a line outside of all declarations: a macro, an import, a statement.
// Comments and includes add none.
func (a *addition) addLine(text *source.Text, line int) {
	id := a.s.Spec().LanguageID(filepath.Base(text.Path))
	code := strings.TrimSpace(text.Line(line))
	if includes := a.s.Hooks().Includes; includes != nil && includes.IsInclude(code) {
		return
	}
	// Comments and the like, which no other file can notice.
	if lang.ByID(id).IsSilent(code) {
		return
	}
	for _, at := range text.WordsOn(line) {
		if word := text.WordAt(at); lang.IsIdentifier(word) && !lang.Reserved(id, word) {
			a.names[word] = true
		}
	}
}
