// Package edit carries out what a server wants changed: a WorkspaceEdit (LSP 3.18) becomes a plan that can be
// shown, and a plan becomes a change of files that happens whole or not at all.
//
// # From edit to plan
//
// [Decode] reads the JSON and refuses what it does not know, because an operation that is skipped silently is a wrong
// edit. [Edit.Plan] plays the operations in their order on a picture of the tree (tree), which reads files but writes
// none: an edit behind a rename means the renamed file. The plan holds per file the text before and after, the
// SHA-256 of the bytes on disk, a unified diff, and what a careful reader wants to know (generated, read-only,
// outside of the roots). Symbolic links are followed to the real file, which must lie inside the roots.
//
// # From plan to disk
//
// [Writer.Apply] takes the lock of the roots, reads every file once more, and compares. New texts are written beside
// their files under names that begin with [Prefix], synced, and exchanged with the old ones; where the system can,
// in one step (renameat2 on Linux, renamex_np on macOS), so that what was taken out is exactly what was there: it
// is compared again, and put back when somebody changed it in the last instant. Old files stay beside the new ones
// until all is done, as themselves and not as copies. Folders are made, files are moved, placed and taken away by
// steps that never replace anything.
//
// Each of these operations holds the folders of its paths, opened without following a symbolic link, so that a
// folder which becomes a link after the last look leads none of them elsewhere (pin; Linux).
//
// A journal in the writer's folder says what is going to be done, before it is done; [Writer.Recover] reads what a
// killed process left of it. Before the line "committed" everything is put back, behind it the rest is cleaned up.
// What somebody changed in the meantime is never overwritten: if a file that was already changed was edited
// further, the rest is completed around it, and where neither way is whole, the old text is kept in the writer's
// folder and reported.
//
// # After the death of a process
//
// An edit that is made for a call ([ApplyOptions.Call]) leaves its journal as a record, in one step, so that at no
// instant a committed edit is unknown. [Writer.Outcome] of any process finishes what is left of the call, and tells
// what became of it; from then on the call changes nothing more. [Writer.Forget] removes the record; after a day
// the next edit of a call does.
//
// # Limits
//
// Other programs see the files of one plan change one after the other, within milliseconds. A program that holds a
// file open and writes to it through that handle after the last comparison writes into the file that is being
// deleted; no system offers a way to exclude it. Without an atomic exchange (Windows, some network file systems) a
// name is missing for an instant.
package edit
