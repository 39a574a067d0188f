package contract

import "slices"

// WarningKind is the kind of a warning, a closed list.
type WarningKind string

// The kinds. What each does and means stands in one row of warningKinds.
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
	WarnPartFailed            WarningKind = "part_failed"
	WarnStaleDropped          WarningKind = "stale_dropped"
	WarnFileSkipped           WarningKind = "file_skipped"
	WarnCoverageOpenFilesOnly WarningKind = "coverage_open_files_only"
	WarnProjectBroken         WarningKind = "project_broken"
	WarnLoadFailed            WarningKind = "load_failed"
	WarnServerUnhealthy       WarningKind = "server_unhealthy"
	WarnSyncIncomplete        WarningKind = "sync_incomplete"
	WarnServerFailed          WarningKind = "server_failed"
	WarnDynamicUses           WarningKind = "dynamic_uses"
	WarnUnresolved            WarningKind = "unresolved_name"
	WarnDependenciesMissing   WarningKind = "dependencies_missing"
	WarnRestricted            WarningKind = "restricted"
	WarnNoReadinessSign       WarningKind = "no_readiness_sign"
	WarnServerMatching        WarningKind = "server_matching"
	WarnPositionAdjusted      WarningKind = "position_adjusted"
	WarnLineAdjusted          WarningKind = "line_adjusted"
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
)

// WarningInfo says what a kind of warning means and does; docs/contract.md is generated from it.
type WarningInfo struct {
	Kind WarningKind
	// Effect is what it does to completeness: [Partial], [Unknown], or [Complete] when it only informs.
	Effect Completeness
	// Always is set when it is shown however many warnings there are: it says what was answered about, what a change does
	// to files, or what to put right in lspi itself.
	Always bool
	// Facts are the fields beside kind and message; one with a question mark may be absent.
	Facts string
	// Means says in one or two sentences what it tells the reader.
	Means string
}

// warningKinds has a row for every kind. Among the kinds that limit an answer, those that may take more of it come first;
// [Shown] keeps this order.
var warningKinds = []WarningInfo{
	{WarnEditUnfinished, Partial, true, "files[]",
		"An earlier edit was interrupted; this session is read-only and cannot finish it."},
	{WarnUsesLeft, Partial, true, "total, files[]",
		"Uses that the server finds, or declarations in classes that override it or are overridden, that its own edit does not change."},
	{WarnTimeLimit, Partial, false, "servers[]",
		"The named servers did not answer before the deadline of the call; what they know is missing."},
	{WarnServerFailed, Partial, false, "server_id, error",
		"One of several servers failed; what it knows is missing."},
	{WarnLoadFailed, Partial, false, "server_id, reason",
		"The server could not load the project, for the reason given; it answers from what it has read so far. No edit is applied."},
	{WarnRestricted, Partial, false, "server_id, not_run[]",
		"The workspace is not trusted, so that code of it, on which the answer depends, did not run. Ask the user whether to trust it. No rename is applied."},
	{WarnUnreadableFiles, Partial, false, "files[], total",
		"Sources that this user may not read, or whose names are not UTF-8, and folders (`x/`) that this user may not list: the server has not read them. No edit is applied."},
	{WarnNotCompiled, Partial, false, "server_id, files[], line?, total",
		"Files did not compile, so that the index of the server lacks what they hold."},
	{WarnProjectBroken, Partial, false, "file_path",
		"The project file has an error; the server answers without what it declares."},
	{WarnIndexing, Partial, false, "server_id, percent?, activity?",
		"The server is still indexing; what it has not read yet is missing. Repeat the call."},
	{WarnSyncIncomplete, Partial, false, "reason",
		"lspi could not tell the server of every change on disk."},
	{WarnServerUnhealthy, Partial, false, "health, message",
		"The server reports that it does not work as it should."},
	{WarnNoCompilationDatabase, Partial, false, "folder",
		"There is no compile_commands.json for these sources, so that the server guesses how they are compiled."},
	{WarnNoProjectFile, Partial, false, "markers[]",
		"There is no project file, so that the server knows only the files that are open."},
	{WarnUnresolved, Partial, false, "name, file_path, errors?, line?",
		"The server does not resolve a name on the way to the answer."},
	{WarnDependenciesMissing, Partial, false, "folder, packages, files[], line?, total",
		"Dependencies of the project are not installed."},
	{WarnLinkedProjects, Partial, false, "folders[]",
		"Other projects use this one, and hold the name, but the server has not loaded them."},
	{WarnUnlistedSources, Partial, false, "files[], line?, total",
		"Sources that hold the name, but belong to no project of the server."},
	{WarnNotBuilt, Partial, false, "server_id, files[], line?, total, counts{}?",
		"Code that the server does not build (`#if`, `#[cfg]`), and so does not see or check, holds the name or is what the edit changes."},
	{WarnCompilerOnly, Partial, true, "server_id, files[]?, line?, total?",
		"The edit changes what the server leaves to the compiler or the linker: build constraints, directives, C code, names that assembly uses, definitions that other files of C and C++ declare or have, too. The edit is neither recommended nor, by `check_edit`, applied."},
	{WarnPartFailed, Partial, false, "part, error",
		"One part of the answer failed; the others are as usual."},
	{WarnTruncated, Partial, false, "total, returned, left_out{}",
		"A limit cut the answer; a next step continues it."},
	{WarnServerLimit, Partial, false, "method, limit",
		"The server itself gives at most this many results."},
	{WarnNotOpened, Partial, false, "server_id, files[]?, line?, total?, limit?",
		"The server answers this from files that it has open, and not all that may matter could be opened."},
	{WarnStaleDropped, Partial, false, "places[]",
		"Places that no longer hold the name on disk were left out."},
	{WarnFileSkipped, Partial, false, "file_path, reason",
		"A file was left out, for the reason given."},
	{WarnCoverageOpenFilesOnly, Partial, false, "",
		"The server reports diagnostics of open files only."},
	{WarnDynamicUses, Partial, true, "name, total, files[], counts{}",
		"Uses of the name that the server does not follow, as a member of a value whose type it does not know, in a text, by an import that it does not find, in assembly or in a go:linkname directive; they may be uses of this symbol."},
	{WarnNoReadinessSign, Unknown, false, "",
		"The server gives no sign by which to tell whether it has loaded the project."},
	{WarnServerMatching, Unknown, false, "server_id, query",
		"The server itself decides which symbols match the query."},
	{WarnPositionAdjusted, Complete, true, "",
		"The position was between identifiers; the nearest one on the line was taken."},
	{WarnLineAdjusted, Complete, true, "",
		"The identifier was not on the line given; the nearest line that holds it was taken."},
	{WarnClamped, Complete, false, "",
		"An argument was beyond its limit; the limit was taken."},
	{WarnSnippetsDropped, Complete, false, "",
		"Code lines were left out to keep the answer within its limit."},
	{WarnServerRestarted, Complete, false, "",
		"The server had crashed and was started again for this answer."},
	{WarnConfig, Complete, true, "",
		"Something in the configuration deserves attention."},
	{WarnWatchFallback, Complete, false, "",
		"File events are not available; lspi compares the files before each call."},
	{WarnEncoding, Complete, false, "file_path",
		"A file is not UTF-8."},
	{WarnOutsideSources, Complete, false, "files[]",
		"Places outside of the workspace and of known dependencies are given without their text."},
	{WarnNotOffered, Complete, false, "",
		"The server does not offer a part of what was asked."},
	{WarnProjectsAside, Complete, false, "folders[], total",
		"Projects inside the workspace that the question was not about were left out."},
	{WarnHiddenCharacters, Complete, false, "total",
		"Invisible or control characters in the text of the repository are shown as `\\u{…}`."},
	{WarnFetches, Complete, true, "server_id, fetches[], file_path",
		"The server may fetch over the network what the file names; told once for each process, in a trusted workspace only."},
	{WarnMore, Complete, false, "total, kinds[]",
		"Further warnings that are not shown, by kind."},
	{WarnOutsideWorkspace, Complete, true, "files[]",
		"The edit of the server would change files outside of the workspace; they are neither shown nor changed."},
	{WarnReadOnlyFiles, Complete, true, "files[]",
		"Files that the edit would change are read-only."},
	{WarnHardLinks, Complete, true, "files[]",
		"Files that the edit would change have further names (hard links)."},
	{WarnNeedsConfirmation, Complete, true, "label, description?, files[]",
		"The server, or the user's configuration, wants these changes confirmed."},
	{WarnInComments, Complete, true, "edits, files[]",
		"The edit also changes comments or strings."},
	{WarnGeneratedFiles, Complete, true, "files[]",
		"The edit changes generated files."},
	{WarnSymbolicLinks, Complete, true, "files[]",
		"Files were reached by symbolic links; the edit changes what the links point at."},
	{WarnOddLineEnds, Complete, true, "files[]",
		"Files mix line ends; the edit keeps them."},
	{WarnChangedSince, Complete, true, "files[]",
		"Somebody changed files immediately after the edit."},
	{WarnKept, Complete, true, "files[]",
		"Texts of others, found while applying the edit, were put aside in the files named."},
	{WarnEditRecovered, Complete, true, "outcome, files[], kept[]",
		"An edit that an earlier session could not finish was finished or taken back."},
	{WarnNotCompared, Complete, true, "",
		"Diagnostics before and after the edit could not be compared."},
	{WarnCommandNotRun, Complete, true, "server_id, command",
		"The server attached a command to the edit; lspi does not run it."},
}

// WarningKinds returns what is known of every kind.
func WarningKinds() []WarningInfo { return slices.Clone(warningKinds) }

var warningRows = func() map[WarningKind]int {
	rows := map[WarningKind]int{}
	for i, w := range warningKinds {
		rows[w.Kind] = i
	}
	return rows
}()

// Effect says what a warning of this kind does to completeness. A kind without a row lowers the claim, because a new
// kind whose effect somebody forgot must not make an answer look better than it is.
func (k WarningKind) Effect() Completeness {
	if i, ok := warningRows[k]; ok {
		return warningKinds[i].Effect
	}
	return Unknown
}
