// Package recall reads what the user asked in a session of Codex CLI, Claude Code, VS Code, Copilot CLI, Gemini CLI,
// Qwen Code or opencode from the transcripts that these programs write, so that an agent whose context was compacted
// can look its task up again. It only reads: files are opened O_RDONLY, nothing is created or locked beside them, and
// symbolic links that lead out of a folder of transcripts are not followed.
//
// Life of an answer: [Open] remembers the folders of the clients ([programs] is the table of them), and reads nothing.
// A question lists the files that are there now ([Store.scan]); the name of a file says which session it is of, its
// first lines, or a file beside it, say where the session runs, and only sessions in the workspace of the question, or
// below it, go on. Their files are read to the end by [transcript.update], which knows how far it came the last time:
// only what was appended since is parsed. A file that shrank, or that another file or other text took the place of, is
// read anew, as is a document (.json) whenever it changed. Of a line only the few members that tell a request of the
// user from everything else are taken (package jsonl), and of a request only its place, its time and how it begins is
// kept: a transcript of 200 MB costs little memory. The text is read from its place when it is asked for.
//
// What counts as a request: see requestIn of each client's line. Codex takes turns back by a line that
// says so, or begins a new file that names how much of an older one still holds ([codexLog]); in Claude Code each
// line names the one before it, and what no longer leads to the last line was taken back ([tree]), as in Qwen Code.
// Gemini CLI names the message to which it went back ([geminiLog]), VS Code changes places of a list ([vscodeLog]).
//
// The formats were held against the programs by TestTranscripts of package hosts, but for that of VS Code ([programs]
// has the versions). All call them internal: what is not known is skipped, and what is missing is reported as missing.
//
// opencode keeps its sessions in a SQLite database (opencode.db), which is read by SQLite in Go ([opencodeStore]), and
// not remembered; Cursor, too, has a database, which is not read.
package recall
