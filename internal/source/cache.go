package source

import (
	"container/list"
	"os"
	"sync"
	"time"
)

// racyAge is how much older than its reading a file's mtime must be before an equal mtime proves equal content: file
// systems stamp with the tick of the kernel (4 ms at 250 Hz, 10 ms at 100 Hz), so a write right
// after the reading may carry the same stamp. Git calls such entries racily clean.
const racyAge = 100 * time.Millisecond

// Cache keeps the texts that answers point into, so that a warm answer does not read its files again. An entry
// counts only while the file's size, mtime and identity are those at its reading.
type Cache struct {
	mu     sync.Mutex
	size   int // bytes of all texts and of their line indexes, guarded by mu
	limit  int
	order  *list.List               // of *entry, most recent first, guarded by mu
	byPath map[string]*list.Element // guarded by mu
}

type entry struct {
	text *Text
	real string // its path without symbolic links, when it was read
	info os.FileInfo
	read time.Time
}

// NewCache holds at most limit bytes of text.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, order: list.New(), byPath: map[string]*list.Element{}}
}

// Load is the file's text as it is on disk now, if it may be shown; errors are those of [Read] and
// outside_workspace. A path that may not be is not looked at.
func (c *Cache) Load(path string, reach *Reach) (*Text, error) {
	if _, ok := reach.root(path); !ok {
		return nil, outsideSources(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		c.drop(path)
		return nil, readError(path, err)
	}
	if t := c.hit(path, info, reach); t != nil {
		return t, nil
	}
	now := time.Now()
	text, real, err := reach.read(path) // after info: a change between the two shows at the next Load
	if err != nil {
		c.drop(path)
		return nil, err
	}
	return c.keep(path, &entry{text: text, real: real, info: info, read: now}), nil
}

// hit is the text that is known of a file which has not changed since. Where it was then decides whether it may be
// shown: it is the text of that file.
func (c *Cache) hit(path string, info os.FileInfo, reach *Reach) *Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byPath[path]
	if !ok {
		return nil
	}
	have := e.Value.(*entry)
	if !Unchanged(have.info, info) || have.read.Sub(info.ModTime()) < racyAge {
		return nil
	}
	if _, ok := reach.root(have.real); !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return have.text
}

// keep enters what was read and returns the text to use: the object that is known when it has the same content, since
// other caches go by the object.
func (c *Cache) keep(path string, t *entry) *Text {
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

// remove needs mu.
func (c *Cache) remove(path string) {
	e, ok := c.byPath[path]
	if !ok {
		return
	}
	c.size -= e.Value.(*entry).text.bytes()
	c.order.Remove(e)
	delete(c.byPath, path)
}

// Unchanged reports whether two looks at a path found one file in one state: the same identity, size, mtime, and,
// where the system has it, change time of the inode, which a tool that restores mtimes cannot set back.
func Unchanged(was, now os.FileInfo) bool {
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()) &&
		changeTime(was) == changeTime(now)
}
