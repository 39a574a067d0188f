// Package watch keeps the journal of changes of a tree of files, and gives it a barrier: after [Journal.Barrier] the
// journal holds everything that anyone did to the tree before the call. This is what lets a language server, which
// would answer from what it once read, be told of every change right before it is asked.
//
// # Events
//
// On Linux every folder is watched by one inotify instance (fsnotify). Events of one instance come out in the order
// in which the kernel made them. So what is done in a private folder, outside the workspace, that the same instance
// watches comes out behind all changes made before it: Barrier renames a file there and waits for the event. Its cost
// depends on what changed, not on the size of the tree. The folder is locked for as long as its process lives; the next
// one removes what a killed one left.
//
// One goroutine (listener.collect) only takes events from fsnotify and adds them to a set of dirty paths. It never
// blocks: fsnotify reports some errors with its lock held, so whoever adds watches must not be the one who reads
// errors. Another one (Journal.run) owns the snapshot (tree) and the watches: it takes the dirty set, looks at each
// path on disk, corrects the snapshot and notes the difference in the history. An event is only a hint where to
// look; the disk decides what is noted. A new folder is watched first and listed afterwards, so that what is made
// in between is at least in one of the two.
//
// # Comparing
//
// Where events cannot be relied on (another system, a network file system, no watches left, one folder visible at two
// places) each barrier walks the tree and compares size, mtime, ctime and inode. Files whose last change is so recent
// that a further one might have the same time are also compared by a hash of their content. When events were lost
// (the queue overflowed, the root was replaced) the tree is compared once, and events go on with new watches.
// [Journal.Mode] says which mode is in use, and why.
//
// # What is tracked
//
// Regular files and symbolic links (by themselves; links to folders are not followed, except the root), without .git,
// what .gitignore files and .git/info/exclude leave out, and what Options.SkipDir leaves out; of these, what
// Options.Keep wants is tracked all the same, and what Options.Apart wants is told when it changes. What begins
// with Options.TempPrefix is never tracked. A file that is left out from now on, because a .gitignore changed, is
// reported one last time, as it is on disk.
//
// # Limits
//
// Events are not made for what a program writes through a memory map, nor for a file written by another name of it
// (hard link) outside the tree that was made after the file was first seen. A folder over which something is mounted
// while it is watched is not noticed until the folder above changes.
package watch
