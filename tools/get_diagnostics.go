package tools

import (
	"lspi/tools/answer"

	"lspi/tools/diagnostics"
)

// getDiagnostics is in package diagnostics, which check_edit and the edits use as well.
var getDiagnostics = alwaysLoaded(diagnosing(define("get_diagnostics", answer.Navigation, diagnostics.Run)))
