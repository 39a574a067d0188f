package lsp

import (
	"hash/maphash"
	"os"
	"path/filepath"
	"sync"
)

// Commands remembers, over the processes of one server, by which commands a project list (ProjectFile.Lists) has its files
// compiled. It belongs to whoever starts the processes one after the other; nil remembers nothing.
type Commands struct {
	mu    sync.Mutex
	seed  maphash.Seed
	known map[string]uint64 // hash of the entry by file; nil before the first process; guarded by mu
}

// maxCommands bounds the list that is read: beyond it the read would hold up the start.
const maxCommands = 64 << 20

// outdate, before each start, drops the index that the server keeps on disk when the command of a file has changed since
// the process before: the server takes what it has for true as long as the texts are the same. It drops all of it, since
// nothing tells which headers the file includes. Otherwise it drops what is there of files that did not compile, which the
// server would not try again. index is where lspi has the server keep it, "" for the tree. It must not be called while a
// process of the server runs.
func (c *Commands) outdate(p *ProjectFile, root, index string) (dropped int) {
	if c == nil || p == nil || p.Index == "" {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known, c.seed = map[string]uint64{}, maphash.MakeSeed()
	}
	now, dir := c.read(p, root)
	changed := false
	for file, hash := range now {
		was, ok := c.known[file]
		changed = changed || ok && was != hash
		c.known[file] = hash // what is missing now stays: the list may be half written
	}
	if !changed {
		return p.dropBroken(indexFolders(index, dir, root)...)
	}
	for _, folder := range indexFolders(index, dir, root) {
		dropped += dropIndex(p, folder)
	}
	return dropped
}

// read is the list as it is on disk, and the folder that it is in.
func (c *Commands) read(p *ProjectFile, root string) (map[string]uint64, string) {
	commands, dir := map[string]uint64{}, p.find(root)
	if dir == "" {
		return commands, dir
	}
	list := filepath.Join(dir, p.Files[0])
	if info, err := os.Stat(list); err != nil || info.Size() > maxCommands {
		return commands, dir
	}
	eachEntry(list, func(file string, entry []byte) bool {
		commands[file] += maphash.Bytes(c.seed, entry) // a file may have several, in any order
		return true
	})
	return commands, dir
}

// dropIndex removes what the server has written beside the project file in dir, and nothing else.
func dropIndex(p *ProjectFile, dir string) (n int) {
	if dir == "" {
		return 0
	}
	shards, _ := filepath.Glob(filepath.Join(globQuote(dir), p.Index))
	for _, path := range shards {
		if os.Remove(path) == nil {
			n++
		}
	}
	return n
}
