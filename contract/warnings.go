package contract

import "slices"

// WarningKind is the kind of a warning, a closed list.
type WarningKind string

// The kinds. The row of each in warningTable says what it does and means.
const (
	WarnIndexing              WarningKind = "indexing"
	WarnNoCompilationDatabase WarningKind = "no_compilation_database"
	WarnNoProjectFile         WarningKind = "no_project_file"
	WarnUnlistedSources       WarningKind = "unlisted_sources"
	WarnNotBuilt              WarningKind = "not_built"
	WarnCompilerOnly          WarningKind = "compiler_only"
	WarnLinkedProjects        WarningKind = "linked_projects"
	WarnNotCompiled           WarningKind = "not_compiled"
	WarnUnreadableFiles       WarningKind = "unreadable_files"
	WarnTimeLimit             WarningKind = "time_limit"
	WarnNotOpened             WarningKind = "not_opened"
	WarnTruncated             WarningKind = "truncated"
	WarnServerLimit           WarningKind = "server_limit"
	WarnTextMatches           WarningKind = "text_matches"
	WarnPartFailed            WarningKind = "part_failed"
	WarnStaleDropped          WarningKind = "stale_dropped"
	WarnFileSkipped           WarningKind = "file_skipped"
	WarnCoverageOpenFilesOnly WarningKind = "coverage_open_files_only"
	WarnProjectBroken         WarningKind = "project_broken"
	WarnLoadFailed            WarningKind = "load_failed"
	WarnServerUnhealthy       WarningKind = "server_unhealthy"
	WarnSyncIncomplete        WarningKind = "sync_incomplete"
	WarnServerFailed          WarningKind = "server_failed"
	WarnUnexplained           WarningKind = "unexplained"
	WarnMentions              WarningKind = "mentions"
	WarnUnresolved            WarningKind = "unresolved_name"
	WarnDependenciesMissing   WarningKind = "dependencies_missing"
	WarnRestricted            WarningKind = "restricted"
	WarnNoReadinessSign       WarningKind = "no_readiness_sign"
	WarnServerMatching        WarningKind = "server_matching"
	WarnPositionAdjusted      WarningKind = "position_adjusted"
	WarnLineAdjusted          WarningKind = "line_adjusted"
	WarnInherited             WarningKind = "inherited"
	WarnLocals                WarningKind = "locals_left_out"
	WarnClamped               WarningKind = "clamped"
	WarnSnippetsDropped       WarningKind = "snippets_dropped"
	WarnServerRestarted       WarningKind = "server_restarted"
	WarnConfig                WarningKind = "config"
	WarnWatchFallback         WarningKind = "watch_fallback"
	WarnEncoding              WarningKind = "encoding"
	WarnOutsideSources        WarningKind = "outside_sources"
	WarnNotOffered            WarningKind = "not_offered"
	WarnProjectsAside         WarningKind = "projects_aside"
	WarnHiddenCharacters      WarningKind = "hidden_characters"
	WarnFetches               WarningKind = "fetches"
	WarnMore                  WarningKind = "more_warnings"
	WarnOutsideWorkspace      WarningKind = "outside_workspace"
	WarnReadOnlyFiles         WarningKind = "read_only_files"
	WarnHardLinks             WarningKind = "hard_links"
	WarnNeedsConfirmation     WarningKind = "needs_confirmation"
	WarnInComments            WarningKind = "in_comments"
	WarnGeneratedFiles        WarningKind = "generated_files"
	WarnSymbolicLinks         WarningKind = "symbolic_links"
	WarnOddLineEnds           WarningKind = "odd_line_ends"
	WarnChangedSince          WarningKind = "changed_since"
	WarnKept                  WarningKind = "kept"
	WarnEditRecovered         WarningKind = "edit_recovered"
	WarnEditUnfinished        WarningKind = "edit_unfinished"
	WarnUsesLeft              WarningKind = "uses_left"
	WarnNotCompared           WarningKind = "not_compared"
	WarnCommandNotRun         WarningKind = "command_not_run"
	WarnNewDiagnostics        WarningKind = "new_diagnostics"
	WarnDiagnosticsUnfinished WarningKind = "diagnostics_unfinished"
	WarnAfterRestart          WarningKind = "answered_after_restart"
	WarnOldName               WarningKind = "old_name"
	WarnArgumentForm          WarningKind = "argument_form"
	WarnUnverifiedServer      WarningKind = "unverified_server"
	WarnOneDocument           WarningKind = "one_document"
	WarnServerOmits           WarningKind = "server_omits"
	WarnSessionGuessed        WarningKind = "session_guessed"
	WarnFromIndex             WarningKind = "from_index"
	WarnIndexUnproven         WarningKind = "index_unproven"
)

// WarningInfo says what a kind of warning means and does; docs/contract.md is generated from it.
type WarningInfo struct {
	Kind WarningKind
	// Effect is what the warning does to completeness: [Partial], [Unknown], or [Complete] when it only informs.
	Effect Completeness
	// Always says that the warning is shown however many there are: it is about what was asked, about what a change
	// does to files, or about something to put right in lspi itself.
	Always bool
	// Facts are the fields beside kind and message; one with a question mark may be absent.
	Facts string
	// Means says in one or two sentences what the warning tells the reader.
	Means string
}

// warningTable has a row for every kind. Among the kinds that limit an answer, those that may hide more of it come
// first; [Shown] keeps this order.
var warningTable = []WarningInfo{
	{WarnEditUnfinished, Partial, true, "files[]",
		"An earlier edit was interrupted. This session is read-only, so it can neither finish nor undo that edit."},
	{WarnUsesLeft, Partial, true, "total, not_compiled?, files[]",
		"The server's edit does not change these places, although they use the name: uses that the server itself finds, declarations in classes that override the member or that it overrides, or what finds it by its name without a reference."},
	{WarnIndexUnproven, Partial, true, "index_file?, server_id?, reason, files[]?, total?",
		"Nothing proves that the answer of the index (SCIP, or one that clangd asks in place of its own) is whole. Its commit is not known or not in the repository (`commit_unknown`, `commit_not_found`), files changed since or another commit is checked out (`changed`, `another_commit`; `changed` with `server_id` is about the index that clangd makes: a use in these files may mean another symbol by now), files that hold the name do not belong to it or are none of git's (`not_in_index`, `not_tracked`), it says nothing of places that hold the name in code (`not_indexed`), what is asked about is declared in a dependency (`declared_outside`), its tool is known to leave out uses (`tool_omits`), lspi cannot check it (`not_checked`: implementations, uses of what has no word as its name, another repository), or there was no time to look (`time`)."},
	{WarnTimeLimit, Partial, false, "servers[]",
		"The named servers did not answer before the deadline of the call; their part of the answer is missing."},
	{WarnServerFailed, Partial, false, "server_id, error, files[]?, line?, total?",
		"One of several servers failed; its part of the answer is missing."},
	{WarnLoadFailed, Partial, false, "server_id, reason",
		"The server could not load the project, for the reason given, and answers from the files that it has read so far. lspi applies no edit."},
	{WarnRestricted, Partial, false, "server_id?, not_run[]?, files[]?",
		"The workspace is not trusted, so its code (build scripts, macros, plugins) did not run, and the answer depends on that code. Ask the user whether to trust the workspace. lspi applies no rename."},
	{WarnUnreadableFiles, Partial, false, "files[], total",
		"The server has not read these sources and folders (`x/`), because the user that lspi runs as may not read or list them, or because their names are not UTF-8. lspi applies no edit."},
	{WarnNotCompiled, Partial, false, "server_id, files[]?, line?, total?",
		"The server's index lacks the contents of these files, because they did not compile."},
	{WarnProjectBroken, Partial, false, "server_id, file_path",
		"The project file has an error; the server answers without what the file declares."},
	{WarnIndexing, Partial, false, "server_id, percent?, activity?",
		"The server is still indexing; the answer lacks what the server has not read yet. Repeat the call."},
	{WarnSyncIncomplete, Partial, false, "reason, server_id?",
		"lspi could not tell the server about every change on disk."},
	{WarnServerUnhealthy, Partial, false, "health",
		"The server reports a problem of its own."},
	{WarnNoCompilationDatabase, Partial, false, "server_id?, folder?, markers[]?, files[]?, line?, total?",
		"There is no compile_commands.json for these sources, so the server guesses how they are compiled."},
	{WarnNoProjectFile, Partial, false, "server_id?, folder?, markers[]?, files[]?, line?, total?",
		"There is no project file, so the server knows only the files that are open."},
	{WarnUnresolved, Partial, false, "name?, file_path?, line?, errors?",
		"The server does not resolve a name that the answer depends on."},
	{WarnDependenciesMissing, Partial, false, "folder, packages, files[], line?, total",
		"Dependencies of the project are not installed."},
	{WarnLinkedProjects, Partial, false, "server_id?, folders[]?, files[], line?, total",
		"Other projects depend on this one and contain the name, but the server has not loaded them."},
	{WarnUnlistedSources, Partial, false, "server_id?, folder?, files[]?, line?, total?, tags[]?",
		"These sources contain the name, but no project that the server has loaded includes them."},
	{WarnNotBuilt, Partial, false, "server_id, files[]?, line?, lines[]?, total?, counts{}?",
		"Code that the build leaves out (`#if`, `#[cfg]`) contains the name, or is what the edit changes. The server neither sees nor checks such code."},
	{WarnCompilerOnly, Partial, true, "server_id, files[]?, line?, total?",
		"The edit changes what only the compiler or the linker checks: build constraints, directives, C code, names that assembly uses, or definitions that other C and C++ files declare or define as well. lspi offers no step that applies the edit, and `check_edit` does not apply it."},
	{WarnPartFailed, Partial, false, "part, server_id?, error?, reason?, files[]?, total?, returned?",
		"One part of the answer failed; the other parts are not affected."},
	{WarnTruncated, Partial, false, "total?, returned?, part?, server_id?, roots?",
		"A limit cut the answer; a next step continues it."},
	{WarnServerLimit, Partial, false, "method?, limit?, left_out?, total?",
		"The server returns at most this many results."},
	{WarnTextMatches, Partial, false, "total, returned",
		"What is found in other repositories is text and symbols of ctags, as of the commits that the search engine has indexed. Nothing there is resolved."},
	{WarnNotOpened, Partial, false, "server_id, total",
		"The server still reads files that changed before the call."},
	{WarnStaleDropped, Partial, false, "server_id?, name?, files[]?",
		"lspi left out places that no longer hold the name on disk."},
	{WarnFileSkipped, Partial, false, "file_path, reason",
		"lspi left out a file, for the reason given."},
	{WarnCoverageOpenFilesOnly, Partial, false, "server_id?, folders[]?, files[]?, total?, reason?",
		"The server reports diagnostics of files that it is shown, and these were not: there was no time, a bound was reached, they are of a project inside of another one, or no server reads their kind (notebooks, scripts without an ending). The next call, or the step, goes on with them."},
	{WarnUnexplained, Partial, true, "names[], total, not_asked?, not_compiled?, files[]",
		"These places hold the name, are not in the answer, and may be uses: neither their text nor the server tells what they are. `not_compiled` counts those in files with errors, for which no rename is applied. Each file has its count, the first line and the reason: `not_in_this_build`, `macro`, `template`, `unclosed`, `untyped_receiver`, `unresolved`, `another_language`, `overrides`, `unknown_base`, `not_loaded`, `not_read`, `not_asked`, `by_place`, `by_name`, `by_linker`, `by_trait`, `implicit`, `not_listed`, `not_checked`, `structural`."},
	{WarnNoReadinessSign, Unknown, false, "",
		"The server gives no sign that tells whether it has loaded the project."},
	{WarnUnverifiedServer, Unknown, false, "server_id",
		"What lspi knows of this server is from its documentation; no test of lspi has run it, so that nothing shows whether its answers are whole."},
	{WarnOneDocument, Unknown, false, "server_id",
		"The server knows one document at a time, so that declarations and uses of the name in other files are not in the answer."},
	{WarnServerOmits, Unknown, false, "server_id, files[]?, total?",
		"The server is known to leave out uses or errors of the kind that the message names, and lspi cannot tell whether there are any."},
	{WarnServerMatching, Unknown, false, "server_id, query",
		"The server itself decides which symbols match the query, so lspi cannot tell whether these are all."},
	{WarnAfterRestart, Unknown, true, "files[]",
		"lspi's process ended after it had applied the edit and before it answered. All of the edit is on disk; the errors before and after it were not compared, and what else the answer would have said is lost."},
	{WarnFromIndex, Complete, true, "index_file, indexer, error, server_id?, commit?, changed_files?",
		"No server answered, for the reason of the error; this is what an index of the code (SCIP) says, which is the state of its commit. `changed_files` counts those that differ from that commit on disk. lspi has seen each place on disk."},
	{WarnMentions, Complete, true, "names[], total, not_asked?, files[]",
		"Strings are the name, or have it behind the name of what declares it (`cart.total`), and a program may use them as the name; a macro makes a string of it (reason `macro`); or sources of several programs define it, and the server takes their uses for those of one symbol (reason `by_linker`). Of a move, they are places outside of imports that may name the path. lspi does not apply a rename or a deletion by itself."},
	{WarnOldName, Complete, true, "tool",
		"The call has the name or the arguments that the original lspi (the Rust program) had; lspi ran the tool of today, and says what differs."},
	{WarnArgumentForm, Complete, true, "arguments[]",
		"These arguments are not as the schema has them: a number, a boolean or a list as a string, or a path with a line where only the file counts. lspi took them for what they can only mean."},
	{WarnSessionGuessed, Complete, true, "session_id",
		"Nothing told which session calls; lspi took the one of this workspace that the client wrote last, which may be another one."},
	{WarnPositionAdjusted, Complete, true, "line, character",
		"The position was between identifiers; lspi took the nearest one on the line."},
	{WarnLineAdjusted, Complete, true, "line, file_path?",
		"The identifier was not on the given line, or only in a comment or a string there; lspi took the nearest line that holds it, else its declaration."},
	{WarnInherited, Complete, true, "symbol_name, file_path, line",
		"The type does not declare the member that symbol_name names; lspi took the one that it inherits."},
	{WarnLocals, Complete, true, "symbol_name, left_out, file_path",
		"Functions declare the name, too; lspi took the one declaration outside of them."},
	{WarnClamped, Complete, false, "argument, limit",
		"An argument was beyond what the tool or the configuration allows; lspi took the nearest that is allowed."},
	{WarnSnippetsDropped, Complete, false, "",
		"lspi left out code lines to keep the answer within its limit."},
	{WarnServerRestarted, Complete, false, "server_id",
		"The server crashed, and lspi started it again for this answer."},
	{WarnConfig, Complete, true, "file?, line?, finding?, key?, fix?",
		"Something in the configuration needs attention."},
	{WarnWatchFallback, Complete, false, "reason",
		"The system reports no file events, so lspi compares the files before each call."},
	{WarnEncoding, Complete, false, "file_path",
		"A file is not UTF-8."},
	{WarnOutsideSources, Complete, false, "files[], total?",
		"These places lie outside the workspace and its known dependencies; lspi gives them without their text, and a search does not show them (total)."},
	{WarnNotOffered, Complete, false, "part?, server_id?, error?",
		"The server does not support a part of what was asked."},
	{WarnProjectsAside, Complete, false, "folders[], total",
		"lspi did not ask about these projects inside the workspace, because the call was not about them; a call with a file_path in one of them does."},
	{WarnHiddenCharacters, Complete, false, "total",
		"lspi shows invisible and control characters of the repository's text as `\\u{…}`."},
	{WarnFetches, Complete, true, "server_id, fetches[], file_path",
		"The server may fetch over the network what the file names. lspi says so once for each server process, in trusted workspaces only."},
	{WarnMore, Complete, false, "total, kinds[]",
		"Further warnings that are not shown, by kind."},
	{WarnOutsideWorkspace, Complete, true, "files[]",
		"The server's edit would change files outside the workspace; lspi neither shows nor changes them."},
	{WarnReadOnlyFiles, Complete, true, "files[]",
		"Files that the edit would change are read-only."},
	{WarnHardLinks, Complete, true, "files[]",
		"Files that the edit would change have other names too (hard links)."},
	{WarnNeedsConfirmation, Complete, true, "label, description?, files[]",
		"The server or the user's configuration requires that these changes are confirmed."},
	{WarnInComments, Complete, true, "edits, files[]",
		"The edit also changes comments or strings."},
	{WarnGeneratedFiles, Complete, true, "files[]",
		"The edit changes generated files."},
	{WarnSymbolicLinks, Complete, true, "files[]",
		"Files were reached through symbolic links; the edit changes the files that the links point to."},
	{WarnOddLineEnds, Complete, true, "files[]",
		"Files mix line endings; the edit keeps them."},
	{WarnChangedSince, Complete, true, "files[]",
		"Somebody else changed files immediately after the edit."},
	{WarnKept, Complete, true, "files[]",
		"While applying the edit, lspi found texts that somebody else had written meanwhile; it kept them in the named files."},
	{WarnEditRecovered, Complete, true, "outcome, files[], kept[]?",
		"lspi finished or undid an edit that an earlier session left unfinished."},
	{WarnNotCompared, Complete, true, "server_id",
		"lspi could not compare the diagnostics before and after the edit."},
	{WarnNewDiagnostics, Complete, true, "server_id, total, files[]",
		"After an earlier get_diagnostics, which did not wait for it, the server has found errors that are new or that no answer has shown yet. Told once."},
	{WarnDiagnosticsUnfinished, Complete, true, "server_id, files[], reason",
		"What an earlier get_diagnostics of these files left pending ended without a result, though no file changed. Told once."},
	{WarnCommandNotRun, Complete, true, "server_id, command",
		"The server attached a command to the edit; lspi does not run it."},
}

// WarningKinds returns the rows of all kinds.
func WarningKinds() []WarningInfo { return slices.Clone(warningTable) }

var warningRows = rowsOf(warningTable, func(w WarningInfo) WarningKind { return w.Kind })

// Effect returns what a warning of this kind does to completeness. A kind without a row makes it unknown: a new kind
// whose effect somebody forgot must not make an answer look better than it is.
func (k WarningKind) Effect() Completeness {
	if i, ok := warningRows[k]; ok {
		return warningTable[i].Effect
	}
	return Unknown
}
