package rust

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"lspi/internal/source"
)

// rustCrates reads the modules of crates: which file declares which (The Rust Reference, "Modules").
type rustCrates struct {
	read    func(path string) (*source.Text, error)
	texts   map[string]*rustText // nil for what cannot be read
	modules map[string]*rustModule
}

// rustModule is the module that a file is.
type rustModule struct {
	root   string   // the file of its crate
	path   []string // in the crate
	file   string
	parent *rustModule // nil of a crate
	mod    *rustItem   // that declares it in the file of the parent
	many   bool        // several files declare it
}

func newRustCrates(read func(path string) (*source.Text, error)) *rustCrates {
	return &rustCrates{read: read, texts: map[string]*rustText{}, modules: map[string]*rustModule{}}
}

// text reads a source; nil where it cannot be read.
func (r *rustCrates) text(path string) *rustText {
	f, known := r.texts[path]
	if !known {
		if text, err := r.read(path); err == nil && source.Exists(path) {
			f = rustTextOf(text)
		}
		r.texts[path] = f
	}
	return f
}

// rustDir is the folder in which the files of the submodules of a file are; name is that of the module by its path.
func rustDir(file string) (dir, name string) {
	dir, base := filepath.Split(file)
	dir = filepath.Clean(dir)
	if base == "mod.rs" {
		return dir, filepath.Base(dir)
	}
	name = strings.TrimSuffix(base, ".rs")
	return filepath.Join(dir, name), name
}

// of is the module of a file; nil where no crate that lspi can read has it.
func (r *rustCrates) of(file string) *rustModule {
	if m, known := r.modules[file]; known {
		return m
	}
	r.modules[file] = nil // while it is looked for
	m := r.found(file)
	r.modules[file] = m
	return m
}

func (r *rustCrates) found(file string) (out *rustModule) {
	if isCrate(file) {
		return &rustModule{root: file, file: file}
	}
	dir, name := rustDir(file)
	for _, path := range parentFiles(filepath.Dir(dir)) {
		f := r.text(path)
		if f == nil || path == file {
			continue
		}
		item := f.top.named(name)
		if item == nil || item.kind != "mod" || item.inner != nil || item.attribute("path") {
			continue
		}
		if parent := r.of(path); parent != nil && r.dirOf(parent) == filepath.Dir(dir) {
			if out != nil {
				out.many = true
				return out
			}
			out = &rustModule{root: parent.root, path: append(slices.Clone(parent.path), name), file: file,
				parent: parent, mod: item, many: parent.many}
		}
	}
	return out
}

// dirOf is the folder in which the files of the submodules of a module are.
func (r *rustCrates) dirOf(m *rustModule) string {
	if m.parent == nil || filepath.Base(m.file) == "mod.rs" {
		return filepath.Dir(m.file)
	}
	dir, _ := rustDir(m.file)
	return dir
}

// parentFiles are the files that may declare modules whose files are in a folder.
func parentFiles(dir string) (out []string) {
	for _, base := range []string{"mod.rs", "lib.rs", "main.rs"} {
		out = append(out, filepath.Join(dir, base))
	}
	out = append(out, dir+".rs")
	for _, path := range source.Glob(dir, "*.rs") { // of other targets, such as tests
		if !slices.Contains(out, path) && isCrate(path) {
			out = append(out, path)
		}
	}
	return out
}

// rustTargets are the files that Cargo takes for crates (The Cargo Book, "Target auto-discovery").
var rustTargets = source.LazyRegexp(`^(?:src/(?:lib|main)\.rs|build\.rs|(?:src/bin|tests|examples|benches)/(?:[^/]+|[^/]+/main)\.rs)$`)

// isCrate reports whether a file is the root of a crate.
func isCrate(file string) bool {
	rel, manifest := inCargo(file)
	return rel != "" && (rustTargets.MatchString(rel) || namedByManifest(manifest, rel))
}

// inCargo is the path of a file in its package, and the manifest; "" where no package has it.
func inCargo(file string) (rel string, manifest []byte) {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if path := filepath.Join(dir, "Cargo.toml"); source.Exists(path) {
			rel, _ := source.RelativeTo(dir, file)
			return filepath.ToSlash(rel), (source.OS{}).Read(path)
		}
		if dir == filepath.Dir(dir) {
			return "", nil
		}
	}
}

// namedByManifest reports whether a manifest names a file as the root of a crate.
func namedByManifest(manifest []byte, rel string) bool {
	return regexp.MustCompile(`(?m)^[ \t]*(?:path|build)[ \t]*=[ \t]*["']` + regexp.QuoteMeta(rel) + `["']`).Match(manifest)
}

var libraryPath = source.LazyRegexp(`(?ms)^\[lib\][^\[]*?^[ \t]*path[ \t]*=[ \t]*["']([^"']+)`)

// isLibrary reports whether a root is one that other crates can use.
func isLibrary(root string) bool {
	rel, manifest := inCargo(root)
	if m := libraryPath.FindStringSubmatch(string(manifest)); m != nil {
		return m[1] == rel
	}
	return rel == "src/lib.rs"
}

// attribute reports whether an item has an attribute of a name.
func (i *rustItem) attribute(name string) bool {
	return slices.ContainsFunc(i.attributes, func(a string) bool {
		return strings.HasPrefix(strings.TrimLeft(a, "#[ "), name)
	})
}

// public reports whether other crates reach a module by its path.
func (m *rustModule) public(r *rustCrates) bool {
	for ; m.parent != nil; m = m.parent {
		if m.mod == nil || r.text(m.parent.file).visibility(m.mod) != "pub" { // which is made
			return false
		}
	}
	return isLibrary(m.root)
}

// visibility is that of an item as it is written, without blanks.
func (f *rustText) visibility(item *rustItem) string {
	return strings.Join(strings.Fields(f.content()[item.vis[0]:item.vis[1]]), "")
}

// place is where the module of a path in a crate is: its file, and the scope there; nil where lspi does not find it.
func (r *rustCrates) place(root string, path []string) (*rustText, *rustScope) {
	f := r.text(root)
	if f == nil {
		return nil, nil
	}
	scope, dir := f.top, filepath.Dir(root)
	for _, name := range path {
		item := scope.named(name)
		switch {
		case item == nil || item.kind != "mod" || item.attribute("path"):
			return nil, nil
		case item.inner != nil:
			scope, dir = item.inner, filepath.Join(dir, name)
			continue
		}
		for _, file := range []string{filepath.Join(dir, name+".rs"), filepath.Join(dir, name, "mod.rs")} {
			if f = r.text(file); f != nil {
				break
			}
		}
		if f == nil {
			return nil, nil
		}
		scope, dir = f.top, filepath.Join(dir, name)
	}
	return f, scope
}

// rustBelow reports whether a module is another one, or in it.
func rustBelow(module, in []string) bool {
	return len(module) >= len(in) && slices.Equal(module[:len(in)], in)
}

// rustVisible reports whether what a module declares with a visibility is visible in another one.
func rustVisible(visibility string, declared, from []string) bool {
	switch visibility {
	case "", "pub(self)", "pub(inself)":
		return rustBelow(from, declared)
	case "pub(super)", "pub(insuper)":
		return rustBelow(from, declared[:max(len(declared)-1, 0)])
	}
	if path, ok := strings.CutPrefix(visibility, "pub(incrate"); ok {
		path = strings.TrimPrefix(strings.TrimSuffix(path, ")"), "::")
		return path == "" || rustBelow(from, strings.Split(path, "::"))
	}
	return true
}

// absolute is the path in the crate that a path means in a module; ok is false where it is of another crate, or lspi
// does not find it.
func (r *rustCrates) absolute(root string, module, path []string, depth int) (out []string, ok bool) {
	if len(path) == 0 || depth > 20 {
		return nil, false
	}
	switch path[0] {
	case "crate":
		return path[1:], true
	case "self":
		return append(slices.Clone(module), path[1:]...), true
	case "super":
		if len(module) == 0 {
			return nil, false
		}
		above := append([]string{"self"}, path[1:]...)
		if len(path) > 1 && path[1] == "super" {
			above = path[1:]
		}
		return r.absolute(root, module[:len(module)-1], above, depth+1)
	}
	f, scope := r.place(root, module)
	if f == nil {
		return nil, false
	}
	if scope.named(path[0]) != nil {
		return append(slices.Clone(module), path...), true
	}
	if leaf := f.bindingIn(scope, path[0]); leaf != nil {
		if of := f.segments(leaf); !f.global(leaf) && (len(of) > 1 || of[0] != path[0]) {
			if out, ok := r.absolute(root, module, of, depth+1); ok {
				return append(slices.Clone(out), path[1:]...), true
			}
		}
	}
	return nil, false
}

// bindingIn is the use of a module itself that gives it a name.
func (f *rustText) bindingIn(scope *rustScope, name string) *rustUse {
	for _, item := range f.uses {
		if item.block == [2]int{scope.start, scope.end} {
			for _, leaf := range item.tree.leaves() {
				if f.local(leaf) == name {
					return leaf
				}
			}
		}
	}
	return nil
}
