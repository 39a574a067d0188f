package lang

import (
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"lspi/internal/source"
)

// ConditionalWords remembers for each source which words are in code that a condition may leave out of the build, so
// that a question about a name reads only the files that hold it there. The zero value is ready for use. Its methods
// may be called from several goroutines.
type ConditionalWords struct {
	mu    sync.Mutex
	files map[string]wordsOfFile
}

// wordsOfFile are the words of one version of a file.
type wordsOfFile struct {
	info   os.FileInfo
	read   time.Time
	hashes []uint32 // of its words, sorted; two words may share one, and then a file is read in vain
}

// settled is how old a change has to be before another mtime is certain to show a later one.
const settled = 2 * time.Second

// May reports whether a file may hold one of names in conditional code. scan finds the offsets of such words
// ([Conditional], [RustConditional]); with nil for names it finds all. A file that cannot be read holds none.
func (w *ConditionalWords) May(path string, names []string, scan func(content string, names []string) []int) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	w.mu.Lock()
	have, ok := w.files[path]
	w.mu.Unlock()
	if !ok || !source.Unchanged(have.info, info) || have.read.Sub(info.ModTime()) < settled {
		now := time.Now()
		text, err := source.Read(path)
		if err != nil {
			return false
		}
		have = wordsOfFile{info, now, hashesOf(text.Content(), scan(text.Content(), nil))}
		w.mu.Lock()
		if w.files == nil {
			w.files = map[string]wordsOfFile{}
		}
		w.files[path] = have
		w.mu.Unlock()
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, holds := slices.BinarySearch(have.hashes, hashOf(name))
		return holds
	})
}

// hashesOf returns the hashes of the words that begin at offsets. A word with a $, which is part of names in some
// languages only, counts with the $ and what follows it, and without.
func hashesOf(content string, offsets []int) []uint32 {
	var out []uint32
	for _, at := range offsets {
		end := at
		for end < len(content) && nameByte(content[end]) {
			end++
		}
		word := content[at:end]
		out = append(out, hashOf(word))
		if before, _, ok := strings.Cut(word, "$"); ok {
			out = append(out, hashOf(before))
		}
	}
	slices.Sort(out)
	return slices.Clip(slices.Compact(out))
}

func hashOf(word string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	return h.Sum32()
}
