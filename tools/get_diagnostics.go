package tools

import (
	"lspi/answer"

	"lspi/diagnose"
)

var getDiagnostics = define("get_diagnostics", answer.Navigation, diagnose.Run)
