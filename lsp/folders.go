package lsp

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/uri"

	"lspi/internal/source"
	"lspi/lsp/spec"
	"lspi/lsp/watch"
)

// Folders are the workspace folders of a server (LSP 3.17, workspaceFolders), and the journals that follow the
// files in them. list and tracked are written under both locks and read under either: whoever has the document lock
// (a sync) sees the same folders until it ends, and a question about one path takes mu alone.
type Folders struct {
	spec    *spec.Spec
	root    string
	journal *watch.Journal // of the root
	// of the tree that holds a folder; nil, or a nil journal, when that of the root does
	journalOf func(dir string) *watch.Journal
	// outside is the journal of a folder outside of the workspace; nil when such are not followed
	outside func(dir string) *watch.Journal
	most    int    // [Options.MaxFolders]
	hooks   *Hooks // set by newServer, before anyone else sees the server

	mu      sync.Mutex
	list    []string   // absolute, the root first; guarded by mu; written by who also holds the document lock
	tracked []*tracked // guarded by mu; written by who also holds the document lock
	// files whose change only a new process sees, by path: signs of package managers, those of [SyncHooks].RestartFiles;
	// guarded by mu
	restarts map[string]bool
}

// journalFor is the journal that follows a folder.
func (f *Folders) journalFor(dir string) *watch.Journal {
	// A further folder of the configuration may lie outside of the tree of the root, and has a journal of its own then.
	if f.journalOf != nil {
		if of := f.journalOf(dir); of != nil {
			return of
		}
	}
	return f.journal
}

// tracked is a journal and how far the server has been told of it.
type tracked struct {
	journal *watch.Journal
	synced  watch.Mark // needs the document lock
}

// All are the folders, absolute, the root first.
func (f *Folders) All() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

// has reports whether the server knows a folder as a workspace folder; a folder below one is not.
func (f *Folders) has(dir string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.list, dir)
}

// track follows the changes of a folder from now on: those of its tree, and those of the project files in it that the
// tree may leave out (a compile_commands.json in an ignored build folder). It needs the document lock once others
// see the server.
func (f *Folders) track(ctx context.Context, dir string) error {
	j := f.journalFor(dir)
	// Before the barrier of trackJournal: what is followed from before the mark is told, and nothing falls between.
	j.Extra(f.spec.Project.Paths(dir)...)
	f.watchRestarts(j, dir)
	return f.trackJournal(ctx, j)
}

// trackJournal follows what a journal tells from now on, once. It needs the document lock once others see the server.
func (f *Folders) trackJournal(ctx context.Context, j *watch.Journal) error {
	f.mu.Lock()
	known := slices.ContainsFunc(f.tracked, func(t *tracked) bool { return t.journal == j })
	f.mu.Unlock()
	if known {
		return nil
	}
	// The mark is where the telling begins: the server reads the disk later than this, so that it sees at least
	// what is before the mark. The barrier waits, so mu is not held.
	mark, err := j.Barrier(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tracked = append(f.tracked, &tracked{j, mark})
	return nil
}

// add enters a further folder, which is tracked. It needs the document lock.
func (f *Folders) add(dir string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, dir)
}

// apart are those of dirs that are folders, neither in a tree that is followed nor around one, each once.
// A folder around a followed tree is left out, too: its journal would tell each change in that tree a second time.
func (f *Folders) apart(dirs []string) (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, dir := range dirs {
		apart := !slices.ContainsFunc(f.tracked, func(t *tracked) bool {
			_, inside := source.RelativeTo(t.journal.Root(), dir)
			_, around := source.RelativeTo(dir, t.journal.Root())
			return inside || around
		})
		if info, err := os.Stat(dir); apart && err == nil && info.IsDir() && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// Changed are the files that changed since their journals began, by path: what an index on disk has of them may be
// of a text before. all is true when that is not known any more.
func (f *Folders) Changed() (files map[string]bool, all bool) {
	f.mu.Lock()
	tracked := slices.Clone(f.tracked)
	f.mu.Unlock()
	files = map[string]bool{}
	for _, t := range tracked {
		// The journal forgets old changes when it has no room; then every file may have changed.
		changes, ok := t.journal.SinceFirst()
		if !ok {
			return nil, true
		}
		for _, c := range changes {
			files[c.Path] = true
		}
	}
	return files, false
}

// watchRestarts follows the files of a project at dir whose change only a new process sees: the signs of its
// package manager, and what [SyncHooks].RestartFiles names.
func (f *Folders) watchRestarts(j *watch.Journal, dir string) {
	signs := f.spec.SignPaths(dir)
	j.Extra(signs...)
	if files := f.hooks.RestartFiles; files != nil {
		for _, path := range files(dir) {
			// What lies in the tree is followed anyway.
			if _, inside := source.RelativeTo(j.Root(), path); !inside {
				j.Extra(path)
			}
			signs = append(signs, path)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, path := range signs {
		f.restarts[path] = true
	}
}

// restartsOn reports whether only a new process sees the change of a file.
func (f *Folders) restartsOn(path string) bool {
	// By name first, which needs no lock.
	if slices.Contains(f.spec.Freshness.RestartOn, baseName(path)) {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.restarts[path]
}

// Inside reports whether a file belongs to one of the server's folders and not to a dependency.
func (f *Folders) Inside(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.list, func(dir string) bool { return source.Within(dir, path) })
}

// barriers waits until every journal has all changes that were made before the call, and gives the mark of each. It
// waits without the document lock, so that callers share a barrier instead of queueing for one each.
func (f *Folders) barriers(ctx context.Context) (map[*tracked]watch.Mark, error) {
	f.mu.Lock()
	all := slices.Clone(f.tracked)
	f.mu.Unlock()
	marks := make(map[*tracked]watch.Mark, len(all))
	// One after the other: barriers of different journals do not wait for each other, and each takes about 0.02 ms
	// when nothing changed.
	for _, t := range all {
		mark, err := t.journal.Barrier(ctx)
		if err != nil {
			return nil, err
		}
		marks[t] = mark
	}
	return marks, nil
}

// since is what changed and was not told yet, at least all up to the marks; it may hold later changes, which the
// next sync then tells once more. nil when there is nothing to tell. A journal that has no room any more for what
// came since gives [ErrRestartNeeded]: what was missed is unknown, and only a new process reads everything anew. It
// needs the document lock.
func since(marks map[*tracked]watch.Mark) ([]watch.Change, error) {
	var all []watch.Change
	for t, mark := range marks {
		// What it told includes all up to its own mark, which is as late as this one.
		if mark <= t.synced { // another caller was quicker
			continue
		}
		changes, ok := t.journal.Since(t.synced)
		if !ok {
			// Telling the rest would leave the server wrong about the files that were missed, for as long as it lives.
			return nil, ErrRestartNeeded
		}
		all = append(all, changes...)
	}
	return all, nil
}

// follows reports whether a file is one of a tree that is followed, and not one that is followed by itself.
func (f *Folders) follows(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.tracked, func(t *tracked) bool { return t.journal.Tracks(path) })
}

// Skips reports whether a path lies in a build or dependency folder of the row, or in a dot folder.
func (f *Folders) Skips(root, path string) bool {
	// Only folders below the root count: a workspace may itself lie in a folder named build, or in a dot folder.
	below, _ := source.RelativeTo(root, filepath.Dir(path))
	for _, part := range strings.Split(filepath.ToSlash(below), "/") {
		if slices.Contains(f.spec.SkipDirs, part) || len(part) > 1 && part[0] == '.' {
			return true
		}
	}
	return false
}

// InBuild reports whether a file is in a build or dependency folder below the root.
func (f *Folders) InBuild(path string) bool {
	below, ok := source.RelativeTo(f.root, path)
	return ok && slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(below)), "/"), func(dir string) bool {
		return slices.Contains(f.spec.SkipDirs, dir)
	})
}

// isSource reports whether a file is of the server's first language.
func (f *Folders) isSource(path string) bool {
	return len(f.spec.Languages) > 0 && f.spec.LanguageID(baseName(path)) == f.spec.Languages[0].ID
}

// anyOfEach is a file that the server serves in each of its workspace folders, and in no deeper one.
func (f *Folders) anyOfEach() []string {
	f.mu.Lock()
	all := slices.Clone(f.list)
	f.mu.Unlock()
	var out []string
	var walked []*watch.Journal
	lacking := slices.Clone(all)
	for _, dir := range all {
		journal := f.journalFor(dir)
		if slices.Contains(walked, journal) {
			continue
		}
		walked = append(walked, journal)
		// The walk ends with the last folder that needs a file, so that a large tree is seldom walked to its end.
		for path := range journal.Files() {
			if len(lacking) == 0 {
				break
			}
			if !f.isSource(path) {
				continue
			}
			if i := slices.Index(lacking, deepest(all, path)); i >= 0 {
				out, lacking = append(out, path), slices.Delete(lacking, i, i+1)
			}
		}
	}
	return out
}

// deepest is the innermost of the folders that holds a path; "" when none does.
func deepest(folders []string, path string) (out string) {
	for _, dir := range folders {
		if len(dir) > len(out) && source.Within(dir, path) {
			out = dir
		}
	}
	return out
}

// Files are the files of the workspace that holds the server's root, as far as its journal follows them.
func (f *Folders) Files() iter.Seq[string] { return f.journal.Files() }

// workspaceFolders is the list as LSP has it, the root first, for the handshake and for workspace/workspaceFolders.
func (f *Folders) workspaceFolders() []workspaceFolder {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make([]workspaceFolder, 0, len(f.list))
	for _, f := range f.list {
		out = append(out, workspaceFolder{URI: uri.File(f), Name: baseName(f)})
	}
	return out
}

// workspaceFolder is LSP's WorkspaceFolder.
type workspaceFolder struct {
	URI  uri.URI `json:"uri"`
	Name string  `json:"name"`
}
