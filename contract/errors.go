package contract

import (
	"errors"
	"fmt"
	"maps"
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

// Kind is error.data.lspi_error.kind: the precise reason. The list is closed; [Kinds] holds all of it.
type Kind string

// The precise reasons, each with the facts that stand beside it in error.data.lspi_error.
const (
	KindNoServerForExtension Kind = "no_server_for_extension" // extension
	KindServerNotInstalled   Kind = "server_not_installed"    // server_id, command, tried[]
	KindCommandNotFound      Kind = "command_not_found"       // server_id, command, tried[], file, line: of the configuration that names it
	KindServerStartFailed    Kind = "server_start_failed"     // server_id, stderr_tail[], shortage?
	KindServerCrashed        Kind = "server_crashed"          // server_id, exit, stderr_tail[]
	KindSpecialFile          Kind = "special_file"            // server_id, file_path
	KindMemoryLimit          Kind = "memory_limit"            // server_id, memory_mb, limit_mb, retry_after_ms
	KindServerDisabled       Kind = "server_disabled"         // server_id
	KindRestricted           Kind = "restricted"              // server_id, reason, files[]?: not started, because the workspace is not trusted
	KindStillIndexing        Kind = "still_indexing"          // server_id
	KindProjectBroken        Kind = "project_broken"          // server_id, file_path
	KindLoadFailed           Kind = "load_failed"             // server_id, reason: the server could not load the project
	KindNotInBuild           Kind = "not_in_build"            // server_id, file_path, tags[]?
	KindNoCompilationDB      Kind = "no_compilation_database" // server_id, folder, markers[], name, file_path, line
	KindUnresolvedName       Kind = "unresolved_name"         // server_id, name, file_path, line, seen[]
	KindFileNotFound         Kind = "file_not_found"          // file_path, closest[], link_to
	KindNotAFile             Kind = "not_a_file"              // file_path
	KindFileUnreadable       Kind = "file_unreadable"         // file_path, reason
	KindFileTooLarge         Kind = "file_too_large"          // file_path, bytes, limit
	KindOutsideWorkspace     Kind = "outside_workspace"       // file_path, roots[]
	KindNotAFilePath         Kind = "not_a_file_path"         // given, file_path
	KindSymbolNotFound       Kind = "symbol_not_found"        // symbol_name, closest[], occurrences?
	KindAmbiguousSymbol      Kind = "ambiguous_symbol"        // symbol_name, candidates[]
	KindPositionOutOfRange   Kind = "position_out_of_range"   // file_path, lines or characters
	KindNotAnIdentifier      Kind = "not_an_identifier"       // file_path, line
	KindUnknownArgument      Kind = "unknown_argument"        // argument, closest
	KindMissingArgument      Kind = "missing_argument"        // argument
	KindInvalidArgument      Kind = "invalid_argument"        // argument, reason
	KindUnknownTool          Kind = "unknown_tool"            // tool, closest
	KindUnknownServer        Kind = "unknown_server"          // server_id, known[]
	KindToolDisabled         Kind = "tool_disabled"           // tool
	KindReadOnly             Kind = "read_only"               // tool
	KindConfigInvalid        Kind = "config_invalid"          // file, line, key
	KindWorkspaceNotFound    Kind = "workspace_not_found"     // from
	KindConfigUntrusted      Kind = "config_untrusted"        // file
	KindProtectedPath        Kind = "protected_path"          // file_path, pattern
	KindFileChanged          Kind = "file_changed"            // file_path, expected, actual
	KindEditRejected         Kind = "edit_rejected"           // reason
	KindResponseTooLarge     Kind = "response_too_large"      // max_total_chars, needed
	KindRequestUnsupported   Kind = "request_unsupported"     // server_id, method
	KindRequestFailed        Kind = "request_failed"          // server_id, method
	KindRequestTimeout       Kind = "request_timeout"         // server_id, method or activity, ms
	KindCancelled            Kind = "cancelled"
	KindPanic                Kind = "panic" // tool
)

// categories says which category each kind belongs to; a kind that is missing here does not exist.
var categories = map[Kind]Category{
	KindNoServerForExtension: InvalidParams,
	KindServerNotInstalled:   Unavailable,
	KindCommandNotFound:      Unavailable,
	KindServerStartFailed:    Unavailable,
	KindServerCrashed:        Unavailable,
	KindSpecialFile:          Unavailable,
	KindMemoryLimit:          Unavailable,
	KindServerDisabled:       Unavailable,
	KindRestricted:           Unavailable,
	KindStillIndexing:        Unavailable,
	KindProjectBroken:        Unavailable,
	KindLoadFailed:           Unavailable,
	KindNotInBuild:           Unavailable,
	KindNoCompilationDB:      Unavailable,
	KindUnresolvedName:       NotFound,
	KindFileNotFound:         NotFound,
	KindNotAFile:             InvalidParams,
	KindFileUnreadable:       Unavailable,
	KindFileTooLarge:         Unsupported,
	KindOutsideWorkspace:     InvalidParams,
	KindNotAFilePath:         InvalidParams,
	KindSymbolNotFound:       NotFound,
	KindAmbiguousSymbol:      Ambiguous,
	KindPositionOutOfRange:   InvalidParams,
	KindNotAnIdentifier:      InvalidParams,
	KindUnknownArgument:      InvalidParams,
	KindMissingArgument:      InvalidParams,
	KindInvalidArgument:      InvalidParams,
	KindUnknownTool:          InvalidParams,
	KindUnknownServer:        InvalidParams,
	KindToolDisabled:         Unsupported,
	KindReadOnly:             ReadOnly,
	KindConfigInvalid:        InvalidParams,
	KindWorkspaceNotFound:    NotFound,
	KindConfigUntrusted:      Unavailable,
	KindProtectedPath:        ReadOnly,
	KindFileChanged:          Conflict,
	KindEditRejected:         Conflict,
	KindResponseTooLarge:     InvalidParams,
	KindRequestUnsupported:   Unsupported,
	KindRequestFailed:        LSPError,
	KindRequestTimeout:       Timeout,
	KindCancelled:            Cancelled,
	KindPanic:                InternalError,
}

// Kinds returns every precise reason with its category.
func Kinds() map[Kind]Category { return maps.Clone(categories) }

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
	if categories[kind] == InvalidParams {
		e.Code = CodeInvalidParams
	}
	return e
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Category is the category of e's kind; a kind outside the list counts as an internal error.
func (e *Error) Category() Category {
	if c, ok := categories[e.Kind]; ok {
		return c
	}
	return InternalError
}
