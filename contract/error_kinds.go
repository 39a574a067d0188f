package contract

import "slices"

// KindInfo says what a kind of error means; docs/contract.md is generated from it.
type KindInfo struct {
	Kind     Kind
	Category Category
	// Facts are the fields beside kind in error.data.lspi_error; one with a question mark may be absent.
	Facts string
	// Means says in one sentence what it tells the reader.
	Means string
}

// errorKinds has a row for every kind; a kind without a row does not exist.
var errorKinds = []KindInfo{
	{KindNoServerForExtension, InvalidParams, "extension",
		"No server is configured for files with this extension."},
	{KindServerNotInstalled, Unavailable, "server_id, command, tried[]",
		"The program of the server was not found."},
	{KindCommandNotFound, Unavailable, "server_id, command, tried[], file, line",
		"The command that the configuration names was not found; no other server answers in its place."},
	{KindServerStartFailed, Unavailable, "server_id, stderr_tail[], shortage?",
		"The server started and did not get through its handshake."},
	{KindServerCrashed, Unavailable, "server_id, exit, stderr_tail[]",
		"The server ended while it was asked."},
	{KindSpecialFile, Unavailable, "server_id, file_path",
		"A device, pipe or socket among the sources would hang the server; it was not started."},
	{KindMemoryLimit, Unavailable, "server_id, memory_mb, limit_mb, retry_after_ms",
		"The server used more memory than limits.max_server_memory_mb and was ended."},
	{KindServerDisabled, Unavailable, "server_id",
		"The configuration turns the server off."},
	{KindRestricted, Unavailable, "server_id, reason, files[]?",
		"The workspace is not trusted, and the server cannot run without running code of it."},
	{KindStillIndexing, Unavailable, "server_id",
		"The server was still loading at the deadline, and the name was not found in what it has loaded."},
	{KindProjectBroken, Unavailable, "server_id, file_path",
		"A project file has an error, without which nothing can be answered."},
	{KindLoadFailed, Unavailable, "server_id, reason",
		"The server could not load the project, for the reason given."},
	{KindNotInBuild, Unavailable, "server_id, file_path, tags[]?",
		"The file is not part of the build that the server has loaded."},
	{KindNoCompilationDB, Unavailable, "server_id, folder, markers[], name, file_path, line",
		"Without compile_commands.json the server answers with something else than the identifier that was asked about."},
	{KindUnresolvedName, NotFound, "server_id, name, file_path, line, seen[]",
		"The server does not know what this name refers to."},
	{KindFileNotFound, NotFound, "file_path, closest[], link_to",
		"There is no such file."},
	{KindNotAFile, InvalidParams, "file_path",
		"The path is a folder or a special file."},
	{KindFileUnreadable, Unavailable, "file_path, reason",
		"The file cannot be read."},
	{KindFileTooLarge, Unsupported, "file_path, bytes, limit",
		"The file is larger than lspi reads."},
	{KindOutsideWorkspace, InvalidParams, "file_path, roots[]",
		"The path leads out of the workspace."},
	{KindNotAFilePath, InvalidParams, "given, file_path",
		"A file:// URI was given in place of a path."},
	{KindSymbolNotFound, NotFound, "symbol_name, closest[], closest_line?, occurrences?",
		"No symbol of this name was found."},
	{KindAmbiguousSymbol, Ambiguous, "symbol_name, candidates[]",
		"Several symbols have this name; each candidate has a step that asks for it."},
	{KindPositionOutOfRange, InvalidParams, "file_path, lines or characters",
		"The line or character is beyond the end."},
	{KindNotAnIdentifier, InvalidParams, "file_path, line",
		"There is no identifier at the position."},
	{KindUnknownArgument, InvalidParams, "argument, closest",
		"The tool has no such argument."},
	{KindMissingArgument, InvalidParams, "argument",
		"A required argument is missing."},
	{KindInvalidArgument, InvalidParams, "argument, reason",
		"An argument has a value that is not allowed."},
	{KindUnknownTool, InvalidParams, "tool, closest",
		"There is no such tool."},
	{KindUnknownServer, InvalidParams, "server_id, known[]",
		"There is no such server."},
	{KindToolDisabled, Unsupported, "tool",
		"The configuration does not offer this tool."},
	{KindReadOnly, ReadOnly, "tool",
		"The session is read-only."},
	{KindConfigInvalid, InvalidParams, "file, line, key",
		"The configuration has an error."},
	{KindWorkspaceNotFound, NotFound, "from",
		"No workspace was found for this call."},
	{KindConfigUntrusted, Unavailable, "file",
		"The configuration inside the workspace asks for what only a trusted one may."},
	{KindProtectedPath, ReadOnly, "file_path, pattern",
		"The edit would change a protected place."},
	{KindFileChanged, Conflict, "file_path, expected, actual",
		"A file changed since the preview; nothing was written."},
	{KindEditRejected, Conflict, "reason",
		"The edit cannot be applied, for the reason given; nothing was written."},
	{KindResponseTooLarge, InvalidParams, "max_total_chars, needed",
		"Not even the smallest form of the answer fits the limit."},
	{KindRequestUnsupported, Unsupported, "server_id, method",
		"The server does not offer this request."},
	{KindRequestFailed, LSPError, "server_id, method",
		"The server answered the request with an error."},
	{KindRequestTimeout, Timeout, "server_id, method or activity, ms",
		"The server did not answer before the deadline."},
	{KindCancelled, Cancelled, "",
		"The host cancelled the call."},
	{KindPanic, InternalError, "tool",
		"lspi itself failed; the other calls go on."},
}

// ErrorKinds returns what is known of every kind.
func ErrorKinds() []KindInfo { return slices.Clone(errorKinds) }

var errorRows = func() map[Kind]int {
	rows := map[Kind]int{}
	for i, k := range errorKinds {
		rows[k.Kind] = i
	}
	return rows
}()
