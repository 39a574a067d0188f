package adapter

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/lang/compdb"
	"lspi/lsp"
	"lspi/source"
)

// shards remembers what the index on disk says of files that did not compile ([lsp.ProjectFile].Shards).
type shards struct {
	mu    sync.Mutex
	known map[string]shard // by the path of the shard; guarded by mu
}

// shard is one file of the index, as it was when it was read.
type shard struct {
	changed time.Time
	size    int64
	files   []string // that it says did not compile
	of      []string // that it is of
	untold  string   // base name of its source, when it cannot be read, or is of a version whose form is not known; else ""
}

// Uncompiled are the files of a project that did not compile when the server indexed them, sorted: its index lacks what it
// could not make out in them, and nothing else tells. A file that is open, and has no error by now, is known from its text.
func Uncompiled(ctx context.Context, s *lsp.Server, root string) (out []string) {
	for _, one := range readShards(ctx, s, root) {
		for _, file := range one.files {
			if !s.Compiles(file) && lsp.Exists(file) {
				out = append(out, file)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// indexedFiles are the files that the index on disk has the symbols and uses of.
func indexedFiles(ctx context.Context, s *lsp.Server, root string) map[string]bool {
	out := map[string]bool{}
	for _, one := range readShards(ctx, s, root) {
		for _, file := range one.of {
			out[file] = true
		}
	}
	return out
}

// Untold are the files of a project of which the index on disk does not tell whether they compiled, sorted: their part of it cannot be
// read, or is of a version that lspi does not know. One that is open, and has no error, is known from its text.
func Untold(ctx context.Context, s *lsp.Server, root string) (out []string) {
	names := map[string]bool{}
	for _, one := range readShards(ctx, s, root) {
		if one.untold != "" {
			names[one.untold] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	for path := range s.Journal().Files() {
		if _, in := source.RelativeTo(root, path); in && names[filepath.Base(path)] && !s.Compiles(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// readShards is the index on disk, as far as it was read before ctx ended. What did not change is not read again.
func readShards(ctx context.Context, s *lsp.Server, root string) map[string]shard {
	p := s.Spec().Project
	if p == nil || !p.Shards {
		return nil
	}
	of(s).shards.mu.Lock()
	known := of(s).shards.known // a map that was stored is not written to any more
	of(s).shards.mu.Unlock()
	seen := map[string]shard{}
	for _, path := range p.Indexed(s.IndexFolders(root)...) {
		if ctx.Err() != nil {
			break
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		one, ok := known[path]
		if !ok || !one.changed.Equal(info.ModTime()) || one.size != info.Size() {
			one = readShard(path, info)
		}
		seen[path] = one
	}
	of(s).shards.mu.Lock()
	defer of(s).shards.mu.Unlock()
	of(s).shards.known = seen
	return seen
}

func readShard(path string, info os.FileInfo) shard {
	one := shard{changed: info.ModTime(), size: info.Size()}
	var err error
	if one.of, one.files, err = lsp.ShardSources(path); err != nil && !os.IsNotExist(err) {
		one.untold = compdb.ShardOf(path)
	}
	return one
}
