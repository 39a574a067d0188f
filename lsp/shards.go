package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspi/lang/compdb"
	"lspi/source"
)

// shards remembers what the index on disk says of files that did not compile ([ProjectFile].Shards).
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
func (s *Server) Uncompiled(ctx context.Context, root string) (out []string) {
	for _, one := range s.readShards(ctx, root) {
		for _, file := range one.files {
			if !s.compiles(file) && exists(file) {
				out = append(out, file)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// indexed are the files that the index on disk has the symbols and uses of.
func (s *Server) indexed(ctx context.Context, root string) map[string]bool {
	out := map[string]bool{}
	for _, one := range s.readShards(ctx, root) {
		for _, file := range one.of {
			out[file] = true
		}
	}
	return out
}

// Untold are the files of a project of which the index on disk does not tell whether they compiled, sorted: their part of it cannot be
// read, or is of a version that lspi does not know. One that is open, and has no error, is known from its text.
func Untold(ctx context.Context, s *Server, root string) (out []string) {
	names := map[string]bool{}
	for _, one := range s.readShards(ctx, root) {
		if one.untold != "" {
			names[one.untold] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	for path := range s.journal.Files() {
		if _, in := source.RelativeTo(root, path); in && names[baseName(path)] && !s.compiles(path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// readShards is the index on disk, as far as it was read before ctx ended. What did not change is not read again.
func (s *Server) readShards(ctx context.Context, root string) map[string]shard {
	p := s.spec.Project
	if p == nil || !p.Shards {
		return nil
	}
	s.shards.mu.Lock()
	known := s.shards.known // a map that was stored is not written to any more
	s.shards.mu.Unlock()
	seen := map[string]shard{}
	for _, path := range p.indexed(indexFolders(s.index, s.project.folder(p, root), root)...) {
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
	s.shards.mu.Lock()
	defer s.shards.mu.Unlock()
	s.shards.known = seen
	return seen
}

func readShard(path string, info os.FileInfo) shard {
	one := shard{changed: info.ModTime(), size: info.Size()}
	var err error
	if one.of, one.files, err = shardSources(path); err != nil && !os.IsNotExist(err) {
		one.untold = compdb.ShardOf(path)
	}
	return one
}

// compiles reports whether a file is open, and the server has reported no error for its current text.
func (s *Server) compiles(path string) bool {
	version, open := s.docs.version(path)
	if !open {
		return false
	}
	p, ok := s.diagnostics.get(path)
	return ok && p.version >= version && !slices.ContainsFunc(p.items, func(d Diagnostic) bool { return d.Severity == 1 })
}

// indexed are the files of the index on disk, beside the project file and in the root.
func (p *ProjectFile) indexed(dirs ...string) (out []string) {
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if dir != "" {
			found, _ := filepath.Glob(filepath.Join(globQuote(dir), p.Index))
			out = append(out, found...)
		}
	}
	return out
}

// shardSources are the files that a shard is of, and those that it says did not compile.
func shardSources(path string) (own, broken []string, err error) {
	of, failed, err := compdb.ReadShard(path)
	return pathsOf(of), pathsOf(failed), err
}

func pathsOf(uris []string) (out []string) {
	for _, one := range uris {
		if path, ok := pathOf(one); ok {
			out = append(out, path)
		}
	}
	return out
}

// dropBroken, before a start, removes the shards of files that did not compile: the server takes them for true as long as the
// text of the file is the same, also when the header that was missing is there by now.
func (p *ProjectFile) dropBroken(dirs ...string) (n int) {
	if !p.Shards {
		return 0
	}
	for _, path := range p.indexed(dirs...) {
		if _, broken, _ := shardSources(path); len(broken) > 0 && os.Remove(path) == nil {
			n++
		}
	}
	return n
}
