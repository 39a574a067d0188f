package contract

import (
	"errors"
	"fmt"
)

// Category is error.kind of the envelope: the sort of failure. The list is closed.
type Category string

// The categories (docs/contract.md, section 2).
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

// Kind is error.data.lspi_error.kind: the exact reason. The list is closed; [ErrorKinds] returns all.
type Kind string

// The kinds. The row of each in errorTable (error_kinds.go) says what it means and which facts it has.
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

// CodeInvalidParams is the code of JSON-RPC 2.0 for invalid params, which users of the original lspi get for bad
// arguments.
const CodeInvalidParams = -32602

// Facts are the fields beside the kind in error.data.lspi_error, and beside the message of a warning. Keys are in
// snake_case.
type Facts map[string]any

// Error is a failure with its exact reason. It is made where the cause is known, and no layer above changes it.
type Error struct {
	Kind    Kind
	Message string // one sentence that names the activity and the object
	Facts   Facts  // nil when there are none
	Code    int64  // the code of a JSON-RPC error that caused it; else 0
	Data    any    // the server's own error data; nil when there is none
	Err     error  // the cause; nil when there is none; Message has its text already
}

// Errorf returns an [*Error]; a %w in format gives its cause.
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

// Category returns the category of the kind. A kind that is not in the list counts as an internal error.
func (e *Error) Category() Category {
	if i, ok := errorRows[e.Kind]; ok {
		return errorTable[i].Category
	}
	return InternalError
}
