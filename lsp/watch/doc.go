// Package watch keeps a journal of the changes in a tree of files, with a barrier: after [Journal.Barrier] the
// journal holds everything that anyone did to the tree before the call. A language server, which would answer from
// what it once read, is told of these changes right before it is asked (LSP 3.17, workspace/didChangeWatchedFiles).
//
// # Events
//
// On Linux one inotify instance (fsnotify) watches every folder. The events of one instance arrive in the order in
// which the kernel made them. The instance also watches a private folder outside of the tree. Barrier renames a file
// there and waits for the event of that: all earlier changes have arrived before it. So a barrier costs what changed,
// and not what the tree holds. Each private folder is locked for as long as its process lives; a later process
// removes those that killed processes left.
//
// Two goroutines share the work. listener.collect takes events from fsnotify and adds their paths to a set of dirty
// paths. It never blocks: fsnotify sends some errors while it holds the lock that adding a watch needs, so the
// goroutine that adds watches must not be the one that reads errors. Journal.run owns the snapshot (tree) and the
// watches: it takes the dirty paths, looks at each on disk, corrects the snapshot and adds the difference to the
// history. An event says only where to look; the disk says what changed. A new folder is watched before it is listed,
// so that a file made in between is found by one of the two.
//
// # Comparing
//
// Where events do not tell everything (another system, a network file system, no watches left, one folder at two
// paths) each barrier walks the tree and compares size, mtime, ctime and inode. A file that changed so recently that
// another write could get the same time is also compared by a hash of its content. When events were lost (the queue
// overflowed, the root was replaced) the tree is compared once, and events go on with new watches. [Journal.Mode]
// returns which of the two is in use, and why.
//
// # What is tracked
//
// Regular files and symbolic links. Links are tracked by themselves and not followed, except the root. Not tracked
// are .git, what .gitignore files and .git/info/exclude ignore, what Options.SkipDir skips, and names that begin with
// Options.TempPrefix. Of what is ignored or skipped, Options.Keep may have files tracked all the same, and
// Options.Unlisted may have their changes reported. A file that is ignored from now on, because a .gitignore changed,
// is reported one last time, as it is on disk.
//
// # Limits
//
// inotify makes no event for a write through a memory map, nor for a write under another name of the file (hard link)
// that lies outside of the tree and was made after the file was first seen. A mount over a watched folder is noticed
// when the folder above changes.
package watch
