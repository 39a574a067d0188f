// Package recall reads what the user asked in a session of Codex CLI or Claude Code from the transcripts that these
// programs write, so that an agent whose context was compacted can look its task up again. It only reads: files are
// opened O_RDONLY, nothing is created or locked beside them, and symbolic links that lead out of a folder of
// transcripts are not followed.
//
// Life of an answer: [Open] remembers two folders, and reads nothing. A question lists the files that are there now
// ([Store.scan]); the name of a file says which session it is of, its first lines say where the session runs, and
// only sessions in the workspace of the question, or below it, go on. Their files are read to the end by
// [transcript.update], which knows how far it came the last time: only what was appended since is parsed. A file that
// shrank, or that another file or other text took the place of, is read anew. Of a line only the few members that
// tell a request of the user from everything else are taken (package jsonl), and of a request only its place, its
// time and how it begins is kept: a transcript of 200 MB costs little memory. The text is read from its place when
// it is asked for.
//
// What counts as a request: see codexLine.requestIn and claudeLine.requestIn. Codex takes turns back by a line that
// says so, or begins a new file that names how much of an older one still holds ([codexLog]); in Claude Code each
// line names the one before it, and what no longer leads to the last line was taken back ([claudeLog]).
//
// The formats were held against Codex CLI 0.169.0 and Claude Code 2.1.197 by TestTranscripts of package hosts. Both
// call them internal: what is not known is skipped, and what is missing is reported as missing.
package recall
