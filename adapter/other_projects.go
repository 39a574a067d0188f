package adapter

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"lspi/lang"
	"lspi/lang/typescript"
	"lspi/lsp"
	"lspi/source"
)

// tsserver answers for the projects that it has loaded, and loads that of each opened file, with those that it refers to. A project
// that uses another one by a path, by a name for a path or by a link in node_modules is not loaded for a question about the other
// (typescript-language-server 6.0.2); when a file of it is open its uses are in the answers.

// OtherProject is a project besides the one that was asked about, with its sources that may use what that one has.
type OtherProject struct {
	Folder string   // of its project file
	Files  []string // absolute, sorted
}

// OtherProjects are those of the tree with sources that come, by what they import, to the project of asked, and for which may holds;
// those with the most sources first. Of an asked file that no project file stands above there are none. all is false when ctx ended
// before every source was looked at.
func OtherProjects(ctx context.Context, s *lsp.Server, asked string, may func(path string, m *lang.Mentions) bool) (others []OtherProject, all bool) {
	return of(s).tsProjects.others(ctx, s, asked, func(p *tsProject, path string) bool {
		t := of(s).tsProjects
		return may(path, t.script(path).mentions) &&
			t.follow(path, func(next string) bool { return next == asked || p.files[next] || t.script(next).ours })
	})
}

// ProjectsImporting are those of the tree with sources that come to a file, as [OtherProjects] has them.
func ProjectsImporting(ctx context.Context, s *lsp.Server, file string) (others []OtherProject, all bool) {
	return of(s).tsProjects.others(ctx, s, file, func(_ *tsProject, path string) bool {
		return of(s).tsProjects.follow(path, func(next string) bool { return next == file || of(s).tsProjects.script(next).ours })
	})
}

func (t *tsProjects) others(ctx context.Context, s *lsp.Server, asked string, may func(p *tsProject, path string) bool) (others []OtherProject, all bool) {
	if t == nil {
		return nil, true
	}
	release, ok := t.take(ctx, s)
	if !ok {
		return nil, false
	}
	defer release()
	own := t.folderOf(asked)
	if own == "" || len(t.folders) < 2 {
		return nil, true
	}
	p, err := t.project(ctx, s, own, asked)
	if err != nil {
		return nil, false
	}
	for folder, sources := range t.folders {
		o := OtherProject{Folder: folder}
		for _, path := range sources {
			if ctx.Err() != nil {
				return nil, false
			}
			if folder != own && !p.files[path] && may(p, path) {
				o.Files = append(o.Files, path)
			}
		}
		if slices.Sort(o.Files); len(o.Files) > 0 {
			others = append(others, o)
		}
	}
	slices.SortFunc(others, func(a, b OtherProject) int {
		return cmp.Or(len(b.Files)-len(a.Files), cmp.Compare(a.Folder, b.Folder))
	})
	return others, true
}

// LoadProjects makes the server load projects, by a file of each that stays open. fresh reports whether it had not loaded one of them
// before.
func LoadProjects(ctx context.Context, s *lsp.Server, others []OtherProject) (fresh bool, err error) {
	t := of(s).tsProjects
	if len(others) == 0 {
		return false, nil
	}
	release, ok := t.take(ctx, s)
	if !ok {
		return false, context.Cause(ctx)
	}
	defer release()
	for _, o := range others {
		before := s.OpenPaths()
		p, err := t.project(ctx, s, o.Folder, o.Files[0])
		if err != nil {
			return fresh, err
		}
		if t.opened(p, o.Folder, before) {
			continue
		}
		fresh = fresh || len(p.members) > 0
		if !t.opened(p, o.Folder, s.OpenPaths()) && len(p.members) > 0 {
			if _, err := s.OpenDocument(ctx, p.members[0]); lsp.UnlessGone(err) != nil {
				return fresh, err
			}
		}
	}
	return fresh, nil
}

// opened reports whether one of the open files makes the server load the project of a folder: a source of that folder does.
func (t *tsProjects) opened(p *tsProject, folder string, open []string) bool {
	return slices.ContainsFunc(open, func(path string) bool { return p.files[path] && t.folderOf(path) == folder })
}

// Unread are those of the sources of other projects in which an answer may lack uses of what files declare. apart are those of projects
// that are not loaded, or that see what a build made of the files, or what is not installed, in place of the files; unlisted are those that no
// project takes in.
func Unread(ctx context.Context, s *lsp.Server, others []OtherProject, declaring []string) (apart, unlisted []string) {
	t := of(s).tsProjects
	if len(others) == 0 {
		return nil, nil
	}
	release, ok := t.take(ctx, s)
	if !ok {
		for _, o := range others {
			apart = append(apart, o.Files...)
		}
		return apart, nil
	}
	defer release()
	packages := t.packagesOf(declaring)
	for _, o := range others {
		p := t.known[o.Folder]
		if p == nil || len(p.members) > 0 && !t.opened(p, o.Folder, s.OpenPaths()) {
			apart = append(apart, o.Files...)
			continue
		}
		sees := slices.ContainsFunc(declaring, func(path string) bool { return p.files[path] })
		for _, path := range o.Files {
			switch {
			case p.files[path] && (sees || !t.imports(path, packages) || mapped(p, packages)):
			case p.files[path]:
				apart = append(apart, path)
			case !t.isOutput(s, p, o.Folder, path):
				unlisted = append(unlisted, path)
			}
		}
	}
	return apart, unlisted
}

// packagesOf are the packages of the tree that hold files: folders by name.
func (t *tsProjects) packagesOf(files []string) map[string]string {
	out := map[string]string{}
	for _, path := range files {
		best := ""
		for name, folder := range t.names {
			if _, below := source.RelativeTo(folder, path); below && (best == "" || len(folder) > len(t.names[best])) {
				best = name
			}
		}
		if best != "" {
			out[best] = t.names[best]
		}
	}
	return out
}

// imports reports whether a source comes to one of packages by its name.
func (t *tsProjects) imports(path string, packages map[string]string) bool {
	return t.follow(path, func(next string) bool {
		return slices.ContainsFunc(t.script(next).packages, func(name string) bool {
			for pkg := range maps.Keys(packages) {
				if typescript.OfPackage(name, pkg) {
					return true
				}
			}
			return false
		})
	})
}

// mapped reports whether a project sees declarations of packages that say which sources they were made of: the server follows these.
func mapped(p *tsProject, packages map[string]string) bool {
	for path := range p.files {
		for _, folder := range packages {
			if _, below := source.RelativeTo(folder, path); below && typescript.IsDeclaration(path) && lsp.Exists(path+".map") {
				return true
			}
		}
	}
	return false
}
