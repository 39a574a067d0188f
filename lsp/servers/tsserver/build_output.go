package tsserver

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"lspi/internal/lang"
	"lspi/internal/lang/typescript"
	"lspi/internal/source"
	"lspi/lsp"
)

// A compiler of TypeScript writes its output beside the folder of the sources, beside the sources themselves, or
// into a folder of the project file (outDir). Output is no source: what it declares its source declares, and the
// next build makes it anew.

// outputs tells the build output beside the sources of one project.
type outputs struct {
	folders []string // that the project file names
	// paths of sources without their ending, each also without the first folder below the project's
	stems map[string]bool
	words map[string]bool // of all sources
	known map[string]bool // files that somebody asked about
}

// isOutput reports whether a file that the project of a folder does not hold is what a build made of its sources:
// it has the place and name that a compiler gives it, and declares nothing that no source names.
func (t *projects) isOutput(s *lsp.Server, p *project, folder, path string) bool {
	end := typescript.EmittedEnding(path)
	if end == "" {
		return false
	}
	if p.outputs == nil {
		p.outputs = t.readOutputs(s, p, folder)
	}
	o := p.outputs
	made, asked := o.known[path]
	if !asked {
		made = o.made(t, path, strings.TrimSuffix(path, end))
		o.known[path] = made
	}
	return made
}

func (o *outputs) made(t *projects, path, stem string) bool {
	for _, folder := range o.folders {
		if _, below := source.RelativeTo(folder, path); below {
			return true
		}
	}
	// Outside of the folders for output the name decides first, and then what the file declares: a source that
	// somebody wrote beside another declares something of its own, and must not be taken for output, because no
	// warning would name it then.
	if !o.stems[stem] {
		return false
	}
	for name := range t.script(path).mentions.Declared {
		if !o.words[name] && !typescript.IsHelperName(name) && !lang.Reserved("typescript", name) {
			return false
		}
	}
	return true
}

func (t *projects) readOutputs(s *lsp.Server, p *project, folder string) *outputs {
	o := &outputs{stems: map[string]bool{}, words: map[string]bool{}, known: map[string]bool{}}
	for path := range p.files {
		below, inside := source.RelativeTo(folder, path)
		if !inside || typescript.IsDeclaration(path) || !t.served[path] {
			continue
		}
		for word := range t.script(path).mentions.Words {
			o.words[word] = true
		}
		end := typescript.SourceEnding(path)
		o.stems[strings.TrimSuffix(path, end)] = true
		if _, rest, ok := strings.Cut(filepath.ToSlash(below), "/"); ok {
			o.stems[filepath.Join(folder, strings.TrimSuffix(rest, end))] = true
		}
	}
	config, _ := typescript.ReadConfig(configIn(s.Spec().Project, folder))
	o.folders = config.OutputFolders()
	return o
}

// withoutOutput is [lsp.LoadedProjectHooks].WithoutOutput.
func (a *Process) withoutOutput(ctx context.Context, asked string, files []string) []string {
	t, s := a.projects, a.Server
	if len(files) == 0 {
		return files
	}
	release, ok := t.take(ctx, s)
	if !ok {
		return files
	}
	defer release()
	folder := t.folderOf(asked)
	if folder == "" {
		return files
	}
	p, err := t.project(ctx, s, folder, asked)
	if err != nil || !p.files[asked] {
		return files
	}
	return slices.DeleteFunc(files, func(path string) bool { return !p.files[path] && t.isOutput(s, p, folder, path) })
}

// readsBuilt is [lsp.LoadedProjectHooks].ReadsBuilt: a project reads the output of another one that it does not refer
// to by its project file ("references"), but by the name of its package.
func (a *Process) readsBuilt(ctx context.Context, path, src string) string {
	for _, file := range a.projects.outputsReadBy(ctx, a.Server, path, src) {
		if a.restates(ctx, file, src) != lsp.NotRestated {
			return file
		}
	}
	return ""
}

// outputsReadBy are the files of the project of a path that may be made of a source which the project does not hold.
func (t *projects) outputsReadBy(ctx context.Context, s *lsp.Server, path, src string) (out []string) {
	release, ok := t.take(ctx, s)
	if !ok {
		return nil
	}
	defer release()
	folder, made := t.folderOf(path), t.folderOf(src)
	if folder == "" || made == "" || folder == made {
		return nil
	}
	p, err := t.project(ctx, s, folder, path)
	if err != nil || !p.files[path] || p.files[src] {
		return nil
	}
	for file := range p.files {
		if source.Within(made, file) && typescript.EmittedEnding(file) != "" {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}

// restates is [lsp.CoverageHooks].Restates. tsserver takes the declarations beside a script, and what was built, for
// other symbols than those of the source.
func (a *Process) restates(ctx context.Context, path, src string) lsp.Restated {
	if path == src {
		return lsp.NotRestated
	}
	if filepath.Dir(path) == filepath.Dir(src) && typescript.IsDeclaration(path) != typescript.IsDeclaration(src) &&
		stem(path) == stem(src) {
		return lsp.Restates
	}
	if !typescript.IsDeclaration(path) && typescript.EmittedEnding(path) == "" ||
		len(a.withoutOutput(ctx, src, []string{path})) > 0 {
		return lsp.NotRestated
	}
	switch a.projects.madeOf(ctx, a.Server, path, src) {
	case src:
		return lsp.Restates
	case "": // a bundle
		return lsp.MayRestate
	}
	return lsp.NotRestated
}

// madeOf is the source of the project of src that a compiler makes a file of: that whose place below the project ends
// as the place of the file below the project, or below its folder for output, ends; the one with the shortest path,
// since folders of the sources (src, lib) may be left out. "" where there is none.
func (t *projects) madeOf(ctx context.Context, s *lsp.Server, path, src string) (made string) {
	release, ok := t.take(ctx, s)
	if !ok {
		return ""
	}
	defer release()
	folder := t.folderOf(src)
	p := t.known[folder]
	if p == nil || p.outputs == nil {
		return ""
	}
	place := placeBelow(append([]string{folder}, p.outputs.folders...), stem(path))
	for file := range p.files {
		if typescript.IsDeclaration(file) || !t.served[file] ||
			!strings.HasSuffix(stem(file), string(filepath.Separator)+place) {
			continue
		}
		if made == "" || cmp.Or(cmp.Compare(len(file), len(made)), cmp.Compare(file, made)) < 0 {
			made = file
		}
	}
	return made
}

// placeBelow is a path relative to the innermost of the folders around it.
func placeBelow(folders []string, path string) (place string) {
	place = path
	for _, folder := range folders {
		if below, ok := source.RelativeTo(folder, path); ok && len(below) < len(place) {
			place = below
		}
	}
	return place
}

// stem is the path of a source without its ending.
func stem(path string) string {
	if end := typescript.EmittedEnding(path); end != "" {
		return strings.TrimSuffix(path, end)
	}
	return strings.TrimSuffix(path, typescript.SourceEnding(path))
}
