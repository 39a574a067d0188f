// Package edits changes files, and tells what a change would do. Every tool that changes files goes through it.
//
// A change ([Proposed]) is shown first and carried out when the caller consents ([ShowOrApply]): the preview carries a
// digest of all texts before and after, and the apply has to name it, so that exactly what was seen is written, or
// nothing. Package edit writes all files or none, with a journal from which an edit that a crash cut off is finished or
// undone ([Recover]). The errors of the servers before and after are compared, and the new ones are in the answer
// (errors.go). With apply "if_safe" one call does both where nothing speaks against the change, and undoes it when it
// brought an error (safe.go).
//
// check_edit tells what edits would change about the diagnostics, at the servers of all files concerned, without a
// change on disk; and, where the host asks for it and they are clean, makes them. Edits that the servers cannot
// judge (what only a compiler or a linker sees, code that the build leaves out) are told and never applied. One
// call goes through these steps:
//
//  1. [PlanEdits] checks the arguments and resolves the edits against the texts on disk (plan.go). The edits, not
//     the texts, are kept: each later step resolves them anew, so that a file which changed meanwhile is never
//     judged by an old text.
//  2. mayApply refuses what must not be written even if it is clean, before a server is asked (check_apply.go).
//  3. compareAt shows each server the new texts and collects the findings before and with them (check_compare.go,
//     difference.go).
//  4. Each comparison also warns of what its diagnostics cannot show: the linker (linkage.go), code outside the
//     build (inactive.go), other projects and files that read from disk (linked.go).
//  5. [difference.whyNot] decides by the findings and by the warnings of the call whether the edits may be
//     applied. So a warning that makes the answer partial also keeps lspi from writing; only what [SeenOnDisk]
//     names does not.
//  6. applyCompared writes the compared texts, looks at the errors again, and undoes the edits if new ones came.
package edits
