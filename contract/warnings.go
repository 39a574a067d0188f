package contract

// WarningKind is the kind of a warning, a closed list.
type WarningKind string

// The warnings. Those in the first group make an answer partial, those in the second unknown; the rest only inform.
const (
	WarnIndexing              WarningKind = "indexing"                // percent?, message?
	WarnNoCompilationDatabase WarningKind = "no_compilation_database" // folder
	WarnNoProjectFile         WarningKind = "no_project_file"         // markers[]
	WarnUnlistedSources       WarningKind = "unlisted_sources"        // files[], total: sources that the server does not read
	WarnLinkedProjects        WarningKind = "linked_projects"         // folders[]
	WarnNotCompiled           WarningKind = "not_compiled"            // server_id, files[], line?, total: with errors, so that the index lacks what they hold
	WarnUnreadableFiles       WarningKind = "unreadable_files"        // files[], total: sources that this user may not read, or whose name is not UTF-8
	WarnTimeLimit             WarningKind = "time_limit"              // servers[]: that did not answer in time
	WarnNotOpened             WarningKind = "not_opened"              // total
	WarnTruncated             WarningKind = "truncated"               // total, returned, left_out{}
	WarnServerLimit           WarningKind = "server_limit"            // method, limit
	WarnPartFailed            WarningKind = "part_failed"             // part, error
	WarnStaleDropped          WarningKind = "stale_dropped"           // places[]
	WarnFileSkipped           WarningKind = "file_skipped"            // file_path, reason
	WarnCoverageOpenFilesOnly WarningKind = "coverage_open_files_only"
	WarnProjectBroken         WarningKind = "project_broken"   // file_path
	WarnLoadFailed            WarningKind = "load_failed"      // server_id, reason: the server could not load the project
	WarnServerUnhealthy       WarningKind = "server_unhealthy" // health, message
	WarnSyncIncomplete        WarningKind = "sync_incomplete"  // reason
	WarnServerFailed          WarningKind = "server_failed"    // server_id, error
	WarnDynamicUses           WarningKind = "dynamic_uses"     // name, total, files[], counts{}: uses whose receiver the server does not know
	WarnUnresolved            WarningKind = "unresolved_name"  // name, file_path, errors?, line?

	WarnDependenciesMissing WarningKind = "dependencies_missing" // folder, total: of dependencies
	WarnRestricted          WarningKind = "restricted"           // server_id, not_run[]: code of a workspace that is not trusted

	WarnNoReadinessSign WarningKind = "no_readiness_sign"
	WarnServerMatching  WarningKind = "server_matching" // server_id, query

	WarnPositionAdjusted WarningKind = "position_adjusted"
	WarnLineAdjusted     WarningKind = "line_adjusted"
	WarnClamped          WarningKind = "clamped"
	WarnSnippetsDropped  WarningKind = "snippets_dropped"
	WarnServerRestarted  WarningKind = "server_restarted"
	WarnConfig           WarningKind = "config"
	WarnWatchFallback    WarningKind = "watch_fallback"
	WarnEncoding         WarningKind = "encoding"        // file_path
	WarnOutsideSources   WarningKind = "outside_sources" // files[]: places without text
	WarnNotOffered       WarningKind = "not_offered"
	WarnProjectsAside    WarningKind = "projects_aside"    // folders[], total: projects inside the workspace that were not asked about
	WarnHiddenCharacters WarningKind = "hidden_characters" // total: shown as \u{…}
	WarnMore             WarningKind = "more_warnings"     // total, kinds[]: that are not shown

	// Those of tools that change files. Of the first three the plan is shown and not applied.
	WarnOutsideWorkspace  WarningKind = "outside_workspace"  // files[]: not shown and not changed
	WarnReadOnlyFiles     WarningKind = "read_only_files"    // files[]
	WarnHardLinks         WarningKind = "hard_links"         // files[]
	WarnNeedsConfirmation WarningKind = "needs_confirmation" // label, description?, files[]
	WarnInComments        WarningKind = "in_comments"        // edits, files[]
	WarnGeneratedFiles    WarningKind = "generated_files"    // files[]
	WarnSymbolicLinks     WarningKind = "symbolic_links"     // files[]
	WarnOddLineEnds       WarningKind = "odd_line_ends"      // files[]
	WarnChangedSince      WarningKind = "changed_since"      // files[]: changed by somebody right behind the edit
	WarnKept              WarningKind = "kept"               // files[]: texts of others that were put aside
	WarnEditRecovered     WarningKind = "edit_recovered"     // outcome, files[], kept[]
	WarnEditUnfinished    WarningKind = "edit_unfinished"    // files[]: of read-only sessions; partial
	WarnUsesLeft          WarningKind = "uses_left"          // total, files[]: that the server finds and its edit leaves; partial
	WarnNotCompared       WarningKind = "not_compared"       // diagnostics before and after an edit
	WarnCommandNotRun     WarningKind = "command_not_run"    // server_id, command: that stands beside an edit
)

// Effect says what a warning of this kind does to completeness: [Partial], [Unknown], or [Complete] when it only
// informs. Every kind stands in one of the cases; one that stands in none lowers the claim, because a new kind whose
// effect somebody forgot must not make an answer look better than it is.
func (k WarningKind) Effect() Completeness {
	switch k {
	case WarnIndexing, WarnTimeLimit, WarnNoCompilationDatabase, WarnNoProjectFile, WarnUnlistedSources, WarnLinkedProjects, WarnNotOpened, WarnTruncated, WarnServerLimit,
		WarnPartFailed, WarnStaleDropped, WarnFileSkipped, WarnCoverageOpenFilesOnly, WarnServerUnhealthy, WarnProjectBroken, WarnLoadFailed,
		WarnSyncIncomplete, WarnServerFailed, WarnUnresolved, WarnDynamicUses, WarnDependenciesMissing, WarnRestricted, WarnUnreadableFiles, WarnNotCompiled,
		WarnEditUnfinished, WarnUsesLeft:
		return Partial
	case WarnNoReadinessSign, WarnServerMatching:
		return Unknown
	case WarnPositionAdjusted, WarnLineAdjusted, WarnClamped, WarnSnippetsDropped, WarnServerRestarted, WarnConfig, WarnWatchFallback,
		WarnEncoding, WarnOutsideSources, WarnNotOffered, WarnProjectsAside, WarnHiddenCharacters, WarnMore,
		WarnOutsideWorkspace, WarnReadOnlyFiles, WarnHardLinks, WarnNeedsConfirmation, WarnInComments, WarnGeneratedFiles,
		WarnSymbolicLinks, WarnOddLineEnds, WarnChangedSince, WarnKept, WarnEditRecovered, WarnNotCompared, WarnCommandNotRun:
		return Complete
	}
	return Unknown
}
