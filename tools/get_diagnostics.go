package tools

import (
	"lspi/tools/answer"

	"lspi/tools/diagnostics"
)

var getDiagnostics = diagnosing(define("get_diagnostics", answer.Navigation, diagnostics.Run))
