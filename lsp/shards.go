package lsp

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

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
	if one.of, one.files, err = sourcesIn(path); err != nil && !os.IsNotExist(err) {
		one.untold = shardOf(baseName(path))
	}
	return one
}

// shardOf is the base name of the source that a shard is of: clangd 22 calls it NAME.HASH.idx (BackgroundIndexStorage.cpp).
func shardOf(base string) string {
	name := strings.TrimSuffix(base, filepath.Ext(base))
	return strings.TrimSuffix(name, filepath.Ext(name))
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

// dropBroken, before a start, removes the shards of files that did not compile: the server takes them for true as long as the
// text of the file is the same, also when the header that was missing is there by now.
func (p *ProjectFile) dropBroken(dirs ...string) (n int) {
	if !p.Shards {
		return 0
	}
	for _, path := range p.indexed(dirs...) {
		if _, broken, _ := sourcesIn(path); len(broken) > 0 && os.Remove(path) == nil {
			n++
		}
	}
	return n
}

// The bounds of a shard that is read.
const (
	maxStrings = 16 << 20 // of its table of strings
	maxChunks  = 32
)

// hadErrors is the flag of a source that did not compile (clangd 22, Headers.h, SourceFlag).
const hadErrors = 2

var errShard = errors.New("not a shard of clangd's index")

// shardVersion is the version of the index whose form is known.
const shardVersion = 20

// sourcesIn are the files that a shard is of, and those that it says did not compile.
//
// A shard is a RIFF file of type CdIx (clangd 22, Serialization.cpp; format 20). Its chunk meta holds the version in 4 bytes. Its chunk srcs has for each source a byte of
// flags, the number of its URI in the table of strings, 8 bytes of a digest (zero for one that is only included), and a list
// of what it includes. The chunk stri is that table: its size, or 0 and it is not compressed, then strings that end in NUL.
func sourcesIn(path string) (of, broken []string, err error) {
	f, _, err := source.OpenRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	chunks, err := chunksOf(f)
	if err != nil {
		return nil, nil, err
	}
	if meta := chunks["meta"]; len(meta) != 4 || binary.LittleEndian.Uint32(meta) != shardVersion {
		return nil, nil, errShard
	}
	sources, err := shardSources(chunks["srcs"])
	if err != nil {
		return nil, nil, err
	}
	names, err := stringTable(chunks["stri"])
	if err != nil {
		return nil, nil, err
	}
	for _, src := range sources {
		if src.uri >= uint64(len(names)) {
			continue
		}
		file, ok := pathOf(names[src.uri])
		if ok && src.own {
			of = append(of, file)
		}
		if ok && src.broken {
			broken = append(broken, file)
		}
	}
	return of, broken, nil
}

// chunksOf reads the chunks that matter, and passes over the others.
func chunksOf(f io.ReadSeeker) (map[string][]byte, error) {
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return nil, err
	}
	if string(head[:4]) != "RIFF" || string(head[8:]) != "CdIx" {
		return nil, errShard
	}
	out := map[string][]byte{}
	for range maxChunks {
		var chunk [8]byte
		if _, err := io.ReadFull(f, chunk[:]); err != nil {
			return out, nil // the end
		}
		name, size := string(chunk[:4]), int64(binary.LittleEndian.Uint32(chunk[4:]))
		if name != "meta" && name != "srcs" && name != "stri" || size > maxStrings {
			if _, err := f.Seek(size+size&1, io.SeekCurrent); err != nil {
				return nil, err
			}
			continue
		}
		data := make([]byte, size+size&1)
		if _, err := io.ReadFull(f, data); err != nil {
			return nil, err
		}
		out[name] = data[:size]
	}
	return out, nil
}

// shardSource is one source of a shard.
type shardSource struct {
	uri         uint64 // its number in the table of strings
	own, broken bool   // the shard is of it; it has errors
}

// shardSources are those that a shard is of, and those with errors.
func shardSources(data []byte) (out []shardSource, err error) {
	for len(data) > 0 {
		flags := data[0]
		uri, n := binary.Uvarint(data[1:])
		if n <= 0 || len(data) < 1+n+8 {
			return nil, errShard
		}
		own := !bytes.Equal(data[1+n:1+n+8], make([]byte, 8))
		data = data[1+n+8:]
		includes, n := binary.Uvarint(data)
		if n <= 0 || includes > uint64(len(data)) {
			return nil, errShard
		}
		data = data[n:]
		for range includes {
			if _, n = binary.Uvarint(data); n <= 0 {
				return nil, errShard
			}
			data = data[n:]
		}
		if broken := flags&hadErrors != 0; own || broken {
			out = append(out, shardSource{uri, own, broken})
		}
	}
	return out, nil
}

func stringTable(data []byte) ([]string, error) {
	if len(data) < 4 {
		return nil, errShard
	}
	size := binary.LittleEndian.Uint32(data)
	raw := data[4:]
	if size > 0 {
		z, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		if raw, err = io.ReadAll(io.LimitReader(z, maxStrings)); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, name := range bytes.Split(raw, []byte{0}) {
		out = append(out, string(name))
	}
	return out, nil
}
