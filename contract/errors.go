package contract

import (
	"errors"
	"fmt"
)

// Category is error.kind of the envelope: what sort of failure this is, a closed list.
type Category string

// The categories of section 2 of the contract.
const (
	InvalidParams Category = "invalid_params"
	NotFound      Category = "not_found"
	Ambiguous     Category = "ambiguous"
	Unsupported   Category = "unsupported"
	Unavailable   Category = "unavailable"
	Timeout       Category = "timeout"
	Cancelled     Category = "cancelled"
	ReadOnly      Category = "read_only"
	Conflict      Category = "conflict"
	LSPError      Category = "lsp_error"
	InternalError Category = "internal_error"
)

// Kind is error.data.lspi_error.kind: the precise reason. The list is closed; [ErrorKinds] holds all of it.
type Kind string

// The precise reasons. What each means, and the facts beside it, stand in one row of errorKinds (error_kinds.go).
const (
	KindNoServerForExtension Kind = "no_server_for_extension"
	KindServerNotInstalled   Kind = "server_not_installed"
	KindCommandNotFound      Kind = "command_not_found"
	KindServerStartFailed    Kind = "server_start_failed"
	KindServerCrashed        Kind = "server_crashed"
	KindSpecialFile          Kind = "special_file"
	KindMemoryLimit          Kind = "memory_limit"
	KindServerDisabled       Kind = "server_disabled"
	KindRestricted           Kind = "restricted"
	KindStillIndexing        Kind = "still_indexing"
	KindProjectBroken        Kind = "project_broken"
	KindLoadFailed           Kind = "load_failed"
	KindNotInBuild           Kind = "not_in_build"
	KindNoCompilationDB      Kind = "no_compilation_database"
	KindUnresolvedName       Kind = "unresolved_name"
	KindFileNotFound         Kind = "file_not_found"
	KindNotAFile             Kind = "not_a_file"
	KindFileUnreadable       Kind = "file_unreadable"
	KindFileTooLarge         Kind = "file_too_large"
	KindOutsideWorkspace     Kind = "outside_workspace"
	KindNotAFilePath         Kind = "not_a_file_path"
	KindSymbolNotFound       Kind = "symbol_not_found"
	KindAmbiguousSymbol      Kind = "ambiguous_symbol"
	KindPositionOutOfRange   Kind = "position_out_of_range"
	KindNotAnIdentifier      Kind = "not_an_identifier"
	KindUnknownArgument      Kind = "unknown_argument"
	KindMissingArgument      Kind = "missing_argument"
	KindInvalidArgument      Kind = "invalid_argument"
	KindUnknownTool          Kind = "unknown_tool"
	KindUnknownServer        Kind = "unknown_server"
	KindToolDisabled         Kind = "tool_disabled"
	KindNotAllowedByPreset   Kind = "not_allowed_by_preset"
	KindReadOnly             Kind = "read_only"
	KindConfigInvalid        Kind = "config_invalid"
	KindWorkspaceNotFound    Kind = "workspace_not_found"
	KindWorkspaceNotSet      Kind = "workspace_not_set"
	KindWorkspaceNotMatched  Kind = "workspace_not_matched"
	KindWorkspaceAlreadySet  Kind = "workspace_already_set"
	KindConfigUntrusted      Kind = "config_untrusted"
	KindProtectedPath        Kind = "protected_path"
	KindFileChanged          Kind = "file_changed"
	KindEditRejected         Kind = "edit_rejected"
	KindResponseTooLarge     Kind = "response_too_large"
	KindRequestUnsupported   Kind = "request_unsupported"
	KindRequestFailed        Kind = "request_failed"
	KindRequestTimeout       Kind = "request_timeout"
	KindCancelled            Kind = "cancelled"
	KindPanic                Kind = "panic"
	KindCallInterrupted      Kind = "call_interrupted"
	KindGitFailed            Kind = "git_failed"
	KindMCPServerUnavailable Kind = "mcp_server_unavailable"
	KindMCPServerTimeout     Kind = "mcp_server_timeout"
	KindMCPServerRefused     Kind = "mcp_server_refused"
	KindSessionNotFound      Kind = "session_not_found"
	KindAmbiguousSession     Kind = "ambiguous_session"
	KindNoDialog             Kind = "no_dialog"
	KindRequestNotFound      Kind = "request_not_found"
	KindChatDataUnavailable  Kind = "chat_data_unavailable"
	KindRecallUnavailable    Kind = "recall_unavailable"
)

// CodeInvalidParams is JSON-RPC's code for invalid params, which the lspi guide promises on bad arguments.
const CodeInvalidParams = -32602

// Facts stand beside the kind in error.data.lspi_error and beside a warning's message; keys in snake_case.
type Facts map[string]any

// Error is a failure with its precise reason. It is made where the cause is known and travels up as it is.
type Error struct {
	Kind    Kind
	Message string // one sentence that names the activity and the object
	Facts   Facts  // nil when there are none
	Code    int64  // the JSON-RPC code when it stems from one, else 0
	Data    any    // the server's own error data; nil when none
	Err     error  // the cause, nil when there is none; not shown beside Message
}

// Errorf makes an [*Error]; a %w in format becomes its cause.
func Errorf(kind Kind, facts Facts, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	e := &Error{Kind: kind, Message: err.Error(), Facts: facts, Err: errors.Unwrap(err)}
	if e.Category() == InvalidParams {
		e.Code = CodeInvalidParams
	}
	return e
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Category is the category of e's kind; a kind outside the list counts as an internal error.
func (e *Error) Category() Category {
	if i, ok := errorRows[e.Kind]; ok {
		return errorKinds[i].Category
	}
	return InternalError
}
