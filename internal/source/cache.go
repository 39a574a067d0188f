package source

import (
	"container/list"
	"os"
	"sync"
	"time"
)

// racyAge is how much older than its reading a file's mtime must be, before an equal mtime proves equal content. File
// systems take the time of the kernel's last tick (every 4 ms at 250 Hz, 10 ms at 100 Hz), so a write right after the
// reading may have the same time. Git calls such entries racily clean.
const racyAge = 100 * time.Millisecond

// Cache keeps the texts that answers point into, so that a warm answer does not read its files again. An entry is
// valid only while the file's size, mtime and identity are those at its reading. Its methods may be called from
// several goroutines.
type Cache struct {
	mu     sync.Mutex
	size   int // bytes of all texts and of their line indexes, guarded by mu
	limit  int
	order  *list.List               // of *entry, most recent first, guarded by mu
	byPath map[string]*list.Element // guarded by mu
}

type entry struct {
	text *Text
	real string // its path when it was read, links resolved
	info os.FileInfo
	read time.Time
}

// NewCache returns a cache of at most limit bytes of text.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, order: list.New(), byPath: map[string]*list.Element{}}
}

// Load returns the file's text as it is on disk now, if it may be shown. Its errors are those of [Read], and
// outside_workspace for a path that may not be shown, which is not looked at.
func (c *Cache) Load(path string, reach *Reach) (*Text, error) {
	if _, ok := reach.root(path); !ok {
		return nil, outsideSources(path)
	}
	return c.loadBy(path, func() (*Text, string, error) { return reach.readText(path) }, func(real string) bool {
		_, ok := reach.root(real)
		return ok
	})
}

// load is [Cache.Load] with what reads the file, and gives its real path, and what says whether a file at a real path
// may be shown.
func (c *Cache) loadBy(path string, read func() (*Text, string, error), shown func(real string) bool) (*Text, error) {
	info, err := os.Stat(path)
	if err != nil {
		c.drop(path)
		return nil, readError(path, err)
	}
	if t := c.lookup(path, info, shown); t != nil {
		return t, nil
	}
	now := time.Now()
	text, real, err := read() // after info, so that a change between the two shows at the next Load
	if err != nil {
		c.drop(path)
		return nil, err
	}
	return c.store(path, &entry{text: text, real: real, info: info, read: now}), nil
}

// lookup returns the cached text of a file that has not changed since. Where the file was when it was read decides
// whether it may be shown, since that is the file that the text is of.
func (c *Cache) lookup(path string, info os.FileInfo, shown func(real string) bool) *Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byPath[path]
	if !ok {
		return nil
	}
	have := e.Value.(*entry)
	if !Unchanged(have.info, info) || !Settled(info, have.read) {
		return nil
	}
	if !shown(have.real) {
		return nil
	}
	c.order.MoveToFront(e)
	return have.text
}

// store enters what was read and returns the text to use: the earlier object when the content is the same, since
// other caches are keyed by the object.
func (c *Cache) store(path string, t *entry) *Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byPath[path]; ok && e.Value.(*entry).text.content == t.text.content {
		t.text = e.Value.(*entry).text
	}
	c.remove(path)
	c.byPath[path] = c.order.PushFront(t)
	c.size += t.text.bytes()
	for c.size > c.limit && c.order.Len() > 1 {
		c.remove(c.order.Back().Value.(*entry).text.Path)
	}
	return t.text
}

func (c *Cache) drop(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(path)
}

// remove removes an entry. c.mu is held.
func (c *Cache) remove(path string) {
	e, ok := c.byPath[path]
	if !ok {
		return
	}
	c.size -= e.Value.(*entry).text.bytes()
	c.order.Remove(e)
	delete(c.byPath, path)
}

// Settled reports whether a file or folder had its last change so long before it was read that an equal mtime later
// proves an equal content.
func Settled(info os.FileInfo, read time.Time) bool { return read.Sub(info.ModTime()) >= racyAge }

// Unchanged reports whether two looks at a path found one file in one state: the same identity, size, mtime and,
// where the system has it, ctime, which a tool that restores mtimes cannot set back.
func Unchanged(was, now os.FileInfo) bool {
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()) &&
		changeTime(was) == changeTime(now)
}
