package words

import (
	"context"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"lspi/internal/lang"
	"lspi/internal/source"
	"lspi/lsp/watch"
)

// Index knows the words of the files of a journal. The zero value is an index without files; [New] makes one of a
// journal. Its methods may be called from several goroutines.
type Index struct {
	journal *watch.Journal
	limit   int64 // of words

	turn  chan struct{} // holds one value while the index is brought up to date
	begun bool          // mark is that of a barrier; written in turn
	mark  watch.Mark    // what files knows; written in turn

	files sync.Map     // by path: *file
	links sync.Map     // by path of a link: where it leads, without links, as a string
	words atomic.Int64 // of all files
}

// maxWords is how many words an index holds, each once for each file: 160 MB.
const maxWords = 40 << 20

// file is what is known of one file; unread when it could not be read, or the index was full.
type file struct {
	words  []uint32
	unread bool
}

// Held is a file that may hold one of the names of a question.
type Held struct {
	Path   string   // absolute
	Use    lang.Use // all ways in which it holds them
	Unread bool     // nobody knows without reading it
}

// New returns the index of the files of a journal, which may be nil: then there are none. It reads nothing yet.
func New(j *watch.Journal) *Index {
	return &Index{journal: j, limit: maxWords, turn: make(chan struct{}, 1)}
}

// Build reads all files, as far as ctx lets it, so that a question finds them read.
func (x *Index) Build(ctx context.Context) {
	if x.journal != nil {
		_, _ = x.update(ctx) // who asks is told
	}
}

// readers is how many files are read at a time.
const readers = 2

// Holding returns the files that hold one of names, in the order of the journal. all is false when ctx ended before
// all files had been read; those that were not are then not among the files. The error is that of the barrier.
func (x *Index) Holding(ctx context.Context, names ...string) (held []Held, all bool, err error) {
	if x == nil || x.journal == nil {
		return nil, true, nil
	}
	if all, err = x.update(ctx); err != nil {
		return nil, false, err
	}
	var hashes []uint32
	for _, name := range names {
		hashes = append(hashes, hash(name))
	}
	for path := range x.journal.Files() {
		known, ok := x.files.Load(path)
		if !ok {
			continue
		}
		f := known.(*file)
		use := f.uses(hashes)
		if use != 0 || f.unread {
			held = append(held, Held{path, use, f.unread})
		}
	}
	return held, all, nil
}

// Linked reports whether a link in the tree leads to a file of it, or to a folder that holds it, other than the whole
// tree, as of the last question: the file has several names. path has no links.
func (x *Index) Linked(path string) (linked bool) {
	if x == nil || x.journal == nil {
		return false
	}
	x.links.Range(func(_, to any) bool {
		target := to.(string)
		_, below := source.RelativeTo(target, path)
		_, whole := source.RelativeTo(target, x.journal.Root())
		linked = below && !whole
		return !linked
	})
	return linked
}

// All are the indexes of several trees, asked as one.
type All []*Index

// Build is [Index.Build] of each.
func (a All) Build(ctx context.Context) {
	for _, x := range a {
		x.Build(ctx)
	}
}

// Holding is [Index.Holding] of all, in their order.
func (a All) Holding(ctx context.Context, names ...string) (held []Held, all bool, err error) {
	all = true
	for _, x := range a {
		more, whole, err := x.Holding(ctx, names...)
		if err != nil {
			return nil, false, err
		}
		held, all = append(held, more...), all && whole
	}
	return held, all, nil
}

// Linked is [Index.Linked] of any.
func (a All) Linked(path string) bool {
	return slices.ContainsFunc(a, func(x *Index) bool { return x.Linked(path) })
}

// onceKey is of the set in which [Once] has the indexes that are up to date.
type onceKey struct{}

// Once returns a context with which an index is brought up to date by the first question alone that reads all of it, so
// that all questions of one audit are about one state of the texts.
func Once(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, new(sync.Map))
}

// update brings the index up to date with the disk, as far as ctx lets it.
func (x *Index) update(ctx context.Context) (all bool, err error) {
	if done, once := ctx.Value(onceKey{}).(*sync.Map); once {
		if _, ok := done.Load(x); ok {
			return true, nil
		}
		defer func() {
			if all && err == nil {
				done.Store(x, true)
			}
		}()
	}
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done(): // somebody else is reading
		return false, nil
	}
	mark, err := x.journal.Barrier(ctx)
	if err != nil {
		return false, err
	}
	if x.begun {
		changes, ok := x.journal.Since(x.mark)
		if !ok {
			x.files.Clear()
			x.links.Clear()
			x.words.Store(0)
		}
		for _, c := range changes {
			x.links.Delete(c.Path)
			if was, ok := x.files.LoadAndDelete(c.Path); ok {
				x.words.Add(-int64(len(was.(*file).words)))
			}
		}
	}
	x.begun, x.mark = true, mark
	var missing []string
	for path := range x.journal.Files() {
		if _, ok := x.files.Load(path); !ok {
			missing = append(missing, path)
		}
	}
	return x.readAll(ctx, missing), nil
}

// readAll reads files into the index, and reports whether it had the time for all of them.
func (x *Index) readAll(ctx context.Context, paths []string) bool {
	var next atomic.Int64
	var work sync.WaitGroup
	for range min(readers, len(paths)) {
		work.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(paths) {
					return
				}
				f := x.load(paths[i])
				if x.words.Add(int64(len(f.words))) > x.limit {
					x.words.Add(-int64(len(f.words)))
					f = &file{unread: true}
				}
				x.files.Store(paths[i], f)
			}
		})
	}
	work.Wait()
	return int(next.Load()) >= len(paths)
}

// load reads one file.
func (x *Index) load(path string) *file {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		to := target(path)
		if to != "" {
			x.links.Store(path, to)
		}
		real, err := os.Stat(path)
		if err != nil || !real.Mode().IsRegular() || x.journal.Tracks(to) {
			return &file{} // a folder, whose files are not followed, or a file that is there by itself
		}
	} else if err != nil || !info.Mode().IsRegular() {
		return &file{}
	}
	text, err := source.ReadBytes(path)
	if err != nil {
		return &file{unread: true}
	}
	return &file{words: wordsOf(path, string(text))}
}

// wordsOf returns the words of a text, as [file] has them.
func wordsOf(path, text string) []uint32 {
	if strings.IndexByte(text[:min(len(text), binaryHead)], 0) >= 0 {
		return nil
	}
	uses := map[string]lang.Use{}
	lang.EachWord(path, text, func(from, to int, use lang.Use) { uses[text[from:to]] |= use })
	if lang.Of(path).IsC() && lang.Pastes(text) {
		uses[Paste] = lang.CodeUse
	}
	out := make([]uint32, 0, len(uses))
	for word, use := range uses {
		out = append(out, hash(word)|uint32(use))
	}
	slices.Sort(out)
	return out
}

// binaryHead is how much of a file is looked at for a zero byte, as git does.
const binaryHead = 8000

// Paste is a word that the index has of sources with macros of C that make names or strings of their arguments.
const Paste = "##"

// uses returns how a file holds any of the words with these hashes.
func (f *file) uses(hashes []uint32) (use lang.Use) {
	for _, h := range hashes {
		i, _ := slices.BinarySearch(f.words, h)
		for ; i < len(f.words) && f.words[i]&^useMask == h; i++ {
			use |= lang.Use(f.words[i] & useMask)
		}
	}
	return use
}

// useMask are the bits of a number that say how the word is held.
const useMask = 1<<lang.UseBits - 1

// hash returns the number of a word, with no use.
func hash(word string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	return h.Sum32() &^ useMask
}

// target is where a link leads; "" when that is not known.
func target(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}
