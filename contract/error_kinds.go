package contract

import "slices"

// KindInfo says what a kind of error means; docs/contract.md is generated from it.
type KindInfo struct {
	Kind     Kind
	Category Category
	// Facts are the fields beside kind in error.data.lspi_error; one with a question mark may be absent.
	Facts string
	// Means says in one sentence what the error tells the reader.
	Means string
}

// originalKinds are the words of the original lspi (the Rust program) for kinds that have another name today. Its other
// kinds, no_server_for_extension and read_only, are those of today.
var originalKinds = map[Kind]string{
	KindAmbiguousSymbol:    "needs_disambiguation",
	KindSymbolNotFound:     "no_match",
	KindOutsideWorkspace:   "outside_allowed_roots",
	KindRequestUnsupported: "method_not_supported",
	KindRequestFailed:      "rename_failed", // of a rename
	KindUnknownTool:        "not_implemented",
}

// Original returns what the original lspi called the error; "" where that was the same name, or it knew no such error.
func (e *Error) Original() string {
	if method, _ := e.Facts["method"].(string); e.Kind == KindRequestFailed && method != "textDocument/rename" &&
		method != "textDocument/prepareRename" {
		return ""
	}
	return originalKinds[e.Kind]
}

// errorTable has a row for every kind; a kind without a row does not exist.
var errorTable = []KindInfo{
	{KindNoServerForExtension, InvalidParams, "extension, file_name?",
		"No server is configured for files with this extension."},
	{KindServerNotInstalled, Unavailable, "server_id, command, tried[], install[], install_hint?, untrusted?",
		"lspi did not find the server's program; untrusted is one of the workspace, which it does not run."},
	{KindCommandNotFound, Unavailable, "server_id, command, tried[], file, line",
		"lspi did not find the command that the configuration names; no other server answers in its place."},
	{KindServerStartFailed, Unavailable, "server_id, tried[]?, stderr_tail[]?, install[]?, install_hint?, shortage?",
		"The server's process started, but its handshake failed."},
	{KindServerCrashed, Unavailable, "server_id, exit, stderr_tail[]?",
		"The server ended while lspi waited for its answer."},
	{KindSpecialFile, Unavailable, "server_id, file_path",
		"A device, pipe or socket among the sources would hang the server, so lspi did not start it."},
	{KindMemoryLimit, Unavailable, "server_id, memory_mb?, limit_mb?, retry_after_ms?, folders?",
		"The server used more memory than limits.max_server_memory_mb, so lspi ended it. `folders` is how many projects its next process may have."},
	{KindServerDisabled, Unavailable, "server_id, crashes, retry_after_ms, stderr_tail[]?",
		"The server failed too often; lspi does not start it again before retry_after_ms has passed."},
	{KindRestricted, Unavailable, "server_id, reason, files[]?",
		"The workspace is not trusted, and the server cannot work without running the workspace's code."},
	{KindStillIndexing, Unavailable, "server_id, file_path?, symbol_name?",
		"The server was still loading at the deadline, and what it had loaded by then does not contain the name."},
	{KindProjectBroken, Unavailable, "server_id, file_path",
		"A project file has an error that keeps the server from answering at all."},
	{KindLoadFailed, Unavailable, "server_id, reason",
		"The server could not load the project, for the reason given."},
	{KindNotInBuild, Unavailable, "server_id, file_path, tags[]?",
		"The file is not part of the build that the server has loaded."},
	{KindNoCompilationDB, Unavailable, "server_id, folder?, markers[]?, name, file_path, line, seen[]",
		"Without compile_commands.json the server answers about another identifier than the one that was asked about."},
	{KindUnresolvedName, NotFound, "server_id, name, file_path, line, seen[], folder?, markers[]?",
		"The server does not know what this name refers to."},
	{KindFileNotFound, NotFound, "file_path, closest[]?, link_to?, results[]?",
		"There is no such file."},
	{KindNotAFile, InvalidParams, "file_path",
		"The path leads to a folder or a special file."},
	{KindFileUnreadable, Unavailable, "file_path?, reason?, files[]?, total?",
		"The file cannot be read."},
	{KindFileTooLarge, Unsupported, "file_path, bytes, limit",
		"The file is larger than lspi reads."},
	{KindOutsideWorkspace, InvalidParams, "file_path, roots[], file_paths[]?",
		"The path leads out of the workspace."},
	{KindSymbolNotFound, NotFound,
		"symbol_name, file_path?, line?, kinds[]?, closest[]?, closest_line?, occurrences?, candidates[]?, results[]?",
		"No symbol with this name was found."},
	{KindAmbiguousSymbol, Ambiguous, "symbol_name, candidates[], total, results[]?",
		"Several symbols have this name; for each candidate there is a step that asks about it."},
	{KindPositionOutOfRange, InvalidParams, "file_path, line, lines?, character?, characters?",
		"The line or the character lies beyond the end of the file or the line."},
	{KindNotAnIdentifier, InvalidParams, "file_path, line, character, closest_line?, closest_character?",
		"There is no identifier at the position."},
	{KindUnknownArgument, InvalidParams, "argument, closest?, known[]?",
		"The tool has no such argument."},
	{KindMissingArgument, InvalidParams, "argument, file_paths[]?",
		"A required argument is missing."},
	{KindInvalidArgument, InvalidParams, "argument?, reason?",
		"An argument has a value that is not allowed."},
	{KindUnknownTool, InvalidParams, "tool, closest?, known[]?",
		"There is no such tool."},
	{KindUnknownServer, InvalidParams, "server_id, known[], closest?",
		"There is no such server."},
	{KindToolDisabled, Unsupported, "tool, key?, method?",
		"The configuration turns this tool off."},
	{KindNotAllowedByPreset, Unsupported, "preset, tool?, server_id?, closest?, known[]?, reason?",
		"The preset in use leaves this tool, or its server, out. With `known` there is no such preset; with `reason` its file cannot be read."},
	{KindReadOnly, ReadOnly, "tool, key?",
		"The session is read-only."},
	{KindConfigInvalid, InvalidParams, "file?, line?, key?, fix?",
		"The configuration has an error."},
	{KindWorkspaceNotFound, NotFound, "from",
		"No workspace was found for this call."},
	{KindWorkspaceNotSet, Unavailable, "known[]",
		"Over HTTP: the host names no roots, and bind_workspace was not called yet. The known workspaces and folders stand beside it."},
	{KindWorkspaceNotMatched, InvalidParams, "given, reason, known[], candidates[]?",
		"Over HTTP: the folder does not lead to a workspace that the user allowed (`not_allowed`), or its name is that of several (`ambiguous`)."},
	{KindWorkspaceAlreadySet, Conflict, "given, workspace_root",
		"Over HTTP: the session has another workspace already; a new session can have this one."},
	{KindConfigUntrusted, Unavailable, "server_id, file",
		"The server for this file is named by a configuration file of the workspace that the user does not trust."},
	{KindProtectedPath, ReadOnly, "file_path, pattern",
		"The edit would change a protected file or folder."},
	{KindFileChanged, Conflict, "file_path?, expected?, actual?, kept[]?",
		"A file changed after the preview; lspi wrote nothing."},
	{KindEditRejected, Conflict, "reason, server_id?, file_path?, files[]?, line?, lines[]?, text?, command?, kept[]?",
		"lspi cannot apply the edit, for the reason given, and wrote nothing."},
	{KindResponseTooLarge, InvalidParams, "max_total_chars, needed",
		"Even the smallest form of the answer exceeds the limit."},
	{KindRequestUnsupported, Unsupported, "server_id?, method?, file_path?",
		"The server does not support this request."},
	{KindRequestFailed, LSPError, "server_id, method, refused?",
		"The server answered the request with an error."},
	{KindRequestTimeout, Timeout, "server_id?, method?, activity?, ms?, limit_ms?",
		"The server did not answer before the deadline."},
	{KindCancelled, Cancelled, "server_id?, method?, activity?",
		"The host cancelled the call."},
	{KindGitFailed, Unavailable, "reason",
		"git did not tell what changed: it is not installed, the workspace is no repository (`not_a_repository`), or there is no such `revision`."},
	{KindCallInterrupted, Unavailable, "changed, files[]?, kept[]?, reason?",
		"lspi's own process ended during the call, which another one answers now. `changed` says what of the call's edit is on disk: `nothing` (the same call can be made again), `part` (it was undone, except in these files), or `unknown`."},
	{KindMCPServerUnavailable, Unavailable, "mcp_server, reason, stderr_tail[]?, retry_after_ms?",
		"Another MCP server, whose tool was called, could not be asked, or ended during the call. For `died` the call may have had effects; for the other reasons the server did not begin with it."},
	{KindMCPServerTimeout, Timeout, "mcp_server",
		"Another MCP server did not answer in time. It was told to stop, and the call may have had effects."},
	{KindMCPServerRefused, LSPError, "mcp_server, reason",
		"Another MCP server answered the call with an error of the protocol (`refused`; error.code and error.data are its own), or with something that cannot be read (`bad_answer`)."},
	{KindSessionNotFound, NotFound, "session_id",
		"This workspace has no session with the id. Sessions of other workspaces are not told from unknown ones."},
	{KindAmbiguousSession, Ambiguous, "candidates[], total",
		"Nothing tells which of several sessions that were written in the last minutes is meant; for each candidate there is a step that asks about it."},
	{KindNoDialog, NotFound, "looked_at[]",
		"No session of this workspace is known for the client that calls. looked_at says which clients' transcripts were looked for, and in which folders that exist; it is empty when lspi does not know the transcripts of the calling client."},
	{KindRequestNotFound, NotFound, "session_id, index, total",
		"The session has no request with this index; total is 0 when it has none at all."},
	{KindChatDataUnavailable, Unavailable, "session_id, reason",
		"The transcript of the session cannot be read, or was replaced while lspi read it."},
	{KindRecallUnavailable, Unavailable, "reason",
		"The folders of transcripts, or the workspace, cannot be read."},
	{KindPanic, InternalError, "tool?",
		"lspi itself failed in this call; other calls go on."},
}

// ErrorKinds returns what is known of every kind.
func ErrorKinds() []KindInfo { return slices.Clone(errorTable) }

var errorRows = rowsOf(errorTable, func(k KindInfo) Kind { return k.Kind })

// rowsOf returns the index of the row of each kind.
func rowsOf[Row any, K comparable](table []Row, kind func(Row) K) map[K]int {
	rows := map[K]int{}
	for i, row := range table {
		rows[kind(row)] = i
	}
	return rows
}
