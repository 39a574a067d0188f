// Package indexed answers from an index of the code (package index) where no language server can: none is installed,
// its start failed, memory is short, it still loads, or the code is of another repository.
//
// Life of an answer ([Answer], which tools call through one place of theirs): the servers were asked first, and
// [ask.NoServer] says why none answers. The indexes of the workspace are opened, the symbol is found in them by place
// or by name, and every place is held against the text on disk, as those of servers are: what does not stand there is
// dropped and makes the answer partial. [Question.Conclude] then says as of which commit the answer is and what changed
// since. It is complete only where that is proven: HEAD is the commit, git sees no change, and every file that holds
// the name in code is in the index. An index and a server's view of changed files together prove nothing: a change of
// one file moves uses in files that did not change.
package indexed
