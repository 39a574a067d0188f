package clangd

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"lspi/internal/source"
	"lspi/lsp"
	"lspi/lsp/launch"
	"lspi/lsp/spec"
)

// indexRecord remembers, over the processes of one server, by which commands a project list has its files
// compiled, and over sessions what is in the record beside an index in lspi's cache. The launcher has it; nil
// remembers nothing. The launcher keeps it, and not the process, because it compares the commands of one process
// with those of the next.
type indexRecord struct {
	mu    sync.Mutex
	known map[string]uint64 // hash of the entry by file; nil before the first process; guarded by mu
}

// maxCommands bounds the list that is read: beyond it the read would hold up the start.
const maxCommands = 64 << 20

// shardFiles match clangd's index below the folder of the list or the root. clangd 22.1.8 does not index a file
// anew whose text is the same, whatever its flags are now, and whether the header that it lacked is there by now.
const shardFiles = ".cache/clangd/index/*.idx"

// commandsRecord is the file beside an index in the cache with the hashes of the commands that it was made by.
const commandsRecord = "commands.json"

// outdate, before each start, drops the index that the server keeps on disk when the command of a file has changed
// since the process before: the server takes what it has for true as long as the texts are the same. It drops all
// of it, since nothing tells which headers the file includes; also an index in the cache without a record.
// Otherwise it drops what is there of files that did not compile, which the server would not try again. index is
// where lspi has the server keep it, "" for the tree. It must not be called while a process of the server runs.
func (c *indexRecord) outdate(p *spec.ProjectFile, root, index string) (dropped int) {
	if c == nil || p == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := false
	// The first process of this session: what the index was made by is only in the record beside it, if anywhere.
	if c.known == nil {
		c.known, changed = knownCommands(index)
	}
	now, dir := compileCommands(p, root)
	before := maps.Clone(c.known)
	for file, hash := range now {
		was, ok := c.known[file]
		// A file that is new in the list has nothing in the index that could be wrong.
		changed = changed || ok && was != hash
		c.known[file] = hash // what is missing now stays: the list may be half written
	}
	// Everything, since a header's symbols are in shards of their own, which do not tell by which command they were
	// made.
	dropped = dropShards(changed, indexFolders(index, dir, root)...)
	// not before the drop: who is killed in between drops again
	if index != "" && (changed || !maps.Equal(before, c.known)) {
		c.record(index)
	}
	return dropped
}

// knownCommands reads the record of an index; unknown means that the index may have been made by any commands.
func knownCommands(index string) (known map[string]uint64, unknown bool) {
	known = map[string]uint64{}
	if index == "" {
		// An index in the tree is the user's own, and is not dropped on a suspicion.
		return known, false // nobody knows
	}
	raw, err := os.ReadFile(filepath.Join(index, commandsRecord))
	if err != nil || json.Unmarshal(raw, &known) != nil || known == nil {
		// Without the record nobody knows the commands of an index that lspi itself has made, so that it counts as
		// made by others.
		return map[string]uint64{}, true
	}
	return known, false
}

// record writes the record beside an index. Where that fails the next session makes the index anew. It needs mu.
func (c *indexRecord) record(index string) {
	path := filepath.Join(index, commandsRecord)
	raw, err := json.Marshal(c.known)
	if err == nil {
		// Written beside and renamed: who is killed in between leaves the old record or none, and never half of one.
		err = os.WriteFile(path+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		// An old record would say that the new index was made by the old commands.
		_ = os.Remove(path)
	}
}

// compileCommands are the hashes of what files are compiled with, by file, as it is on disk, and the folder of the
// list.
func compileCommands(p *spec.ProjectFile, root string) (commands map[string]uint64, dir string) {
	commands, dir = map[string]uint64{}, p.Find(root)
	for _, name := range p.Flags {
		path := filepath.Join(root, name)
		// Such a file (.clangd, compile_flags.txt) changes the commands of all sources when it comes.
		commands[path] = 0 // that it is not there counts, too
		if raw, err := source.ReadRegular(path, maxCommands); err == nil {
			commands[path] = hash64(raw)
		}
	}
	if dir == "" {
		return commands, dir
	}
	list := filepath.Join(dir, p.Files[0])
	// A list that is too large to be read is not compared; its index then stays as clangd keeps it.
	if info, err := os.Stat(list); err != nil || info.Size() > maxCommands {
		return commands, dir
	}
	Entries(list, func(file string, entry []byte) bool {
		// A sum, because the order of entries means nothing and changes from one cmake run to the next.
		commands[file] += hash64(entry) // a file may have several, in any order
		return true
	})
	return commands, dir
}

// hash64 is the same in every process.
func hash64(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

// indexFiles are the files of the index on disk, beside the project file and in the root.
func indexFiles(dirs ...string) (out []string) {
	// The folder of the list is often the root itself, and each shard counts once.
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if dir != "" {
			// Quoted, because the path of the project may hold signs that mean something in a glob.
			found, _ := filepath.Glob(filepath.Join(source.GlobQuote(dir), shardFiles))
			out = append(out, found...)
		}
	}
	return out
}

// pathsOf leaves out what is no file URI.
func pathsOf(uris []string) (out []string) {
	for _, one := range uris {
		if path, ok := lsp.URIToPath(one); ok {
			out = append(out, path)
		}
	}
	return out
}

// dropShards, before a start, removes all files of the index, or those of files that did not compile: the server takes
// them for true as long as the text of the file is the same, also when the header that was missing is there by now.
func dropShards(all bool, dirs ...string) (n int) {
	for _, path := range indexFiles(dirs...) {
		drop := all
		if !all {
			// A shard that cannot be read stays: clangd itself drops what it does not understand.
			read, _ := ReadShard(path)
			drop = len(read.Broken) > 0
		}
		if drop && os.Remove(path) == nil {
			n++
		}
	}
	return n
}

// listFile is a project file that lists the sources, as it was before the process of a server began.
// The process reads it at some time after that, and tells neither when nor which of several texts.
// It is compared after each answer as well: what is said of an answer by the list (which sources it leaves out)
// holds only while the list is the one that the process may have read ([lsp.Projects.ListChanged]).
type listFile struct {
	path string // "" when there was none
	info os.FileInfo
}

// listedSources is the file that lists the sources of a root; nil for a server that needs none, or that reads it
// anew by itself.
func listedSources(s *spec.Spec, root string) *listFile {
	p := s.Project
	if p == nil || len(s.Freshness.RestartOn) == 0 {
		return nil
	}
	dir := p.Find(root)
	if dir == "" {
		return &listFile{}
	}
	path := filepath.Join(dir, p.Files[0])
	info, err := os.Stat(path)
	if err != nil {
		return &listFile{}
	}
	return &listFile{path, info}
}

// changed reports whether the file is another one now.
func (l *listFile) changed(now *listFile) bool {
	switch {
	case now.path != l.path:
		return true
	// There was none and there is none.
	case now.path == "":
		return false
	}
	// A file that was changed within the resolution of its time stamp counts as changed: a restart too many is
	// cheaper than a stale answer.
	return !source.Unchanged(l.info, now.info)
}

// placeIndex is a folder of lspi's cache for the index that the server keeps beside the project file of a root: it
// holds a link to that file, and the server is given it in place of the file's own folder (ProjectFile.Option). It
// is "" where there is nothing to index, no cache or no link; the index is then in the tree. So nothing is written
// into a project that is only read; clangd has no option for the place of its index but the folder of the list.
func placeIndex(s *spec.Spec, cache, root string) string {
	p := s.Project
	if cache == "" || p == nil || p.Option == "" {
		return ""
	}
	dir := p.Find(root)
	if dir == "" {
		return ""
	}
	folder, err := launch.CacheFolder(filepath.Join(cache, s.ID), root)
	if err != nil {
		return ""
	}
	for _, name := range p.Files {
		file, link := filepath.Join(dir, name), filepath.Join(folder, name)
		if !source.Exists(file) {
			continue
		}
		// The link of an earlier session is used again, with the index beside it.
		if to, err := os.Readlink(link); err == nil && to == file {
			return folder
		}
		_ = os.Remove(link)
		if os.Symlink(file, link) == nil {
			return folder
		}
	}
	return ""
}

// indexFolders are where the server's index is: in the cache alone, else beside the project file or in the root.
func indexFolders(index string, tree ...string) []string {
	if index != "" {
		return []string{index}
	}
	return tree
}
