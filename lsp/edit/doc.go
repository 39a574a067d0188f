// Package edit turns a WorkspaceEdit (LSP 3.18) of a server into a plan that can be shown, and applies a plan to
// files wholly or not at all.
//
// # From edit to plan
//
// [Decode] reads the JSON and refuses what it does not know, since an operation that is skipped silently makes a
// wrong edit. [Edit.Plan] applies the operations in their order to a model of the tree (type tree), which reads files
// and writes none: an edit that follows a rename means the renamed file. The plan holds for each file its text before
// and after, the SHA-256 of the bytes on disk, a unified diff, and what a careful reader wants to know (generated,
// read-only, outside of the roots). Symbolic links are followed to the real file, which must lie in the roots.
//
// # From plan to disk
//
// [Writer.Apply] takes the lock of the roots, reads every file once more and compares it with the plan. It writes new
// texts beside their files under names that begin with [Prefix], syncs them, and exchanges them with the old ones. On
// Linux (renameat2) and macOS (renamex_np) an exchange is one step, so that what it took out is exactly what was
// there: that is compared again, and put back when somebody changed it at the last moment. Old files stay beside the
// new ones until all is done, as themselves and not as copies. All other steps (a folder is made, a file is moved,
// placed or removed) never replace anything.
//
// On Linux each of these operations works relative to the folders of its paths, which it has opened without following
// a symbolic link (pin.go): a folder that is replaced by a link after the last check leads no write elsewhere.
//
// A journal in the writer's folder says what will be done before it is done. [Writer.Recover] reads what a killed
// process has left of it: before the line "committed" everything is put back, after it only auxiliary files are
// removed. A change that somebody made meanwhile is never overwritten. When a file that already had its new text was
// changed further, the rest of the edit is completed around it; where neither end can be reached whole, the old text
// is kept in the writer's folder and reported.
//
// # After the death of a process
//
// An edit that is made for a call ([ApplyOptions.Call]) leaves its journal as a record, by one rename, so that a
// committed edit is known at every moment. [Writer.Outcome], in any process, finishes what is left of the edits of a
// call and returns what became of them; from then on the call changes nothing more. [Writer.Forget] removes the
// record, or a later edit does after a day.
//
// # Limits
//
// Other programs see the files of a plan change one after the other, within milliseconds. A program that holds a file
// open and writes to it through that handle after the last comparison writes into the file that is being deleted; no
// system offers a way to exclude that. Without an atomic exchange (Windows, some network file systems) the name of a
// file is missing for a moment.
package edit
