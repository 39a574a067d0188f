package clangd

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/internal/source"
	"lspi/lsp"
)

// shards remembers what the index on disk says of files that did not compile.
type shards struct {
	mu    sync.Mutex
	known map[string]readIndex // by the root; guarded by mu
}

// readIndex is the index of a root, as it was when it was read.
type readIndex struct {
	changed []time.Time            // the folders, as [folderTimes] has them; nil where not all of it was read
	files   map[string]indexedFile // by the path of the shard
}

// folderTimes are when the folders of an index last got or lost a file; nil where one did so right now. clangd
// (22.1.8) writes each shard under another name first, so that the folder changes with it.
func folderTimes(dirs []string) []time.Time {
	out := []time.Time{} // not nil: there may be no folder
	for _, dir := range dirs {
		info, err := os.Stat(filepath.Dir(filepath.Join(dir, shardFiles)))
		switch {
		case err != nil:
			out = append(out, time.Time{})
		case !source.Settled(info, time.Now()):
			return nil
		default:
			out = append(out, info.ModTime())
		}
	}
	return out
}

// indexedFile is one file of the index, as it was when it was read.
type indexedFile struct {
	changed time.Time
	size    int64
	files   []string // that it says did not compile
	of      []string // that it is of
	names   []string // base names of what these include, in lower case, where none of them is a file that lspi follows
}

// failed are the files that did not compile. An open document counts as clangd built it last: that is in its
// answers, whatever the index on disk, which may be of the text or the headers before, says of the file.
func failed(s *lsp.Server, shards map[string]indexedFile) (out []string) {
	for _, path := range s.Documents().Paths() {
		if !s.Diagnostics().Compiles(path) && source.Exists(path) {
			out = append(out, path)
		}
	}
	for _, one := range shards {
		for _, file := range one.files {
			// A file that is open and compiles now counts by what the server has of it and not by its shard.
			if !s.Diagnostics().Compiles(file) && source.Exists(file) {
				out = append(out, file)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// indexedFiles are the files that the index on disk has the symbols and uses of.
func (a *Process) indexedFiles(ctx context.Context, root string) map[string]bool {
	out := map[string]bool{}
	for _, one := range a.readShards(ctx, root) {
		for _, file := range one.of {
			out[file] = true
		}
	}
	return out
}

// readShards is the index on disk, as far as clangd goes by it and it was read before ctx ended.
func (a *Process) readShards(ctx context.Context, root string) map[string]indexedFile {
	all := a.allShards(ctx, root)
	external := a.external()
	if len(external) == 0 || len(all) == 0 {
		return all
	}
	// Of files for which the configuration names another index clangd reads no shards; those that an earlier process
	// made are still there.
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(_ string, one indexedFile) bool {
		return slices.ContainsFunc(one.of, func(path string) bool { return mounted(external, path) })
	})
	return out
}

// allShards are all that are on disk. What did not change is not read again.
func (a *Process) allShards(ctx context.Context, root string) map[string]indexedFile {
	p := a.Server.Spec().Project
	if p == nil {
		return nil
	}
	dirs := indexFolders(a.index, a.Server.Projects().Folder(root), root)
	changed := folderTimes(dirs)
	a.shards.mu.Lock()
	known := a.shards.known[root] // its map is not written to any more
	a.shards.mu.Unlock()
	if changed != nil && known.changed != nil && slices.EqualFunc(known.changed, changed, time.Time.Equal) {
		return known.files
	}
	// So it is read without the lock, while another caller stores a new one.
	seen := map[string]indexedFile{}
	for _, path := range indexFiles(dirs...) {
		// What was read by then is used and kept; the next question reads the rest.
		if ctx.Err() != nil {
			break
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		one, ok := known.files[path]
		if !ok || !one.changed.Equal(info.ModTime()) || one.size != info.Size() {
			one = a.readShard(path, info)
		}
		seen[path] = one
	}
	if ctx.Err() != nil {
		changed = nil
	}
	a.shards.mu.Lock()
	defer a.shards.mu.Unlock()
	if a.shards.known == nil {
		a.shards.known = map[string]readIndex{}
	}
	a.shards.known[root] = readIndex{changed, seen}
	return seen
}

func (a *Process) readShard(path string, info os.FileInfo) indexedFile {
	one := indexedFile{changed: info.ModTime(), size: info.Size()}
	// Of one that cannot be read, or is of a version whose form is not known, nothing is known.
	read, _ := ReadShard(path)
	one.of, one.files = pathsOf(read.Own), pathsOf(read.Broken)
	if !slices.ContainsFunc(one.of, a.Server.Journal().Tracks) {
		for _, included := range pathsOf(read.Includes) {
			one.names = append(one.names, baseKey(included))
		}
	}
	return one
}
