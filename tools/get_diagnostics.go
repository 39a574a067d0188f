package tools

import (
	"lspi/answer"

	"lspi/diagnose"
)

var getDiagnostics = diagnosing(define("get_diagnostics", answer.Navigation, diagnose.Run))
