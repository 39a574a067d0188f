package lsp

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// Projects are what the files in a server's folders say of its projects: which project file a root has, which files
// belong to it.
type Projects struct {
	spec    *spec.Spec
	folders *Folders
	hooks   *Hooks // set by newServer, before anyone else sees the server
	told    string // the folder that the server is told of in place of that of the project file; "" for that

	mu sync.Mutex
	// root → the folder of its project file, "" when it has none: to look costs a dozen system calls; guarded by mu
	known map[string]string
}

// files are a few files that belong to the project for certain: those that the project file lists first, else the
// first in the tree that the server serves.
func (k *Projects) files() []string {
	// A file that the project file lists is built for certain; one found in the tree may belong to no build, and a
	// server that indexes the project of the first file it sees would index nothing.
	if dir := k.Folder(k.folders.root); dir != "" {
		if listed := k.hooks.FirstListed; listed != nil {
			if files := listed(dir, 3); len(files) > 0 {
				return files
			}
		}
	}
	return k.someFiles(k.folders.root)
}

// SomeFile is a file that the server serves below a root; "" when there is none.
func (k *Projects) SomeFile(root string) string {
	if files := k.someFiles(root); len(files) > 0 {
		return files[0]
	}
	return ""
}

// someFiles are up to three files that the server serves below a root. Where its row says what projects hold, those
// come first that are likely to be of one.
func (k *Projects) someFiles(root string) []string {
	// Three and not one: the first may be unreadable, or belong to no project.
	const few = 3
	var out []string
	for path := range k.folders.journalFor(root).Files() {
		if _, ok := source.RelativeTo(root, path); ok && k.spec.Serves(baseName(path)) {
			// The walk ends early only where the first ones are as good as any: for a ranker all have to be seen.
			if out = append(out, path); len(out) == few && !k.loadsByFile() {
				break
			}
		}
	}
	if rank := k.hooks.RankSources; rank != nil {
		out = rank(out)
	}
	return out[:min(len(out), few)]
}

// Missing is the project file that the server needs and a root does not have; nil when all is there. A server
// that is shared between roots is asked for the root in question.
func (k *Projects) Missing(root string) *spec.ProjectFile {
	p := k.spec.Project
	if p == nil || k.Folder(root) != "" {
		return nil
	}
	return p
}

// MissingForOne is [Projects.Missing] for a question about single files.
func (k *Projects) MissingForOne(root string) *spec.ProjectFile {
	p := k.Missing(root)
	// Some other file at the root lets the server answer about single files without the project file, so that
	// nothing is missing for these.
	if p == nil || p.Stopgap(source.Holds(root)) != "" {
		return nil
	}
	return p
}

// Folder is the folder with the project file of a root; "" when there is none, or the server needs none.
func (k *Projects) Folder(root string) string {
	p := k.spec.Project
	if p == nil {
		return ""
	}
	k.mu.Lock()
	dir, ok := k.known[root]
	k.mu.Unlock()
	if ok {
		return dir
	}
	// Without the lock, which is held across no system call: two callers may look at the same time, and find the same.
	dir = p.Find(root)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]string{}
	}
	k.known[root] = dir
	return dir
}

// without lists the roots that had no project file when they were looked at.
func (k *Projects) without() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []string
	for root, dir := range k.known {
		if dir == "" {
			out = append(out, root)
		}
	}
	return out
}

// Everything, and not the root of the one changed file: a file in a folder above may have been the project file of
// several roots.
func (k *Projects) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.known)
}

// came reports whether a root has a project file now that it did not have, and that only a new process reads. The
// folder in which it appears may be one that the journal leaves out.
func (k *Projects) came() bool {
	p := k.spec.Project
	// Only project files in further folders (build/) can lie where the journal does not look.
	if p == nil || len(p.Dirs) == 0 {
		return false // the journal sees it
	}
	for _, root := range k.without() {
		// Read anew from the disk, because known holds the "none" of before.
		if p.Find(root) != "" {
			k.forget()
			return len(k.spec.Freshness.RestartOn) > 0
		}
	}
	return false
}

// changed forgets what is known of project files when one of them is among the changes.
func (k *Projects) changed(changes []watch.Change) {
	p := k.spec.Project
	if p != nil && slices.ContainsFunc(changes, func(c watch.Change) bool { return p.Names(baseName(c.Path)) }) {
		k.forget()
	}
}

// ListChanged reports whether the file that lists the sources of the project is another one than when the server was
// started, so that its answers may be of a part of them: only a new process is certain to read it. What is said of
// an answer by this file (which sources it leaves out, that it cannot be read) holds only when this is false after
// the answer.
func (k *Projects) ListChanged() bool {
	changed := k.hooks.ListChanged
	return changed != nil && changed()
}

// MayReport reports whether a file is one that an edit of another may break, and that the server tells of: of its
// languages, in its folders, no build and no dependency. To a server that loads projects by the files that are open
// its folders mean nothing. A check of an edit waits only for files of which it is true: a server that will never
// push about a file would be waited for in vain.
func (k *Projects) MayReport(path string) bool {
	if !k.spec.Serves(baseName(path)) || k.folders.InBuild(path) {
		return false
	}
	_, below := source.RelativeTo(k.folders.journal.Root(), path)
	return k.folders.Inside(path) || k.loadsByFile() && below && !k.folders.Skips(k.folders.journal.Root(), path)
}

// outsideBuild is [ProjectHooks].OutsideBuild of a server that may not have the hook.
func (k *Projects) outsideBuild(ctx context.Context) (files map[string]bool, all bool) {
	if f := k.hooks.OutsideBuild; f != nil {
		return f(ctx)
	}
	return nil, true
}

// askExcluded is [ProjectHooks].AskExcluded of a server that may not have the hook.
func (k *Projects) askExcluded(ctx context.Context, paths []string, d *Diagnosis) error {
	if f := k.hooks.AskExcluded; f != nil {
		return f(ctx, paths, d)
	}
	return nil
}

// neverBuilt reports whether the language says that no build looks at a path below a root.
func (k *Projects) neverBuilt(rel string) bool {
	f := k.hooks.NeverBuilt
	return f != nil && f(rel)
}

// holdsSources is [ProjectHooks].HoldsSources of a server that may not have the hook.
func (k *Projects) holdsSources(ctx context.Context, folder string) bool {
	// A file of the language is no source when the build does not take it in; only the hook knows that.
	if f := k.hooks.HoldsSources; f != nil {
		return f(ctx, folder)
	}
	return k.SomeFile(folder) != ""
}

// loadsByFile reports whether the server loads projects by the files that are open.
func (k *Projects) loadsByFile() bool {
	return k.hooks.RankSources != nil
}

// broken is the hook BrokenProject of a server that may have none.
func (k *Projects) broken(root string) string {
	if f := k.hooks.BrokenProject; f != nil {
		return f(root)
	}
	return ""
}

// codeSeen remembers which code the tree of a server holds, until a file changes that decides about it.
type codeSeen struct {
	folders *Folders

	mu      sync.Mutex
	known   map[string]seenCode // by [spec.ProjectRun.key]; guarded by mu
	changes int                 // calls of changed with a change; guarded by mu
}

// seenCode keeps the kind beside the result, so that a change can be held against the files of that kind.
type seenCode struct {
	run spec.ProjectRun
	has bool
}

// has reports whether the project has code of this kind. Files that git ignores count in the root only.
func (c *codeSeen) has(run spec.ProjectRun) bool {
	// The files at the root first: these are named by the row and cost one read each, while the tree may hold
	// thousands.
	for _, name := range run.Files {
		if run.In(filepath.Join(c.folders.root, filepath.FromSlash(name))) {
			return true
		}
	}
	// Without any of the files nobody can tell what the server runs, so that the root counts.
	if run.Absent && !slices.ContainsFunc(run.Files, func(name string) bool {
		_, err := os.Stat(filepath.Join(c.folders.root, filepath.FromSlash(name)))
		return err == nil
	}) {
		return true
	}
	return c.inTree(run)
}

// inTree reports whether the tree holds code of a kind.
func (c *codeSeen) inTree(run spec.ProjectRun) bool {
	c.mu.Lock()
	seen, known := c.known[run.Key()]
	changes := c.changes
	c.mu.Unlock()
	if known {
		return seen.has
	}
	seen = seenCode{run, c.lookInTree(run)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[string]seenCode{}
	}
	// A change that came during the walk may decide otherwise than what the walk saw, so its result is used once
	// and not kept.
	if c.changes == changes {
		c.known[run.Key()] = seen
	}
	return seen.has
}

// changed forgets what the changes that a sync saw may decide otherwise.
func (c *codeSeen) changed(changes []watch.Change) {
	if len(changes) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	// Only what a changed file may decide is forgotten: the walk for the others would have to be made again after
	// every edit.
	maps.DeleteFunc(c.known, func(_ string, seen seenCode) bool {
		return slices.ContainsFunc(changes, func(one watch.Change) bool {
			return seen.run.Matches(filepath.ToSlash(one.Path))
		})
	})
}

// lookInTree walks the files that the journal follows. It holds no lock: it reads files.
func (c *codeSeen) lookInTree(r spec.ProjectRun) bool {
	for file := range c.folders.journal.Files() {
		rel, in := source.RelativeTo(c.folders.root, file)
		if in && r.Matches(filepath.ToSlash(rel)) && r.In(file) {
			return true
		}
	}
	return false
}

// holdsAny reports whether the project holds one of these texts, as [codeSeen.has] looks for it.
func (c *codeSeen) holdsAny(texts []spec.ProjectText) bool {
	return slices.ContainsFunc(texts, func(t spec.ProjectText) bool {
		return c.has(spec.ProjectRun{Files: []string{t.File}, Text: t.Text})
	})
}
